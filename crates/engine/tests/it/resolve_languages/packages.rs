//! Languages whose imports are qualified names of packages.

use super::Program;

#[test]
fn java() {
    let program = Program::new(
        "//- /src/shop/core/Item.java
package shop.core;

public class Item extends Thing {
    public static final Item EMPTY = new Item(0);
    private final int price;
    public Item(int price) { this.price = price; }
    public void save() { check(); this.log(); }
    private void check() { toString(); }
    public Item next() { return EMPTY; }
    public static Item of(int price) { return new Item(price); }
    public interface Listener { void changed(Item item); }
    public enum Size { SMALL, LARGE }
}
//- /src/shop/core/Thing.java
package shop.core;

public abstract class Thing {
    protected void log() {}
    public int weight() { return 1; }
}
//- /src/shop/web/Item.java
package shop.web;

public class Item {
    public void save() {}
    void render() {}
}
//- /src/shop/web/Cart.java
package shop.web;

import shop.core.Item.Listener;
import static shop.util.Tools.round;
import shop.util.*;
import java.util.List;

public class Cart {
    private final shop.core.Item first = shop.core.Item.of(1);
    private List<Item> items;
    void run(Item own, Listener listener) {
        first.save();
        own.save();
        first.next().weight();
        round(2);
        Tools.twice(3);
        for (Item each : items) { each.render(); }
        Item save = new Item();
        save.render();
        var made = shop.core.Item.of(4);
        made.weight();
        listener.changed(null);
        items.size();
        System.out.println(made);
        shop.core.Item.Size size = shop.core.Item.Size.SMALL;
        Runnable r = () -> own.render();
    }
    <T extends Item> void all(T one) { one.render(); }
}
//- /src/shop/util/Tools.java
package shop.util;

public final class Tools {
    public static int round(int x) { return x; }
    public static int twice(int x) { return round(x) * 2; }
}
",
    );
    program.check(
        "
        src/shop/core/Item.java | void save() | check -> src/shop/core/Item.java | private void check | static
        src/shop/core/Item.java | void save() | log -> src/shop/core/Thing.java | void log | static
        src/shop/core/Item.java | private void check | toString -> nothing
        src/shop/core/Item.java | static Item of | Item#2 -> src/shop/core/Item.java | class Item | static
        src/shop/core/Item.java | class Item | Thing -> src/shop/core/Thing.java | class Thing | static
        src/shop/web/Cart.java | first.save | save -> src/shop/core/Item.java | void save | static
        src/shop/web/Cart.java | own.save | save -> src/shop/web/Item.java | void save | static
        src/shop/web/Cart.java | first.next | next -> src/shop/core/Item.java | Item next | static
        src/shop/web/Cart.java | first.next | weight -> src/shop/core/Thing.java | int weight | static
        src/shop/web/Cart.java | round(2) | round -> src/shop/util/Tools.java | int round | static
        src/shop/web/Cart.java | Tools.twice(3) | Tools -> src/shop/util/Tools.java | class Tools | static
        src/shop/web/Cart.java | Tools.twice(3) | twice -> src/shop/util/Tools.java | int twice | static
        src/shop/web/Cart.java | each.render | render -> src/shop/web/Item.java | void render | static
        src/shop/web/Cart.java | Item save = | Item#2 -> src/shop/web/Item.java | class Item | static
        src/shop/web/Cart.java | save.render | render -> src/shop/web/Item.java | void render | static
        src/shop/web/Cart.java | var made | of -> src/shop/core/Item.java | static Item of | static
        src/shop/web/Cart.java | made.weight | weight -> src/shop/core/Thing.java | int weight | static
        src/shop/web/Cart.java | listener.changed | changed -> src/shop/core/Item.java | void changed | static
        src/shop/web/Cart.java | items.size | size -> nothing
        src/shop/web/Cart.java | println | println -> nothing
        src/shop/web/Cart.java | Size.SMALL | SMALL -> src/shop/core/Item.java | SMALL, | static
        src/shop/web/Cart.java | own.render() | render -> src/shop/web/Item.java | void render | static
        src/shop/web/Cart.java | one.render() | render -> src/shop/web/Item.java | void render | static
        src/shop/util/Tools.java | int twice | round -> src/shop/util/Tools.java | int round | static
        ",
    );
    assert_eq!(program.callers("src/shop/core/Item.java", "void save"), ["src/shop/web/Cart.java:12 static"]);
}

