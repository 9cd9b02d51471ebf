//! Scopes and values of single files.

use super::Program;

#[test]
fn python() {
    let program = Program::new(
        "//- /item.py
from collections import OrderedDict
from contextvars import ContextVar


class Item:
    def __init__(self, folder):
        self.folder = folder
        self.size = 1

    @property
    def folder(self):
        return self._folder

    @folder.setter
    def folder(self, value):
        self._folder = value

    def copy(self):
        return Item(self.folder)

    def save(self):
        return self.size

    store = write = save


class Reader:
    def copy(self):
        return self

    def save(self):
        return 1

    def pop(self, key):
        return key


current: ContextVar[Item] = ContextVar('item')
items: OrderedDict[str, Item] = OrderedDict()


def use(**options):
    options.pop('x')
    if (item := current.get(None)) is not None:
        item.save()  # got
    for each in items.values():
        each.save()  # each
    items.pop('a').save()  # popped


def rebound():
    thing = Item('a')
    thing = report(thing.save())
    return thing


def report(value):
    return Reader()


def chosen(early):
    if early:
        def view(x):
            return x
    else:
        def view(x):
            return x + 1
    view = report(view)  # wrap
    return view(2)  # call
",
    );
    program.check(
        "
        item.py | self.folder = folder | folder -> item.py:11 item.py:15 static
        item.py | return Item(self.folder) | folder -> item.py:11 item.py:15 static
        item.py | self.size = 1 | size -> item.py | self.size = 1 | static
        item.py | store = write = save | save -> item.py:21 static
        item.py | options.pop | pop -> nothing
        item.py | # got | save -> item.py:21 static
        item.py | # each | save -> item.py:21 static
        item.py | # popped | save -> item.py:21 static
        item.py | thing.save() | save -> item.py:21 static
        item.py | # wrap | view#1 -> item.py:63 item.py:66 static
        item.py | # wrap | view#2 -> item.py:63 item.py:66 static
        item.py | # call | view -> item.py:63 item.py:66 static
        ",
    );
}

#[test]
fn names_of_a_container_in_its_functions() {
    let program = Program::new(
        "//- /store.zig
pub const Store = struct {
    const limit = 3;
    pub fn open(self: *Store) void {
        helper(limit);
    }
    fn helper(x: u32) void {}
};
fn outside() void {
    helper(1);
}
",
    );
    program.check(
        "
        store.zig | helper(limit) | helper -> store.zig | fn helper | static
        store.zig | helper(limit) | limit -> store.zig | const limit | static
        store.zig | helper(1) | helper -> nothing
        ",
    );
}
