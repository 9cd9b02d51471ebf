#!/usr/bin/env python3
"""Measures how well questions in words find the commit that they are about.

    eval/history/retrieval.py BINARY CLONE... [--questions N] [--seed N] [--dump FILE]

The questions come from the history of each clone: the entry of the change log, or the release note,
that a commit adds beside a change of code. It says the same as the message in other words. Entries
that repeat their message are left out, and so are numbers of issues, which the message has, too.
Beside the answers of BINARY stand those of BM25 over whole messages.
"""

import argparse
import collections
import json
import math
import os
import random
import re
import subprocess
import sys
import tempfile

LOGS = re.compile(r"(^|/)(changes?|changelog|history|news|release[-_ ]?notes)[^/]*(\.(md|rst|txt))?(/[^/]+\.(rst|md|txt|bugfix|feature|misc|doc))?$|(^|/)docs/releases/[^/]+\.txt$", re.I)
DOCS = re.compile(r"\.(md|rst|txt|adoc)$|(^|/)docs?/", re.I)
MAX_FILES = 20
LISTED = 10
# A clone whose notes are written at release time has commits that add many entries.
MAX_ENTRIES = 2
MAX_SAME = 0.6
RELEASE = re.compile(r"^v?\d+\.\d+|\b(release|bump|version|changelog|backport)\b", re.I)


def git(clone, *args):
    return subprocess.run(["git", "-C", clone, *args], capture_output=True, check=True).stdout.decode("utf-8", "replace")


def words(text):
    parts = re.findall(r"[A-Za-z]+|[0-9]+", re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", text))
    return [part.lower() for part in parts if len(part) > 1]


def commits(clone):
    """All commits of HEAD: id -> (message, paths)."""
    listed = git(clone, "log", "--no-merges", "--no-renames", "--name-only", "--format=%x01%H%x02%B%x03")
    found = {}
    for record in listed.split("\x01")[1:]:
        head, _, paths = record.partition("\x03")
        commit, _, message = head.partition("\x02")
        found[commit] = (message.strip(), [path for path in paths.strip().splitlines() if path])
    return found


def entry_text(lines):
    """The text of an added entry, without marks and numbers of issues."""
    text = " ".join(line.strip() for line in lines)
    text = re.sub(r"^[-*#.\s]+", "", text)
    text = re.sub(r":(issue|pr|user|ghpull|gh|ticket|pep|cve):`[^`]*`", " ", text)
    text = re.sub(r":\w+(:\w+)?:`[~!]?([^`<]*)(<[^`]*>)?`", r" \2 ", text)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"`+|_+\b|--+.*$", " ", text)
    text = re.sub(r"\(?\[?#\d+\]?\)?|\bgh-?\d+|\bissues?\s+\d+|https?://\S+|@[\w-]+|\b\d{3,}\b", " ", text, flags=re.I)
    text = re.split(r"(?<=[a-z)])\.\s", " ".join(text.split()))[0]
    return text.strip(" .()")


def added_entries(patch):
    """The entries that a patch adds to change logs: runs of added lines that begin with a mark, or a new file."""
    entries, current = [], None
    is_new = False
    for line in patch.splitlines():
        if line.startswith("diff --git"):
            current, is_new = None, False
        elif line.startswith("new file"):
            is_new = True
        elif line.startswith("@@"):
            current = None
        elif line.startswith("+") and not line.startswith("+++"):
            text = line[1:]
            if re.match(r"\s*[-*] +\S", text) or (is_new and current is None and text.strip()):
                current = [text]
                entries.append(current)
            elif current is not None and text.strip():
                current.append(text)
            else:
                current = None
        elif line.startswith("-") and not line.startswith("---"):
            # An entry that is changed is not new.
            return []
    return entries


