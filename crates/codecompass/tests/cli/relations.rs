//! `hierarchy`, `deps`, `related` and `similar`: how symbols and files stand to each other.

use codecompass_testkit::TestWorkspace;
use expect_test::expect;

use crate::{PROGRAM, check, check_json};

const FIXTURE: &str = r#"
//- /zoo/animals.py
import abc
from . import noises


class Animal(abc.ABC):
    """Something that makes noises."""

    def noise(self):
        raise NotImplementedError


class Dog(Animal):
    def noise(self):
        return noises.loud("woof")


class Cat(Animal):
    def noise(self):
        return noises.loud("miau")
//- /zoo/noises.py
def loud(text):
    return text.upper()


def soft(text):
    from .animals import Animal
    return text.lower()
//- /zoo/other.py
class Cat:
    pass
//- /tests/test_animals.py
from zoo.animals import Dog


def test_dog():
    assert Dog().noise() == "WOOF"
"#;

fn zoo() -> TestWorkspace {
    TestWorkspace::git(FIXTURE)
}

#[test]
fn hierarchy_as_text() {
    let zoo = zoo();
    check(
        &zoo,
        &["hierarchy", "Animal"],
        expect![[r#"
            zoo/animals.py:5-9  class  Animal
                class Animal(abc.ABC)
                Something that makes noises.

            supertypes (1)
              abc.ABC  external, named at zoo/animals.py:5

            subtypes (2)
              zoo/animals.py:12  class  Dog  overrides noise 13
              zoo/animals.py:17  class  Cat  overrides noise 18

            members (1)
              8  method  def noise(self)
        "#]],
    );
    check(
        &zoo,
        &["hierarchy", "Dog.noise", "--direction", "up"],
        expect![[r#"
            zoo/animals.py:13-14  method  Dog.noise
                def noise(self)

            in
              zoo/animals.py:12-14  class  Dog

            overrides (1)
              zoo/animals.py:8  method  Animal.noise
        "#]],
    );
    check(
        &zoo,
        &["hierarchy", "Cat", "--direction", "down"],
        expect![[r#"
            zoo/animals.py:17-19  class  Cat
                class Cat(Animal)
                `Cat` could also mean Cat (zoo/other.py:1); give path:line or a container to ask for it

            members (1)
              18  method  def noise(self)
        "#]],
    );
    check(
        &zoo,
        &["hierarchy", "soft"],
        expect![[r#"
            zoo/noises.py:5-7  function  soft
                def soft(text)
            nothing above or below it
            --- exit code 1
        "#]],
    );
    check(
        &zoo,
        &["hierarchy", "Animal", "--depth", "0"],
        expect![[r#"
        --- stderr
        error: invalid value '0' for '--depth <DEPTH>': 0 is not in 1..=50

        For more information, try '--help'.
        --- exit code 2
    "#]],
    );
}

#[test]
fn hierarchy_as_json() {
    let zoo = zoo();
    check_json(
        &zoo,
        &["hierarchy", "Dog", "--direction", "up"],
        expect![[r#"
            {
              "children": [],
              "containers": [],
              "implementations": [],
              "metadata": {
                "accounting": {
                  "definitions": 1,
                  "likely": 0,
                  "name": "Dog",
                  "occurrences": 3,
                  "other": 0,
                  "possible": 0,
                  "static": 2,
                  "text": 0
                },
                "codecompass_protocol_version": "1.0",
                "ref": "main",
                "returned": 3,
                "total_candidates": 3
              },
              "others": [],
              "overrides": [
                {
                  "confidence": "static",
                  "depth": 1,
                  "external": false,
                  "kind": "method",
                  "language": "python",
                  "line_end": 9,
                  "line_start": 8,
                  "name": "noise",
                  "of": "Dog.noise",
                  "path": "zoo/animals.py",
                  "qualified_name": "Animal.noise",
                  "relation": "declared",
                  "signature": "def noise(self)",
                  "stated_at": {
                    "line": 13,
                    "path": "zoo/animals.py"
                  },
                  "symbol_id": "3827def43215.1",
                  "symbol_stable_id": "ce46c61869d8c675",
                  "visibility": "public"
                }
              ],
              "subtypes": [],
              "supertypes": [
                {
                  "confidence": "static",
                  "depth": 1,
                  "external": false,
                  "kind": "class",
                  "language": "python",
                  "line_end": 9,
                  "line_start": 5,
                  "name": "Animal",
                  "of": "Dog",
                  "path": "zoo/animals.py",
                  "qualified_name": "Animal",
                  "relation": "declared",
                  "signature": "class Animal(abc.ABC)",
                  "stated_at": {
                    "line": 12,
                    "path": "zoo/animals.py"
                  },
                  "symbol_id": "3827def43215.0",
                  "symbol_stable_id": "b80e893ddc02caf9",
                  "visibility": "public"
                },
                {
                  "confidence": "static",
                  "depth": 2,
                  "external": true,
                  "name": "abc.ABC",
                  "of": "Animal",
                  "relation": "declared",
                  "stated_at": {
                    "line": 5,
                    "path": "zoo/animals.py"
                  }
                }
              ],
              "symbol": "class Dog, zoo/animals.py:12",
              "totals": {
                "children": 0,
                "implementations": 0,
                "overrides": 1,
                "subtypes": 0,
                "supertypes": 2
              }
            }
        "#]],
    );
}

#[test]
fn deps_as_text() {
    let zoo = zoo();
    check(
        &zoo,
        &["deps", "zoo/animals.py"],
        expect![[r#"
        zoo/animals.py
        imports 1 file
             2  -> zoo/noises.py  noises
        external (1): abc

        in import cycles (2 files import each other)
          zoo/animals.py:2  -> zoo/noises.py:6  -> zoo/animals.py
    "#]],
    );
    check(
        &zoo,
        &["deps", "zoo.animals", "--reverse"],
        expect![[r#"
        zoo/animals.py
        imported by 2 files
          tests/test_animals.py:1  Dog
          zoo/noises.py:6  Animal

        in import cycles (2 files import each other)
          zoo/animals.py:2  -> zoo/noises.py:6  -> zoo/animals.py
    "#]],
    );
    check(
        &zoo,
        &["deps", "tests", "--transitive"],
        expect![[r#"
        tests/
        imports 2 files
          tests/test_animals.py:1  -> zoo/animals.py  Dog
        2 steps away
          zoo/animals.py:2  -> zoo/noises.py  noises
        3 steps away
          zoo/noises.py:6  -> zoo/animals.py  Animal
        external (1): abc
    "#]],
    );
    check(
        &zoo,
        &["deps"],
        expect![[r#"
            1 import cycle (2 files import each other)
              zoo/animals.py:2  -> zoo/noises.py:6  -> zoo/animals.py
        "#]],
    );
    check(
        &zoo,
        &["deps", "zoo/other.py"],
        expect![[r#"
        zoo/other.py
        imports no file of the repository
        --- exit code 1
    "#]],
    );
    check(
        &zoo,
        &["deps", "no/such.py"],
        expect![[r#"
        --- stderr
        error: no indexed file no/such.py
        help: give a path below the workspace root; `codecompass index --show-ignored` lists what is skipped, and why
        --- exit code 2
    "#]],
    );
    check(
        &zoo,
        &["deps", " "],
        expect![[r#"
        --- stderr
        error: the path is empty
        help: give a file, a folder or a module; `.` is the root
        --- exit code 2
    "#]],
    );
    check(
        &zoo,
        &["deps", "../elsewhere"],
        expect![[r#"
        --- stderr
        error: ../elsewhere is outside the workspace
        help: give a path below the workspace root, or another --workspace
        --- exit code 2
    "#]],
    );
}

#[test]
fn deps_as_json() {
    let zoo = zoo();
    check_json(
        &zoo,
        &["deps", "zoo/noises.py", "--reverse"],
        expect![[r#"
            {
              "cycles": [
                [
                  {
                    "line": 6,
                    "path": "zoo/noises.py",
                    "unit": "zoo/noises.py"
                  },
                  {
                    "line": 2,
                    "path": "zoo/animals.py",
                    "unit": "zoo/animals.py"
                  }
                ]
              ],
              "direction": "importers",
              "edges": [
                {
                  "depth": 1,
                  "external": false,
                  "from": "zoo/animals.py",
                  "kind": "file",
                  "line": 2,
                  "names": [
                    "noises"
                  ],
                  "to": "zoo/noises.py"
                }
              ],
              "is_folder": false,
              "metadata": {
                "codecompass_protocol_version": "1.0",
                "ref": "main",
                "returned": 2,
                "total_candidates": 2
              },
              "others": [],
              "package": null,
              "path": "zoo/noises.py",
              "totals": {
                "cycles": 1,
                "edges": 1,
                "external": 0,
                "files": 1,
                "inside": 0,
                "knots": [
                  2
                ],
                "unresolved": 0
              }
            }
        "#]],
    );
}

#[test]
fn related_as_text() {
    let zoo = zoo();
    check(
        &zoo,
        &["related", "Dog"],
        expect![[r#"
            zoo/animals.py:12-14  class  Dog
                class Dog(Animal)

            tests of it (1)
              tests/test_animals.py:4  function  test_dog  uses it, named after it

            used by it (2)
              zoo/animals.py:5  class  Animal  in its signature
              zoo/noises.py:1  function  loud  called

            beside it (1)
              zoo/animals.py:17  class  Cat
        "#]],
    );
    check(
        &zoo,
        &["related", "loud", "--only", "beside", "--explain=full"],
        expect![[r#"
        zoo/noises.py:1-2  function  loud
            def loud(text)

        beside it (1)
          zoo/noises.py:5  function  soft
            score 4 = near +4
    "#]],
    );
}

#[test]
fn what_changes_together() {
    let zoo = zoo();
    for round in 1..4 {
        zoo.write(
            "zoo/noises.py",
            &format!("def loud(text):\n    return text.upper() * {round}\n\n\ndef soft(text):\n    return text\n"),
        );
        zoo.write("tests/test_noises.py", &format!("def test_loud():\n    assert loud(\"a\") == \"A\" * {round}\n"));
        zoo.commit(&format!("Louder {round}"));
    }
    check(
        &zoo,
        &["related", "loud", "--only", "changes-with"],
        expect![[r#"
        zoo/noises.py:1-2  function  loud
            def loud(text)

        changes with it (4 commits changed it)
          tests/test_noises.py:1  function  test_loud  3 commits, 75%
          zoo/noises.py:5  function  soft  2 commits, 50%

        changes with its file (4 commits changed it)
          tests/test_noises.py  3 commits, 75%
    "#]],
    );
    check(
        &zoo,
        &["related", "Animal", "--only", "changes-with"],
        expect![[r#"
        zoo/animals.py:5-9  class  Animal
            class Animal(abc.ABC)
            Something that makes noises.
        nothing found that belongs together with it
        --- exit code 1
    "#]],
    );
    // The history is there by now, so the files are named in any case.
    check(
        &zoo,
        &["related", "soft"],
        expect![[r#"
        zoo/noises.py:5-6  function  soft
            def soft(text)

        beside it (1)
          zoo/noises.py:1  function  loud

        changes with its file (4 commits changed it)
          tests/test_noises.py  3 commits, 75%
    "#]],
    );
    let json = zoo.run(PROGRAM, &["related", "loud", "--only", "changes-with", "--json"]).stdout;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let with = &json["changes_with"];
    assert_eq!((&with["file_commits"], &with["symbol_commits"]), (&4.into(), &4.into()));
    assert_eq!((&with["files"][0]["commits"], &with["files"][0]["share"]), (&3.into(), &0.75.into()));
    assert_eq!(with["symbols"][0]["symbol"], "test_loud");
    let plain = TestWorkspace::plain(FIXTURE);
    check(
        &plain,
        &["related", "loud", "--only", "changes-with"],
        expect![[r#"
        --- stderr
        error: ROOT is not in git, so it has no branches and no commits
        help: ask in a git repository, or name one with --workspace; `git init` makes one here
        --- exit code 2
    "#]],
    );
}

#[test]
fn related_as_json() {
    let zoo = zoo();
    check_json(
        &zoo,
        &["related", "Dog", "--only", "test"],
        expect![[r#"
            {
              "metadata": {
                "codecompass_protocol_version": "1.0",
                "ref": "main",
                "returned": 1,
                "total_candidates": 1
              },
              "others": [],
              "results": [
                {
                  "common_users": 0,
                  "kind": "function",
                  "language": "python",
                  "line_end": 5,
                  "line_start": 4,
                  "name": "test_dog",
                  "path": "tests/test_animals.py",
                  "qualified_name": "test_dog",
                  "ranking_reasons": [
                    {
                      "reason": "tests_it",
                      "value": 20.0
                    },
                    {
                      "reason": "named_as_its_test",
                      "value": 10.0
                    }
                  ],
                  "relation": "test",
                  "score": 30.0,
                  "signature": "def test_dog()",
                  "symbol_id": "ec74e56f4312.0",
                  "symbol_stable_id": "d0ba0de08182dea8",
                  "visibility": "public"
                }
              ],
              "symbol": "class Dog, zoo/animals.py:12",
              "totals": {
                "test": 1
              },
              "users": 1
            }
        "#]],
    );
}

#[test]
fn similar_as_text() {
    let zoo = zoo();
    check(
        &zoo,
        &["similar", "Dog.noise", "--explain=full"],
        expect![[r#"
        zoo/animals.py:13-14  method  Dog.noise
            def noise(self)

        like it, best first:
        zoo/animals.py:18-19  method  Cat.noise
            def noise(self)
            both use loud, noises
            score 56 = name_parts +20  spelling +8  body +20  kind +3  size +5
        zoo/animals.py:8-9  method  Animal.noise
            def noise(self)
            score 33.6 = name_parts +20  spelling +8  kind +2.1  size +3.5
    "#]],
    );
    check(
        &zoo,
        &["similar", "soft"],
        expect![[r#"
            zoo/noises.py:5-7  function  soft
                def soft(text)

            like it, best first:
            zoo/noises.py:1-2  function  loud
                def loud(text)
        "#]],
    );
}

#[test]
fn similar_as_json() {
    let zoo = zoo();
    check_json(
        &zoo,
        &["similar", "zoo/animals.py:19", "--limit", "1"],
        expect![[r#"
            {
              "metadata": {
                "codecompass_protocol_version": "1.0",
                "compared": 5,
                "next_offset": 1,
                "ref": "main",
                "remaining_candidates": 1,
                "result_completeness": "truncated",
                "returned": 1,
                "suggestion": "go on with offset 1, raise the limit, or narrow the question",
                "total_candidates": 2
              },
              "others": [],
              "results": [
                {
                  "identical": false,
                  "kind": "method",
                  "language": "python",
                  "line_end": 14,
                  "line_start": 13,
                  "name": "noise",
                  "path": "zoo/animals.py",
                  "qualified_name": "Dog.noise",
                  "ranking_reasons": [
                    {
                      "reason": "name_parts",
                      "value": 20.0
                    },
                    {
                      "reason": "spelling",
                      "value": 8.0
                    },
                    {
                      "reason": "body",
                      "value": 20.0
                    },
                    {
                      "reason": "kind",
                      "value": 3.0
                    },
                    {
                      "reason": "size",
                      "value": 5.0
                    }
                  ],
                  "score": 56.0,
                  "shared_names": [
                    "loud",
                    "noises"
                  ],
                  "signature": "def noise(self)",
                  "symbol_id": "3827def43215.3",
                  "symbol_stable_id": "5aa674f50ccd2d0b",
                  "visibility": "public"
                }
              ],
              "symbol": "method Cat.noise, zoo/animals.py:18"
            }
        "#]],
    );
}

#[test]
fn answers_about_another_ref_stay_the_same() {
    let zoo = zoo();
    zoo.commit("first");
    zoo.run_git(&["tag", "v1"]);
    let questions: [&[&str]; 5] = [
        &["hierarchy", "Animal", "--ref", "v1", "--json"],
        &["deps", "--ref", "v1", "--json"],
        &["deps", "zoo", "--reverse", "--ref", "v1", "--json"],
        &["related", "Dog", "--ref", "v1", "--json"],
        &["similar", "Dog.noise", "--ref", "v1", "--json"],
    ];
    let ask = || questions.map(|args| zoo.run(PROGRAM, args).found());
    let first = ask();
    zoo.write("zoo/animals.py", "class Dog: ...\n");
    assert_eq!(ask(), first);
    zoo.run(PROGRAM, &["hierarchy", "Animal"]).ended_with(2);
}
