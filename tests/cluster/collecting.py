"""Forks that begin with the index of a relative, and the removal of objects that no repository needs."""

import os
import shutil
import signal
import subprocess
import time

from stores import all_served, another, started
from systems import Cluster, Repository, until
from watch import Watcher, metrics


def texts(name, number):
    return {f"{name}/module{file}.py": "\n".join(f"def {name}_{file}_{line}(value):\n    return value + {file * line + number}\n" for line in range(12)) for file in range(40)}


class Fork(Repository):
    """A clone of another repository."""

    def __init__(self, folder, name, origin):
        self.name, self.folder = name, os.path.join(folder, name)
        subprocess.run(["git", "clone", "--quiet", origin.folder, self.folder], check=True)


class Scene:
    """A cluster of its own with an object store of its own."""

    def __init__(self, stage, name, *nodes):
        self.stage, self.name = stage, name
        self.place = os.path.join(stage.folder, "objects-" + name)
        os.makedirs(self.place)
        self.cluster = another(stage, name, "file://" + self.place)
        self.sources = os.path.join(self.cluster.folder, "sources")
        os.makedirs(self.sources)
        self.nodes = started(self.cluster, *nodes)
        self.token = self.cluster.token("all", "--all")
        self.repositories = []

    def add(self, *repositories):
        self.repositories += repositories
        self.cluster.run("add", *[repository.url() for repository in repositories])
        all_served(self.cluster, self.repositories)

    def change(self, repository, texts, message):
        repository.commit(texts, message)
        self.cluster.run("update", repository.name)

    def query(self, text):
        leader = self.stage.leader
        return leader.run("psql", "-h", "127.0.0.1", "-p", str(leader.port), "-U", "codecompass", "-d", self.name, "-tAc", text).strip()

    def objects(self):
        return sorted(place for folder, _, files in os.walk(self.place) for place in (os.path.join(folder, file) for file in files))

    def bytes(self):
        return sum(os.path.getsize(place) for place in self.objects())

    def questions(self):
        names = [repository.name for repository in self.repositories]
        return [("search_code", "query", "value of a module", tuple(names))] + [("grep_code", "pattern", "return value \\+ 7$", (name,)) for name in names]

    def check_answers(self, what):
        """All nodes answer as the engine does for the newest commits."""
        watcher = Watcher(self.stage.engine, self.token, self.nodes, self.repositories, self.questions())
        heads = {repository.name: repository.head() for repository in self.repositories}
        old = []
        for node in self.nodes:
            for question in self.questions():
                _, answer = watcher.ask(node, *question)
                listed = answer.get("metadata", {}).get("repositories", []) if isinstance(answer, dict) else []
                old += [one for one in listed if one["commit"] != heads[one["repository"]]]
        faults = watcher.faults(calm=True)
        self.stage.check(what, not faults and not old, faults[:2] + old[:2])

    def restart_empty(self):
        """Nodes take everything from the object store again."""
        for node in self.nodes:
            node.kill()
            shutil.rmtree(node.cache)
        for node in self.nodes:
            node.start(wait=False)
        for node in self.nodes:
            until(f"{node.name} answers", node.answers, 30)
        wanted = len(self.repositories) * min(2, len(self.nodes))
        until("no node misses anything", lambda: sum(metrics(node)["codecompass_views"] for node in self.nodes) >= wanted, 60)

    def repairs(self):
        return [event for node in self.nodes for event in node.events("repair")]


def forks(stage):
    stage.database()
    scene = Scene(stage, "forks", "f1", "f2")
    upstream = Repository(scene.sources, "upstream", texts("core", 0))
    scene.add(upstream)
    early = Fork(scene.sources, "early", upstream)
    alone = scene.bytes()
    fork = Fork(scene.sources, "fork", upstream)
    fork.commit({"fork/extra.py": "def only_in_the_fork(value):\n    return value + 7\n"}, "Extra")
    scene.add(fork)
    both = scene.bytes()
    begun = [event for node in scene.nodes for event in node.events("start_from_relative")]
    stage.check("a fork begins with the index of its relative", len(begun) == 1, begun)
    stage.check("what both have is stored once", both < alone * 1.6, (alone, both))
    shared = scene.query("SELECT (SELECT packs FROM codecompass_generations WHERE repository = 1) <@ (SELECT packs FROM codecompass_generations WHERE repository = 2)")
    stage.check("the git objects of both are stored once", shared == "t", shared)
    scene.check_answers("a fork answers for itself")
    other = Repository(scene.sources, "other", texts("other", 1))
    scene.add(other)
    begun = [event for node in scene.nodes for event in node.events("start_from_relative")]
    stage.check("another repository begins with nothing", len(begun) == 1, begun)
    secrets(stage, scene, upstream, early)
    # What the fork has in common with the other one is still needed when that is gone.
    scene.cluster.run("remove", "upstream")
    scene.repositories.remove(upstream)
    scene.cluster.run("gc", "--days", "0")
    scene.restart_empty()
    scene.check_answers("a fork outlives its relative")
    stage.check("nothing had to be repaired", not scene.repairs(), scene.repairs())
    scene.cluster.close()


