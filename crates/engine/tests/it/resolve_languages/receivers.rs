//! Types of receivers: arguments of generic types, elements, casts, facades, parts of types.

use super::Program;

#[test]
fn csharp_global_using() {
    let program = Program::new(
        "//- /App/App.csproj
<Project />
//- /App/Usings.cs
global using Shop.Core;
global using static Shop.Core.Tools;
global using Box = Shop.Core.Parcel;
//- /App/Home.cs
namespace Shop.App;

class Home
{
    void Index(Mailer mailer, Box box) { mailer.Send(); box.Open(); Round(2); }
}
//- /Core/Core.csproj
<Project />
//- /Core/Mailer.cs
namespace Shop.Core;

public class Mailer { public void Send() { } }
public class Parcel { public void Open() { } }
public static class Tools { public static int Round(int x) => x; }
//- /Other/Other.csproj
<Project />
//- /Other/Elsewhere.cs
namespace Outside;

class Elsewhere { void Run() { Round(3); } }
",
    );
    program.check(
        "
        App/Home.cs | void Index | Mailer -> Core/Mailer.cs | class Mailer | static
        App/Home.cs | void Index | Send -> Core/Mailer.cs | void Send | static
        App/Home.cs | void Index | Box -> Core/Mailer.cs | class Parcel | static
        App/Home.cs | void Index | Open -> Core/Mailer.cs | void Open | static
        App/Home.cs | void Index | Round -> Core/Mailer.cs | int Round | static
        Other/Elsewhere.cs | void Run | Round -> nothing
        ",
    );
}

#[test]
fn csharp_partial_types() {
    let program = Program::new(
        "//- /A/A.csproj
<Project />
//- /A/Base.cs
namespace Shop;

public class Base { public virtual void Start() { } }
public interface IStarted { void Started(); }
//- /A/Job.cs
namespace Shop;

public partial class Job : Base
{
    public override void Start() { base.Start(); Stop(); }
}
public partial class Job<T> { public void Stop() { } }
//- /A/Job.Designer.cs
namespace Shop;

public partial class Job : IStarted, System.IDisposable
{
    public void Stop() { base.Start(); base.Finish(); }
    public void Started() { base.Started(); }
}
//- /B/B.csproj
<Project />
//- /B/Job.cs
namespace Shop;

public partial class Job { public void Pause() { Stop(); } }
",
    );
    program.check(
        "
        A/Job.cs | override void Start | Start#2 -> A/Base.cs | void Start() | static
        A/Job.cs | override void Start | Stop -> A/Job.Designer.cs | void Stop | static
        A/Job.Designer.cs | void Stop | Start -> A/Base.cs | void Start() | static
        A/Job.Designer.cs | void Stop | Finish -> nothing
        A/Job.Designer.cs | void Started | Started#2 -> nothing
        B/Job.cs | void Pause | Stop -> nothing
        ",
    );
    assert!(program.callers("A/Job.cs", "override void Start").is_empty());
}

#[test]
fn csharp_elements_and_casts() {
    let program = Program::new(
        "//- /Repo.cs
namespace Shop;

public class Repo { public void Load() { } }
public class Clock { public void Load() { } }
public class Wrapper<T> { public T Get() => default; public Wrapper<T> Next; }
public static class Extensions
{
    public static bool IsStrong(this string text) => true;
    public static bool IsOdd(this object any) => true;
    public static bool IsEmptyList<T>(this IReadOnlyList<T> list) => true;
}
//- /Use.cs
using System.Collections.Generic;
using Shop;

class Use
{
    private Dictionary<string, Repo> map;
    private List<Repo> list;
    void Run(object any, Wrapper<Repo> wrapper, IServiceProvider services)
    {
        foreach (var one in new List<Repo>()) { one.Load(); }
        foreach (var two in map.Values) { two.Load(); }
        foreach (var three in map) { three.Value.Load(); }
        var four = (Wrapper<Repo>)map.GetOrAdd(1, static key => { return null; });
        four.Get().Load();
        var five = any as Repo;
        five.Load();
        if (any is Repo six) six.Load();
        list.First().Load(); // seven
        wrapper.Next.Get().Load(); // eight
        var nine = new Wrapper<Repo>();
        nine.Get().Load();
        \"ten\".IsStrong();
        var text = \"eleven\";
        text.IsStrong();
        services.GetRequiredService<Repo>().Load(); // twelve
        var thirteen = services.GetService<Repo>();
        thirteen?.Load();
        any.GetType().IsOdd();
        map.Keys.IsEmptyList();
        list.IsEmptyList();
    }
}
",
    );
    program.check(
        "
        Use.cs | one.Load | Load -> Repo.cs | class Repo | static
        Use.cs | two.Load | Load -> Repo.cs | class Repo | static
        Use.cs | three.Value | Load -> Repo.cs | class Repo | static
        Use.cs | four.Get | Get -> Repo.cs | class Wrapper | static
        Use.cs | four.Get | Load -> Repo.cs | class Repo | static
        Use.cs | five.Load | Load -> Repo.cs | class Repo | static
        Use.cs | six.Load | Load -> Repo.cs | class Repo | static
        Use.cs | // seven | Load -> Repo.cs | class Repo | static
        Use.cs | // eight | Load -> Repo.cs | class Repo | static
        Use.cs | nine.Get | Load -> Repo.cs | class Repo | static
        Use.cs | ten | IsStrong -> Repo.cs | bool IsStrong | static
        Use.cs | text.IsStrong | IsStrong -> Repo.cs | bool IsStrong | static
        Use.cs | // twelve | Load -> Repo.cs | class Repo | likely
        Use.cs | thirteen?.Load | Load -> Repo.cs | class Repo | likely
        Use.cs | IsOdd | IsOdd -> Repo.cs | bool IsOdd | likely
        Use.cs | map.Keys | IsEmptyList -> Repo.cs | bool IsEmptyList | likely
        Use.cs | list.IsEmptyList | IsEmptyList -> Repo.cs | bool IsEmptyList | likely
        ",
    );
}

