//! `impact --rename`: lists of places, and patches that git takes.

use codecompass_testkit::TestWorkspace;
use expect_test::expect;

use crate::{PROGRAM, check};

const SHOP: &str = r#"
//- /src/cart.ts
export interface Priced {
  total(tax: number): number;
}
export class Cart implements Priced {
  // Calls total of the lines.
  total(tax: number): number { return sum(this.lines) + tax; }
  lines: number[] = [];
}
export function sum(xs: number[]): number { return xs.length; }
//- /src/app.ts
import { Cart, sum } from './cart';
export { sum } from './cart';
const tools = { sum, Cart };
const { lines } = new Cart();
export function run(cart: Cart, other: any) {
  console.log(cart.total(1), sum([2]), other.total(3), "total");
  return tools.sum(lines);
}
//- /README.md
`total` adds the tax.
"#;

/// Applies the patch of a rename, and returns the file that it leaves.
fn applied(workspace: &TestWorkspace, symbol: &str, name: &str, path: &str) -> String {
    let answer = workspace.run(PROGRAM, &["impact", symbol, "--rename", name, "--patch", "--quiet"]);
    assert_eq!(answer.code, Some(0), "{}", answer.stderr);
    let patch = workspace.beside("rename.patch");
    std::fs::write(&patch, answer.stdout).unwrap();
    workspace.run_git(&["apply", "--check", &patch.to_string_lossy()]);
    workspace.run_git(&["apply", &patch.to_string_lossy()]);
    std::fs::read_to_string(workspace.root().join(path)).unwrap()
}

