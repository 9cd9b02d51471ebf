#!/usr/bin/env python3
"""Measures the renames that `codecompass diff` finds against commit messages that say one.

    eval/renames.py BINARY CLONE... [--commits N] [--json FILE] [--list]

A message with "rename X to Y" is an expected pair when the commit removes a line with the word X,
adds one with the word Y, and the answer has X among the symbols that are gone or renamed and Y
among those that came: other names are of parameters, files or options. A reported pair is wrong
when an expected pair has one of its names and another partner.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

NAME = r"[`'\"]?([A-Za-z_][\w.:#]*?)(?:\(\))?[`'\"]?"
SAYS = re.compile(rf"\b[Rr]enam(?:e|ed|es|ing)\s+(?:\w+\s+)?{NAME}\s+(?:to|->|=>|into|as)\s+{NAME}(?=[\s.,;:)]|$)")


def git(clone, *arguments):
    run = subprocess.run(["git", "-C", clone, *arguments], capture_output=True, text=True, errors="replace")
    return run.stdout


def last(name):
    """The last part of a qualified name."""
    return re.split(r"[.:#]+", name.strip(".:#"))[-1]


def said(clone, limit):
    """Yields commits with the pairs of names that their messages say."""
    found = git(clone, "log", "--no-merges", "-i", "-E", "--grep", r"renam(e|ed|es|ing) .* (to|->|=>|into|as) ",
                "--format=%H%x00%B%x01")
    count = 0
    for entry in found.split("\x01"):
        commit, _, message = entry.strip().partition("\0")
        pairs = {(last(a), last(b)) for a, b in SAYS.findall(message)}
        pairs = {(a, b) for a, b in pairs if a != b and len(a) > 2 and len(b) > 2}
        if not pairs:
            continue
        patch = git(clone, "show", "--format=", "-U0", "--no-renames", commit)
        if len(patch) > 2_000_000:
            continue
        removed = "\n".join(line for line in patch.splitlines() if line.startswith("-"))
        added = "\n".join(line for line in patch.splitlines() if line.startswith("+"))
        has = lambda name, text: re.search(rf"\b{re.escape(name)}\b", text)
        pairs = {(a, b) for a, b in pairs if has(a, removed) and has(b, added)}
        if pairs:
            yield commit, pairs
            count += 1
            if count == limit:
                return


def changes(binary, clone, commit, environment):
    command = [binary, "diff", f"{commit}~1", commit, "--exact", "--json", "-w", clone]
    run = subprocess.run(command, capture_output=True, text=True, env=environment)
    if run.returncode > 1:
        print(f"{clone} {commit[:10]}: {run.stderr.strip()[:200]}", file=sys.stderr)
        return None
    return json.loads(run.stdout)["summary"]


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("binary")
    options.add_argument("clones", nargs="+")
    options.add_argument("--commits", type=int, default=40, help="commits per repository, newest first")
    options.add_argument("--json", help="write each pair to this file")
    options.add_argument("--list", action="store_true", help="print what was not found, or otherwise")
    options = options.parse_args()
    totals = dict(expected=0, found=0, judged=0, right=0, reported=0)
    records = []
    with tempfile.TemporaryDirectory() as home:
        environment = {**os.environ, "CODECOMPASS_HOME": home}
        for clone in options.clones:
            counts = dict.fromkeys(totals, 0)
            for commit, pairs in said(clone, options.commits):
                found = changes(options.binary, clone, commit, environment)
                if found is None:
                    continue
                measure(found, pairs, counts, records, (clone, commit), options.list)
            report(os.path.basename(os.path.dirname(clone)) or clone, counts)
            for key in totals:
                totals[key] += counts[key]
    report("all", totals)
    if options.json:
        with open(options.json, "w") as file:
            json.dump(records, file, indent=1)


def measure(found, pairs, counts, records, place, is_listed):
    renamed = set()
    for change in found["moved_symbols"]:
        if change["change"] == "renamed":
            before, after = last(change.get("before_name", change["qualified_name"])), last(change["qualified_name"])
            if before != after:
                renamed.add((before, after))
                counts["reported"] += 1
                records.append(dict(place=place, before=change.get("before_name"), after=change["qualified_name"],
                                    path=change["path"], line=change["line_start"], evidence=change.get("evidence")))
    gone = {last(change["qualified_name"]) for change in found["deleted_symbols"]} | {a for a, _ in renamed}
    come = {last(change["qualified_name"]) for change in found["added_symbols"]} | {b for _, b in renamed}
    expected = {(a, b) for a, b in pairs if a in gone and b in come}
    counts["expected"] += len(expected)
    counts["found"] += len(expected & renamed)
    for pair in sorted(renamed):
        if any(pair[0] == a or pair[1] == b for a, b in expected):
            counts["judged"] += 1
            counts["right"] += pair in expected
            if is_listed and pair not in expected:
                print("  otherwise:", place[1][:10], *pair, "expected", sorted(expected))
    if is_listed:
        for pair in sorted(expected - renamed):
            print("  not found:", place[1][:10], *pair)


def report(name, counts):
    share = lambda a, b: f"{counts[a] / counts[b]:.3f}" if counts[b] else "-"
    print(f"{name}: expected {counts['expected']}, recall {share('found', 'expected')}, "
          f"precision {share('right', 'judged')} of {counts['judged']}, reported {counts['reported']}", flush=True)


if __name__ == "__main__":
    main()
