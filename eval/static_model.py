#!/usr/bin/env python3
"""Serves the vectors of a static model, so that one can be tried in the whole engine unbuilt.

    eval/static_model.py FOLDER [--queries FOLDER] [--port N]
    eval/static_model.py FOLDER --check test_vectors.json

FOLDER has `model.safetensors` and `vocab.txt` as `crates/embed/model/static-code-256/SPEC.md`
describes them, with any number of dimensions and rows. `--queries` names another folder for
questions, for models with two tables. The server speaks the protocol of Voyage AI, which tells
documents from questions; docs/evaluation.md has the settings. It needs numpy. Texts are not kept.
"""

import argparse
import collections
import http.server
import json
import os

import numpy

PATH_WEIGHT = 9
REPETITION = 0.65
MAX_TEXT_PIECES = 1000
MAX_PATH_PIECES = 60
DIGITS = "0123456789"


def words(text):
    """Yields the words of a text in lower case, split at changes of case."""
    word, size = [], len(text)
    at = lambda i: text[i] if i < size else ""
    for i, char in enumerate(text):
        if not char.isalnum():
            ends_lower = i > 0 and "a" <= text[i - 1] <= "z"
            if char == "'" and ends_lower and at(i + 1) in ("s", "t") and not at(i + 2).isalnum():
                continue
        elif not (i > 0 and char.isupper() and starts_word(text[i - 1], at(i + 1), at(i + 2))):
            word.append(char.lower())
            continue
        if word:
            yield "".join(word)
        word = [char.lower()] if char.isalnum() else []
    if word:
        yield "".join(word)


def starts_word(before, after, then):
    """Returns whether an upper-case letter between these characters starts a new word."""
    if before.islower() or before in DIGITS:
        return True
    return before.isupper() and after.islower() and not (after == "s" and not then.islower())


def path_text(path):
    """Returns the last three names of a path without the extension."""
    text = " ".join(path.split("/")[-3:])
    stem, dot, extension = text.rpartition(".")
    return stem if dot and len(extension) <= 5 else text


class Model:
    def __init__(self, folder):
        with open(os.path.join(folder, "vocab.txt"), encoding="utf-8") as file:
            self.rows = {word: row for row, word in enumerate(file.read().splitlines())}
        self.longest = max(map(len, self.rows))
        self.known = {}
        with open(os.path.join(folder, "model.safetensors"), "rb") as file:
            header = json.loads(file.read(int.from_bytes(file.read(8), "little")))
            data = file.read()

        def tensor(name, kind):
            start, end = header[name]["data_offsets"]
            return numpy.frombuffer(data[start:end], kind).reshape(header[name]["shape"]).astype(numpy.float32)

        self.table = tensor("table", numpy.int8) * tensor("scale", numpy.float16)[:, None]

    def pieces(self, text, limit=None):
        """Returns the rows of a text's words, or of their longest known parts."""
        found = []
        for word in words(text):
            if word not in self.known:
                self.known[word] = self.split(word)
            found += self.known[word]
            if limit and len(found) >= limit:
                return found[:limit]
        return found

    def split(self, word):
        if len(word) > 28 or sum(char in DIGITS for char in word) > 4:
            return []
        found, start = [], 0
        while start < len(word):
            ends = range(min(len(word), start + self.longest), start, -1)
            end = next((end for end in ends if word[start:end] in self.rows), None)
            if end:
                found.append(self.rows[word[start:end]])
            start = end or start + 1
        return found

    def vector(self, counts, power):
        rows, numbers = list(counts), numpy.array(list(counts.values()), numpy.float32)
        vector = (numbers**power) @ self.table[rows] if rows else numpy.zeros(self.table.shape[1], numpy.float32)
        return vector / max(float(numpy.linalg.norm(vector)), 1e-9)

    def query(self, text):
        return self.vector(collections.Counter(self.pieces(text)), 1.0)

    def document(self, path, text):
        counts = collections.Counter(self.pieces(text, MAX_TEXT_PIECES))
        for piece in self.pieces(path_text(path), MAX_PATH_PIECES):
            counts[piece] += PATH_WEIGHT
        return self.vector(counts, REPETITION)


def check(model, file):
    """Compares the model with known vectors; returns the number that differ."""
    with open(file, encoding="utf-8") as opened:
        known = json.load(opened)
    wrong = 0
    for item in known["items"]:
        is_query = item["kind"] == "q"
        vector = model.query(item["text"]) if is_query else model.document(item["path"], item["text"])
        error = float(numpy.abs(vector[:8] - item["first8"]).max())
        if error > known["tolerance"]:
            wrong += 1
            print(f"{item['text'][:60]!r} differs by {error:.5f}")
    print(f"{len(known['items'])} vectors, {wrong} differ")
    return wrong


def serve(documents, queries, port):
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_):
            pass

        def do_POST(self):
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            data = []
            for index, text in enumerate(asked["input"]):
                path, _, code = text.partition("\n")
                vector = queries.query(text) if asked.get("input_type") == "query" else documents.document(path, code)
                data.append({"index": index, "embedding": [round(value, 5) for value in vector.tolist()]})
            answer = json.dumps({"data": data}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

    print(f"{documents.table.shape[1]} dimensions at http://127.0.0.1:{port}/v1", flush=True)
    http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler).serve_forever()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--queries", metavar="FOLDER", help="the table of questions, if it is another one")
    parser.add_argument("--port", type=int, default=8124)
    parser.add_argument("--check", metavar="FILE", help="compare with known vectors and end")
    arguments = parser.parse_args()
    model = Model(arguments.folder)
    if arguments.check:
        return 1 if check(model, arguments.check) else 0
    queries = Model(arguments.queries) if arguments.queries else model
    try:
        serve(model, queries, arguments.port)
    except KeyboardInterrupt:
        pass
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