def secrets(stage, scene, upstream, early):
    """A fork that begins with the index of a relative tells nothing of what only the relative has."""
    scene.change(upstream, {"vault.py": 'def zebra_vault_secret(value):\n    """Opens the zebra vault."""\n    return zebra_vault_helper(value)\n'}, "Secret")
    all_served(scene.cluster, scene.repositories)
    scene.add(early)
    begun = [event for node in scene.nodes for event in node.events("start_from_relative")]
    stage.check("a fork without the newest commits begins with the index, too", len(begun) == 2, begun)
    packs = "(SELECT packs FROM codecompass_generations g JOIN codecompass_repositories r ON r.id = g.repository AND r.generation = g.generation WHERE r.name = '%s')"
    counts = scene.query(f"SELECT cardinality({packs % 'upstream'}), {packs % 'early'} @> ARRAY[({packs % 'upstream'})[2]]")
    stage.check("git objects that only the relative has are not the fork's", counts == "2|f", counts)
    scene.check_answers("it answers for itself")
    may_read = {"early": scene.cluster.token("early", "--repository", "early"), "upstream": scene.cluster.token("upstream", "--repository", "upstream")}
    asked = [("locate_symbol", "symbol", "zebra_vault_secre"), ("locate_symbol", "symbol", "zebra"), ("search_code", "query", "open the zebra vault"),
             ("grep_code", "pattern", "zebra_v"), ("find_references", "symbol", "zebra_vault_helpe"), ("read_file", "path", "vaul.py"),
             ("suggest_queries", "query", "zebra vault")]
    leaks, told = [], []
    for node in scene.nodes:
        for tool, name, subject in asked:
            status, answer = node.ask(tool, may_read["early"], **{name: subject})
            leaks += [(tool, status, answer)] if any(word in str(answer) for word in ("zebra_vault_secret", "zebra_vault_helper", "vault.py")) else []
            told += ["zebra_vault_secret" in str(node.ask(tool, may_read["upstream"], **{name: subject})[1])]
    stage.check("nothing of the relative is told", not leaks and any(told), leaks[:2])


def collection(stage):
    stage.database()
    scene = Scene(stage, "collection", "g1", "g2")
    one, two, gone = (Repository(scene.sources, name, texts(name, 0)) for name in ("one", "two", "gone"))
    scene.add(one, two, gone)
    for number in range(1, 4):
        scene.change(one, texts("one", number), f"Number {number}")
        all_served(scene.cluster, scene.repositories)
    before = scene.bytes()
    dry = scene.cluster.run("gc", "--days", "0", "--dry-run")
    stage.check("a dry run removes nothing", dry["removed_states"] > 0 and scene.bytes() == before, dry)
    kept = scene.cluster.run("gc")
    stage.check("what is young stays", kept["removed_states"] == kept["removed_git_objects"] == 0 and scene.bytes() == before, kept)
    scene.cluster.run("remove", "gone")
    # What was written within this second counts as young.
    time.sleep(1.1)
    scene.repositories.remove(gone)
    names = tuple(repository.name for repository in scene.repositories)
    with Watcher(stage.engine, scene.token, scene.nodes, scene.repositories, [("search_code", "query", "value of a module", names)]) as watcher:
        removed = scene.cluster.run("gc", "--days", "0")
    stage.check_answers(watcher, calm=True)
    family = gone.git("rev-list", "--max-parents=0", "HEAD")
    left = [place for place in scene.objects() if family in place]
    stage.check("old generations go", removed["removed_states"] == 4 and removed["forgotten_generations"] == 3 and scene.bytes() < before, removed)
    stage.check("removed repositories go", left == [], left)
    again = scene.cluster.run("gc", "--days", "0")
    stage.check("the second time nothing is left to remove", again["removed_bytes"] == 0, again)
    scene.restart_empty()
    scene.check_answers("what is left is all that empty nodes need")
    scene.change(one, texts("one", 9), "Number 9")
    all_served(scene.cluster, scene.repositories)
    scene.restart_empty()
    scene.check_answers("the next generation builds on what is left")
    stage.check("nothing had to be repaired", not scene.repairs(), scene.repairs())
    interrupted(stage, scene, one)
    strangers(stage, scene)
    scene.cluster.close()


