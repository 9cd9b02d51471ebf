"""The systems that the tests of clusters run: PostgreSQL, an S3 server, nodes, and git repositories to index."""

import contextlib
import importlib.machinery
import importlib.util
import json
import os
import pwd
import shutil
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
KEYS = {"AWS_ACCESS_KEY_ID": "codecompass", "AWS_SECRET_ACCESS_KEY": "only-for-this-test"}


class Missing(Exception):
    """Why a system is not there."""


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def until(what, holds, seconds=60, pause=0.1):
    """Waits until something holds and returns it."""
    end = time.monotonic() + seconds
    while True:
        found = holds()
        if found:
            return found
        if time.monotonic() > end:
            raise AssertionError(f"waited {seconds} s in vain: {what}")
        time.sleep(pause)


def postgres_programs():
    """The folder of PostgreSQL's programs."""
    found = shutil.which("postgres")
    places = [os.path.dirname(os.path.realpath(found))] if found else []
    base = "/usr/lib/postgresql"
    if os.path.isdir(base):
        places += [os.path.join(base, version, "bin") for version in sorted(os.listdir(base), reverse=True)]
    for place in places:
        if os.path.exists(os.path.join(place, "initdb")):
            return place
    raise Missing("PostgreSQL is not installed")


class Postgres:
    """A server of its own, in a folder, for this test alone. It does not run as root, and its user
    need not be allowed to enter the folder that the test starts in."""

    def __init__(self, folder, programs):
        self.folder, self.programs = folder, programs
        self.port = free_port()
        self.server = None
        self.user = None
        if os.geteuid() == 0:
            try:
                self.user = pwd.getpwnam("postgres").pw_uid
            except KeyError:
                raise Missing("PostgreSQL does not run as root, and there is no user `postgres`") from None

    def run(self, program, *words):
        done = subprocess.run([os.path.join(self.programs, program), *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, cwd="/", preexec_fn=self.drop)
        if done.returncode != 0:
            raise AssertionError(f"{program}: {done.stdout}")
        return done.stdout

    def drop(self):
        if self.user is not None:
            os.setgid(pwd.getpwuid(self.user).pw_gid)
            os.setuid(self.user)

    def make(self):
        os.makedirs(self.folder, exist_ok=True)
        if self.user is not None:
            os.chown(self.folder, self.user, -1)
        self.run("initdb", "--auth=trust", "--username=codecompass", "--no-sync", "--encoding=UTF8", "-D", self.folder)
        return self

    def copy(self, folder, name):
        """A standby that follows this server."""
        standby = Postgres(folder, self.programs)
        os.makedirs(folder, exist_ok=True)
        if self.user is not None:
            os.chown(folder, self.user, -1)
        os.chmod(folder, 0o700)
        self.run("pg_basebackup", "-h", "127.0.0.1", "-p", str(self.port), "-U", "codecompass", "-D", folder, "-R", "-X", "stream",
                 "-C", "-S", name)
        with open(os.path.join(folder, "postgresql.auto.conf")) as file:
            lines = [line.replace("user=codecompass", f"user=codecompass application_name={name}") for line in file]
        with open(os.path.join(folder, "postgresql.auto.conf"), "w") as file:
            file.writelines(lines)
        return standby

    def start(self, *options):
        words = [os.path.join(self.programs, "postgres"), "-D", self.folder, "-p", str(self.port), "-c", "listen_addresses=127.0.0.1",
                 "-c", f"unix_socket_directories={self.folder}", "-c", "max_wal_senders=4", "-c", "wal_level=replica", *options]
        with open(os.path.join(self.folder, "log"), "ab") as log:
            self.server = subprocess.Popen(words, stdout=log, stderr=log, cwd="/", preexec_fn=self.drop)
        until("PostgreSQL answers", self.answers, 30)
        return self

    def answers(self):
        if self.server.poll() is not None:
            raise AssertionError("PostgreSQL ended: " + open(os.path.join(self.folder, "log")).read()[-500:])
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1):
            return subprocess.run([os.path.join(self.programs, "pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(self.port)]).returncode == 0
        return False

    def sql(self, text):
        return self.run("psql", "-h", "127.0.0.1", "-p", str(self.port), "-U", "codecompass", "-d", "postgres", "-tAc", text).strip()

    def promote(self):
        self.run("pg_ctl", "promote", "-w", "-D", self.folder)

    def kill(self):
        """As a machine that loses its power."""
        if self.server and self.server.poll() is None:
            for child in children(self.server.pid):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(child, signal.SIGKILL)
            self.server.kill()
            self.server.wait()

    def url(self, *others):
        hosts = ",".join(f"127.0.0.1:{server.port}" for server in (self, *others))
        return f"postgres://codecompass@{hosts}/postgres"


def children(pid):
    with contextlib.suppress(OSError):
        text = open(f"/proc/{pid}/task/{pid}/children").read()
        return [int(child) for child in text.split()]
    return []


def s3_server():
    """The functions of the tests of the remote index, which install and start an S3 server."""
    path = os.path.join(ROOT, "tests", "remote", "run")
    loader = importlib.machinery.SourceFileLoader("remote_run", path)
    spec = importlib.util.spec_from_loader("remote_run", loader)
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


class Namespace:
    """A network of its own for a node, with one cable to this machine that can be pulled."""

    HERE, THERE = "10.213.77.1", "10.213.77.2"

    def __init__(self):
        self.name = f"codecompass{os.getpid()}"
        self.cable = f"cc{os.getpid()}"[:15]
        self.close()
        steps = [["netns", "add", self.name], ["link", "add", self.cable, "type", "veth", "peer", "name", "eth0", "netns", self.name],
                 ["addr", "add", self.HERE + "/24", "dev", self.cable], ["link", "set", self.cable, "up"],
                 ["-n", self.name, "addr", "add", self.THERE + "/24", "dev", "eth0"], ["-n", self.name, "link", "set", "eth0", "up"],
                 ["-n", self.name, "link", "set", "lo", "up"]]
        for step in steps:
            try:
                subprocess.run(["ip", *step], check=True, capture_output=True, text=True)
            except (OSError, subprocess.CalledProcessError) as error:
                self.close()
                reason = getattr(error, "stderr", None) or str(error)
                raise Missing(f"no network namespace can be made here ({reason.strip()})") from None

    def enter(self):
        return ["ip", "netns", "exec", self.name]

    def pull(self):
        subprocess.run(["ip", "link", "set", self.cable, "down"], check=True)

    def plug(self):
        subprocess.run(["ip", "link", "set", self.cable, "up"], check=True)

    def close(self):
        with contextlib.suppress(OSError):
            subprocess.run(["ip", "link", "del", self.cable], capture_output=True)
            subprocess.run(["ip", "netns", "del", self.name], capture_output=True)


class Repository:
    """A git repository that a cluster indexes."""

    def __init__(self, folder, name, texts):
        self.name, self.folder = name, os.path.join(folder, name)
        os.makedirs(self.folder)
        self.git("init", "--quiet", "-b", "main")
        self.commit(texts, "First commit")

    def git(self, *words):
        env = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1", "GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@b",
               "GIT_COMMITTER_NAME": "A", "GIT_COMMITTER_EMAIL": "a@b", "GIT_AUTHOR_DATE": "2026-01-01T00:00:00Z", "GIT_COMMITTER_DATE": "2026-01-01T00:00:00Z"}
        return subprocess.run(["git", "-C", self.folder, *words], env=env, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()

    def commit(self, texts, message):
        for path, text in texts.items():
            full = os.path.join(self.folder, path)
            os.makedirs(os.path.dirname(full), exist_ok=True)
            with open(full, "w") as file:
                file.write(text)
        self.git("add", "-A")
        self.git("commit", "--quiet", "-m", message)
        return self.head()

    def head(self):
        return self.git("rev-parse", "HEAD")

    def url(self):
        return "file://" + self.folder


class Node:
    """A node in a process of its own."""

    def __init__(self, cluster, name, host="127.0.0.1", before=(), **settings):
        self.cluster, self.name, self.host = cluster, name, host
        # The command that the program is started with.
        self.before = list(before)
        self.port = free_port()
        self.cache = os.path.join(cluster.folder, "cache-" + name)
        self.log = os.path.join(cluster.folder, name + ".log")
        self.process = None
        self.settings = settings

    def start(self, wait=True, **more):
        env = {**self.cluster.env, **{"CODECOMPASS_CLUSTER_" + key.upper(): str(value) for key, value in {**self.settings, **more}.items()}}
        words = [*self.before, self.cluster.program, "serve", "--bind", f"{self.host}:{self.port}", "--name", self.name, "--cache", self.cache, "--question-timeout", "30"]
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(words, env=env, stdout=log, stderr=log, start_new_session=True)
        if wait:
            until(f"{self.name} answers", self.answers, 30)
        return self

    def address(self):
        return f"http://{self.host}:{self.port}"

    def answers(self):
        if self.process.poll() is not None:
            raise AssertionError(f"{self.name} ended: " + self.events_text()[-800:])
        with contextlib.suppress(OSError, ValueError):
            return get(self.address() + "/health", seconds=2)[0] == 200
        return False

    def events_text(self):
        with open(self.log, errors="replace") as file:
            return file.read()

    def events(self, event=None):
        found = []
        for line in self.events_text().splitlines():
            with contextlib.suppress(ValueError):
                line = json.loads(line)
                if event is None or line.get("event") == event:
                    found.append(line)
        return found

    def ask(self, tool, token, seconds=40, **arguments):
        """Status and answer of a question."""
        pairs = [(name, item) for name, value in arguments.items() for item in (value if isinstance(value, list) else [value])]
        query = urllib.parse.urlencode(pairs)
        return get(f"{self.address()}/api/{tool}?{query}", token, seconds)

    def stop(self, sign=signal.SIGTERM):
        if self.process and self.process.poll() is None:
            self.process.send_signal(sign)
            self.process.wait(30)

    def kill(self):
        """Ends it and what it started at once."""
        if self.process and self.process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()

    def pause(self):
        os.killpg(self.process.pid, signal.SIGSTOP)

    def resume(self):
        os.killpg(self.process.pid, signal.SIGCONT)


def get(url, token=None, seconds=30, data=None, headers=None):
    request = urllib.request.Request(url, data=data, headers=dict(headers or {}))
    if token:
        request.add_header("Authorization", "Bearer " + token)
    try:
        with urllib.request.urlopen(request, timeout=seconds) as answer:
            return answer.status, read(answer)
    except urllib.error.HTTPError as error:
        return error.code, read(error)


def read(answer):
    text = answer.read().decode("utf-8", "replace")
    try:
        return json.loads(text)
    except ValueError:
        return text


class Cluster:
    """The settings that all nodes and commands share."""

    def __init__(self, binary, folder, database, objects, **settings):
        # The program of nodes lies beside the one that is compared with.
        self.program, self.folder = binary + "-node", folder
        os.makedirs(folder, exist_ok=True)
        self.env = {"PATH": os.environ["PATH"], "CODECOMPASS_HOME": os.path.join(folder, "home"), "CODECOMPASS_CLUSTER_DATABASE": database,
                    "CODECOMPASS_CLUSTER_OBJECTS": objects, "CODECOMPASS_CLUSTER_GIT_SCHEMES": "file", "CODECOMPASS_CLUSTER_GIT_PRIVATE": "true",
                    "CODECOMPASS_CLUSTER_LEASE_SECONDS": "4", "CODECOMPASS_CLUSTER_ALIVE_SECONDS": "3", "CODECOMPASS_CLUSTER_POLL_SECONDS": "3600",
                    **KEYS}
        for key, value in settings.items():
            self.env["CODECOMPASS_CLUSTER_" + key.upper()] = str(value)
        self.nodes = []

    def node(self, name, *place, **settings):
        node = Node(self, name, *place, **settings)
        self.nodes.append(node)
        return node

    def run(self, *words, check=True, seconds=60):
        done = subprocess.run([self.program, *words, "--json"], env=self.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=seconds)
        if check and done.returncode != 0:
            raise AssertionError(f"cluster {' '.join(words)}: {done.stdout}{done.stderr}")
        with contextlib.suppress(ValueError):
            return json.loads(done.stdout)
        return done.stdout + done.stderr

    def token(self, name, *may):
        return self.run("token", "add", name, *may)["token"]

    def served(self, name):
        found = [entry for entry in self.run("list")["repositories"] if entry["name"] == name]
        return found[0]["served"] if found else 0

    def close(self):
        for node in self.nodes:
            with contextlib.suppress(ProcessLookupError, OSError):
                node.resume()
            node.kill()
