#!/usr/bin/env python3
"""Figures of a cluster: `tests/cluster/figures.py BINARY PART [OPTION]`, which `cargo xtask bench cluster` calls.

many [COUNT]               COUNT (1,000) small repositories on one node: status, a question to all of them, and growth from a tenth
lease                      the time until another node has done the work of one that was killed
quality TREES ANNOTATIONS  answers of 3 nodes and of the embedded engine to the same questions
several TREES              no cluster: one question to several repositories of one machine, beside the slowest of them alone

Times are given as ratios to a limit or to another time of the same run. Exit code 1 if a limit is missed.
"""

import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from systems import Cluster, Missing, Postgres, Repository, free_port, get, postgres_programs, until  # noqa: E402

MISSED = []


def line(name, value, limit, unit=""):
    verdict = "ok" if value <= limit else "MISSED"
    if value > limit:
        MISSED.append(name)
    print(f"  {name}: {value:.3g}{unit} (limit {limit:.3g}{unit}) {verdict}", flush=True)


def median(values):
    return sorted(values)[len(values) // 2]


def main():
    binary, part, options = os.path.abspath(sys.argv[1]), sys.argv[2], sys.argv[3:]
    folder = tempfile.mkdtemp(prefix="codecompass-figures-")
    os.chmod(folder, 0o755)
    database = None
    try:
        if part != "several":
            database = Postgres(os.path.join(folder, "database"), postgres_programs()).make().start()
        os.makedirs(os.path.join(folder, "objects"))
        os.makedirs(os.path.join(folder, "repositories"))
        {"many": many, "lease": lease, "quality": quality, "several": several}[part](binary, folder, database, options)
    except Missing as error:
        print(f"not measured: {error}")
        return 2
    finally:
        if database:
            database.kill()
        shutil.rmtree(folder, ignore_errors=True)
    return 1 if MISSED else 0


def open_cluster(binary, folder, database, **settings):
    return Cluster(binary, os.path.join(folder, "cluster"), database.url(), "file://" + os.path.join(folder, "objects"), **settings)


def small(number):
    """A repository of a few files; a word of all of them, and one of its own."""
    return {
        "src/service.py": f"from store import Store{number}\n\n\ndef handle_request_{number}(payload):\n"
                          f"    \"\"\"Validates the payload and stores the order of customer {number}.\"\"\"\n"
                          f"    store = Store{number}()\n    return store.save(payload)\n",
        "src/store.py": f"class Store{number}:\n    def save(self, record):\n        self.record = record\n        return True\n\n"
                        f"    def load(self, key):\n        return self.record\n",
        "README.md": f"# Service {number}\n\nHandles orders.\n",
    }


def wait_served(cluster, count, seconds):
    def ready():
        return cluster.run("status")["ready"] >= count
    until(f"{count} repositories are served", ready, seconds, 1)


def asked(node, token, query):
    began = time.monotonic()
    status, answer = node.ask("search_code", token, query=query, limit=10)
    took = time.monotonic() - began
    assert status == 200, answer
    return took, answer


def many(binary, folder, database, options):
    count = int(options[0]) if options else 1000
    cluster = open_cluster(binary, folder, database, jobs=2)
    node = cluster.node("one")
    place = os.path.join(folder, "repositories")
    try:
        node.start()
        token = cluster.token("all", "--all")
        times, indexed = {}, {}
        for total in (count // 10, count):
            made = len(os.listdir(place))
            new = [Repository(place, f"service-{number}", small(number)) for number in range(made, total)]
            began = time.monotonic()
            for at in range(0, len(new), 100):
                cluster.run("add", *[one.url() for one in new[at:at + 100]])
            wait_served(cluster, total, 3600)
            indexed[total] = (time.monotonic() - began) / len(new)
            asked(node, token, "store the order of a customer")
            runs = [asked(node, token, "store the order of a customer") for _ in range(7)]
            times[total] = median([took for took, _ in runs])
            answer = runs[-1][1]
            assert answer["metadata"]["repository_count"] == total, answer["metadata"]
            assert "missing_repositories" not in answer["metadata"], answer["metadata"]
            took, answer = asked(node, token, f"handle_request_{total // 2}")
            assert answer["results"][0]["repository"] == f"service-{total // 2}", answer["results"][:1]
            print(f"{total} repositories: {indexed[total] * 1000:.0f} ms to index each; a question to all {times[total] * 1000:.0f} ms,"
                  f" a name in one of them {took * 1000:.0f} ms", flush=True)
        sizes(cluster, node, database, folder)
        status = []
        for _ in range(5):
            began = time.monotonic()
            subprocess.run([binary + "-node", "status"], env=cluster.env, stdout=subprocess.DEVNULL, check=True)
            status.append(time.monotonic() - began)
        line("status, a new process", median(status), 0.2, " s")
        line("a question to all repositories, warm", times[count], 1.0, " s")
        line("growth of that from a tenth, per repository", times[count] / times[count // 10] / 10, 1.0)
        line("growth of the time to index, per repository", indexed[count] / indexed[count // 10], 1.3)
    finally:
        cluster.close()


def sizes(cluster, node, database, folder):
    """What a cluster takes, for the section on sizing in docs/cluster.md."""
    listed = cluster.run("list")["repositories"]
    with open(f"/proc/{node.process.pid}/status") as file:
        memory = {line.split(":")[0]: int(line.split()[1]) / 1024 for line in file if line.startswith(("VmRSS", "VmHWM"))}
    threads = len(os.listdir(f"/proc/{node.process.pid}/task"))
    database_mb = int(database.sql("SELECT sum(pg_database_size(datname)) FROM pg_database WHERE datname = 'postgres'")) / 1e6
    print(f"index {sum(entry['index_bytes'] for entry in listed) / 1e6:.0f} MB; cache {tree_mb(node.cache):.0f} MB; objects "
          f"{tree_mb(os.path.join(folder, 'objects')):.0f} MB; database {database_mb:.0f} MB; memory of the node {memory['VmRSS']:.0f} MB,"
          f" at most {memory['VmHWM']:.0f} MB; {threads} threads", flush=True)


def tree_mb(folder):
    files = [os.path.join(place, name) for place, _, names in os.walk(folder) for name in names]
    return sum(os.lstat(file).st_size for file in files if os.path.exists(file)) / 1e6


def lease(binary, folder, database, options):
    seconds = 5
    cluster = open_cluster(binary, folder, database, lease_seconds=seconds)
    place = os.path.join(folder, "repositories")
    texts = {}
    for number in range(4000):
        texts[f"src/part{number % 40}/module{number}.py"] = "".join(
            f"def compute_{number}_{at}(value):\n    \"\"\"Computes step {at}.\"\"\"\n    return value * {at} + {number}\n\n\n" for at in range(12))
    try:
        first, second = cluster.node("first").start(), None
        big = Repository(place, "warm", texts)
        began = time.monotonic()
        cluster.run("add", big.url())
        until("the first is served", lambda: cluster.served("warm") == 1, 600)
        alone = time.monotonic() - began
        copy = Repository(place, "killed", {**texts, "other.py": "x = 1\n"})
        second = cluster.node("second")
        cluster.run("add", copy.url())
        until("the job is under way", lambda: [job for job in cluster.run("status")["jobs"] if job["node"] == "first"], 60)
        time.sleep(alone / 2)
        first.kill()
        began = time.monotonic()
        second.start()
        until("the other node has done it", lambda: cluster.served("killed") == 1, 600)
        took = time.monotonic() - began
        print(f"alone {alone:.1f} s; after the kill {took:.1f} s with a lease of {seconds} s", flush=True)
        line("time to the end after a kill / (lease + 1.2 x the work)", took / (seconds + 1.2 * alone), 1.0)
    finally:
        cluster.close()


def is_hit(result, target):
    path = target["path"] if isinstance(target, dict) else target
    found = result["path"]
    if not (found == path or found.endswith("/" + path) or path.endswith("/" + found)):
        return False
    if isinstance(target, dict) and target.get("start_line"):
        return result["line_start"] <= target["end_line"] and result["line_end"] >= target["start_line"]
    return True


def ndcg(results, targets):
    gains = []
    for target in targets:
        ranks = [rank for rank, result in enumerate(results[:10]) if is_hit(result, target)]
        if ranks:
            gains.append(1 / math.log2(ranks[0] + 2))
    ideal = sum(1 / math.log2(rank + 2) for rank in range(min(10, len(targets))))
    return sum(gains) / ideal if ideal else 0.0


def quality(binary, folder, database, options):
    trees, annotations = options
    cluster = open_cluster(binary, folder, database, jobs=1)
    place = os.path.join(folder, "repositories")
    server = None
    try:
        nodes = [cluster.node(name).start() for name in ("a", "b", "c")]
        token = cluster.token("all", "--all")
        names = sorted(name[:-5] for name in os.listdir(annotations) if os.path.isdir(os.path.join(trees, name[:-5])))
        for name in names:
            shutil.copytree(os.path.join(trees, name), os.path.join(place, name), symlinks=True)
            one = Repository.__new__(Repository)
            one.name, one.folder = name, os.path.join(place, name)
            shutil.rmtree(os.path.join(one.folder, ".git"), ignore_errors=True)
            one.git("init", "--quiet", "-b", "main")
            one.git("add", "-A", "-f")
            one.git("commit", "--quiet", "-m", "All files")
            cluster.run("add", one.url(), "--name", name)
        wait_served(cluster, len(names), 3600)
        sizes(cluster, nodes[0], database, folder)
        port = free_port()
        words = [binary, "serve-mcp", "--transport", "http", "--ui", "--bind", f"127.0.0.1:{port}"]
        words += [word for name in names for word in ("--workspace", os.path.join(place, name))]
        env = {"PATH": os.environ["PATH"], "CODECOMPASS_HOME": os.path.join(folder, "embedded")}
        server = subprocess.Popen(words, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until("the embedded server answers", lambda: reachable(port), 60)
        same, total, scores = 0, 0, {"cluster": [], "embedded": []}
        for name in names:
            until("it is indexed", lambda: is_ready(port, os.path.join(place, name)), 900, 1)
            of_repository = {"cluster": [], "embedded": []}
            for number, task in enumerate(json.load(open(os.path.join(annotations, name + ".json")))):
                one = nodes[number % 3].ask("search_code", token, query=task["query"], limit=10, workspace=name)[1]
                two = embedded(port, [os.path.join(place, name)], task["query"])
                total += 1
                is_same = strip(one["results"]) == strip(two["results"])
                same += is_same
                if not is_same:
                    print(f"{name}: {task['query']!r} has another answer", flush=True)
                targets = task["relevant"] + task.get("secondary", [])
                of_repository["cluster"].append(ndcg(one["results"], targets))
                of_repository["embedded"].append(ndcg(two["results"], targets))
            for which, values in of_repository.items():
                scores[which].append(sum(values) / len(values))
        means = {which: sum(values) / len(values) for which, values in scores.items()}
        print(f"NDCG@10 of 3 nodes {means['cluster']!r}, of the embedded engine {means['embedded']!r}; {same} of {total} lists are the same", flush=True)
        queries = [json.load(open(os.path.join(annotations, name + ".json")))[0]["query"] for name in names]
        equal = 0
        for number, query in enumerate(queries):
            one = nodes[number % 3].ask("search_code", token, query=query, limit=10)[1]
            two = embedded(port, [os.path.join(place, name) for name in names], query)
            equal += strip(one["results"]) == strip(two["results"])
        print(f"over all repositories at once, {equal} of {len(queries)} lists are the same", flush=True)
        line("difference of NDCG@10", abs(means["cluster"] - means["embedded"]), 0.0)
        line("lists that differ", total - same + len(queries) - equal, 0)
    finally:
        if server:
            server.kill()
        cluster.close()


QUESTIONS = ["parse a request header", "retry after a failure", "serialize a value to JSON", "how are errors reported to the caller",
             "read configuration from the environment", "Decoder", "format_date"]


def several(binary, folder, database, options):
    trees = os.path.abspath(options[0])
    names = sorted(name for name in os.listdir(trees) if os.path.isdir(os.path.join(trees, name)))
    port = free_port()
    words = [binary, "serve-mcp", "--transport", "http", "--ui", "--bind", f"127.0.0.1:{port}"]
    places = [os.path.join(trees, name) for name in names]
    words += [word for place in places for word in ("--workspace", place)]
    env = {"PATH": os.environ["PATH"], "CODECOMPASS_HOME": os.path.join(folder, "embedded")}
    server = subprocess.Popen(words, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def timed(asked):
        """The median over questions of the median of four times, after a first."""
        times = []
        for question in QUESTIONS:
            runs = []
            for _ in range(5):
                began = time.monotonic()
                answer = embedded(port, asked, question)
                runs.append(time.monotonic() - began)
                assert answer is not None and not answer["metadata"].get("missing_repositories"), answer
            times.append(median(runs[1:]))
        return median(times)

    try:
        until("the server answers", lambda: reachable(port), 60)
        for place in places:
            until(f"{place} is indexed", lambda: is_ready(port, place), 900, 1)
        alone = {place: timed([place]) for place in places}
        slowest = max(alone, key=alone.get)
        print(f"{os.cpu_count()} cores; alone {median(list(alone.values())) * 1000:.1f} ms (median), {alone[slowest] * 1000:.1f} ms {os.path.basename(slowest)};"
              f" all one after another {sum(alone.values()) * 1000:.0f} ms", flush=True)
        for count in (2, 5, 10, len(places)):
            chosen = places[:count]
            limit = 1.3 * max(alone[place] for place in chosen) + 0.005
            line(f"{count} repositories together", timed(chosen), limit, " s")
    finally:
        server.kill()


def reachable(port):
    try:
        return get(f"http://127.0.0.1:{port}/health", seconds=5)[0] == 200
    except OSError:
        return False


def embedded(port, workspaces, query):
    pairs = [("query", query), ("limit", "10")] + ([("workspace", workspaces[0])] if len(workspaces) == 1 else [("workspaces", one) for one in workspaces])
    status, answer = get(f"http://127.0.0.1:{port}/api/search_code?{urllib.parse.urlencode(pairs)}", seconds=120)
    return answer if status == 200 else None


def is_ready(port, workspace):
    """Whether the first index run is over: before, a part of the files answers."""
    answer = embedded(port, [workspace], "x")
    return answer is not None and answer["metadata"].get("result_completeness") != "partial" and answer["metadata"].get("indexing_status") != "indexing"


def strip(results):
    return [(result.get("repository"), result["path"], result["line_start"], result["line_end"], result.get("score"), result["name"]) for result in results]


if __name__ == "__main__":
    sys.exit(main())