def strangers(stage, scene):
    """Another cluster does not remove the objects of this one."""
    before = scene.objects()
    stranger = another(stage, "stranger", "file://" + scene.place)
    for options in ([], ["--dry-run"]):
        refused = stranger.run("gc", "--days", "0", *options, check=False)
        stage.check(f"the object store of another cluster is refused{' by a dry run' if options else ''}", "cluster with another database" in str(refused), refused)
    stage.check("and stays as it is", scene.objects() == before)
    empty = os.path.join(stage.folder, "objects-empty")
    os.makedirs(empty)
    unused = Cluster(stage.binary, os.path.join(stage.folder, "unused"), stranger.env["CODECOMPASS_CLUSTER_DATABASE"], "file://" + empty)
    dry = unused.run("gc", "--dry-run")
    stage.check("a dry run writes nothing", dry["removed_bytes"] == 0 and os.listdir(empty) == [], (dry, os.listdir(empty)))
    stranger.close()


def interrupted(stage, scene, repository):
    """Collections and jobs that meet."""
    # A job that runs loses its lease, and is done afterwards.
    lost = lambda: len([event for node in scene.nodes for event in node.events("job_lease_lost")])  # noqa: E731
    for number in range(20, 24):
        scene.change(repository, texts("one", number), f"Number {number}")
        until("a node has the job", lambda: any(job["node"] for job in scene.cluster.run("status")["jobs"]), 30, 0.02)
        scene.cluster.run("gc", "--days", "0")
        all_served(scene.cluster, scene.repositories)
    stage.check("jobs that meet a collection begin anew", lost() > 0, lost())
    scene.restart_empty()
    scene.check_answers("generations are whole after collections beside jobs")
    stage.check("nothing had to be repaired beside jobs", not scene.repairs(), scene.repairs())
    # One at a time; one that is stopped for too long removes nothing more.
    scene.change(repository, texts("one", 30), "Number 30")
    all_served(scene.cluster, scene.repositories)
    slow = stop_at_begin(scene)
    refused = scene.cluster.run("gc", check=False)
    stage.check("another collection is refused meanwhile", "another collection goes on" in str(refused), refused)
    scene.change(repository, texts("one", 31), "Number 31")
    time.sleep(2)
    stage.check("no job is claimed meanwhile", not any(job["node"] for job in scene.cluster.run("status")["jobs"]))
    all_served(scene.cluster, scene.repositories)
    before = scene.objects()
    slow.send_signal(signal.SIGCONT)
    _, errors = slow.communicate(timeout=60)
    stage.check("a collection that was stopped for too long ends", slow.returncode == 2 and "lost its lease" in errors, (slow.returncode, errors))
    stage.check("and removes nothing", scene.objects() == before)
    # One that is killed holds nothing up for long.
    killed = stop_at_begin(scene)
    killed.kill()
    killed.wait()
    scene.change(repository, texts("one", 32), "Number 32")
    all_served(scene.cluster, scene.repositories)
    scene.restart_empty()
    scene.check_answers("answers are right after collections that were stopped and killed")


def stop_at_begin(scene):
    """A collection that is stopped as soon as it has begun."""
    begun = "SELECT count(*) FROM codecompass_settings WHERE name = 'collection' AND split_part(value, ' ', 2)::float8 > extract(epoch FROM now())"
    for _ in range(20):
        process = subprocess.Popen([scene.cluster.program, "gc", "--days", "0"], env=scene.cluster.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        while process.poll() is None:
            process.send_signal(signal.SIGSTOP)
            if scene.query(begun) == "1":
                return process
            process.send_signal(signal.SIGCONT)
            time.sleep(0.002)
        process.communicate()
    raise AssertionError("no collection could be stopped")
