"""Compares the endpoints of installed applications with the tables that their frameworks register.

    python3 eval/endpoints/applications.py PROGRAM FOLDER [NAME…]

FOLDER holds the applications, installed by name (`install` in each row of APPLICATIONS). Routes
whose handler is not of the package itself (static files, admin sites) are no part of the table.
Prints recall and precision of method and path, and the share of right handlers, beside a baseline
of regular expressions.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

from compare import baseline, is_answered, normal, ours, share

# Folders to which our answer is restricted: packages that hold other applications beside this one.
FILES = {"prefect": ["--file", "prefect/server"], "flask-monitoringdashboard": ["--file", "*/views"]}
HERE = os.path.dirname(os.path.abspath(__file__))
FLASK_APP = "from flask import Flask\napp = Flask('x')\n"
APPLICATIONS = [
    # name, framework, install, package folder, module prefix, code that loads it
    ("httpbin", "flask", "pip install --target httpbin httpbin", "httpbin/httpbin", "httpbin",
     "from httpbin.core import app"),
    ("ihatemoney", "flask", "pip install --target ihatemoney ihatemoney", "ihatemoney/ihatemoney", "ihatemoney",
     "from ihatemoney.run import create_app\napp = create_app()"),
    ("flask-monitoringdashboard", "flask", "pip install --target dashboard flask-monitoringdashboard",
     "dashboard/flask_monitoringdashboard", "flask_monitoringdashboard",
     FLASK_APP + "import flask_monitoringdashboard as d\nd.bind(app)"),
    ("prefect", "fastapi", "pip install --target prefect prefect fastapi==0.115.12", "prefect/prefect", "prefect",
     "from prefect.server.api.server import create_app\napp = create_app(ephemeral=True)"),
    ("graphite-web", "django", "pip install --target graphite graphite-web", "graphite/opt/graphite/webapp",
     "graphite", "import os, sys\nsys.path.insert(0, 'graphite/opt/graphite/webapp')\n"
     "os.environ['DJANGO_SETTINGS_MODULE'] = 'graphite.settings'\nimport django\ndjango.setup()"),
    ("parse-dashboard", "express", "npm install --prefix js/parse-dashboard parse-dashboard",
     "js/parse-dashboard/node_modules/parse-dashboard", "",
     "const D = load('parse-dashboard'); const app = load('express')(); app.use('/dashboard', new D({apps: "
     "[{serverURL: 'http://x/p', appId: 'a', masterKey: 'm', appName: 'n'}], agent: {models: []}}, {})); return app;"),
    ("redis-commander", "express", "npm install --prefix js/redis-commander redis-commander",
     "js/redis-commander/node_modules/redis-commander", "",
     "process.env.NODE_CONFIG_DIR = 'js/redis-commander/node_modules/redis-commander/config'; "
     "return load('redis-commander')({list: [], getList: () => []});"),
]


def table(folder, name, kind, package, module, code):
    """The routes that the framework registered."""
    if kind == "express":
        modules = os.path.join(folder, package.split("/node_modules/")[0], "node_modules")
        command = ["node", os.path.join(HERE, "express_table.js"), modules, code]
    else:
        command = [sys.executable, os.path.join(HERE, "tables.py"), kind, code]
    target = os.path.join(folder, package.split("/")[0])
    environment = {**os.environ, "PYTHONPATH": target}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    lines = [line for line in done.stdout.splitlines() if line.startswith("TABLE")]
    if not lines:
        print(f"| {name} | cannot be loaded: {done.stderr.strip().splitlines()[-1:]} |")
        return None
    rows = json.loads(lines[-1][len("TABLE"):])
    return [row for row in rows if not module or row["module"].split(".")[0] == module]


def source(folder, package):
    """A copy of the package alone: what is installed beside it is no part of the application."""
    copy = tempfile.mkdtemp()
    ignored = shutil.ignore_patterns("node_modules", "__pycache__")
    inner = os.path.join(copy, os.path.basename(package))
    shutil.copytree(os.path.join(folder, package), inner, ignore=ignored)
    return copy if not package.endswith("webapp") else inner


def key(row):
    return row["method"], normal(row["path"])


def main(program, folder, only):
    print("| application | framework | routes | recall | with unknown prefix `…` | precision | right handlers | regular expressions: recall, precision |")
    print("|---|---|---|---|---|---|---|---|")
    for name, kind, _, package, module, code in APPLICATIONS:
        if only and name not in only or not os.path.isdir(os.path.join(folder, package)):
            continue
        rows = table(folder, name, kind, package, module, code)
        if rows is None:
            continue
        copy = source(folder, package)
        listed = [one for one in ours(program, copy, FILES.get(name, ())) if one.get("role") not in ("test", "example")]
        plain = baseline(copy)
        shutil.rmtree(copy)
        partial = [one for one in listed if "…" in one["path"]]
        found = {(one["method"], normal(one["path"])): one for one in listed if one not in partial}
        wanted = {key(row): row for row in rows}
        got = [one for one in wanted if is_answered(one, found)]
        right = [one for one in found if is_answered(one, wanted)]
        ends = [(one["method"], normal(one["path"].split("…")[-1])) for one in partial]
        nearly = [one for one in wanted if one not in got and any(
            method in (one[0], "ANY") and one[1].endswith(end) for method, end in ends)]
        by_regex = [one for one in wanted if is_answered(one, plain)]
        regex_right = [one for one in plain if is_answered(one, wanted)]
        last = lambda text: re.split(r"[.:#]+", text or "")[-1].lower()
        named = [one for one in got if wanted[one]["handler"] not in ("", "<anonymous>", "lambda", "<lambda>")]
        by_path = {}
        for (method, path), one in found.items():
            by_path.setdefault(path, []).append(one)

        def is_right(one):
            candidates = [found[one]] if one in found else by_path.get(one[1], [])
            names = wanted[one]["handler"].split(".")
            return any(last((candidate["handler"] or {}).get("name")) in [n.lower() for n in names] or
                       any(n in (candidate["handler"] or {}).get("name", "") for n in names[:1])
                       for candidate in candidates)

        handlers = [one for one in named if is_right(one)]
        print(f"| {name} | {kind} | {len(wanted)} | {share(got, wanted)} | {share(nearly, wanted)} | {share(right, found)} | "
              f"{share(handlers, named)} | {share(by_regex, wanted)}, {share(regex_right, plain)} |")
        for one in sorted(wanted):
            if one not in got and one not in nearly:
                print("    missing", *one, wanted[one]["handler"], file=sys.stderr)
        for one in sorted(found):
            if one not in right:
                place = found[one]["declared"]
                print("    wrong", *one, f"{place['path']}:{place['line']}", file=sys.stderr)
        for one in named:
            if one not in handlers:
                print("    handler", *one, wanted[one]["handler"], [c["handler"] for c in by_path.get(one[1], [])], file=sys.stderr)


if __name__ == "__main__":
    main(sys.argv[1], os.path.abspath(sys.argv[2]), sys.argv[3:])