#[test]
fn java_generic_receivers() {
    let program = Program::new(
        "//- /a/Holder.java
package a;

public class Holder<T> {
    private T value;
    public T value() { return value; }
    public Holder<T> next() { return null; }
    public <R> R as() { return null; }
}
//- /a/Handler.java
package a;

public class Handler {
    public void handle() {}
    public void handle(int a) {}
}
//- /a/Other.java
package a;

public class Other {
    public void handle() {}
}
//- /a/Use.java
package a;

import java.util.*;

class Use {
    void go(Holder<Handler> holder, List<Handler> list, Map<String, Handler> map, Holder raw, Foreign context) {
        holder.value().handle(); // one
        holder.next().next().value().handle(); // two
        list.get(0).handle(); // three
        map.get(1).handle(); // four
        for (var entry : map.entrySet()) { entry.getValue().handle(); }
        list.stream().filter(x -> true).findFirst().get().handle(); // five
        new Holder<Handler>().value().handle(); // six
        raw.value().handle(); // seven
        raw.value().handle(8);
        context.getBean(Handler.class).handle(); // nine
    }
}
",
    );
    program.check(
        "
        a/Use.java | // one | handle -> a/Handler.java | void handle() | static
        a/Use.java | // two | handle -> a/Handler.java | void handle() | static
        a/Use.java | // three | handle -> a/Handler.java | void handle() | static
        a/Use.java | // four | handle -> a/Handler.java | void handle() | static
        a/Use.java | entry.getValue | handle -> a/Handler.java | void handle() | static
        a/Use.java | // five | handle -> a/Handler.java | void handle() | static
        a/Use.java | // six | handle -> a/Handler.java | void handle() | static
        a/Use.java | // seven | handle -> nothing several
        a/Use.java | raw.value().handle(8) | handle -> a/Handler.java | void handle(int a) | likely
        a/Use.java | // nine | handle -> a/Handler.java | void handle() | likely
        ",
    );
}

#[test]
fn php_containers_and_facades() {
    let program = Program::new(
        "//- /src/Store.php
<?php
namespace Shop;

class Item { public function open() {} }
class Store {
    public function find(int $id): Item { return new Item(); }
    public function open() {}
}
class Mail extends Facade {
    protected static function getFacadeAccessor(): string { return Store::class; }
}
/**
 * The cache.
 *
 * @see \\Shop\\Store
 */
class Cache extends Facade {
    protected static function getFacadeAccessor() { return 'cache'; }
}
/**
 * @property-read Item|null $first
 * @method static \\Shop\\Item made(int $id)
 * @mixin Store
 */
class Model {}
//- /src/Use.php
<?php
namespace Shop\\Http;

use Shop\\Cache;
use Shop\\Item;
use Shop\\Mail;
use Shop\\Model;

class Controller {
    public function go(Model $model, $container) {
        app(Item::class)->open(); // one
        $two = resolve(Item::class);
        $two->open();
        app()->make(Item::class)->open(); // three
        $container->get(Item::class)->open(); // four
        Mail::find(5)->open();
        Cache::find(6)->open();
        $model->first->open();
        Model::made(7)->open();
        $model->find(8)->open();
    }
}
",
    );
    let (store, usage) = ("src/Store.php", "src/Use.php");
    program.check(&format!(
        "
        {usage} | // one | open -> {store} | class Item | likely
        {usage} | $two->open | open -> {store} | class Item | likely
        {usage} | // three | open -> {store} | class Item | likely
        {usage} | // four | open -> {store} | class Item | likely
        {usage} | Mail::find | find -> {store} | function find | likely
        {usage} | Mail::find | open -> {store} | class Item | likely
        {usage} | Cache::find | find -> {store} | function find | likely
        {usage} | Cache::find | open -> {store} | class Item | likely
        {usage} | $model->first | open -> {store} | class Item | static
        {usage} | Model::made | open -> {store} | class Item | static
        {usage} | $model->find | find -> {store} | function find | static
        {usage} | $model->find | open -> {store} | class Item | static
        "
    ));
}

#[test]
fn kotlin_elements_and_texts() {
    let program = Program::new(
        "//- /src/Use.kt
package shop

class Repo { fun load() {} }
class Clock { fun load() {} }
class Holder<T>(val it: T) { fun value(): T = it }
fun String.shout() = this

fun run(list: List<Repo>, holder: Holder<Repo>) {
    list.first().load()
    holder.value().load()
    \"text\".shout()
}
",
    );
    program.check(
        "
        src/Use.kt | list.first | load -> src/Use.kt | class Repo | static
        src/Use.kt | holder.value | load -> src/Use.kt | class Repo | static
        src/Use.kt | text | shout -> src/Use.kt | fun String.shout | static
        ",
    );
}