#[test]
fn places_by_certainty() {
    let workspace = TestWorkspace::git(SHOP);
    check(
        &workspace,
        &["impact", "Cart.total", "--rename", "price"],
        expect![[r#"
            `total` to `price`: 7 places in 3 files: 2 definitions, 1 static, 1 possible, 3 in comments, strings and other files
            with it: Priced.total src/cart.ts:2
            --patch gives the certain places as a patch for git apply

            certain, in the patch
            src/cart.ts
              2:3  definition  total(tax: number): number;
              6:3  definition  total(tax: number): number { return sum(this.lines) + tax; }
            src/app.ts
              6:20  call        console.log(cart.total(1), sum([2]), other.total(3), "total");

            possible, not resolved
            src/app.ts
              6:46  call        console.log(cart.total(1), sum([2]), other.total(3), "total");

            in comments, strings and other files
            README.md
              1:2              `total` adds the tax.
            src/app.ts
              6:57              console.log(cart.total(1), sum([2]), other.total(3), "total");
            src/cart.ts
              5:12              // Calls total of the lines.
        "#]],
    );
    check(
        &workspace,
        &["impact", "sum", "--rename", "lines", "--limit", "2"],
        expect![[r#"
            `sum` to `lines`: 6 places in 2 files: 1 definition, 5 static
            `lines` is already defined: src/app.ts:4
            --patch gives the certain places as a patch for git apply

            certain, in the patch
            src/cart.ts
              9:17  definition  export function sum(xs: number[]): number { return xs.length; }
            src/app.ts
              1:16  import      import { Cart, sum } from './cart';

            4 more; --limit shows them
        "#]],
    );
}

#[test]
fn patches() {
    let workspace = TestWorkspace::git(SHOP);
    expect![[r#"
        export interface Priced {
          price(tax: number): number;
        }
        export class Cart implements Priced {
          // Calls total of the lines.
          price(tax: number): number { return sum(this.lines) + tax; }
          lines: number[] = [];
        }
        export function sum(xs: number[]): number { return xs.length; }
    "#]]
    .assert_eq(&applied(&workspace, "Cart.total", "price", "src/cart.ts"));
    expect![[r#"
        import { Cart, add } from './cart';
        export { add } from './cart';
        const tools = { sum: add, Cart };
        const { lines } = new Cart();
        export function run(cart: Cart, other: any) {
          console.log(cart.price(1), add([2]), other.total(3), "total");
          return tools.sum(lines);
        }
    "#]]
    .assert_eq(&applied(&workspace, "sum", "add", "src/app.ts"));
    expect![[r#"
        import { Cart, add } from './cart';
        export { add } from './cart';
        const tools = { sum: add, Cart };
        const { rows: lines } = new Cart();
        export function run(cart: Cart, other: any) {
          console.log(cart.price(1), add([2]), other.total(3), "total");
          return tools.sum(lines);
        }
    "#]]
    .assert_eq(&applied(&workspace, "Cart.lines", "rows", "src/app.ts"));
}

/// Line ends, a missing one at the end of the file, far changes and names with spaces.
#[test]
fn patches_of_any_file() {
    let filler: String = (0..20).map(|line| format!("# {line}\r\n")).collect();
    let workspace = TestWorkspace::git("//- /readme.txt\n");
    workspace.write("a b.py", &format!("def run():\r\n    pass\r\n{filler}run()\r\nrun(); run()"));
    workspace.write("ü \"q\".py", "from a import run\n");
    let path = "a b.py";
    let expected = format!("def go():\r\n    pass\r\n{filler}go()\r\ngo(); go()");
    assert_eq!(applied(&workspace, "run", "go", path), expected);
}

/// Classes without a name override methods, and a Java file is called like its type.
#[test]
fn java_files_and_classes_without_a_name() {
    let workspace = TestWorkspace::git(
        r#"
//- /src/Shape.java
public interface Shape { int size(); }
//- /src/All.java
class All {
    static final Shape ONE = new Shape() {
        @Override
        public String toString() { return "one"; }
        @SuppressWarnings("unused")
        @Override
        public int size() { return new Object().hashCode(); }
    };
    int size() { return ONE.size(); }
}
"#,
    );
    expect![[r#"
        class All {
            static final Shape ONE = new Shape() {
                @Override
                public String toString() { return "one"; }
                @SuppressWarnings("unused")
                @Override
                public int area() { return new Object().hashCode(); }
            };
            int size() { return ONE.area(); }
        }
    "#]]
    .assert_eq(&applied(&workspace, "Shape.size", "area", "src/All.java"));
    check(
        &workspace,
        &["impact", "All.ONE.toString", "--rename", "text"],
        expect![[r#"
        `toString` to `text`: 1 place in 1 file: 1 definition
        types outside of the repository may demand the name: Object
        --patch gives the certain places as a patch for git apply

        certain, in the patch
        src/All.java
          4:23  definition  public String toString() { return "one"; }
    "#]],
    );
    expect![[r#"
        public interface Form { int area(); }
    "#]]
    .assert_eq(&applied(&workspace, "Shape", "Form", "src/Form.java"));
    assert!(!workspace.root().join("src/Shape.java").exists());
}

#[test]
fn what_cannot_be_renamed() {
    let workspace = TestWorkspace::git(SHOP);
    check(
        &workspace,
        &["impact", "sum", "--rename", "a b"],
        expect![[r#"
        --- stderr
        error: `a b` is not a name
        help: give a name alone, without its container, quotes or spaces
        --- exit code 2
    "#]],
    );
    check(
        &workspace,
        &["impact", "sum", "--rename", "sum"],
        expect![[r#"
        --- stderr
        error: its name is `sum` already
        help: give another one
        --- exit code 2
    "#]],
    );
    check(
        &workspace,
        &["impact", "nothing", "--rename", "x"],
        expect![[r#"
        --- stderr
        error: no symbol `nothing`
        help: check the spelling, or describe it in words with `codecompass search`
        --- exit code 2
    "#]],
    );
    check(
        &workspace,
        &["impact", "--diff", "--rename", "x"],
        expect![[r#"
        --- stderr
        error: the argument '--diff [<BASE>]' cannot be used with '--rename <NEW_NAME>'

        Usage: codecompass impact <SYMBOL|--diff [<BASE>]>

        For more information, try '--help'.
        --- exit code 2
    "#]],
    );
    check(
        &workspace,
        &["impact", "sum", "--patch"],
        expect![[r#"
        --- stderr
        error: the following required arguments were not provided:
          --rename <NEW_NAME>

        Usage: codecompass impact --rename <NEW_NAME> --patch <SYMBOL|--diff [<BASE>]>

        For more information, try '--help'.
        --- exit code 2
    "#]],
    );
}
