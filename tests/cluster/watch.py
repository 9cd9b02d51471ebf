"""What must hold for every answer of a cluster, whatever happens to its parts.

`Watcher` asks all nodes all the time and keeps what they say; `Engine` answers the same questions for the same commits with
the program alone, without a cluster.
"""

import json
import os
import subprocess
import threading
import time

from systems import get

COMMANDS = {"search_code": "search", "locate_symbol": "locate", "find_references": "refs", "grep_code": "grep", "get_symbol": "show",
            "read_file": "read"}
# What an error may have for a status: the question is refused, or the cluster cannot answer now.
CLEAR = (400, 401, 403, 404, 408, 409, 422, 500, 503, 504)


class Engine:
    """The program alone, on checkouts of commits."""

    def __init__(self, binary, folder):
        self.binary, self.folder = binary, folder
        self.known = {}

    def checkout(self, repository, commit):
        place = os.path.join(self.folder, commit[:16], repository.name)
        if not os.path.exists(place):
            os.makedirs(os.path.dirname(place), exist_ok=True)
            repository.git("worktree", "add", "--quiet", "--detach", place + ".new", commit)
            repository.git("worktree", "move", place + ".new", place)
        return place

    def ask(self, tool, subject, commits):
        """The answer for these commits, by repository, without its metadata."""
        key = (tool, subject, tuple(sorted((repository.name, commit) for repository, commit in commits.items())))
        if key not in self.known:
            words = [self.binary, COMMANDS[tool], subject, "--json"]
            for repository in sorted(commits, key=lambda repository: repository.name):
                words += ["--workspace", self.checkout(repository, commits[repository])]
            env = {"PATH": os.environ["PATH"], "HOME": self.folder, "CODECOMPASS_HOME": os.path.join(self.folder, "home")}
            done = subprocess.run(words, env=env, capture_output=True, text=True, timeout=120)
            self.known[key] = content(json.loads(done.stdout or "{}")) if done.returncode < 2 else done.stderr
        return self.known[key]


def content(answer):
    """An answer without its metadata; with one repository there is no need to name it."""
    def bare(value):
        if isinstance(value, dict):
            return {name: bare(inner) for name, inner in value.items() if name not in ("metadata", "repository")}
        return [bare(inner) for inner in value] if isinstance(value, list) else value
    found = answer.get("results") if isinstance(answer, dict) else None
    several = {entry.get("repository") for entry in found if isinstance(entry, dict)} - {None} if isinstance(found, list) else set()
    named = [entry.get("repository") for entry in found] if len(several) > 1 else None
    return json.dumps([bare(answer), named], sort_keys=True)


def generations(answer):
    """Repository, generation and commit of an answer."""
    listed = answer.get("metadata", {}).get("repositories", []) if isinstance(answer, dict) else []
    return [(entry["repository"], entry["generation"], entry["commit"]) for entry in listed]


def is_unreachable(answer):
    return isinstance(answer, dict) and answer.get("metadata", {}).get("catalogue") == "unreachable"


class Watcher:
    """Asks nodes again and again in the background."""

    def __init__(self, engine, token, nodes, repositories, questions, pause=0.1):
        self.engine, self.token, self.nodes, self.questions, self.pause = engine, token, nodes, questions, pause
        self.repositories = {repository.name: repository for repository in repositories}
        self.log, self.is_over = [], False
        # Nodes that are stopped, from which no answer can come.
        self.excused = set()
        self.threads = []

    def __enter__(self):
        self.threads = [threading.Thread(target=self.run, args=(number,), daemon=True) for number in range(2)]
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.is_over = True
        for thread in self.threads:
            thread.join(30)

    def run(self, number):
        while not self.is_over:
            node = self.nodes[number % len(self.nodes)]
            tool, name, subject, workspaces = self.questions[number // 2 % len(self.questions)]
            number += 1
            self.ask(node, tool, name, subject, workspaces)
            time.sleep(self.pause)

    def ask(self, node, tool, name, subject, workspaces):
        began = time.monotonic()
        try:
            field = "workspaces" if len(workspaces) > 1 else "workspace"
            status, answer = node.ask(tool, self.token, 15, **{name: subject, field: list(workspaces)})
        except OSError as error:
            status, answer = 0, str(error)
        self.log.append({"began": began, "ended": time.monotonic(), "node": node.name, "tool": tool, "subject": subject,
                         "workspaces": workspaces, "status": status, "answer": answer, "excused": node.name in self.excused})
        return status, answer

    def faults(self, calm=False):
        """All answers that are not as they must be. Without faults of parts there are no errors either."""
        found = []
        log = list(self.log)
        for entry in log:
            place = f"{entry['tool']} {entry['subject']!r} at {entry['node']}"
            if entry["status"] == 200:
                found += [f"{place}: {fault}" for fault in self.wrong(entry)]
            elif calm:
                found.append(f"{place}: {entry['status']} {str(entry['answer'])[:300]}")
            elif "timed out" in str(entry["answer"]) and entry["status"] == 0 and not entry["excused"]:
                found.append(f"{place}: no answer in 15 s")
            elif entry["status"] and (entry["status"] not in CLEAR or not isinstance(entry["answer"], dict) or "error" not in entry["answer"]):
                found.append(f"{place}: not a clear error: {entry['status']} {str(entry['answer'])[:300]}")
        return found + self.steps_back(log)

    def wrong(self, entry):
        answer = entry["answer"]
        answered = {name: commit for name, _, commit in generations(answer)}
        missing = {entry["repository"] for entry in answer.get("metadata", {}).get("missing_repositories", [])}
        if set(answered) | missing != set(entry["workspaces"]):
            yield f"answered by {sorted(answered)} without {sorted(missing)} of {sorted(entry['workspaces'])}"
        if not answered:
            return
        commits = {self.repositories[name]: commit for name, commit in answered.items()}
        expected = self.engine.ask(entry["tool"], entry["subject"], commits)
        if content(answer) != expected:
            yield f"for {answered}: {content(answer)[:600]} instead of {expected[:600]}"

    @staticmethod
    def steps_back(log):
        """Answers of an older generation than one that was given before they were asked for."""
        told, moments = [], []
        for entry in log:
            if entry["status"] == 200 and not is_unreachable(entry["answer"]):
                for name, generation, _ in generations(entry["answer"]):
                    moments.append((entry["began"], 1, name, generation, entry["node"]))
                    moments.append((entry["ended"], 0, name, generation, entry["node"]))
        newest = {}
        for _, is_begin, name, generation, node in sorted(moments):
            if is_begin and generation < newest.get(name, (0,))[0]:
                told.append(f"{name}: generation {generation} at {node} after {newest[name]}")
            if not is_begin:
                newest[name] = max(newest.get(name, (0, "")), (generation, node))
        return told

    def count(self):
        return sum(entry["status"] == 200 for entry in self.log)


def metrics(node):
    """The figures of a node by name; an error if a line is not of Prometheus' form."""
    _, text = get(node.address() + "/metrics")
    found, types = {}, {}
    for line in text.splitlines():
        if line.startswith("# TYPE "):
            _, _, name, kind = line.split(" ")
            types[name] = kind
        elif not line.startswith("#"):
            name, value = line.rsplit(" ", 1)
            found[name] = float(value)
            base = name.split("{")[0]
            if not any(base == known or base in (known + "_bucket", known + "_sum", known + "_count") for known in types):
                raise AssertionError(f"a figure without a type: {line}")
    return found
