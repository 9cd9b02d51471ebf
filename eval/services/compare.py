"""Compares the implementations and calls of rpcs that `codecompass services` finds with a table
made by reading.

    python3 eval/services/compare.py PROGRAM TABLE FOLDER

A line of TABLE has an rpc, `answers` or `calls`, and path:line. A place counts as found when the
answer has the same rpc, file and line; everything else that the answer has counts as wrong.
"""

import json
import subprocess
import sys


def truth(table):
    places = {"answers": set(), "calls": set()}
    with open(table, encoding="utf-8") as lines:
        for line in lines:
            if line.strip() and not line.startswith("#"):
                rpc, kind, place = line.rstrip("\n").split("\t")
                places[kind].add((rpc, place))
    return places


def found(program, folder):
    command = [program, "services", "--kind", "grpc", "--limit", "10000", "--json"]
    output = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout
    places = {"answers": set(), "calls": set()}
    for service in json.loads(output)["services"]:
        for method in service["methods"]:
            rpc = f"{service['name']}/{method['name']}"
            for kind, sites in (("answers", method["implementations"]), ("calls", method["clients"])):
                places[kind].update((rpc, f"{site['path']}:{site['line']}") for site in sites)
    return places


def main():
    program, table, folder = sys.argv[1:]
    expected, answered = truth(table), found(program, folder)
    for kind in ("answers", "calls"):
        right = expected[kind] & answered[kind]
        recall = len(right) / max(1, len(expected[kind]))
        precision = len(right) / max(1, len(answered[kind]))
        print(f"{kind}: {len(expected[kind])} places, recall {recall:.3f}, precision {precision:.3f}")
        for mark, places in (("-", expected[kind] - right), ("+", answered[kind] - right)):
            for rpc, place in sorted(places):
                print(f"  {mark} {rpc} {place}")


main()
