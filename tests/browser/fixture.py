"""A small repository with everything that the page shows: calls, types, tests, endpoints, projects, a branch, a long
file, and names and texts that try to be markup."""

import os
import subprocess

EVIL = "<img src=x onerror=\"window.pwned = 1\">"

FILES = {
    "pyproject.toml": "[project]\nname = \"shop\"\nversion = \"1.0.0\"\n",
    ".gitignore": "*.env\n",
    "shop/secret.env": "KEY=1\n",
    "README.md": "# Shop\n\nSells tea and coffee.\n",
    "shop/__init__.py": "",
    "shop/prices.py": '''"""Prices of things."""

PRICES = {"tea": 3, "coffee": 4}


class UnknownItem(Exception):
    """The shop does not sell it."""


def price_of(name):
    """Returns the price of one piece.

    Raises UnknownItem if the shop does not sell it.
    """
    if name not in PRICES:
        raise UnknownItem(name)
    return PRICES[name]


def discounted(name, percent):
    """Returns the price less a discount."""
    return price_of(name) * (100 - percent) / 100
''',
    "shop/orders.py": '''"""Orders and what they cost."""

from shop.prices import discounted, price_of


class Order:
    """What a customer wants."""

    def __init__(self, lines):
        self.lines = lines

    def total(self):
        """Adds up the prices of all lines."""
        return sum(price_of(line) for line in self.lines)

    def is_empty(self):
        return not self.lines


class RushOrder(Order):
    """An order that cannot wait."""

    def total(self):
        return super().total() + 10


def checkout(lines, percent=0):
    """Makes an order and returns its total."""
    order = Order(lines)
    if percent:
        return sum(discounted(line, percent) for line in lines)
    return order.total()
''',
    "shop/web.py": '''"""The shop on the web."""

from flask import Flask, jsonify, request

from shop.orders import checkout
from shop.prices import PRICES

app = Flask(__name__)


@app.get("/items")
def list_items():
    """Lists what is sold."""
    return jsonify(sorted(PRICES))


@app.post("/orders")
def create_order():
    """Takes an order."""
    return jsonify(total=checkout(request.json["lines"]))


@app.get("/orders/<int:order_id>")
def show_order(order_id):
    return jsonify(id=order_id)
''',
    "tests/test_orders.py": '''from shop.orders import Order, RushOrder, checkout


def test_total():
    assert Order(["tea", "tea"]).total() == 6


def test_rush():
    assert RushOrder(["tea"]).total() == 13


def test_checkout():
    assert checkout(["tea", "coffee"]) == 7
''',
    "main.py": '''from shop.orders import checkout


def main():
    print(checkout(["tea"]))


if __name__ == "__main__":
    main()
''',
}


def make(folder):
    os.makedirs(folder)
    git(folder, "init", "--quiet", "--initial-branch=main")
    for path, text in FILES.items():
        write(folder, path, text)
    # A symbol with many uses, and a file that is long.
    uses = "".join(f"def use_{n}():\n    return popular({n})\n\n\n" for n in range(400))
    write(folder, "shop/popular.py", "def popular(n):\n    \"\"\"Is called everywhere.\"\"\"\n    return n\n\n\n" + uses)
    write(folder, "long.py", "".join(f"def step_{n}():\n    return {n}\n\n\n" for n in range(5000)))
    body = "        found = load(value)\n" * 20 + "        return found.size\n\n\n"
    write(folder, "huge.py", "".join(f"class Step{n}:\n    def run(self, value):\n{body}" for n in range(300)))
    methods = "".join(f"    def method_{n}(self):\n        return {n}\n\n" for n in range(300))
    write(folder, "shop/big.py", "class Big:\n    \"\"\"Has many methods.\"\"\"\n\n" + methods)
    evil = f'def evil():\n    """{EVIL} <script>window.pwned = 2</script>"""\n    return "</li><script>window.pwned = 3</script>"\n'
    write(folder, f"{EVIL.replace('/', '')}.py", evil + f"\n\ndef evil_caller():\n    # {EVIL} \u202e\n    return evil()\n")
    commit(folder, "Open the shop", "2024-01-01T00:00:00Z")
    write(folder, "shop/prices.py", FILES["shop/prices.py"].replace("\"coffee\": 4", "\"coffee\": 5"))
    commit(folder, f"Raise a price {EVIL}", "2024-02-01T00:00:00Z")
    git(folder, "checkout", "--quiet", "-b", "feature/quantities")
    prices = FILES["shop/prices.py"].replace("\"coffee\": 4", "\"coffee\": 5")
    prices = prices.replace("def price_of(name):", "def price_of(name, count=1):")
    prices = prices.replace("    return PRICES[name]\n", "    return PRICES[name] * count\n")
    prices += "\n\ndef cheapest():\n    \"\"\"Returns the cheapest thing.\"\"\"\n    return min(PRICES, key=price_of)\n"
    write(folder, "shop/prices.py", prices)
    orders = FILES["shop/orders.py"].replace("    def is_empty(self):\n        return not self.lines\n\n\n", "\n")
    write(folder, "shop/orders.py", orders)
    commit(folder, "Prices of several pieces", "2024-03-01T00:00:00Z")
    return folder


def write(folder, path, text):
    file = os.path.join(folder, path)
    os.makedirs(os.path.dirname(file), exist_ok=True)
    with open(file, "w") as out:
        out.write(text)


def commit(folder, message, date):
    git(folder, "add", "--all")
    names = {f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER")
             for what, value in (("NAME", "Ada"), ("EMAIL", "ada@example.org"), ("DATE", date))}
    git(folder, "commit", "--quiet", "--message", message, **names)


def git(folder, *words, **variables):
    environment = dict(os.environ, GIT_CONFIG_GLOBAL=os.devnull, GIT_CONFIG_SYSTEM=os.devnull, **variables)
    subprocess.run(["git", *words], cwd=folder, env=environment, check=True)
