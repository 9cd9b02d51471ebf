"""Object stores that lie, go away and are slow; caches that are too small or on a disk that is full."""

import glob
import os
import random
import shutil
import subprocess
import time

from stage import TEXTS, Proxy
from systems import Cluster, Missing, Repository, s3_server, until
from watch import Watcher, content, metrics


def spoil(place, number, others):
    """Changes an object in one of several ways."""
    with open(place, "rb") as file:
        data = bytearray(file.read())
    os.chmod(place, 0o644)
    way = number % 4
    if way == 0:
        os.remove(place)
        return
    if way == 1:
        data[random.randrange(len(data))] ^= 0x5A
    elif way == 2:
        del data[len(data) // 2:]
    else:
        with open(random.choice([other for other in others if other != place and os.path.exists(other)] or [place]), "rb") as file:
            data = bytearray(file.read())
    with open(place, "wb") as file:
        file.write(data)


def objects_of(stage, pattern):
    return sorted(place for place in glob.glob(stage.objects + pattern, recursive=True) if os.path.isfile(place))


def restart_empty(stage, nodes):
    for node in nodes:
        node.kill()
        shutil.rmtree(node.cache)
    yield
    for node in nodes:
        node.start(wait=False)
    for node in nodes:
        until(f"{node.name} answers", node.answers, 30)


def damage(stage):
    stage.start()
    if "big" in stage.repositories:
        stage.cluster.run("remove", "big")
        del stage.repositories["big"]
    stage.settled()
    with stage.watch() as watcher:
        # States only: nodes make the index from the git objects, and ask for the states anew.
        for _ in restart_empty(stage, stage.nodes[:1]):
            states = objects_of(stage, "/v1/**")
            for number, place in enumerate(states):
                spoil(place, number, states)
        repaired = "SELECT count(*) FROM codecompass_repositories WHERE generation > (SELECT min(generation) FROM codecompass_generations g WHERE g.repository = id)"
        until("a node asks for a repair", lambda: any(node.events("repair") for node in stage.nodes))
        stage.settled()
        stage.check("damaged states are made anew", stage.query(repaired) != "0")
        stage.check_all_equal("answers are right with damaged states")
        # Git objects only, with no cache that has them.
        for _ in restart_empty(stage, stage.nodes[:2]):
            pieces = objects_of(stage, "/git/**")
            for number, place in enumerate(pieces):
                spoil(place, number, pieces)
        until("no node misses anything", lambda: is_whole(stage), 60)
        stage.settled()
        stage.check_all_equal("answers are right with damaged git objects")
    stage.check_answers(watcher)
    # Everything, everywhere.
    for _ in restart_empty(stage, stage.nodes):
        everything = objects_of(stage, "/**")
        for number, place in enumerate(everything):
            spoil(place, number, everything)
    with stage.watch() as watcher:
        until("no node misses anything", lambda: is_whole(stage), 60)
        stage.settled()
        for name in stage.repositories:
            stage.change(name, "after the damage")
        stage.settled()
    stage.check_answers(watcher)
    stage.check_catalogue()
    stage.check_all_equal("the cluster recovers from a store that has lost everything")
    # What was made anew is whole: empty nodes take it without another repair.
    generations = stage.query("SELECT sum(generation) FROM codecompass_repositories")
    for _ in restart_empty(stage, stage.nodes):
        pass
    until("no node misses anything", lambda: is_whole(stage), 60)
    stage.check("what was made anew is whole", generations == stage.query("SELECT sum(generation) FROM codecompass_repositories"))


def is_whole(stage):
    """Each repository is at its two owners."""
    return sum(metrics(node)["codecompass_views"] for node in stage.nodes) >= 2 * len(stage.repositories)


def another(stage, name, objects, **settings):
    """A cluster of its own, with the same database server."""
    leader = stage.database()
    leader.sql(f"CREATE DATABASE {name}")
    cluster = Cluster(stage.binary, os.path.join(stage.folder, name), leader.url().replace("/postgres", "/" + name), objects, lease_seconds=3, **settings)
    stage.closers.append(cluster.close)
    return cluster


def started(cluster, *names, **settings):
    nodes = [cluster.node(name, **settings) for name in names]
    for node in nodes:
        node.start(wait=False)
    for node in nodes:
        until(f"{node.name} answers", node.answers, 30)
    return nodes


def all_served(cluster, repositories, seconds=90):
    """Waits until the newest commits are served."""
    def holds():
        state = {entry["name"]: entry for entry in cluster.run("list")["repositories"]}
        return not cluster.run("status")["jobs"] and all(state[one.name]["served"] and state[one.name]["served"] == state[one.name]["generation"] for one in repositories)
    until("all repositories are served", holds, seconds, 0.3)


def small_caches(stage):
    """More repositories than fit into the caches, one of which is on a disk that is too small."""
    objects = os.path.join(stage.folder, "objects-small")
    os.makedirs(objects)
    cluster = another(stage, "small", "file://" + objects, cache_mib=16)
    sources = os.path.join(cluster.folder, "sources")
    os.makedirs(sources)
    repositories = []
    for number in range(4):
        repository = Repository(sources, f"blob{number}", {"src/code.py": f"def blob_marker_{number}():\n    return shared_{number}\n"})
        with open(os.path.join(repository.folder, "data.bin"), "wb") as file:
            file.write(os.urandom(6 << 20))
        repository.commit({"note.md": f"blob marker {number}\n"}, "Data")
        repositories.append(repository)
    nodes = started(cluster, "c1", "c2")
    disk = os.path.join(cluster.folder, "cache-c3")
    os.makedirs(disk)
    is_mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=3m", "none", disk], capture_output=True).returncode == 0
    if is_mounted:
        stage.closers.insert(0, lambda: subprocess.run(["umount", "-l", disk], capture_output=True))
        nodes += started(cluster, "c3")
    else:
        print(f"skipped test: cluster {stage.title}: full disk: no file system can be mounted here", flush=True)
    cluster.run("add", *[repository.url() for repository in repositories])
    token = cluster.token("all", "--all")
    all_served(cluster, repositories)
    questions = [("search_code", "query", "marker", (repository.name,)) for repository in repositories]
    with Watcher(stage.engine, token, nodes, repositories, questions) as watcher:
        for _ in range(2):
            for node in nodes:
                for question in questions:
                    watcher.ask(node, *question)
        together = ("search_code", "query", "marker", tuple(repository.name for repository in repositories))
        answers = [watcher.ask(node, *together) for node in nodes]
        stage.check("all repositories answer together", all(status == 200 and "missing_repositories" not in answer["metadata"] for status, answer in answers),
                    [str(answer)[:500] for answer in answers])
        if is_mounted:
            full = [event["reason"] for event in nodes[2].events() if event["event"] in ("job_failed", "install_failed")]
            stage.check("a full disk is named", any("space" in reason for reason in full), full[:5])
            subprocess.run(["mount", "-o", "remount,size=200m", disk], check=True)
            repositories[0].commit({"note.md": "blob marker with more room\n"}, "More room")
            cluster.run("update", "blob0")
            all_served(cluster, repositories)
            # Of two nodes, each owns all repositories.
            cluster.run("drain", "c2")
            until("the node takes what it owns", lambda: metrics(nodes[2])["codecompass_views"] > 0, 60)
            cluster.run("drain", "c2", "--undo")
            stage.check("a node recovers from a full disk", True)
    errors = [entry for entry in watcher.log if entry["status"] != 200]
    stage.check("every question is answered", not errors, [(entry["node"], entry["status"], str(entry["answer"])[:400]) for entry in errors[:3]])
    stage.check_answers(watcher)
    evicted = sum(len(node.events("cache_evict")) for node in nodes)
    stage.check("caches drop what was not asked about", evicted > 0)
    sizes = [(metrics(node)["codecompass_cache_bytes"], metrics(node)["codecompass_cache_limit_bytes"]) for node in nodes]
    stage.check("caches keep their size", all(used <= limit for used, limit in sizes), sizes)
    cluster.close()


def s3(stage):
    """An S3 server that is killed in the middle of jobs, and slow."""
    remote = s3_server()
    try:
        weed = remote.install()
        folder = os.path.join(stage.folder, "s3")
        os.makedirs(folder)
        server, endpoint = remote.start(weed, folder)
    except (remote.Missing, OSError) as error:
        raise Missing(f"SeaweedFS {error}") from None
    servers = [server]
    stage.closers.append(lambda: servers[-1].kill())
    proxy = Proxy(int(endpoint.rsplit(":", 1)[1]))
    stage.closers.append(proxy.close)
    cluster = another(stage, "buckets", "s3://team/cluster", endpoint=f"http://127.0.0.1:{proxy.port}")
    nodes = started(cluster, "s1", "s2")
    sources = os.path.join(cluster.folder, "sources")
    os.makedirs(sources)
    repositories = [Repository(sources, name, texts) for name, texts in TEXTS.items()]
    cluster.run("add", *[repository.url() for repository in repositories])
    token = cluster.token("all", "--all")
    all_served(cluster, repositories)
    names = tuple(sorted(TEXTS))
    questions = [("search_code", "query", "retry after a failure", names), ("grep_code", "pattern", "marker", ("web",))]

    def change(text):
        for repository in repositories:
            repository.commit({f"notes/{text}.md": f"marker {text}\n"}, text)
        cluster.run("update", *names)

    with Watcher(stage.engine, token, nodes, repositories, questions) as watcher:
        change("before")
        until("jobs run", lambda: any(job["node"] for job in cluster.run("status")["jobs"]), 20, 0.02)
        servers[-1].kill()
        servers[-1].wait()
        until("jobs fail", lambda: any(node.events("job_failed") for node in nodes), 60)
        failed = [event["reason"] for node in nodes for event in node.events("job_failed")]
        stage.check("a job without the store fails with a reason", all("127.0.0.1" in reason or "reached" in reason for reason in failed), failed)
        log = open(os.path.join(folder, "server.log"), "a")
        servers.append(subprocess.Popen(server.args, stdout=log, stderr=log, cwd=folder))
        all_served(cluster, repositories)
        proxy.delay = 0.15
        change("slow")
        nodes += started(cluster, "s3")
        all_served(cluster, repositories, 120)
        proxy.delay = 0.0
        until("the new node has its part", lambda: metrics(nodes[2])["codecompass_views"] > 0, 60)
    stage.check_answers(watcher, calm=True)
    heads = {repository.name: repository.head() for repository in repositories}
    last = [watcher.ask(node, *questions[0])[1] for node in nodes]
    stage.check("all nodes answer for the newest commits", all({one["repository"]: one["commit"] for one in answer["metadata"]["repositories"]} == heads for answer in last), last)
    gaps = stage.leader.run("psql", "-h", "127.0.0.1", "-p", str(stage.leader.port), "-U", "codecompass", "-d", "buckets", "-tAc",
                            "SELECT count(*), max(generation) FROM codecompass_generations GROUP BY repository HAVING count(*) <> max(generation)").strip()
    stage.check("generations have no gaps", gaps == "", gaps)
    time.sleep(1.1)
    removed = cluster.run("gc", "--days", "0")
    stage.check("old objects are removed from the bucket", removed["removed_states"] > 0 and not removed["unreadable"], removed)
    for node in nodes:
        node.kill()
        shutil.rmtree(node.cache)
    for node in nodes:
        node.start()
    again = [watcher.ask(node, *questions[0])[1] for node in nodes]
    stage.check("empty nodes take what is left", [content(answer) for answer in again] == [content(answer) for answer in last], again)
    cluster.close()
