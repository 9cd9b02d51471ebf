"""The official conformance suites, over HTTP, and the inspector's check of the tools' schemas."""

import functools
import glob
import json
import os
import subprocess

import clients
import fixture
import install

# Title, package, what it runs, file of expected failures.
SUITES = [
    ("Conformance 0.1.16", "conformance", [], "0.1.16"),
    ("Conformance 0.2.0-alpha.12, 2025-11-25", "conformance-next", ["--requirements", "2025-11-25"], "2025-11-25"),
    ("Conformance 0.2.0-alpha.12, 2026-07-28", "conformance-next", ["--requirements", "2026-07-28"], "2026-07-28"),
]


def jobs(parts, binary, original, folder):
    """Title, installed part and work of each line."""
    found = []
    for title, package, words, expected in SUITES:
        room = os.path.join(folder, f"suite-{expected}")
        work = functools.partial(suite, parts, package, words, expected, binary, original, room)
        found.append((title, "typescript", work))
    for transport in ["stdio", "http"]:
        room = os.path.join(folder, f"inspector-{transport}")
        work = functools.partial(inspect, parts, transport, binary, original, room)
        found.append((f"Inspector 2.12.0, strict schemas, {transport}", "inspector", work))
    return found


def suite(parts, package, words, expected, binary, original, folder):
    """Runs one suite; what fails must be in the file of expected failures, and what is there must fail."""
    program, env = parts["typescript"]
    index = os.path.join(os.path.dirname(program[1]), "node_modules", "@modelcontextprotocol", package, "dist", "index.js")
    with Served(binary, original, folder) as server:
        baseline = os.path.join(install.HERE, "conformance", f"expected-{expected}.yml")
        results = os.path.join(folder, "results")
        command = ["node", index, "server", "--url", server.url, *words, "--expected-failures", baseline, "-o", results]
        result = subprocess.run(command, env=env, capture_output=True, text=True, timeout=clients.SECONDS)
    checks = []
    for path in sorted(glob.glob(os.path.join(results, "*", "checks.json"))):
        with open(path) as file:
            checks += [check for check in json.load(file) if check["status"] == "SUCCESS"]
    checks = [{"check": check["id"], "ok": True} for check in checks]
    output = result.stdout + result.stderr
    checks.append({"check": "nothing fails but what is expected", "ok": result.returncode == 0, "detail": output[-3000:]})
    return checks + [server.ended]


def inspect(parts, transport, binary, original, folder):
    """Lists the tools and checks their schemas for what some clients do not understand."""
    program = os.path.join(parts["inspector"], ".bin", "mcp-inspector")
    _, env = parts["typescript"]
    words = ["--method", "tools/list", "--strict"]
    if transport == "http":
        with Served(binary, original, folder) as server:
            checks = listed([program, "--cli", server.url, *words], env)
        return [*checks, server.ended]
    repository = fixture.copy(original, os.path.join(folder, "repository"))
    command = [program, "--cli", binary, "serve-mcp", "--workspace", repository, "--tools", "all", *words]
    return listed(command, env | {"CODECOMPASS_HOME": os.path.join(folder, "home")})


def listed(command, env):
    result = subprocess.run(command, env=env, capture_output=True, text=True, timeout=clients.SECONDS)
    good = {"check": "schemas are portable", "ok": result.returncode == 0, "detail": (result.stdout + result.stderr)[-3000:]}
    try:
        names = [tool["name"] for tool in json.loads(result.stdout)["tools"]]
    except (ValueError, KeyError):
        names = result.stdout[-300:]
    return [good, {"check": "lists its tools", "ok": names == clients.tools(), "detail": names}]


class Served:
    """A server with all tools while the block runs, and how it ended."""

    def __init__(self, binary, original, folder):
        repository = fixture.copy(original, os.path.join(folder, "repository"))
        self.server = clients.HttpServer(binary, repository, os.path.join(folder, "home"), ["--tools", "all"])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        code = self.server.stop()
        self.ended = {"check": "the server ends with exit code 0", "ok": code == 0, "detail": str(code)}

    @property
    def url(self):
        return self.server.url
