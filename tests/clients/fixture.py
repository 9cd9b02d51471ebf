"""The repository that clients ask about: two languages, two branches, a few files."""

import os
import shutil
import subprocess

MAIN = {
    "shop/orders.py": '''\
"""Orders: reading them, pricing them."""

from shop.money import add_tax


class Order:
    """What a customer wants to buy."""

    def __init__(self, items):
        self.items = items

    def total(self):
        """The price of everything, tax included."""
        return add_tax(sum(price for _, price in self.items))


def parse_order(text):
    """Reads an order, one `name price` per line."""
    items = []
    for line in text.splitlines():
        name, price = line.rsplit(" ", 1)
        items.append((name, float(price)))
    return Order(items)
''',
    "shop/money.py": '''\
"""Money."""

TAX = 0.2


def add_tax(price):
    """Adds the tax to a price."""
    return price * (1 + TAX)
''',
    "shop/test_orders.py": '''\
from shop.orders import parse_order


def test_total():
    assert parse_order("tea 10").total() == 12
''',
    "web/cart.ts": '''\
/** One line of a cart. */
export interface CartLine {
  name: string;
  price: number;
}

/** Draws the cart as text for the page. */
export function renderCart(lines: CartLine[]): string {
  return lines.map((line) => formatLine(line)).join("\\n");
}

function formatLine(line: CartLine): string {
  return `${line.name}: ${line.price.toFixed(2)}`;
}
''',
}

# What the branch `discounts` adds to shop/money.py.
DISCOUNTS = '''

def apply_discount(price, percent):
    """Takes a discount off a price."""
    return price * (1 - percent / 100)
'''


def make(folder):
    """Makes the repository, with `main` checked out."""
    for path, text in MAIN.items():
        write(os.path.join(folder, path), text)
    git(folder, "init", "--quiet", "--initial-branch", "main")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "A shop")
    git(folder, "switch", "--quiet", "--create", "discounts")
    write(os.path.join(folder, "shop/money.py"), MAIN["shop/money.py"] + DISCOUNTS)
    git(folder, "commit", "--quiet", "--all", "--message", "Discounts")
    git(folder, "switch", "--quiet", "main")


def copy(folder, to):
    shutil.copytree(folder, to)
    return to


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", newline="\n") as file:
        file.write(text)


def git(folder, *arguments):
    """Runs git as nobody in particular, whatever the user's own settings are."""
    person = {"NAME": "Nobody", "EMAIL": "nobody@example.org", "DATE": "2026-01-01T00:00:00Z"}
    settings = {f"GIT_{who}_{key}": value for who in ("AUTHOR", "COMMITTER") for key, value in person.items()}
    settings |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    subprocess.run(["git", *arguments], cwd=folder, env=os.environ | settings, check=True)
