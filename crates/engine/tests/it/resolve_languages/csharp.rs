//! C#: namespaces that imports are relative to, types that differ by their type parameters, objects
//! that are made without a type's name, extension methods.

use super::Program;

#[test]
fn imports_are_relative_to_the_namespace_that_they_stand_in() {
    let program = Program::new(
        "//- /Shop/Wrappers/Wrapper.cs
namespace Shop.Wrappers;

public abstract class Wrapper { public abstract void Handle(int request); }
//- /Shop/Logging/Log.cs
namespace Shop.Logging;

public static class Log { public static void Write(int line) {} }
//- /Shop/Clear.cs
namespace Shop;

using Wrappers;

public class Clear { void Run(Wrapper inside) { inside.Handle(1); } }
//- /Shop/Block.cs
namespace Shop
{
    using Wrappers;

    public class Block { void Run(Wrapper braces) { braces.Handle(2); } }
}
//- /Shop/Top.cs
using Logging;

namespace Shop;

public class Top { void Run() { Log.Write(3); } }
",
    );
    program.check(
        "Shop/Clear.cs | inside.Handle | Wrapper -> Shop/Wrappers/Wrapper.cs | class Wrapper | static
        Shop/Clear.cs | inside.Handle | Handle -> Shop/Wrappers/Wrapper.cs | void Handle | static
        Shop/Block.cs | braces.Handle | Handle -> Shop/Wrappers/Wrapper.cs | void Handle | static
        Shop/Top.cs | Log.Write | Write -> nothing",
    );
}

#[test]
fn names_that_start_at_the_root_or_an_alias() {
    let program = Program::new(
        "//- /Core/Reader.cs
namespace Core;

public ref partial struct Reader { public int Next() => 1; }
//- /App/Use.cs
using Short = global::Core;

namespace App
{
    class Use
    {
        void Run(ref Short::Reader first, global::Core.Reader root, Short.Reader dotted)
        {
            first.Next();
            root.Next();
            dotted.Next();
        }
    }
}
",
    );
    program.check(
        "App/Use.cs | void Run | Reader -> Core/Reader.cs | struct Reader | static
        App/Use.cs | void Run | Reader#2 -> Core/Reader.cs | struct Reader | static
        App/Use.cs | first.Next | Next -> Core/Reader.cs | struct Reader | static
        App/Use.cs | root.Next | Next -> Core/Reader.cs | struct Reader | static
        App/Use.cs | dotted.Next | Next -> Core/Reader.cs | struct Reader | static",
    );
}

