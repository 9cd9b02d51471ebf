"""What the scenarios share: a database with a standby, a cluster of three nodes with small repositories, and checks."""

import contextlib
import os
import socket
import threading

from systems import Cluster, Postgres, Repository, free_port, postgres_programs, until
from watch import Engine, Watcher

TEXTS = {
    "api": {
        "src/retry.py": 'def retry_request(times):\n    """Retries a request after a failure."""\n    return times\n\n\ndef shared_marker():\n    return "api"\n',
        "src/limits.py": "from retry import retry_request\n\n\ndef limit_rate(count):\n    return retry_request(count)\n",
        "README.md": "# API\n\nRequests are retried after a failure.\n",
    },
    "web": {
        "src/page.py": "from retry import retry_request\n\n\ndef render_page():\n    return retry_request(3)\n\n\ndef shared_marker():\n    return 'web'\n",
        "src/style.css": ".page { color: red }\n",
    },
    "jobs": {
        "lib/queue.rs": "/// Waits after a failure, then retries.\npub fn retry_later(times: u32) -> u32 {\n    times + 1\n}\n\npub fn shared_marker() -> &'static str {\n    \"jobs\"\n}\n",
    },
}
QUESTIONS = [
    ("search_code", "query", "retry after a failure", ("api", "jobs", "web")),
    ("locate_symbol", "symbol", "shared_marker", ("api", "jobs", "web")),
    ("grep_code", "pattern", "marker", ("api",)),
    ("search_code", "query", "generation marker", ("api", "jobs", "web")),
    ("find_references", "symbol", "retry_request", ("web",)),
]


class Proxy:
    """A way to a port of this machine that can be cut (nothing is passed on, connections stay), closed and slowed."""

    def __init__(self, target, host="127.0.0.1"):
        self.target, self.port = target, free_port()
        self.is_cut, self.is_closed, self.delay = threading.Event(), False, 0.0
        self.flow = threading.Event()
        self.flow.set()
        self.pairs = []
        self.listener = socket.create_server((host, self.port))
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            try:
                server = socket.create_connection(("127.0.0.1", self.target), 5)
                server.settimeout(None)
            except OSError:
                client.close()
                continue
            if self.is_closed:
                client.close()
                server.close()
                continue
            self.pairs.append((client, server))
            for source, sink in ((client, server), (server, client)):
                threading.Thread(target=self.pump, args=(source, sink), daemon=True).start()

    def pump(self, source, sink):
        with contextlib.suppress(OSError):
            while True:
                data = source.recv(1 << 16)
                self.flow.wait()
                if self.delay:
                    threading.Event().wait(self.delay)
                if not data:
                    break
                sink.sendall(data)
        for one in (source, sink):
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()

    def cut(self):
        self.flow.clear()

    def mend(self):
        self.flow.set()

    def drop(self):
        """Breaks all connections."""
        pairs, self.pairs = self.pairs, []
        for pair in pairs:
            for one in pair:
                with contextlib.suppress(OSError):
                    one.shutdown(socket.SHUT_RDWR)

    def close(self):
        self.flow.set()
        self.listener.close()
        self.drop()