#[test]
fn csharp() {
    let program = Program::new(
        "//- /Core/Item.cs
namespace Shop.Core;

public partial class Item : Thing, ISaver
{
    public Item(int price) { Price = price; }
    public int Price { get; set; }
    public Item Next => this;
    public void Save() { Check(); base.Log(); this.Log(); }
    private void Check() { Price.ToString(); }
    public static Item Of(int price) => new Item(price);
}
//- /Core/Item.More.cs
namespace Shop.Core;

public partial class Item
{
    public void Extra() { Check(); }
}
public class MarkedAttribute : System.Attribute { }
public static class ItemExtensions
{
    public static void Shine(this Item item, int times) { }
    public static bool IsBlank(this string text) => true;
}
//- /Core/Thing.cs
namespace Shop.Core
{
    public interface ISaver { void Save(); }
    public abstract class Thing
    {
        protected void Log() { }
        public int Weight() { return 1; }
    }
}
//- /Web/Item.cs
namespace Shop.Web
{
    class Item { public void Render() { } }
}
//- /Web/Cart.cs
using System.Collections.Generic;
using static Shop.Util.Tools;
using CoreItem = Shop.Core.Item;
using Shop.Core;

namespace Shop.Web
{
    public class Cart
    {
        private readonly CoreItem _first = CoreItem.Of(1);
        private List<Item> _items;
        private ISaver _saver;
        void Run(Item own, CoreItem other, string text)
        {
            _first.Save();
            own.Render();
            other.Next.Weight();
            other.Extra();
            other.Shine(2);
            text.IsBlank();
            Round(3);
            Util.Tools.Twice(4);
            Shop.Util.Tools.Twice(5);
            foreach (var each in _items) { each.Render(); }
            var made = new CoreItem(6);
            made.Weight();
            if (text is Item found) { found.Render(); }
            _saver.Save();
            _items.Sort();
            System.Console.WriteLine(made);
            int Weight = 1;
            Use(Weight);
        }
        [Marked] void Use(int x) { }
        void All<T>(T one) where T : Item { one.Render(); }
    }
}
//- /Util/Tools.cs
namespace Shop.Util
{
    public static class Tools
    {
        public static int Round(int x) { return x; }
        public static int Twice(int x) { return Round(x) * 2; }
    }
}
",
    );
    program.check(
        "
        Core/Item.cs | void Save | Check -> Core/Item.cs | private void Check | static
        Core/Item.cs | void Save | Log -> Core/Thing.cs | void Log | static
        Core/Item.cs | void Save | Log#2 -> Core/Thing.cs | void Log | static
        Core/Item.cs | class Item | Thing -> Core/Thing.cs | class Thing | static
        Core/Item.cs | private void Check | ToString -> nothing
        Core/Item.More.cs | void Extra | Check -> Core/Item.cs | private void Check | static
        Web/Cart.cs | _first.Save | Save -> Core/Item.cs | void Save | static
        Web/Cart.cs | own.Render | Render -> Web/Item.cs | Render | static
        Web/Cart.cs | other.Next | Weight -> Core/Thing.cs | int Weight | static
        Web/Cart.cs | other.Extra | Extra -> Core/Item.More.cs | void Extra | static
        Web/Cart.cs | other.Shine | Shine -> Core/Item.More.cs | Shine | static
        Web/Cart.cs | text.IsBlank | IsBlank -> Core/Item.More.cs | IsBlank | static
        Web/Cart.cs | Round(3) | Round -> Util/Tools.cs | int Round | static
        Web/Cart.cs | Twice(4) | Twice -> Util/Tools.cs | int Twice | static
        Web/Cart.cs | Twice(5) | Twice -> Util/Tools.cs | int Twice | static
        Web/Cart.cs | each.Render | Render -> Web/Item.cs | Render | static
        Web/Cart.cs | made.Weight | Weight -> Core/Thing.cs | int Weight | static
        Web/Cart.cs | found.Render | Render -> Web/Item.cs | Render | static
        Web/Cart.cs | _saver.Save | Save -> Core/Thing.cs | void Save | static
        Web/Cart.cs | _items.Sort | Sort -> nothing
        Web/Cart.cs | WriteLine | WriteLine -> nothing
        Web/Cart.cs | Use(Weight) | Weight -> nothing
        Web/Cart.cs | [Marked] | Marked -> Core/Item.More.cs | MarkedAttribute | static
        Web/Cart.cs | Use(Weight) | Use -> Web/Cart.cs | void Use | static
        Web/Cart.cs | one.Render | Render -> Web/Item.cs | Render | static
        ",
    );
    assert_eq!(program.callers("Core/Item.More.cs", "MarkedAttribute"), ["Web/Cart.cs:34 static"]);
    assert_eq!(program.callers("Core/Item.cs", "public Item(int"), ["Core/Item.cs:10 static", "Web/Cart.cs:25 static"]);
}

