//! Languages whose files take in other files.

use super::Program;

#[test]
fn c() {
    let program = Program::new(
        "//- /include/list.h
#ifndef LIST_H
#define LIST_H
typedef struct node { int value; struct node *next; } node;
struct list { node *head; node items[4]; };
enum color { RED, GREEN };
int list_size(struct list *list);
node *list_first(const struct list *list);
extern int list_limit;
#define LIST_MAX 10
#endif
//- /src/list.c
#include \"list.h\"

int list_limit = 3;
static int check(int x) { return x; }
int list_size(struct list *list) { return check(list->head->value); }
node *list_first(const struct list *list) { return list->head; }
//- /src/main.c
#include <stdio.h>
#include \"list.h\"
#include \"util.h\"

static int check(int x) { return x + 1; }
int main(void) {
    struct list all;
    node *first = list_first(&all);
    printf(\"%d\", first->value);
    list_size(&all);
    check(LIST_MAX + list_limit);
    all.items[0].value = RED;
    list_first(&all)->next = 0;
    int twice = 1;
    return twice + helper(2);
}
//- /src/util.h
int twice(int x);
int helper(int x);
//- /src/util.c
int twice(int x) { return 2 * x; }
int helper(int x) { return twice(x); }
",
    );
    program.check(
        "
        src/list.c | int list_size | check -> src/list.c | static int check | static
        src/list.c | int list_size | head -> include/list.h | struct list { | static
        src/list.c | int list_size | value -> include/list.h | typedef struct node | static
        src/main.c | first = list_first | list_first -> src/list.c | node *list_first | static
        src/main.c | first->value | value -> include/list.h | typedef struct node | static
        src/main.c | first->value | printf -> nothing
        src/main.c | list_size(&all) | list_size -> src/list.c | int list_size | static
        src/main.c | LIST_MAX + | check -> src/main.c | static int check | static
        src/main.c | LIST_MAX + | LIST_MAX -> include/list.h | define LIST_MAX | static
        src/main.c | LIST_MAX + | list_limit -> src/list.c | int list_limit | static
        src/main.c | all.items | items -> include/list.h | struct list { | static
        src/main.c | all.items | value -> include/list.h | typedef struct node | static
        src/main.c | all.items | RED -> include/list.h | enum color | static
        src/main.c | ->next = 0 | next -> include/list.h | typedef struct node | static
        src/main.c | twice + helper | helper -> src/util.c | int helper | static
        src/main.c | twice + helper | twice -> nothing
        src/util.c | int helper | twice -> src/util.c | int twice | static
        ",
    );
    assert_eq!(program.callers("include/list.h", "int list_size"), ["src/main.c:10 static"]);
    assert_eq!(program.callers("src/list.c", "int list_size"), ["src/main.c:10 static"]);
}

#[test]
fn cpp() {
    let program = Program::new(
        "//- /core/item.hpp
#pragma once
#include <memory>
namespace shop {
class Thing {
 public:
  virtual ~Thing() {}
  int weight() const { return 1; }
 protected:
  void log();
};
class Item : public Thing {
 public:
  explicit Item(int price);
  void save();
  Item& next() { return *this; }
  static std::unique_ptr<Item> make(int price);
 private:
  int price_;
};
namespace util {
int round(int x);
}
}  // namespace shop
//- /core/item.cpp
#include \"item.hpp\"
namespace shop {
void Thing::log() {}
Item::Item(int price) : price_(price) {}
void Item::save() { log();
  this->log();
  price_ = util::round(2);
}
std::unique_ptr<Item> Item::make(int price) { return nullptr; }
namespace util {
int round(int x) { return x; }
}
}  // namespace shop
//- /web/item.hpp
namespace web {
struct Item { void render(); void save() {} };
}
//- /web/cart.cpp
#include \"../core/item.hpp\"
#include \"item.hpp\"
#include <vector>
using namespace shop;
namespace web {
void Item::render() {}
class Cart {
  std::vector<Item> items_;
  shop::Item* first_;
  void run(Item& own, std::shared_ptr<shop::Item> other) {
    first_->save();
    own.save();
    other->next().weight();
    auto made = shop::Item::make(3);
    made->weight();
    for (auto& each : items_) each.render();
    shop::util::round(4);
    auto fresh = new shop::Item(5);
    fresh->weight();
    items_.size();
    int save = 1;
    use(save);
  }
  void use(int x);
};
void Cart::use(int x) {}
}
int main() {
  util::round(6);
  Thing thing;
  return thing.weight();
}
",
    );
    program.check(
        "
        core/item.cpp | { log(); | log -> core/item.cpp | Thing::log | static
        core/item.cpp | this->log | log -> core/item.cpp | Thing::log | static
        core/item.cpp | util::round(2) | price_ -> core/item.hpp | int price_ | static
        core/item.cpp | util::round(2) | round -> core/item.cpp | int round | static
        core/item.hpp | class Item | Thing -> core/item.hpp | class Thing | static
        web/cart.cpp | first_->save | save -> core/item.cpp | Item::save | static
        web/cart.cpp | own.save | save -> web/item.hpp | save | static
        web/cart.cpp | other->next | weight -> core/item.hpp | int weight | static
        web/cart.cpp | auto made | make -> core/item.cpp | Item::make | static
        web/cart.cpp | made->weight | weight -> core/item.hpp | int weight | static
        web/cart.cpp | each.render | render -> web/cart.cpp | Item::render | static
        web/cart.cpp | round(4) | round -> core/item.cpp | int round | static
        web/cart.cpp | auto fresh | Item -> core/item.hpp | class Item | static
        web/cart.cpp | fresh->weight | weight -> core/item.hpp | int weight | static
        web/cart.cpp | items_.size | size -> nothing
        web/cart.cpp | use(save) | save -> nothing
        web/cart.cpp | use(save) | use -> web/cart.cpp | Cart::use | static
        web/cart.cpp | round(6) | round -> core/item.cpp | int round | static
        web/cart.cpp | Thing thing | Thing -> core/item.hpp | class Thing | static
        web/cart.cpp | thing.weight | weight -> core/item.hpp | int weight | static
        ",
    );
    assert_eq!(program.callers("core/item.hpp", "void save"), ["web/cart.cpp:11 static"]);
}

#[test]
fn dart() {
    let program = Program::new(
        "//- /lib/core/item.dart
class Thing {
  void log() {}
  int weight() => 1;
}

class Item extends Thing {
  final int price;
  Item(this.price);
  Item.free() : price = 0;
  static Item of(int price) => Item(price);
  void save() { check(); this.log(); super.log(); }
  void check() {}
  Item get next => Item(2);
}
int round(int x) => x;
//- /lib/web/item.dart
class Item { void render() {} }
//- /lib/web/cart.dart
import 'package:app/core/item.dart';
import 'item.dart' as web;
import 'dart:io';

class Cart {
  final Item first;
  List<Item> items = [];
  web.Item? own;
  Cart(this.first);
  void run(Item other) {
    first.save();
    own?.render();
    var made = Item.of(3);
    made.weight();
    Item.free().weight();
    other.next.weight();
    for (var each in items) { each.save(); }
    round(4);
    helper();
    print(made);
    other.shine();
  }
  void helper() {}
}
extension Shiny on Item { void shine() {} }
",
    );
    program.check(
        "
        lib/core/item.dart | void save | check -> lib/core/item.dart | void check | static
        lib/core/item.dart | void save | log -> lib/core/item.dart | void log | static
        lib/core/item.dart | void save | log#2 -> lib/core/item.dart | void log | static
        lib/web/cart.dart | first.save | save -> lib/core/item.dart | void save | static
        lib/web/cart.dart | own?.render | render -> lib/web/item.dart | class Item | static
        lib/web/cart.dart | var made | of -> lib/core/item.dart | static Item of | static
        lib/web/cart.dart | made.weight | weight -> lib/core/item.dart | int weight | static
        lib/web/cart.dart | Item.free | weight -> lib/core/item.dart | int weight | static
        lib/web/cart.dart | other.next | weight -> lib/core/item.dart | int weight | static
        lib/web/cart.dart | each.save | save -> lib/core/item.dart | void save | static
        lib/web/cart.dart | round(4) | round -> lib/core/item.dart | int round | static
        lib/web/cart.dart | helper(); | helper -> lib/web/cart.dart | void helper | static
        lib/web/cart.dart | print(made) | print -> nothing
        lib/web/cart.dart | other.shine | shine -> lib/web/cart.dart | extension | static
        ",
    );
}

#[test]
fn lua() {
    let program = Program::new(
        "//- /lua/core/item.lua
local Item = {}
Item.__index = Item

function Item.new(price)
  return setmetatable({ price = price }, Item)
end

function Item:save()
  self:check()
end

function Item:check() end

return Item
//- /lua/util/tools.lua
local M = {}

local function helper(x)
  return x
end

function M.round(x)
  return helper(x)
end

M.twice = function(x)
  return M.round(x) * 2
end

return M
//- /lua/cart.lua
local Item = require(\"core.item\")
local tools = require \"util.tools\"
local json = require(\"json\")

local M = {}

local function helper(x)
  return x
end

function M.round(x)
  local item = Item.new(1)
  item:save()
  tools.round(2)
  tools.twice(3)
  helper(4)
  json.encode(x)
  M.again(9)
  local again = 1
  print(again)
end

function M.again(x) end

return M
",
    );
    program.check(
        "
        lua/core/item.lua | self:check | check -> lua/core/item.lua | Item:check() end | static
        lua/util/tools.lua | return helper | helper -> lua/util/tools.lua | local function helper | static
        lua/util/tools.lua | return M.round | round -> lua/util/tools.lua | function M.round | static
        lua/cart.lua | local item = | new -> lua/core/item.lua | Item.new | static
        lua/cart.lua | item:save | save -> lua/core/item.lua | Item:save | static
        lua/cart.lua | tools.round | round -> lua/util/tools.lua | function M.round | static
        lua/cart.lua | tools.twice | twice -> lua/util/tools.lua | M.twice | static
        lua/cart.lua | helper(4) | helper -> lua/cart.lua | local function helper | static
        lua/cart.lua | json.encode | encode -> nothing
        lua/cart.lua | M.again(9) | again -> lua/cart.lua | function M.again | static
        lua/cart.lua | print(again) | again -> nothing
        lua/cart.lua | print(again) | print -> nothing
        ",
    );
}

/// A local function, and a member of its name.
#[test]
fn lua_members() {
    let program = Program::new(
        "//- /util.lua
local U = {}
local function trim(s) return s end
U.trim = trim
function U:open() return self.trim(1) end
return { trim = trim, open = U.open }
",
    );
    program.check(
        "
        util.lua | U.trim = trim | trim#2 -> util.lua | local function trim | static
        util.lua | return { trim | trim#2 -> util.lua | local function trim | static
        util.lua | return { trim | open#2 -> util.lua | function U:open | static
        util.lua | self.trim(1) | trim -> util.lua | U.trim = | static
        ",
    );
}

#[test]
fn zig() {
    let program = Program::new(
        "//- /src/item.zig
pub const Item = struct {
    price: u32,
    pub fn init(price: u32) Item {
        return Item{ .price = price };
    }
    pub fn save(self: *Item) void {
        self.check();
    }
    fn check(self: *Item) void {
        _ = self;
    }
};
pub fn round(x: u32) u32 {
    return x;
}
//- /src/own.zig
pub const Item = struct {
    pub fn save(self: Item) void {
        _ = self;
    }
};
//- /src/cart.zig
const std = @import(\"std\");
const core = @import(\"item.zig\");
const Item = core.Item;
const Own = @import(\"own.zig\").Item;

pub const Cart = struct {
    first: *Item,
    const Self = @This();
    pub fn run(self: *Self, own: Own, maybe: ?Item) !void {
        self.first.save();
        own.save();
        var made = Item.init(1);
        made.save();
        _ = core.round(2);
        helper(3);
        if (maybe) |sure| sure.save();
        std.debug.print(\"x\", .{});
        self.other();
    }
    fn other(self: *Self) void {
        _ = self;
    }
};
fn helper(x: u32) void {
    _ = x;
}
",
    );
    program.check(
        "
        src/item.zig | self.check | check -> src/item.zig | fn check | static
        src/cart.zig | self.first | save -> src/item.zig | fn save | static
        src/cart.zig | own.save | save -> src/own.zig | fn save | static
        src/cart.zig | var made | init -> src/item.zig | fn init | static
        src/cart.zig | made.save | save -> src/item.zig | fn save | static
        src/cart.zig | core.round | round -> src/item.zig | fn round | static
        src/cart.zig | helper(3) | helper -> src/cart.zig | fn helper | static
        src/cart.zig | sure.save | save -> src/item.zig | fn save | static
        src/cart.zig | debug.print | print -> nothing
        src/cart.zig | self.other | other -> src/cart.zig | fn other | static
        ",
    );
}

#[test]
fn bash() {
    let program = Program::new(
        "//- /bin/run.sh
#!/bin/bash
source \"$(dirname \"$0\")/../lib/util.sh\"
helper() { echo \"$1\"; }
main() {
  helper 1
  round_up 2
  grep x
  stray 3
  declare -f round_up
}
main
//- /lib/util.sh
round_up() { twice \"$1\"; }
twice() { :; }
helper() { :; }
//- /other/stray.sh
stray() { :; }
",
    );
    program.check(
        "
        bin/run.sh |   helper 1 | helper -> bin/run.sh | helper() | static
        bin/run.sh | round_up 2 | round_up -> lib/util.sh | round_up() | static
        bin/run.sh | grep x | grep -> nothing
        bin/run.sh | stray 3 | stray -> other/stray.sh | stray() | likely
        bin/run.sh | declare -f | round_up -> lib/util.sh | round_up() | static
        lib/util.sh | round_up() | twice -> lib/util.sh | twice() | static
        ",
    );
}
