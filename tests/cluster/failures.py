"""Nodes and the database are killed, stopped and cut off."""

import glob
import os
import random
import time

from stage import QUESTIONS
from systems import Namespace, Repository, until
from watch import is_unreachable, metrics

FILES = 300


def big_texts(number):
    """A repository whose jobs take long enough to be interrupted."""
    def text(file):
        lines = [f"def part_{file}_{line}_{number}(value):\n    return value + {file * line}\n\n" for line in range(8)]
        return "\n".join(lines) + f"\ndef big_marker_{file}():\n    return {number}\n"
    return {f"package{file % 9}/module{file}.py": text(file) for file in range(FILES)}


def big(stage):
    if "big" not in stage.repositories:
        stage.repositories["big"] = Repository(os.path.join(stage.cluster.folder, "sources"), "big", big_texts(0))
        stage.cluster.run("add", stage.repositories["big"].url())
        until("the large repository is indexed", lambda: stage.cluster.served("big"), 90)
        stage.settled()
    stage.big_id = stage.query("SELECT id FROM codecompass_repositories WHERE name = 'big'")
    return stage.repositories["big"]


def worker(stage):
    """The node that works on the large repository."""
    name = until("a node has the job", lambda: stage.query("SELECT node FROM codecompass_jobs WHERE lease_until > now() AND repository = " + stage.big_id), 30, 0.02)
    return next(node for node in stage.nodes if node.name == name)


def begin(stage, number):
    stage.repositories["big"].commit(big_texts(number), f"Number {number}")
    stage.before = (set(glob.glob(stage.objects + "/v1/*/packs/*")), stage.cluster.served("big"))
    stage.cluster.run("update", "big")
    return worker(stage)


def wait_for(stage, node, phase):
    """Waits until a job is in a phase, which may be over by then."""
    folder = os.path.join(node.cache, stage.big_id)
    views = lambda: [view for view in glob.glob(folder + "/views/*/home") if not os.path.exists(view + "/../view.json")]  # noqa: E731
    objects, generation = stage.before
    holds = {
        "clone": lambda: True,
        "index": lambda: views(),
        "upload": lambda: set(glob.glob(stage.objects + "/v1/*/packs/*")) - objects,
        "publish": lambda: int(stage.query("SELECT generation FROM codecompass_repositories WHERE id = " + stage.big_id)) > generation,
        "random": lambda: time.sleep(random.random() * 1.5) or True,
    }
    until(phase, holds[phase], 30, 0.005)


def kills(stage):
    stage.start()
    big(stage)
    with stage.watch() as watcher:
        for number, phase in enumerate(["clone", "index", "upload", "publish", "random"], 1):
            node = begin(stage, number)
            wait_for(stage, node, phase)
            node.kill()
            generation = stage.before[1] + 1
            until("another node serves the generation", lambda: stage.cluster.served("big") >= generation, 60)
            head = stage.repositories["big"].head()
            found = stage.query(f"SELECT count(*), max(commit_id) FROM codecompass_generations WHERE repository = {stage.big_id} AND generation = {generation}")
            stage.check(f"a node is killed ({phase}), and another ends the job", found == f"1|{head}", found)
            node.start(wait=False)
            until(f"{node.name} answers again", node.answers, 30)
        stage.settled()
    stage.check_answers(watcher)
    stage.check_catalogue()
    heads = stage.repositories["big"].head()
    answers = [node.ask("grep_code", stage.token, pattern="return 5$", workspace="big", limit=3) for node in stage.nodes]
    good = all(status == 200 and answer["metadata"]["repositories"][0]["commit"] == heads for status, answer in answers)
    stage.check("all nodes answer for the newest commit", good, answers)
    stage.check_all_equal()


def stops(stage):
    stage.start()
    big(stage)
    with stage.watch() as watcher:
        node = begin(stage, 10)
        wait_for(stage, node, "index")
        watcher.excused.add(node.name)
        node.pause()
        others = [other for other in stage.nodes if other is not node]
        watcher.nodes = others
        generation = stage.before[1] + 1
        until("another node serves the generation", lambda: stage.cluster.served("big") >= generation, 60)
        publisher = stage.query(f"SELECT node FROM codecompass_generations WHERE repository = {stage.big_id} AND generation = {generation}")
        stage.check("a stopped node's job is done by another", publisher not in ("", node.name), publisher)
        node.resume()
        until("it notices that its lease is over", lambda: node.events("job_lease_lost"), 30)
        stage.check("it does not publish", stage.query(f"SELECT count(*) FROM codecompass_generations WHERE repository = {stage.big_id} AND generation > {generation}") == "0")
        node = begin(stage, 11)
        wait_for(stage, node, "index")
        watcher.excused.add(node.name)
        node.stop()
        until("another node serves the generation", lambda: stage.cluster.served("big") > generation, 60)
        failed = stage.query("SELECT last_error FROM codecompass_repositories WHERE last_error IS NOT NULL")
        stage.check("a node that ends gives its job back", failed == "" and not node.events("job_failed"), failed)
        node.start()
        # A stopped node that no one has missed yet holds no question up.
        idle = others[0]
        watcher.nodes = [other for other in stage.nodes if other is not idle]
        watcher.excused.add(idle.name)
        idle.pause()
        end = time.monotonic() + 6
        while time.monotonic() < end:
            for other in watcher.nodes:
                for tool, field, subject, workspaces in QUESTIONS:
                    watcher.ask(other, tool, field, subject, workspaces)
        idle.resume()
        stage.settled()
    stage.check_answers(watcher)
    stage.check_catalogue()
    stage.check_all_equal()