#[test]
fn kotlin() {
    let program = Program::new(
        "//- /core/Item.kt
package shop.core

open class Thing {
    protected fun log() {}
    fun weight(): Int = 1
}

class Item(val price: Int) : Thing() {
    fun save() { check(); this.log(); super.log() }
    private fun check() { price.toString() }
    fun next() = Item(2)
    companion object {
        fun of(price: Int): Item = Item(price)
        val EMPTY = Item(0)
    }
}

object Registry { fun find(name: String): Item? = null }

fun Item.shine(times: Int) {}
fun String.isBlankish() = true
fun round(x: Int) = x
//- /web/Item.kt
package shop.web

class Item { fun render() {}
    fun save() {} }
//- /web/Cart.kt
package shop.web

import shop.core.Registry
import shop.core.round
import shop.core.Item as CoreItem
import shop.core.shine

class Cart(private val first: CoreItem, other: CoreItem) {
    val items = listOf<Item>()
    lateinit var late: Item
    fun run(own: Item, text: String) {
        first.save()
        own.save()
        first.next().weight()
        first.shine(3)
        text.isBlankish()
        round(4)
        val made = CoreItem.of(5)
        made.weight()
        CoreItem.EMPTY.weight()
        Registry.find(\"x\")?.save()
        late.render()
        val fresh = Item()
        fresh.render()
        println(fresh)
        shop.core.round(6)
        val save = 1
        use(save)
        own.let { it.render() }
    }
    private fun use(x: Int) {}
    fun <T : Item> all(one: T) { one.render() }
}
",
    );
    program.check(
        "
        core/Item.kt | fun save() | check -> core/Item.kt | private fun check | static
        core/Item.kt | fun save() | log -> core/Item.kt | fun log | static
        core/Item.kt | fun save() | log#2 -> core/Item.kt | fun log | static
        core/Item.kt | private fun check | toString -> nothing
        core/Item.kt | fun next | Item -> core/Item.kt | class Item | static
        web/Cart.kt | first.save | save -> core/Item.kt | fun save | static
        web/Cart.kt | own.save | save -> web/Item.kt | fun save | static
        web/Cart.kt | first.next | weight -> core/Item.kt | fun weight | static
        web/Cart.kt | first.shine | shine -> core/Item.kt | fun Item.shine | static
        web/Cart.kt | text.isBlankish | isBlankish -> core/Item.kt | isBlankish | static
        web/Cart.kt |   round(4) | round -> core/Item.kt | fun round | static
        web/Cart.kt | val made | of -> core/Item.kt | fun of | static
        web/Cart.kt | made.weight | weight -> core/Item.kt | fun weight | static
        web/Cart.kt | EMPTY.weight | weight -> core/Item.kt | fun weight | static
        web/Cart.kt | Registry.find | save -> core/Item.kt | fun save | static
        web/Cart.kt | late.render | render -> web/Item.kt | fun render | static
        web/Cart.kt | val fresh | Item -> web/Item.kt | class Item | static
        web/Cart.kt | fresh.render | render -> web/Item.kt | fun render | static
        web/Cart.kt | println(fresh) | println -> nothing
        web/Cart.kt | round(6) | round -> core/Item.kt | fun round | static
        web/Cart.kt | use(save) | save -> nothing
        web/Cart.kt | use(save) | use -> web/Cart.kt | fun use | static
        web/Cart.kt | it.render | render -> web/Item.kt | fun render | likely
        web/Cart.kt | one.render | render -> web/Item.kt | fun render | static
        ",
    );
}

#[test]
fn scala() {
    let program = Program::new(
        "//- /core/Item.scala
package shop.core

trait Thing {
  def log(): Unit = ()
  def weight: Int = 1
}
class Item(val price: Int) extends Thing {
  def save(): Unit = { check(); this.log(); super.log() }
  private def check(): Unit = price.toString
  def next = new Item(2)
}
object Item {
  val Empty: Item = new Item(0)
  def of(price: Int): Item = new Item(price)
}
object Tools {
  def round(x: Int): Int = x
}
//- /web/Item.scala
package shop.web

class Item { def render(): Unit = ()
  def save(): Unit = () }
//- /web/Cart.scala
package shop.web

import shop.core.{Item => CoreItem, Thing}
import shop.core.Tools._
import shop.core.Tools
import scala.collection.mutable

class Cart(val first: CoreItem, other: Item) extends Thing {
  private val items: List[Item] = Nil
  def run(own: Item, maybe: Option[Item]): Unit = {
    first.save()
    own.save()
    first.next.weight
    round(3)
    Tools.round(4)
    val made = CoreItem.of(5)
    made.weight
    CoreItem.Empty.weight
    for (each <- items) each.render()
    other.render()
    log()
    println(made)
    mutable.Map.empty
    val fresh = new Item
    fresh.render()
    maybe match {
      case Some(x: Item) => x.render()
    }
    shop.core.Tools.round(6)
    val save = 1
    use(save)
  }
  def use(x: Int): Unit = ()
  def all[T <: Item](one: T): Unit = one.render()
}
",
    );
    program.check(
        "
        core/Item.scala | def save | check -> core/Item.scala | def check | static
        core/Item.scala | def save | log -> core/Item.scala | def log | static
        core/Item.scala | def save | log#2 -> core/Item.scala | def log | static
        core/Item.scala | def check | toString -> nothing
        web/Cart.scala | first.save | save -> core/Item.scala | def save | static
        web/Cart.scala | own.save | save -> web/Item.scala | def save | static
        web/Cart.scala | first.next | weight -> core/Item.scala | def weight | static
        web/Cart.scala |   round(3) | round -> core/Item.scala | def round | static
        web/Cart.scala | Tools.round(4) | round -> core/Item.scala | def round | static
        web/Cart.scala | val made | of -> core/Item.scala | def of | static
        web/Cart.scala | made.weight | weight -> core/Item.scala | def weight | static
        web/Cart.scala | Empty.weight | weight -> core/Item.scala | def weight | static
        web/Cart.scala | each.render | render -> web/Item.scala | def render | static
        web/Cart.scala | other.render | render -> web/Item.scala | def render | static
        web/Cart.scala | log() | log -> core/Item.scala | def log | static
        web/Cart.scala | println | println -> nothing
        web/Cart.scala | Map.empty | empty -> nothing
        web/Cart.scala | fresh.render | render -> web/Item.scala | def render | static
        web/Cart.scala | x.render | render -> web/Item.scala | def render | static
        web/Cart.scala | round(6) | round -> core/Item.scala | def round | static
        web/Cart.scala | use(save) | save -> nothing
        web/Cart.scala | use(save) | use -> web/Cart.scala | def use | static
        web/Cart.scala | one.render | render -> web/Item.scala | def render | static
        ",
    );
}

#[test]
fn php() {
    let program = Program::new(
        r#"//- /src/Core/Item.php
<?php
namespace App\Core;

class Item extends Thing implements Saver
{
    const LIMIT = 3;
    use Loud;
    public static function of(int $price): self { return new self($price); }
    public function save(): void { $this->check(); $this->log(); self::of(1); parent::weight(); }
    private function check() { strlen(self::LIMIT); }
    public function next() { return new Item(); }
    public function shout() { $this->yell(); }
}
//- /src/Core/Thing.php
<?php
namespace App\Core;

interface Saver { public function save(): void; }
trait Loud { public function yell() {} }
abstract class Thing
{
    protected function log() {}
    public function weight(): int { return 1; }
}
//- /src/Web/Item.php
<?php
namespace App\Web;

class Item { public function render() {} public function save() {} }
//- /src/Web/Cart.php
<?php
namespace App\Web;

use App\Core\Item as CoreItem;
use App\Core\Saver;
use App\Util;
use function App\Util\round_it;
use Psr\Log\LoggerInterface;

class Cart
{
    private CoreItem $first;
    public function __construct(private Item $own, private LoggerInterface $logger) { $this->fresh = new CoreItem(); }
    public function run(Item $other, ?Saver $saver, array $items)
    {
        $this->first->save();
        $other->save();
        $this->own->render();
        $this->first->next()->weight();
        $made = CoreItem::of(2);
        $made->weight();
        round_it(3);
        \App\Util\twice(4);
        Util\Tools::go(5);
        $saver->save();
        foreach ($this->all() as $each) { $each->render(); }
        $this->logger->info('x');
        $fresh = new Item();
        $fresh->render();
        $f = function (CoreItem $one) use ($other) { $one->weight(); $other->render(); };
        helper(6);
        strlen('x');
    }
    /** @return Item[] */
    private function all(): array { return []; }
}
//- /src/Util/functions.php
<?php
namespace App\Util;

function round_it(int $x) { return $x; }
function twice(int $x) { return round_it($x) * 2; }
class Tools { public static function go($x) {} }
//- /src/helpers.php
<?php
function helper($x) { return $x; }
"#,
    );
    program.check(
        "
        src/Core/Item.php | function save | check -> src/Core/Item.php | function check | static
        src/Core/Item.php | function save | log -> src/Core/Thing.php | function log | static
        src/Core/Item.php | function save | of -> src/Core/Item.php | function of | static
        src/Core/Item.php | function save | weight -> src/Core/Thing.php | function weight | static
        src/Core/Item.php | function check | LIMIT -> src/Core/Item.php | const LIMIT | static
        src/Core/Item.php | function check | strlen -> nothing
        src/Core/Item.php | yell() | yell -> src/Core/Thing.php | function yell | static
        src/Core/Item.php | class Item | Thing -> src/Core/Thing.php | class Thing | static
        src/Web/Cart.php | first->save | save -> src/Core/Item.php | function save | static
        src/Web/Cart.php | other->save | save -> src/Web/Item.php | class Item | static
        src/Web/Cart.php | own->render | render -> src/Web/Item.php | class Item | static
        src/Web/Cart.php | first->next | weight -> src/Core/Thing.php | function weight | static
        src/Web/Cart.php | $made = | of -> src/Core/Item.php | function of | static
        src/Web/Cart.php | made->weight | weight -> src/Core/Thing.php | function weight | static
        src/Web/Cart.php |   round_it(3) | round_it -> src/Util/functions.php | function round_it | static
        src/Web/Cart.php | twice(4) | twice -> src/Util/functions.php | function twice | static
        src/Web/Cart.php | go(5) | go -> src/Util/functions.php | class Tools | static
        src/Web/Cart.php | saver->save | save -> src/Core/Thing.php | interface Saver | static
        src/Web/Cart.php | logger->info | info -> nothing
        src/Web/Cart.php | $fresh = | Item -> src/Web/Item.php | class Item | static
        src/Web/Cart.php | fresh->render | render -> src/Web/Item.php | class Item | static
        src/Web/Cart.php | $f = | weight -> src/Core/Thing.php | function weight | static
        src/Web/Cart.php | $f = | render -> src/Web/Item.php | class Item | static
        src/Web/Cart.php | helper(6) | helper -> src/helpers.php | function helper | static
        src/Web/Cart.php | strlen | strlen -> nothing
        ",
    );
}

/// A package is used by the name that its files state, whatever its folder is called.
#[test]
fn go_packages_named_unlike_their_folders() {
    let program = Program::new(
        "//- /go.mod
module example.com/shop

go 1.22
//- /internal/http/server.go
package shophttp

type Server struct{ Port int }

func (s *Server) Run() {}

func Get(port int) *Server { return &Server{Port: port} }
//- /internal/http/more.go
package shophttp

func (s *Server) Stop() {}
//- /main.go
package main

import (
\t\"net/http\"

\t\"example.com/shop/internal/http\"
)

func main() {
\tserver := shophttp.Get(80)
\tserver.Run()
\tserver.Stop()
\tvar other shophttp.Server
\tother.Port = 1
\thttp.Get(\"x\")
}
",
    );
    program.check(
        "
        main.go | shophttp.Get | Get -> internal/http/server.go | func Get | static
        main.go | server.Run | Run -> internal/http/server.go | Run() | static
        main.go | server.Stop | Stop -> internal/http/more.go | Stop() | static
        main.go | var other | Server -> internal/http/server.go | type Server | static
        main.go | other.Port | Port -> internal/http/server.go | type Server | static
        main.go | http.Get(\"x\") | Get -> nothing
        ",
    );
    assert_eq!(program.callers("internal/http/server.go", "func Get"), ["main.go:10 static"]);
}
