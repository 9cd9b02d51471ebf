//! `hierarchy`, `deps`, `related` and `similar` on one small project in five languages.

#![allow(clippy::unwrap_used, reason = "tests may fail loudly")]

use std::fmt::Write as _;

use codecompass_engine::query::{
    self, DepsOptions, EdgeKind, Filter, HierarchyOptions, Listed, Navigator, RelatedOptions, Relative, SimilarOptions,
};
use codecompass_engine::{Config, Engine, Error, Silent, Snapshot, SyncOptions, sync};
use codecompass_testkit::TestWorkspace;
use expect_test::{Expect, expect};

/// The project: files under `//- /path` lines.
const FIXTURE: &str = include_str!("relations/project.txt");

fn snapshot(workspace: &TestWorkspace) -> Snapshot {
    let engine = Engine::open(&workspace.root(), &workspace.home(), Config::default()).unwrap();
    sync(&engine, SyncOptions::default(), &Silent).unwrap().0
}

fn in_project(ask: impl Fn(&Navigator<'_>)) {
    let workspace = TestWorkspace::plain(FIXTURE);
    let snapshot = snapshot(&workspace);
    ask(&Navigator::new(&snapshot));
}

fn relatives(out: &mut String, title: &str, listed: &Listed<Relative>) {
    for relative in &listed.items {
        let place = relative.hit.as_ref().map_or("outside".into(), |hit| format!("{}:{}", hit.path, hit.line_start));
        let _ = writeln!(
            out,
            "{title} {}{} {place} {}",
            "  ".repeat(relative.depth as usize - 1),
            relative.name,
            relative.relation.as_str(),
        );
    }
}

#[track_caller]
fn check_hierarchy(navigator: &Navigator<'_>, symbol: &str, expected: Expect) {
    let options = HierarchyOptions { filter: Filter::default(), up: true, down: true, depth: 10, limit: 50 };
    let answer = query::hierarchy(navigator, symbol, &options).unwrap();
    let mut out = String::new();
    answer.containers.iter().for_each(|hit| _ = writeln!(out, "in {}", hit.qualified_name));
    relatives(&mut out, "above", &answer.supertypes);
    relatives(&mut out, "overrides", &answer.overrides);
    relatives(&mut out, "below", &answer.subtypes);
    relatives(&mut out, "implemented by", &answer.implementations);
    answer.children.items.iter().for_each(|hit| _ = writeln!(out, "has {} {}", hit.kind.as_str(), hit.name));
    expected.assert_eq(&out);
}

#[test]
fn hierarchies() {
    in_project(|navigator| {
        check_hierarchy(
            navigator,
            "shop.orders.Order",
            expect![[r#"
            above Priced shop/base.py:4 declared
            above   abc.ABC outside declared
            below RushOrder shop/orders.py:14 declared
            has constructor __init__
            has field lines
            has method price
        "#]],
        );
        check_hierarchy(
            navigator,
            "Priced.price",
            expect![[r#"
            in Priced
            implemented by Order.price shop/orders.py:9 declared
            implemented by   RushOrder.price shop/orders.py:15 declared
        "#]],
        );
        check_hierarchy(
            navigator,
            "RushOrder.price",
            expect![[r#"
            in RushOrder
            overrides Order.price shop/orders.py:9 declared
            overrides   Priced.price shop/base.py:5 declared
        "#]],
        );
        check_hierarchy(
            navigator,
            "Shape",
            expect![[r#"
            below Base web/shape.ts:5 declared
            below   Circle web/circle.ts:5 declared
            has method area
        "#]],
        );
        check_hierarchy(
            navigator,
            "Shape.area",
            expect![[r#"
            in Shape
            implemented by Base.area web/shape.ts:6 declared
            implemented by   Circle.area web/circle.ts:7 declared
        "#]],
        );
        check_hierarchy(
            navigator,
            "store.Reader",
            expect![[r#"
            below store.File store/store.go:11 structural
            has method Read
            has method Close
        "#]],
        );
        check_hierarchy(
            navigator,
            "store.File",
            expect![[r#"
            above store.Reader store/store.go:6 structural
            has method Read
            has method Close
        "#]],
        );
        check_hierarchy(
            navigator,
            "Reader.Close",
            expect![[r#"
            in store.Reader
            implemented by store.File.Close store/store.go:14 structural
        "#]],
        );
        check_hierarchy(
            navigator,
            "Animal",
            expect![[r#"
            below com.acme.pets.Dog src/main/java/com/acme/pets/Dog.java:5 declared
            has method sound
        "#]],
        );
        check_hierarchy(
            navigator,
            "Dog.sound",
            expect![[r#"
            in com.acme.pets.Dog
            overrides com.acme.Animal.sound src/main/java/com/acme/Animal.java:4 declared
        "#]],
        );
        check_hierarchy(
            navigator,
            "Draw",
            expect![[r#"
            below u8 outside block
            below Square src/shapes.rs:4 block
            has method draw
            has method name
        "#]],
        );
        check_hierarchy(
            navigator,
            "Square",
            expect![[r#"
            above Draw src/draw.rs:1 block
            above fmt::Display outside block
            has field side
            has method draw
            has method draw
            has method fmt
        "#]],
        );
        check_hierarchy(
            navigator,
            "Draw::draw",
            expect![[r#"
            in Draw
            implemented by u8::draw src/draw.rs:7 block
            implemented by Square::draw src/shapes.rs:13 block
        "#]],
        );
        check_hierarchy(
            navigator,
            "src/shapes.rs:17",
            expect![[r#"
            in Square
            overrides fmt::Display::fmt outside block
        "#]],
        );
    });
}

#[test]
fn directions_and_depth() {
    in_project(|navigator| {
        let options = HierarchyOptions { filter: Filter::default(), up: false, down: true, depth: 1, limit: 1 };
        let answer = query::hierarchy(navigator, "Priced", &options).unwrap();
        assert_eq!((answer.subtypes.total, answer.supertypes.total), (1, 0));
        assert_eq!((answer.children.items.len(), answer.children.total), (1, 2));
        let missing = query::hierarchy(navigator, "Pricd", &options).unwrap_err();
        assert!(
            matches!(missing, Error::SymbolNotFound { suggestions, .. } if suggestions.contains(&"Priced".to_string()))
        );
    });
}

#[track_caller]
fn check_deps(navigator: &Navigator<'_>, path: Option<&str>, reverse: bool, depth: u32, expected: Expect) {
    let answer = query::deps(navigator, path, &DepsOptions { reverse, depth, limit: 50 }).unwrap();
    let mut out = String::new();
    for edge in &answer.edges.items {
        let kind = if edge.kind == EdgeKind::File { "" } else { edge.kind.as_str() };
        let _ =
            writeln!(out, "{} {}:{} -> {} {kind} {}", edge.depth, edge.from, edge.line, edge.to, edge.names.join(","));
    }
    for cycle in &answer.cycles.items {
        let steps: Vec<String> = cycle.steps.iter().map(|step| format!("{}:{}", step.path, step.line)).collect();
        let _ = writeln!(out, "cycle {}", steps.join(" -> "));
    }
    let _ = writeln!(
        out,
        "{} files, {} external, {} unresolved, {} inside",
        answer.files, answer.external, answer.unresolved, answer.inside
    );
    expected.assert_eq(&out);
}

#[test]
fn dependencies() {
    in_project(|navigator| {
        check_deps(
            navigator,
            Some("shop/orders.py"),
            false,
            1,
            expect![[r#"
            1 shop/orders.py:1 -> shop/base.py  Priced
            1 shop/orders.py:2 -> shop/money.py  money
            cycle shop/orders.py:2 -> shop/money.py:9
            2 files, 0 external, 0 unresolved, 0 inside
        "#]],
        );
        check_deps(
            navigator,
            Some("shop.money"),
            true,
            1,
            expect![[r#"
            1 shop/orders.py:2 -> shop/money.py  money
            cycle shop/money.py:9 -> shop/orders.py:2
            1 files, 0 external, 0 unresolved, 0 inside
        "#]],
        );
        check_deps(
            navigator,
            Some("tests/test_orders.py"),
            false,
            3,
            expect![[r#"
            1 tests/test_orders.py:1 -> shop/orders.py  checkout,parse_order
            2 shop/orders.py:1 -> shop/base.py  Priced
            2 shop/orders.py:2 -> shop/money.py  money
            3 shop/base.py:1 -> abc external 
            3 shop/money.py:1 -> decimal external Decimal
            3 shop/money.py:9 -> shop/orders.py  Order
            3 files, 2 external, 0 unresolved, 0 inside
        "#]],
        );
        check_deps(
            navigator,
            Some("shop/base.py"),
            true,
            5,
            expect![[r#"
            1 shop/orders.py:1 -> shop/base.py  Priced
            2 shop/__init__.py:1 -> shop/orders.py  Order
            2 shop/money.py:9 -> shop/orders.py  Order
            2 tests/test_orders.py:1 -> shop/orders.py  checkout,parse_order
            3 shop/orders.py:2 -> shop/money.py  money
            4 files, 0 external, 0 unresolved, 0 inside
        "#]],
        );
        check_deps(
            navigator,
            Some("web/circle.ts"),
            false,
            1,
            expect![[r#"
            1 web/circle.ts:1 -> web/shape.ts  Base,Shape
            1 web/circle.ts:2 -> lodash external round
            1 web/circle.ts:3 -> ./missing unresolved 
            1 files, 1 external, 1 unresolved, 0 inside
        "#]],
        );
        check_deps(
            navigator,
            Some("shape.ts"),
            true,
            1,
            expect![[r#"
            1 web/circle.ts:1 -> web/shape.ts  Base,Shape
            1 files, 0 external, 0 unresolved, 0 inside
        "#]],
        );
        check_deps(
            navigator,
            Some("store/store.go"),
            true,
            1,
            expect![[r#"
            1 log/log.go:6 -> store folder 
            cycle store/store.go:3 -> log/log.go:6
            1 files, 0 external, 0 unresolved, 0 inside
        "#]],
        );
        check_deps(
            navigator,
            Some("log"),
            false,
            1,
            expect![[r#"
            1 log/log.go:4 -> fmt external 
            1 log/log.go:6 -> store folder 
            cycle log/log.go:6 -> store/store.go:3
            1 files, 1 external, 0 unresolved, 0 inside
        "#]],
        );
        check_deps(
            navigator,
            Some("example.com/acme/store"),
            false,
            1,
            expect![[r#"
            1 store/store.go:3 -> log folder 
            cycle store/store.go:3 -> log/log.go:6
            1 files, 0 external, 0 unresolved, 0 inside
        "#]],
        );
        check_deps(
            navigator,
            Some("Dog.java"),
            false,
            1,
            expect![[r#"
                1 src/main/java/com/acme/pets/Dog.java:3 -> src/main/java/com/acme/Animal.java  Animal
                1 files, 0 external, 0 unresolved, 0 inside
            "#]],
        );
        check_deps(
            navigator,
            Some("Dog.java"),
            true,
            1,
            expect![[r#"
            1 src/main/java/com/acme/Kennel.java:3 -> src/main/java/com/acme/pets folder *
            1 files, 0 external, 0 unresolved, 0 inside
        "#]],
        );
        check_deps(
            navigator,
            Some("src/shapes.rs"),
            false,
            1,
            expect![[r#"
            1 src/shapes.rs:1 -> src/draw.rs  Draw
            1 src/shapes.rs:2 -> std external fmt
            1 files, 1 external, 0 unresolved, 0 inside
        "#]],
        );
        check_deps(
            navigator,
            Some("crate::draw"),
            true,
            2,
            expect![[r#"
            1 src/lib.rs:4 -> src/draw.rs  Draw
            1 src/shapes.rs:1 -> src/draw.rs  Draw
            2 files, 0 external, 0 unresolved, 0 inside
        "#]],
        );
        check_deps(
            navigator,
            Some("shop"),
            false,
            1,
            expect![[r#"
                1 shop/base.py:1 -> abc external 
                1 shop/money.py:1 -> decimal external Decimal
                cycle shop/money.py:9 -> shop/orders.py:2
                0 files, 2 external, 0 unresolved, 4 inside
            "#]],
        );
        check_deps(
            navigator,
            None,
            false,
            1,
            expect![[r#"
            cycle log/log.go:6 -> store/store.go:3
            cycle shop/money.py:9 -> shop/orders.py:2
            0 files, 0 external, 0 unresolved, 0 inside
        "#]],
        );
        let missing = query::deps(navigator, Some("shop/mony.py"), &DepsOptions { reverse: false, depth: 1, limit: 9 });
        assert!(matches!(missing, Err(Error::FileNotFound { .. })));
    });
}

#[track_caller]
fn check_related(navigator: &Navigator<'_>, symbol: &str, expected: Expect) {
    let options = RelatedOptions { filter: Filter::default(), only: Vec::new(), limit: 20 };
    let answer = query::related(navigator, symbol, &options).unwrap();
    let mut out = String::new();
    for (tie, listed) in &answer.groups {
        for item in &listed.items {
            let parts: f64 = item.hit.explanation.parts.iter().map(|part| part.value).sum();
            assert!((parts - item.hit.score).abs() < 1e-6, "explanation equals the score");
            let reasons: Vec<&str> = item.hit.explanation.parts.iter().map(|part| part.name.as_str()).collect();
            let _ = writeln!(out, "{} {} {}", tie.as_str(), item.hit.qualified_name, reasons.join(" "));
        }
    }
    expected.assert_eq(&out);
}

#[test]
fn what_belongs_together() {
    in_project(|navigator| {
        check_related(
            navigator,
            "parse_order",
            expect![[r#"
            test test_parse_order tests_it named_as_its_test
            test test_checkout tests_its_user
            used Order called_by_it near
            used_together shown common_users widely_used
            used_together Order.price common_users widely_used
            beside RushOrder near
            beside parse_return near
            beside checkout near
        "#]],
        );
        check_related(
            navigator,
            "money.rounded",
            expect![[r#"
            used_together Order.price common_users widely_used
            used_together Order common_users widely_used
            beside shown near
        "#]],
        );
        check_related(
            navigator,
            "Circle",
            expect![[r#"
                test web/circle.test.ts tests_it named_as_its_test
                used Base used_by_it in_its_signature
                beside total near
            "#]],
        );
        check_related(
            navigator,
            "log.Print",
            expect![[r#"
            used_together store.File common_users widely_used
            used_together store.Reader common_users widely_used
            used_together store.Reader.Read common_users widely_used
            beside log.Dump near
        "#]],
        );
    });
}

#[track_caller]
fn check_similar(navigator: &Navigator<'_>, symbol: &str, expected: Expect) {
    let answer = query::similar(navigator, symbol, &SimilarOptions { filter: Filter::default(), limit: 5 }).unwrap();
    let mut out = String::new();
    for similar in &answer.similar {
        let reasons: Vec<&str> = similar.hit.explanation.parts.iter().map(|part| part.name.as_str()).collect();
        let _ =
            writeln!(out, "{}:{} {} {}", similar.hit.path, similar.hit.line_start, similar.hit.name, reasons.join(" "));
    }
    expected.assert_eq(&out);
}

#[test]
fn what_is_alike() {
    in_project(|navigator| {
        check_similar(
            navigator,
            "shop/copy.py:1",
            expect![[r#"
            shop/orders.py:25 parse_return identical name_parts spelling body text parameter_count parameter_names kind size
            shop/orders.py:19 parse_order name_parts spelling body text parameter_count parameter_names kind size
        "#]],
        );
        check_similar(
            navigator,
            "parse_order",
            expect![[r#"
            shop/orders.py:25 parse_return name_parts spelling body text parameter_count parameter_names kind size
            shop/copy.py:1 parse_return name_parts spelling body text parameter_count parameter_names kind size
            tests/test_orders.py:4 test_parse_order name_parts spelling text kind size
        "#]],
        );
        check_similar(
            navigator,
            "store.File",
            expect![[r#"
            store/store.go:16 Half body kind size
        "#]],
        );
    });
}