def questions(clone, found, count, seed):
    chosen = []
    ids = list(found)
    random.Random(seed).shuffle(ids)
    subjects = collections.Counter(message.split("\n")[0] for message, _ in found.values())
    for commit in ids:
        message, paths = found[commit]
        logs = [path for path in paths if LOGS.search(path)]
        code = [path for path in paths if not DOCS.search(path) and path not in logs]
        subject = message.split("\n")[0]
        if not logs or not code or len(paths) > MAX_FILES or subjects[subject] > 1 or RELEASE.search(subject):
            continue
        entries = added_entries(git(clone, "show", "--format=", "--unified=0", "--no-renames", commit, "--", *logs))
        if not 1 <= len(entries) <= MAX_ENTRIES:
            continue
        question = entry_text(entries[0])
        asked, known = set(words(question)), set(words(subject))
        if len(asked) < 5 or len(asked & known) / len(asked | known) > MAX_SAME:
            continue
        if " ".join(words(question)) in " ".join(words(message)):
            continue
        chosen.append({"question": question, "commit": commit, "subject": subject})
        if len(chosen) == count:
            break
    return chosen


class Bm25:
    """BM25 over whole messages, as any search over text has it."""

    def __init__(self, found, k1=1.2, b=0.75):
        self.ids, self.k1, self.b = list(found), k1, b
        self.lengths, self.postings = [], collections.defaultdict(list)
        for number, commit in enumerate(self.ids):
            counts = collections.Counter(words(found[commit][0]))
            self.lengths.append(sum(counts.values()))
            for word, times in counts.items():
                self.postings[word].append((number, times))
        self.mean = sum(self.lengths) / max(len(self.lengths), 1)

    def best(self, question):
        scores = collections.Counter()
        for word in set(words(question)):
            listed = self.postings.get(word, [])
            rarity = math.log(1 + (len(self.ids) - len(listed) + 0.5) / (len(listed) + 0.5))
            for number, times in listed:
                norm = self.k1 * (1 - self.b + self.b * self.lengths[number] / self.mean)
                scores[number] += rarity * times * (self.k1 + 1) / (times + norm)
        ordered = sorted(scores, key=lambda number: (-scores[number], number))
        return [self.ids[number] for number in ordered[:LISTED]]


def asked(binary, clone, home, question):
    args = [binary, "history", question, "--no-merges", "--limit", str(LISTED), "--json", "--quiet", "--workspace", clone]
    environment = dict(os.environ, CODECOMPASS_HOME=home)
    answer = subprocess.run(args, capture_output=True, env=environment).stdout
    return [commit["id"] for commit in json.loads(answer).get("commits", [])]


def figures(name, ranks):
    ranked = [1 / rank if rank else 0 for rank in ranks]
    at = lambda depth: sum(1 for rank in ranks if rank and rank <= depth) / max(len(ranks), 1)
    print(f"  {name:<14} MRR@10 {sum(ranked) / max(len(ranked), 1):.3f}  success@1 {at(1):.3f}  @10 {at(10):.3f}")


def rank(listed, commit):
    return listed.index(commit) + 1 if commit in listed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary", help="the program, or `-` for BM25 alone")
    parser.add_argument("clones", nargs="+")
    parser.add_argument("--questions", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--dump", help="write the questions to this file")
    options = parser.parse_args()
    dumped = {}
    for clone in options.clones:
        found = commits(clone)
        suite = questions(clone, found, options.questions, options.seed)
        dumped[clone] = suite
        print(f"{clone}: {len(found)} commits, {len(suite)} questions", flush=True)
        if not suite:
            continue
        plain = Bm25(found)
        figures("BM25", [rank(plain.best(it["question"]), it["commit"]) for it in suite])
        if options.binary != "-":
            with tempfile.TemporaryDirectory() as home:
                figures("codecompass", [rank(asked(options.binary, clone, home, it["question"]), it["commit"]) for it in suite])
    if options.dump:
        with open(options.dump, "w") as file:
            json.dump(dumped, file, indent=1)


if __name__ == "__main__":
    sys.exit(main())
