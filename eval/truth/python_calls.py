#!/usr/bin/env python3
"""Calls that happen while a Python program runs, such as the tests of a package, in the format that
`cargo xtask truth` reads.

    python3 python_calls.py NAME ROOT OUT.json -m pytest ROOT/tests
    gzip -9n OUT.json

A call is written if the line that makes it has the name of the function: what an operator, a
decorator or code outside of the tree calls cannot be found by name. Such truth is partial: it does
not tell that something is no call."""

import atexit
import json
import linecache
import os
import re
import runpy
import sys
import threading

name, root, out, *program = sys.argv[1:]
root = os.path.realpath(root) + os.sep
calls = {}


def watch(frame, event, _):
    if event != 'call':
        return
    code, caller = frame.f_code, frame.f_back
    if caller is None or not code.co_filename.startswith(root) or not caller.f_code.co_filename.startswith(root):
        return
    key = code.co_filename, code.co_firstlineno, code.co_name
    calls.setdefault(key, set()).add((caller.f_code.co_filename, caller.f_lineno))


def has(path, line, word):
    return re.search(rf'(?<!\w){re.escape(word)}(?!\w)', linecache.getline(path, line)) is not None


def definition(path, first, word):
    """Finds the line of the name: decorators stand before it."""
    for line in range(first, first + 20):
        found = re.match(rf'\s*(?:async\s+)?def\s+({re.escape(word)})\b', linecache.getline(path, line))
        if found:
            return line, found.start(1) + 1
    return None


def write():
    sys.setprofile(None)
    threading.setprofile(None)
    symbols, files = [], set()
    for (path, first, word), sites in sorted(calls.items()):
        # A class is called by its own name.
        if not word.isidentifier() or word.startswith('__') or not (place := definition(path, first, word)):
            continue
        places = sorted(site for site in sites if has(*site, word) and site != (path, place[0]))
        if not places:
            continue
        relative = lambda file: file[len(root):]
        files |= {relative(path)} | {relative(site[0]) for site in places}
        symbols.append({'name': word, 'kind': 'function', 'def': {'path': relative(path), 'line': place[0], 'col': place[1]},
                        'refs': [{'path': relative(site[0]), 'line': site[1], 'col': 1, 'is_call': True} for site in places]})
    with open(out, 'w') as file:
        json.dump({'repo': name, 'language': 'python', 'partial': True, 'files': sorted(files), 'symbols': symbols, 'edges': []}, file)
    print(f'{len(symbols)} functions, {sum(len(symbol["refs"]) for symbol in symbols)} lines that call them', file=sys.stderr)


atexit.register(write)
threading.setprofile(watch)
sys.setprofile(watch)
sys.argv = program[1:] if program[0] == '-m' else program
if program[0] == '-m':
    runpy.run_module(program[1], run_name='__main__', alter_sys=True)
else:
    runpy.run_path(program[0], run_name='__main__')
