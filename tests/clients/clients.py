"""Sessions of real clients with the server, each with its own copy of the fixture and its own index."""

import json
import os
import re
import signal
import subprocess
import sys
import threading

import fixture
import install

HERE = install.HERE
MODERN, LEGACY = "2026-07-28", "2025-11-25"
SECONDS = 120

# Title, installed part, package, protocol version.
CLIENTS = [
    ("Python mcp 2.3.0", "python-2", "mcp", MODERN),
    ("Python mcp 2.3.0", "python-2", "mcp", LEGACY),
    ("Python mcp 1.30.0", "python-1", "mcp", LEGACY),
    ("TypeScript client 2.4.0", "typescript", "@modelcontextprotocol/client", MODERN),
    ("TypeScript client 2.4.0", "typescript", "@modelcontextprotocol/client", LEGACY),
    ("TypeScript sdk 1.32.2", "typescript", "@modelcontextprotocol/sdk", LEGACY),
]


# The same clients, of a server that answers with objects: each kind of client once with each transport and protocol.
STRUCTURED = [
    (CLIENTS[0], "stdio"),
    (CLIENTS[2], "http"),
    (CLIENTS[3], "http"),
    (CLIENTS[5], "stdio"),
]


def tools():
    """The names of the tools that `--tools all` lists without a chat model, in their order, from docs/mcp.md."""
    with open(os.path.join(HERE, "..", "..", "docs", "mcp.md")) as file:
        table = file.read().split("<!-- tools:")[1].split("<!-- end of tools -->")[0]
    return re.findall(r"^\| `(\w+)` \| (?:yes)? ?\|", table, re.MULTILINE)


class HttpServer:
    """A server on a free port of this machine. It must end with exit code 0 when it is told to."""

    def __init__(self, binary, workspace, home, words=()):
        command = [binary, "serve-mcp", "--no-watch", "--transport", "http", "--bind", "127.0.0.1:0", "--workspace", workspace, *words]
        env = os.environ | {"CODECOMPASS_HOME": home}
        self.process = subprocess.Popen(command, env=env, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.said = []
        self.url = None
        for line in self.process.stderr:
            self.said.append(line)
            self.url = next((word.strip("`,.;") for word in line.split() if word.startswith("http://")), None)
            if self.url:
                break
        if not self.url:
            raise RuntimeError(f"the server did not say where it listens: {''.join(self.said)[-400:]}")
        threading.Thread(target=lambda: self.said.extend(self.process.stderr), daemon=True).start()

    def stop(self):
        """The exit code after SIGTERM; `None` if it had to be killed."""
        self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            return None


def session(parts, client, transport, binary, original, folder, structured=False):
    """Runs one client's session; gives its checks. A server with structured answers is asked two questions only."""
    _, part, package, version = client
    os.makedirs(folder)
    repository = fixture.copy(original, os.path.join(folder, "repository"))
    home, notes = os.path.join(folder, "home"), os.path.join(folder, "notes.json")
    words = ["--tools", "all", "--index-wait", "60", "--answers", "structured" if structured else "json"]
    command = [binary, "serve-mcp", "--no-watch", "--workspace", repository, *words]
    with open(os.path.join(HERE, "questions.json")) as file:
        questions = json.load(file)
    server = HttpServer(binary, repository, home, words) if transport == "http" else None
    config = {
        "package": package,
        "era": "modern" if version == MODERN else "legacy",
        "version": version,
        "url": server.url if server else None,
        "stdio": {
            "command": sys.executable,
            "args": [os.path.join(HERE, "launch.py"), notes, *command],
            "env": {"CODECOMPASS_HOME": home, "PATH": os.environ["PATH"]},
        },
        "notes": notes,
        "repository": repository,
        "tools": tools(),
        "questions": structured_questions(questions) if structured else questions,
        "structured": structured,
    }
    path = os.path.join(folder, "configuration.json")
    with open(path, "w") as file:
        json.dump(config, file)
    program, env = parts[part]
    checks = printed([*program, path], env)
    if server:
        code = server.stop()
        checks.append({"check": "the server ends with exit code 0", "ok": code == 0, "detail": str(code)})
    return checks


def structured_questions(questions):
    """One with an answer and one with an error."""
    return [next(question for question in questions if kind in question) for kind in ["expect", "error"]]


def printed(command, env):
    """The checks that a program prints, one JSON object per line, and one more if it failed."""
    try:
        result = subprocess.run(command, env=env, capture_output=True, text=True, timeout=SECONDS)
        output, trouble = result.stdout, result.stderr if result.returncode else ""
    except subprocess.TimeoutExpired as error:
        output = (error.stdout or b"").decode()
        trouble = f"not done after {SECONDS} s"
    checks = [json.loads(line) for line in output.splitlines() if line.startswith("{")]
    if trouble or not checks:
        checks.append({"check": "the client's program runs to its end", "ok": False, "detail": trouble[-1500:]})
    return checks