def cut_off(stage):
    """A node loses its way to the database."""
    stage.start()
    lose_and_return(stage, stage.proxy.cut, stage.proxy.mend, is_heard=True)


def apart(stage):
    """A node loses its way to everything."""
    namespace = Namespace()
    stage.closers.insert(0, namespace.close)
    stage.reset()
    stage.start(namespace)
    lose_and_return(stage, namespace.pull, namespace.plug, is_heard=False)
    stage.reset()


def lose_and_return(stage, cut, mend, is_heard):
    big(stage)
    n1, n2, n3 = stage.nodes
    stage.cluster.run("drain", "n1")
    stage.cluster.run("drain", "n2")
    with stage.watch(stage.nodes if is_heard else [n1, n2]) as watcher:
        node = begin(stage, 20)
        stage.check("the node that is not drained has the job", node is n3, node.name)
        wait_for(stage, n3, "index")
        cut()
        stage.cluster.run("drain", "n1", "--undo")
        stage.cluster.run("drain", "n2", "--undo")
        generation = stage.before[1] + 1
        until("another node serves the generation", lambda: stage.cluster.served("big") >= generation, 60)
        if is_heard:
            answers = [watcher.ask(n3, *QUESTIONS[0]) for _ in range(3)]
            good = all((status == 200 and is_unreachable(answer)) or status == 503 for status, answer in answers)
            stage.check("a node that is cut off says so", good, [(status, str(answer)[:300]) for status, answer in answers])
        mend()
        until("it notices that its lease is over", lambda: n3.events("job_lease_lost"), 60)
        publisher = stage.query(f"SELECT node FROM codecompass_generations WHERE repository = {stage.big_id} AND generation >= {generation}")
        stage.check("only the other has published", publisher in ("n1", "n2"), publisher)
        until("it is part of the cluster again", lambda: metrics(n3)["codecompass_catalogue_up"] == 1 and metrics(n3)["codecompass_nodes_alive"] == 3, 30)
        stage.proxy.drop()
        stage.settled()
    stage.check_answers(watcher)
    stage.check_catalogue()
    stage.check_all_equal()


def database(stage):
    stage.start()
    before = stage.query("SELECT repository, generation, token FROM codecompass_generations ORDER BY 1, 2")
    with stage.watch() as watcher:
        stage.change("api", "before the crash")
        stage.leader.kill()
        time.sleep(1)
        during = [watcher.ask(node, *QUESTIONS[0]) for node in stage.nodes]
        good = all((status == 200 and is_unreachable(answer)) or status == 503 for status, answer in during)
        stage.check("without the database nodes answer from what they have, and say so", good and any(status == 200 for status, _ in during),
                    [(status, str(answer)[:300]) for status, answer in during])
        stage.leader.start()
        stage.settled()
        until("nodes are connected again", lambda: all(metrics(node)["codecompass_catalogue_up"] == 1 for node in stage.nodes))
        stage.check_all_equal("all is well after a crash of the database")
        stage.change("web", "before the failover")
        stage.settled()
        kept = stage.query("SELECT repository, generation, token FROM codecompass_generations ORDER BY 1, 2")
        stage.change("jobs", "during the failover")
        stage.leader.kill()
        stage.standby.promote()
        stage.leader, stage.proxy.target = stage.standby, stage.standby.port
        stage.proxy.drop()
        stage.settled()
        after = stage.query("SELECT repository, generation, token FROM codecompass_generations ORDER BY 1, 2")
        stage.check("no published generation is lost", set(before.split()) <= set(after.split()) and set(kept.split()) <= set(after.split()),
                    (before, kept, after))
        until("nodes are connected again", lambda: all(metrics(node)["codecompass_catalogue_up"] == 1 for node in stage.nodes))
        stage.change("jobs", "after the failover")
        stage.settled()
    stage.check_answers(watcher)
    stage.check_catalogue()
    stage.check_all_equal()
