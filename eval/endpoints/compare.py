"""What the comparisons of endpoints share: our answer, the baseline of regular expressions, and the
form in which method and path are compared."""

import json
import os
import re
import subprocess
import tempfile

VERBS = "get|post|put|patch|delete|head|options"
# A verb as a call or decorator with a literal path, `route("/x")`, and annotations.
BASELINE = [
    re.compile(rf"[.@\[\s:](?i:Map|Http)?({VERBS})(?i:Mapping)?\s*\(\s*[rf]?['\"`]([^'\"`\n]*)['\"`]", re.I),
    re.compile(r"[.@#\[](route|add_url_rule|Route)\(\s*[rf]?['\"]([^'\"\n]*)['\"]"),
    re.compile(r"\b(path|re_path|url|Route)\(\s*r?['\"]([^'\"\n]*)['\"]"),
    re.compile(r"\.(HandleFunc|Handle)\(\s*\"([^\"\n]*)\""),
]
SOURCES = (".py", ".js", ".ts", ".tsx", ".go", ".java", ".kt", ".cs", ".rb", ".php", ".rs", ".ex", ".mjs", ".cjs")
SKIPPED = {"node_modules", ".git", "dist", "__pycache__"}


def normal(path):
    """A path with one name for all parameters, without a slash at its end."""
    path = re.sub(r"\(\?P?<[^>]*>(?:[^()]|\([^()]*\))*\)|\((?:[^()]|\([^()]*\))*\)|<[^>]*>|\{[^}]*\}|:[A-Za-z_]\w*(\([^)]*\))?\??", "{}", path)
    path = path.replace("/?", "/").replace("^", "").replace("$", "").replace("\\", "").replace("?", "")
    path = "/" + path.strip("/")
    return re.sub(r"/+", "/", path)


def ours(program, tree, arguments=()):
    """Asks the program for the endpoints of a tree: a list of the objects of its JSON answer."""
    home = os.environ.get("CODECOMPASS_HOME") or tempfile.mkdtemp()
    command = [os.path.abspath(program), "endpoints", "--json", "--limit", "10000", *arguments]
    environment = {**os.environ, "CODECOMPASS_HOME": home}
    done = subprocess.run(command, cwd=tree, env=environment, capture_output=True, text=True)
    if done.returncode not in (0, 1):
        raise SystemExit(done.stderr)
    return json.loads(done.stdout)["endpoints"]


def baseline(tree):
    """Routes by regular expressions: pairs of method and path."""
    found = set()
    for folder, folders, files in os.walk(tree):
        folders[:] = [name for name in folders if name not in SKIPPED]
        for name in files:
            if not name.endswith(SOURCES):
                continue
            with open(os.path.join(folder, name), errors="replace") as file:
                text = file.read()
            for expression in BASELINE:
                for match in expression.finditer(text):
                    verb = match.group(1).upper()
                    verb = verb if re.fullmatch(VERBS, verb, re.I) else "ANY"
                    found.add((verb, normal(match.group(2))))
    return found


def is_answered(wanted, found):
    """Whether a route of a table is among those found; one for all methods answers each."""
    method, path = wanted
    return (method, path) in found or ("ANY", path) in found or method == "ANY" and any(p == path for _, p in found)


def share(part, whole):
    return f"{len(part) / len(whole):.3f}" if whole else "-"
