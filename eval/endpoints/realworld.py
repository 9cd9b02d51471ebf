"""Compares the endpoints of implementations of the RealWorld specification with the specification.

    python3 eval/endpoints/realworld.py PROGRAM FOLDER…

Each folder holds the source of one implementation. Prints recall for the 19 endpoints of the
specification, below `/api` or not, beside a baseline of regular expressions, and what is missing.
"""

import os
import re
import sys

from compare import baseline, is_answered, normal, ours, share

SPECIFICATION = """
POST /users/login
POST /users
GET /user
PUT /user
GET /profiles/{}
POST /profiles/{}/follow
DELETE /profiles/{}/follow
GET /articles
GET /articles/feed
GET /articles/{}
POST /articles
PUT /articles/{}
DELETE /articles/{}
POST /articles/{}/comments
GET /articles/{}/comments
DELETE /articles/{}/comments/{}
POST /articles/{}/favorite
DELETE /articles/{}/favorite
GET /tags
"""


def main(program, folders):
    wanted = [tuple(line.split()) for line in SPECIFICATION.split("\n") if line]
    print("| implementation | recall | with `/api` unknown or wrong | other endpoints | regular expressions |")
    print("|---|---|---|---|---|")
    for folder in folders:
        listed = [one for one in ours(program, folder) if one.get("role") != "test"]
        found = {(one["method"], re.sub("^/api(?=/)", "", normal(one["path"]))) for one in listed}
        plain = {(verb, re.sub("^/api(?=/)", "", path)) for verb, path in baseline(folder)}
        got = [one for one in wanted if is_answered(one, found)]
        unknown = [one for one in listed if "…" in one["path"]]
        others = {one for one in found if not any(is_answered(one, {want}) or one == want for want in wanted)}
        by_regex = [one for one in wanted if is_answered(one, plain)]
        name = os.path.basename(folder.rstrip("/"))
        print(f"| {name} | {share(got, wanted)} | {len(unknown)} | {len(others)} | {share(by_regex, wanted)} |")
        for one in wanted:
            if one not in got:
                print("    missing", *one, file=sys.stderr)
        for one in sorted(others):
            print("    other", *one, file=sys.stderr)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