class Stage:
    def __init__(self, binary, folder):
        self.binary, self.folder = binary, folder
        self.title, self.failed = "", 0
        self.postgres = self.standby = self.cluster = self.proxy = None
        self.repositories, self.nodes, self.token = {}, [], None
        self.engine = Engine(binary, os.path.join(folder, "engine"))
        self.closers = []

    def check(self, name, is_good, detail=""):
        self.failed += not is_good
        print(f"ok {self.title}: {name}" if is_good else f"FAILED {self.title}: {name}: {str(detail)[:1500]}", flush=True)
        return is_good

    def database(self):
        """A server with a synchronous standby."""
        if self.postgres is None:
            programs = postgres_programs()
            self.postgres = Postgres(os.path.join(self.folder, "pg"), programs).make().start()
            self.standby = self.postgres.copy(os.path.join(self.folder, "pg2"), "standby").start()
            self.postgres.sql("ALTER SYSTEM SET synchronous_standby_names = 'standby'")
            self.postgres.sql("SELECT pg_reload_conf()")
            until("the standby follows", lambda: self.postgres.sql("SELECT sync_state FROM pg_stat_replication") == "sync", 30)
            self.leader = self.postgres
        return self.leader

    def sql(self, text):
        return self.leader.sql(text)

    def start(self, apart=None):
        """Three nodes with three repositories; the way of the third to the database can be cut. It may live in a network of its own."""
        if self.cluster is not None:
            return
        leader = self.database()
        objects = os.path.join(self.folder, "objects")
        os.makedirs(objects, exist_ok=True)
        name = f"one{len(self.closers)}"
        leader.sql(f"CREATE DATABASE {name}")
        self.base = name
        url = leader.url(self.standby).replace("/postgres", "/" + name) if leader is self.postgres else leader.url().replace("/postgres", "/" + name)
        place = os.path.join(self.folder, name)
        self.cluster = Cluster(self.binary, place, url, "file://" + objects, lease_seconds=3)
        self.cluster.env["CODECOMPASS_WEBHOOK_SECRET"] = "hook secret"
        self.closers.append(self.cluster.close)
        self.objects = objects
        here, there, enter = (apart.HERE, apart.THERE, apart.enter()) if apart else ("127.0.0.1", "127.0.0.1", [])
        self.proxy = Proxy(leader.port, here)
        self.closers.append(self.proxy.close)
        database = f"postgres://codecompass@{here}:{self.proxy.port}/{name}"
        self.nodes = [self.cluster.node("n1", here), self.cluster.node("n2", here), self.cluster.node("n3", there, enter, database=database)]
        for node in self.nodes:
            node.start(wait=False)
        for node in self.nodes:
            until(f"{node.name} answers", node.answers, 60)
        sources = os.path.join(place, "sources")
        os.makedirs(sources)
        self.repositories = {name: Repository(sources, name, texts) for name, texts in TEXTS.items()}
        self.cluster.run("add", *[repository.url() for repository in self.repositories.values()])
        self.token = self.cluster.token("all", "--all")
        for name in TEXTS:
            until(f"{name} is indexed", lambda: self.cluster.served(name), 60)

    def query(self, text):
        """SQL on the database of the cluster."""
        return self.leader.run("psql", "-h", "127.0.0.1", "-p", str(self.leader.port), "-U", "codecompass", "-d", self.base, "-tAc", text).strip()

    def watch(self, nodes=None, questions=QUESTIONS):
        return Watcher(self.engine, self.token, nodes or self.nodes, list(self.repositories.values()), questions)

    def change(self, name, text="changed"):
        """Commits to a repository and asks for its index; returns the generation that is to come."""
        repository = self.repositories[name]
        count = len(repository.git("rev-list", "HEAD").split())
        before = self.cluster.served(name)
        repository.commit({f"notes/note{count}.md": f"generation marker {count} of {name}: {text}\n"}, f"Change {count}")
        self.cluster.run("update", name)
        return before + 1

    def settled(self, seconds=60):
        """Waits until no job is left and all generations are served."""
        left = "SELECT (SELECT count(*) FROM codecompass_jobs) + (SELECT count(*) FROM codecompass_repositories WHERE served < generation OR generation = 0)"
        until("all jobs are done", lambda: self.query(left) == "0", seconds, 0.2)

    def check_catalogue(self):
        """Generations have no gaps, none was published twice, and no job is left."""
        gaps = self.query("SELECT r.name FROM codecompass_repositories r WHERE ARRAY(SELECT generation FROM codecompass_generations g WHERE "
                          "g.repository = r.id ORDER BY 1) <> ARRAY(SELECT generate_series(1, r.generation)) OR r.served <> r.generation")
        self.check("generations have no gaps", gaps == "", gaps)
        twice = self.query("SELECT repository, generation FROM codecompass_generations GROUP BY 1, 2 HAVING count(*) > 1")
        tokens = self.query("SELECT token FROM codecompass_generations GROUP BY 1 HAVING count(*) > 1")
        self.check("nothing is published twice", twice == "" and tokens == "", (twice, tokens))
        jobs = self.query("SELECT * FROM codecompass_jobs")
        self.check("no job is left", jobs == "", jobs)

    def check_answers(self, watcher, calm=False):
        faults = watcher.faults(calm)
        self.check(f"{watcher.count()} answers are those of the engine", not faults and watcher.count() > 0, f"{len(faults)}: {faults[:3]}")

    def check_all_equal(self, name="all nodes answer alike"):
        """Every node answers as the engine does for the newest commits."""
        watcher = self.watch()
        for node in self.nodes:
            for tool, field, subject, workspaces in QUESTIONS:
                watcher.ask(node, tool, field, subject, workspaces)
        faults = watcher.faults(calm=True)
        heads = {name: repository.head() for name, repository in self.repositories.items()}
        old = [entry["answer"]["metadata"]["repositories"] for entry in watcher.log if entry["status"] == 200 and any(
            one["commit"] != heads[one["repository"]] for one in entry["answer"]["metadata"]["repositories"])]
        self.check(name, not faults and not old, faults[:2] + old[:2])

    def reset(self):
        """After a scenario that failed half-way, the next one begins with another cluster."""
        if self.cluster is not None:
            for node in self.nodes:
                if os.environ.get("KEEP"):
                    print(node.name, node.events_text()[-1500:])
            self.cluster.close()
        if self.proxy is not None:
            self.proxy.close()
        self.cluster = self.proxy = None

    def close(self):
        for close in reversed(self.closers):
            with contextlib.suppress(Exception):
                close()
        for server in (self.postgres, self.standby):
            if server is not None:
                server.kill()
