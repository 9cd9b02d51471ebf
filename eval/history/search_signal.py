#!/usr/bin/env python3
"""Measures what words of commit messages would add to `search` for the text of an issue.

    eval/history/search_signal.py BINARY CLONE SUITE.json [--points 1 2 4 8]

SUITE.json is a localisation suite (`eval/localisation.py lite`). For each question, BM25 over the
messages of the commits behind the asked one gives the commits most like it; a file gets points for
those that changed it, as a share of the best file. The files of the answer of BINARY are put in
order again with these points added. Printed is the share of questions whose files are all among the
first 1, 3, 5 and 10: for the answer, for the commits alone, and for both.
"""

import argparse
import collections
import json
import math
import os
import re
import subprocess
import tempfile

LISTED = 100
COMMITS = 50
MAX_FILES = 20
RANKS = (1, 3, 5, 10)


def git(clone, *args):
    done = subprocess.run(["git", "-C", clone, *args], capture_output=True, check=True)
    return done.stdout.decode("utf-8", "replace")


def words(text):
    parts = re.findall(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+", text)
    for part in (part.lower() for part in parts if len(part) > 1):
        for ending in ("ing", "ed", "es", "s"):
            if part.endswith(ending) and len(part) - len(ending) >= 3:
                part = part[: -len(ending)]
                break
        yield part


class Messages:
    """BM25 over the messages of all commits of a clone; words of the subject count twice."""

    def __init__(self, clone):
        form = "--format=%x01%H%x02%B%x02"
        log = git(clone, "log", "--all", "--no-merges", "--name-only", "--no-renames", form)
        self.numbers, self.files, self.lengths = {}, [], []
        self.postings = collections.defaultdict(list)
        for commit in log.split("\x01")[1:]:
            name, message, files = commit.split("\x02")
            subject, _, body = message.strip().partition("\n")
            counts = collections.Counter(words(body))
            for word in words(subject):
                counts[word] += 2
            number = len(self.files)
            self.numbers[name] = number
            self.files.append([path for path in files.split("\n") if path])
            self.lengths.append(sum(counts.values()))
            for word, count in counts.items():
                self.postings[word].append((number, count))
        self.mean = sum(self.lengths) / max(1, len(self.lengths))

    def files_for(self, text, behind):
        scores = collections.defaultdict(float)
        for word, wanted in collections.Counter(words(text)).items():
            having = len(self.postings[word])
            rarity = math.log(1 + (len(self.files) - having + 0.5) / (having + 0.5))
            for number, count in self.postings[word] if rarity >= 1 else []:
                if number in behind:
                    norm = 1.2 * (0.5 + 0.5 * self.lengths[number] / self.mean)
                    scores[number] += min(wanted, 3) ** 0.5 * rarity * count * 2.2 / (count + norm)
        points = collections.defaultdict(float)
        telling = (number for number in sorted(scores, key=lambda n: (-scores[n], n)) if 0 < len(self.files[number]) <= MAX_FILES)
        for _, number in zip(range(COMMITS), telling):
            for path in self.files[number]:
                points[path] += scores[number] ** 2 / len(self.files[number]) ** 0.5
        best = max(points.values(), default=1)
        return {path: value / best for path, value in points.items()}


def answer(binary, clone, home, text, ref):
    command = [binary, "search", "--workspace", clone, "--ref", ref, "--json", "--limit", str(LISTED), "--", text]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "CODECOMPASS_HOME": home})
    best = {}
    for result in json.loads(done.stdout)["results"]:
        best[result["path"]] = max(best.get(result["path"], 0), result["score"])
    return best


def line(name, orders):
    shares = (sum(wanted <= set(order[:rank]) for order, wanted in orders) / max(1, len(orders)) for rank in RANKS)
    print(f"{name:28}" + "  ".join(f"@{rank} {share:.3f}" for rank, share in zip(RANKS, shares)))


def in_order(scores):
    return sorted(scores, key=lambda path: (-scores[path], path))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("clone")
    parser.add_argument("suite")
    parser.add_argument("--points", nargs="+", type=float, default=[1, 2, 4, 8])
    options = parser.parse_args()
    with open(options.suite) as file:
        suite = json.load(file)
    messages = Messages(options.clone)
    rows = []
    with tempfile.TemporaryDirectory() as home:
        for question in suite["queries"]:
            text, ref = question["query"], question["ref"]
            behind = {messages.numbers[name] for name in git(options.clone, "rev-list", ref).split() if name in messages.numbers}
            found = answer(options.binary, options.clone, home, text, ref)
            title = text.strip().split("\n")[0]
            signals = {"title": messages.files_for(title, behind), "text": messages.files_for(text, behind)}
            rows.append((found, signals, set(question["relevant"])))
    line(f"{len(rows)} questions", [(in_order(found), wanted) for found, _, wanted in rows])
    for part in ("title", "text"):
        line(f"commits alone, {part}", [(in_order(signals[part]), wanted) for _, signals, wanted in rows])
        for points in options.points:
            joined = [
                (in_order({path: score + points * signals[part].get(path, 0) for path, score in found.items()}), wanted)
                for found, signals, wanted in rows
            ]
            line(f"{part}, {points:g} points", joined)


if __name__ == "__main__":
    main()
