//! Languages whose names come from modules, or from anywhere.

use super::Program;

#[test]
fn ruby() {
    let program = Program::new(
        "//- /lib/core/item.rb
module Shop
  module Loud
    def yell; end
  end

  class Thing
    def log; end
    def weight = 1
  end

  module Core
    class Item < Thing
      include Loud
      LIMIT = 3
      attr_reader :price
      def self.of(price)
        new(price)
      end
      def initialize(price)
        @price = price
        @next = Item.new(LIMIT)
      end
      def save
        check; self.log; yell
        @next.weight
      end
      def follow = Item.of(1)
      private
      def check; end
    end
  end
end
//- /lib/web/item.rb
module Shop
  module Web
    class Item
      def render; end
      def save; end
    end
  end
end
//- /lib/web/cart.rb
require_relative \"item\"
require \"json\"

module Shop
  module Web
    class Cart
      def run(other)
        first = Core::Item.new(2)
        first.save
        own = Item.new
        own.save
        first.follow.weight
        made = Shop::Core::Item.of(4)
        made.weight
        Tools.round(5)
        JSON.parse(\"x\")
        helper(6)
        check = 1
        other.render
        first.price
      end
      def helper(x) = x
    end
  end
  module Tools
    def self.round(x) = x
  end
end
//- /lib/web/more.rb
class Shop::Web::Cart
  def again
    helper(7)
  end
end
",
    );
    program.check(
        "
        lib/core/item.rb | check; self | check -> lib/core/item.rb | def check | static
        lib/core/item.rb | check; self | log -> lib/core/item.rb | def log | static
        lib/core/item.rb | check; self | yell -> lib/core/item.rb | def yell | static
        lib/core/item.rb | @next.weight | weight -> lib/core/item.rb | def weight | static
        lib/core/item.rb | @next = | Item -> lib/core/item.rb | class Item | static
        lib/core/item.rb | @next = | LIMIT -> lib/core/item.rb | LIMIT = 3 | static
        lib/core/item.rb | class Item | Thing -> lib/core/item.rb | class Thing | static
        lib/core/item.rb | include Loud | Loud -> lib/core/item.rb | module Loud | static
        lib/web/cart.rb | Core::Item.new | Item -> lib/core/item.rb | class Item | static
        lib/web/cart.rb | first.save | save -> lib/core/item.rb | def save | static
        lib/web/cart.rb | own = | Item -> lib/web/item.rb | class Item | static
        lib/web/cart.rb | own.save | save -> lib/web/item.rb | def save | static
        lib/web/cart.rb | first.follow | weight -> lib/core/item.rb | def weight | static
        lib/web/cart.rb | made.weight | weight -> lib/core/item.rb | def weight | static
        lib/web/cart.rb | round(5) | round -> lib/web/cart.rb | def self.round | static
        lib/web/cart.rb | JSON | parse -> nothing
        lib/web/cart.rb | helper(6) | helper -> lib/web/cart.rb | def helper | static
        lib/web/cart.rb | other.render | render -> nothing several
        lib/web/cart.rb | first.price | price -> lib/core/item.rb | attr_reader | static
        lib/web/more.rb | helper(7) | helper -> lib/web/cart.rb | def helper | static
        ",
    );
}

#[test]
fn swift() {
    let program = Program::new(
        "//- /Sources/Core/Item.swift
open class Thing {
    func log() {}
    func weight() -> Int { 1 }
}
protocol Saver { func save() }
public class Item: Thing, Saver {
    let price: Int
    static let empty = Item(price: 0)
    init(price: Int) { self.price = price }
    func save() { check(); self.log(); super.log() }
    private func check() { price.description }
    func next() -> Item { Item(price: 2) }
    static func of(_ price: Int) -> Item? { nil }
}
extension Item {
    func shine() { save() }
}
extension String {
    func isBlankish() -> Bool { true }
}
func round(_ x: Int) -> Int { x }
//- /Sources/Core/Hidden.swift
private func helper(_ x: Int) -> Int { x }
enum Size { case small, large }
//- /Sources/Web/Cart.swift
import Foundation

class Cart {
    private let first: Item
    var items: [Item] = []
    let maker = Item(price: 3)
    init(first: Item) { self.first = first }
    func run(own: Item, saver: Saver, text: String, maybe: Item?) {
        first.save()
        own.next().weight()
        own.shine()
        text.isBlankish()
        _ = round(4)
        let made = Item.of(5)
        made?.weight()
        for one in items { one.save() }
        if let sure = maybe { sure.weight() }
        guard let safe = maybe else { return }
        safe.weight()
        maker.weight()
        Item.empty.weight()
        saver.save()
        print(helper(6))
        let log = 1
        use(log)
        let size = Size.small
    }
    private func use(_ x: Int) {}
    func all<T: Item>(one: T) { one.weight() }
}
private func helper(_ x: Int) -> Int { x + 1 }
",
    );
    program.check(
        "
        Sources/Core/Item.swift | func save() { check | check -> Sources/Core/Item.swift | func check | static
        Sources/Core/Item.swift | func save() { check | log -> Sources/Core/Item.swift | func log | static
        Sources/Core/Item.swift | func save() { check | log#2 -> Sources/Core/Item.swift | func log | static
        Sources/Core/Item.swift | func check | description -> nothing
        Sources/Core/Item.swift | func shine | save -> Sources/Core/Item.swift | func save() { check | static
        Sources/Web/Cart.swift | first.save | save -> Sources/Core/Item.swift | func save() { check | static
        Sources/Web/Cart.swift | own.next | weight -> Sources/Core/Item.swift | func weight | static
        Sources/Web/Cart.swift | own.shine | shine -> Sources/Core/Item.swift | func shine | static
        Sources/Web/Cart.swift | text.isBlankish | isBlankish -> Sources/Core/Item.swift | func isBlankish | static
        Sources/Web/Cart.swift | round(4) | round -> Sources/Core/Item.swift | func round | static
        Sources/Web/Cart.swift | let made | of -> Sources/Core/Item.swift | func of | static
        Sources/Web/Cart.swift | made?.weight | weight -> Sources/Core/Item.swift | func weight | static
        Sources/Web/Cart.swift | one.save | save -> Sources/Core/Item.swift | func save() { check | static
        Sources/Web/Cart.swift | sure.weight | weight -> Sources/Core/Item.swift | func weight | static
        Sources/Web/Cart.swift | safe.weight | weight -> Sources/Core/Item.swift | func weight | static
        Sources/Web/Cart.swift | maker.weight | weight -> Sources/Core/Item.swift | func weight | static
        Sources/Web/Cart.swift | Item.empty | weight -> Sources/Core/Item.swift | func weight | static
        Sources/Web/Cart.swift | saver.save | save -> Sources/Core/Item.swift | protocol Saver | static
        Sources/Web/Cart.swift | helper(6) | helper -> Sources/Web/Cart.swift | private func helper | static
        Sources/Web/Cart.swift | helper(6) | print -> nothing
        Sources/Web/Cart.swift | use(log) | log -> nothing
        Sources/Web/Cart.swift | use(log) | use -> Sources/Web/Cart.swift | func use | static
        Sources/Web/Cart.swift | Size.small | small -> Sources/Core/Hidden.swift | enum Size | static
        Sources/Web/Cart.swift | one.weight | weight -> Sources/Core/Item.swift | func weight | static
        ",
    );
}

#[test]
fn elixir() {
    let program = Program::new(
        "//- /lib/core/item.ex
defmodule Shop.Core.Item do
  defstruct [:price]
  @limit 3
  def new(price), do: %__MODULE__{price: price}
  def save(item), do: check(item)
  defp check(item), do: {item, @limit, to_string(item)}
end
//- /lib/web/item.ex
defmodule Shop.Web.Item do
  def save(item), do: item
end
//- /lib/web/cart.ex
defmodule Shop.Web.Cart do
  alias Shop.Core.Item
  alias Shop.Web.Item, as: Own
  import Shop.Util, only: [round_up: 1]
  import Shop.More

  def run(%Item{} = first, x) do
    Item.save(first)
    Own.save(x)
    round_up(1)
    extra(2)
    Shop.Util.twice(3)
    helper(5)
    __MODULE__.helper(x)
    made = Item.new(4)
    made.price
    first.price
    x |> Item.save() |> Enum.map(4)
    helper = 1
    helper
  end

  defp helper(x), do: x
end
//- /lib/util.ex
defmodule Shop.Util do
  def round_up(x), do: x
  def twice(x), do: round_up(x)
end

defmodule Shop.More do
  def extra(x), do: x
end
",
    );
    program.check(
        "
        lib/core/item.ex | def save | check -> lib/core/item.ex | defp check | static
        lib/core/item.ex | defp check | to_string -> nothing
        lib/web/cart.ex | Item.save(first) | Item -> lib/core/item.ex | defmodule | static
        lib/web/cart.ex | Item.save(first) | save -> lib/core/item.ex | def save | static
        lib/web/cart.ex | Own.save(x) | save -> lib/web/item.ex | def save | static
        lib/web/cart.ex | round_up(1) | round_up -> lib/util.ex | def round_up | static
        lib/web/cart.ex | extra(2) | extra -> lib/util.ex | def extra | static
        lib/web/cart.ex | twice(3) | twice -> lib/util.ex | def twice | static
        lib/web/cart.ex | helper(5) | helper -> lib/web/cart.ex | defp helper | static
        lib/web/cart.ex | __MODULE__.helper | helper -> lib/web/cart.ex | defp helper | static
        lib/web/cart.ex | made.price | price -> lib/core/item.ex | defstruct | static
        lib/web/cart.ex | first.price | price -> lib/core/item.ex | defstruct | static
        lib/web/cart.ex | x |> | save -> lib/core/item.ex | def save | static
        lib/web/cart.ex | x |> | map -> nothing
        ",
    );
}

/// A module may have the name of another before its own, and yet stand apart from it.
#[test]
fn elixir_modules_below_modules() {
    let program = Program::new(
        "//- /lib/socket.ex
defmodule Shop.Socket do
  def open(x), do: x
end
//- /lib/serializer.ex
defmodule Shop.Socket.Serializer do
  @callback encode(term) :: term
  def check(x), do: x
end
//- /lib/json.ex
defmodule Shop.JSON do
  @behaviour Shop.Socket.Serializer
  def encode(x), do: Shop.Socket.Serializer.check(x)
end
//- /lib/short.ex
defmodule Shop.Short do
  alias Shop.Socket
  @behaviour Socket.Serializer
  def encode(x), do: x
end
",
    );
    program.check(
        "
        lib/json.ex | @behaviour | Serializer -> lib/serializer.ex | defmodule | static
        lib/json.ex | def encode | check -> lib/serializer.ex | def check | static
        lib/short.ex | @behaviour | Serializer -> lib/serializer.ex | defmodule | static
        ",
    );
}

/// Clauses, specifications, captures and functions named by atoms.
#[test]
fn elixir_functions() {
    let program = Program::new(
        "//- /lib/price.ex
defmodule Shop.Price do
  @spec fit(integer, integer) :: integer
  def fit(0, _), do: 0
  def fit(price, places) when places > 0, do: price * places
  @spec fit(integer) :: integer
  def fit(price), do: fit(price, 2)
  defmacro tax(amount), do: amount
  defdelegate short(price), to: Shop.Price, as: :fit
  def all(prices) do
    Enum.map(prices, &fit/1)
    Enum.map(prices, &fit(&1, 3))
    apply(__MODULE__, :all, [prices])
  end
end
//- /lib/use.ex
defmodule Shop.Use do
  alias Shop.Price
  require Price
  def run(x) do
    Price.tax(x)
    two = &Price.fit/2
    Task.async(Price, :all, [two])
  end
end
",
    );
    program.check(
        "
        lib/price.ex | @spec fit(integer, integer) | fit -> lib/price.ex | def fit(0 | static
        lib/price.ex | when places | fit -> lib/price.ex | def fit(0 | static
        lib/price.ex | @spec fit(integer) | fit -> lib/price.ex | def fit(price), | static
        lib/price.ex | def fit(price), | fit#2 -> lib/price.ex | def fit(0 | static
        lib/price.ex | &fit/1 | fit -> lib/price.ex | def fit(price), | static
        lib/price.ex | &fit(&1 | fit -> lib/price.ex | def fit(0 | static
        lib/price.ex | apply( | all -> lib/price.ex | def all | static
        lib/use.ex | Price.tax | tax -> lib/price.ex | defmacro tax | static
        lib/use.ex | two = | fit -> lib/price.ex | def fit(0 | static
        lib/use.ex | Task.async | all -> lib/price.ex | def all | static
        ",
    );
    assert_eq!(program.callers("lib/price.ex", "def fit(0"), ["lib/price.ex:6 static", "lib/price.ex:11 static"]);
}

/// Export lists, signatures apart from clauses, and members that come with a type.
#[test]
fn haskell_lists_of_names() {
    let program = Program::new(
        "//- /src/A/Types.hs
module A.Types
  ( Config(..)
  , make
  , (<+>)
  , Shape(Circle)
  ) where

data Config = Config { port :: Int }
data Shape = Circle Double | Square Double

make :: Int -> Config
make p = Config { port = p }

(<+>) :: Config -> Config -> Config
a <+> b = a

class Area s where
  area :: s -> Double

instance Area Shape where
  area (Circle r) = r
  area (Square r) = r
//- /src/Main.hs
module Main (main) where
import A.Types (Config(..), make, (<+>), Area(area))

main :: IO ()
main = print (port (make 3 <+> make 4)) >> print (area 1)
",
    );
    program.check(
        "
        src/A/Types.hs |   ( Config(..) | Config -> src/A/Types.hs | data Config | static
        src/A/Types.hs |   , make | make -> src/A/Types.hs | make :: | static
        src/A/Types.hs |   , (<+>) | <+> -> src/A/Types.hs | (<+>) :: | static
        src/A/Types.hs |   , Shape | Circle -> src/A/Types.hs | data Shape | static
        src/A/Types.hs | make p = | make -> src/A/Types.hs | make :: | static
        src/A/Types.hs | area (Square | area -> src/A/Types.hs | area (Circle | static
        src/Main.hs | import A | <+> -> src/A/Types.hs | (<+>) :: | static
        src/Main.hs | import A | area -> src/A/Types.hs | area :: | static
        src/Main.hs | main = | port -> src/A/Types.hs | data Config | static
        src/Main.hs | main = | <+> -> src/A/Types.hs | (<+>) :: | static
        src/Main.hs | main = | area -> src/A/Types.hs | area :: | static
        ",
    );
}

#[test]
fn haskell() {
    let program = Program::new(
        "//- /src/Shop/Item.hs
module Shop.Item (Item(..), save, module Shop.Tools) where

import Shop.Tools

data Item = Item { price :: Int }
          | Empty

save :: Item -> Int
save item = check (price item)

check x = twice x
//- /src/Shop/Tools.hs
module Shop.Tools where

twice :: Int -> Int
twice x = x * 2

check x = x
//- /src/Shop/Cart.hs
module Shop.Cart where

import Shop.Item (Item(..), save)
import qualified Shop.Tools as T
import qualified Data.Map as Map
import Shop.Item

run :: Item -> Int
run item = save item + T.check 1

other x = twice (price x)

third = Map.lookup 1 Empty
",
    );
    program.check(
        "
        src/Shop/Item.hs | save item | check -> src/Shop/Item.hs | check x | static
        src/Shop/Item.hs | save item | price -> src/Shop/Item.hs | data Item | static
        src/Shop/Item.hs | check x | twice -> src/Shop/Tools.hs | twice :: | static
        src/Shop/Cart.hs | run item | save -> src/Shop/Item.hs | save :: | static
        src/Shop/Cart.hs | run item | check -> src/Shop/Tools.hs | check x | static
        src/Shop/Cart.hs | run :: | Item -> src/Shop/Item.hs | data Item | static
        src/Shop/Cart.hs | other x | twice -> src/Shop/Tools.hs | twice :: | static
        src/Shop/Cart.hs | other x | price -> src/Shop/Item.hs | data Item | static
        src/Shop/Cart.hs | third = | lookup -> nothing
        src/Shop/Cart.hs | third = | Empty -> src/Shop/Item.hs | Empty | static
        ",
    );
}

#[test]
fn protobuf() {
    let program = Program::new(
        "//- /shop/core/item.proto
syntax = \"proto3\";
package shop.core;
message Item { int32 price = 1; }
//- /shop/web/cart.proto
syntax = \"proto3\";
package shop.web;
import \"shop/core/item.proto\";
import \"google/protobuf/empty.proto\";
message Item { string name = 1; }
message Cart {
  Item own = 1;
  shop.core.Item first = 2;
  core.Item second = 3;
  Inner inner = 4;
  google.protobuf.Empty none = 5;
  message Inner { Cart cart = 1; }
}
service Web { rpc Get(Cart) returns (Item); }
",
    );
    program.check(
        "
        shop/web/cart.proto | Item own | Item -> shop/web/cart.proto | message Item | static
        shop/web/cart.proto | first = | Item -> shop/core/item.proto | message Item | static
        shop/web/cart.proto | second = | Item -> shop/core/item.proto | message Item | static
        shop/web/cart.proto | Inner inner | Inner -> shop/web/cart.proto | message Inner | static
        shop/web/cart.proto | none = | Empty -> nothing
        shop/web/cart.proto | message Inner | Cart -> shop/web/cart.proto | message Cart | static
        shop/web/cart.proto | rpc Get | Item -> shop/web/cart.proto | message Item | static
        ",
    );
}

#[test]
fn ruby_mixins() {
    let program = Program::new(
        "//- /lib/shop/loud.rb
module Shop
  module Loud
    LIMIT = 1
    def yell(*); end
  end
  def self.helper(*); end
end
//- /lib/shop/deep.rb
module Shop
  module Deep
    include Loud
    def far(*) = yell
  end
  class Item
    include Deep
    def run
      yell(1)
      far(2)
      LIMIT + 3
      helper(4)
    end
  end
  LIMIT = 2
end
",
    );
    program.check(
        "
        lib/shop/deep.rb | def far | yell -> lib/shop/loud.rb | def yell | static
        lib/shop/deep.rb | include Deep | Deep -> lib/shop/deep.rb | module Deep | static
        lib/shop/deep.rb | yell(1) | yell -> lib/shop/loud.rb | def yell | static
        lib/shop/deep.rb | far(2) | far -> lib/shop/deep.rb | def far | static
        lib/shop/deep.rb | LIMIT + 3 | LIMIT -> lib/shop/deep.rb | LIMIT = 2 | static
        lib/shop/deep.rb | helper(4) | helper -> nothing
        ",
    );
}

#[test]
fn titles_of_tests_are_no_names() {
    let program = Program::new(
        "//- /lib/auth.ex
defmodule Auth do
  def encode(user), do: user
end
//- /test/auth_test.exs
defmodule AuthTest do
  import Auth
  describe \"encode\" do
    test \"works\" do
      assert encode(1) == 1
    end
  end
end
//- /lib/tools.rb
def round_up(x) = x
//- /spec/tools_spec.rb
it \"round_up\" do
  round_up(2)
end
",
    );
    program.check(
        "
        test/auth_test.exs | assert encode | encode -> lib/auth.ex | def encode | static
        spec/tools_spec.rb | round_up(2) | round_up -> lib/tools.rb | def round_up | likely
        ",
    );
}