#[test]
fn types_differ_by_the_number_of_their_parameters() {
    let program = Program::new(
        "//- /Core/Box.cs
namespace Core;

public class Box { public void Plain() {} public static Box Make() => new(); }
public class Box<T> : Box { public Box(T first) {} public void One() {} public static Box<T> Of() => null; }
public class Box<T, U> { public void Two() {} }
//- /App/Box.cs
namespace App;

public class Holder { public class Box<A, B, C> { public void Three() {} } }
//- /App/Use.cs
namespace App;

using Core;
using System;

public class Use : Holder
{
    void Run(Box plain, Box<int> one, Core.Box<int, string> two, Box<int, int, int> three)
    {
        plain.Plain();
        one.One();
        two.Two();
        three.Three();
        var made = new Box<int>(1);
        made.One();
        Box<int>.Of();
        Box.Make();
        Type open = typeof(Box<,>);
    }
    void Cast(object any) { ((Box)any).Plain(); ((Box<string>)any).One(); }
}
public class Below : Box<int> { }
",
    );
    program.check(
        "Core/Box.cs | class Box<T> : | Box#2 -> Core/Box.cs | class Box { | static
        App/Use.cs | Core.Box<int, string> | Box -> Core/Box.cs | class Box { | static
        App/Use.cs | Core.Box<int, string> | Box#2 -> Core/Box.cs | class Box<T> : | static
        App/Use.cs | Core.Box<int, string> | Box#3 -> Core/Box.cs | class Box<T, U> | static
        App/Use.cs | Core.Box<int, string> | Box#4 -> App/Box.cs | class Box<A | static
        App/Use.cs |         plain.Plain | Plain -> Core/Box.cs | void Plain | static
        App/Use.cs |         one.One | One -> Core/Box.cs | void One | static
        App/Use.cs | two.Two | Two -> Core/Box.cs | void Two | static
        App/Use.cs | three.Three | Three -> App/Box.cs | void Three | static
        App/Use.cs | new Box<int> | Box -> Core/Box.cs | class Box<T> : | static
        App/Use.cs | made.One | One -> Core/Box.cs | void One | static
        App/Use.cs | Box<int>.Of | Box -> Core/Box.cs | class Box<T> : | static
        App/Use.cs | Box<int>.Of | Of -> Core/Box.cs | class Box<T> : | static
        App/Use.cs | Box.Make | Box -> Core/Box.cs | class Box { | static
        App/Use.cs | Box.Make | Make -> Core/Box.cs | class Box { | static
        App/Use.cs | typeof | Box -> Core/Box.cs | class Box<T, U> | static
        App/Use.cs | void Cast | Plain -> Core/Box.cs | class Box { | static
        App/Use.cs | void Cast | One -> Core/Box.cs | class Box<T> : | static
        App/Use.cs | class Below | Box -> Core/Box.cs | class Box<T> : | static",
    );
}

#[test]
fn objects_made_without_the_name_of_their_type() {
    let program = Program::new(
        "//- /Item.cs
public class Item
{
    public Item() {}
    public Item(int price) {}
    public Item(int price, string name) {}
    public void Save() {}
}
//- /Cart.cs
public class Cart
{
    private readonly Item _field = new(1);
    public Item Held { get; } = new();
    public Item Fresh => new(2);
    public Item Make() => new(3, \"a\");
    public Item Build()
    {
        Item local = new(4);
        foreach (var each in new[] { local }) { each.Save(); }
        return new();
    }
}
",
    );
    assert_eq!(program.callers("Item.cs", "Item() {}"), ["Cart.cs:4 static", "Cart.cs:7 static"]);
    assert_eq!(
        program.callers("Item.cs", "Item(int price) {}"),
        ["Cart.cs:3 static", "Cart.cs:5 static", "Cart.cs:9 static"]
    );
    assert_eq!(program.callers("Item.cs", "string name"), ["Cart.cs:6 static"]);
    program.check("Cart.cs | each.Save | Save -> Item.cs | void Save | static");
}

#[test]
fn extension_methods_of_types_outside() {
    let program = Program::new(
        "//- /Data/SqlMapper.cs
namespace Data;

using System.Data;

public static class SqlMapper
{
    public static int Query(this IDbConnection cnn, string sql) => 0;
    public static T Query<T>(this IDbConnection cnn, string sql) => default;
    public static void Widen(this string text, int width) {}
}
//- /App/Use.cs
using Data;
using System.Data.Common;

namespace App;

public class Own : IDbConnection { }
public class Use
{
    private DbConnection connection;
    void Run(IDbConnection direct, Own own)
    {
        direct.Query<int>(\"direct\");
        connection.Query<int>(\"of a base\");
        own.Query<int>(\"own\");
        connection.Widen(1);
    }
}
//- /App/Hidden.cs
using System.Data.Common;

namespace App;

public class Hidden { void Run(DbConnection hidden) { hidden.Query<int>(\"hidden\"); } }
",
    );
    program.check(
        "App/Use.cs | direct\" | Query -> Data/SqlMapper.cs | T Query | static
        App/Use.cs | of a base | Query -> Data/SqlMapper.cs | T Query | likely
        App/Use.cs | own\" | Query -> Data/SqlMapper.cs | T Query | likely
        App/Use.cs | connection.Widen | Widen -> nothing several
        App/Hidden.cs | hidden\" | Query -> nothing several",
    );
}
