//! Text and JSON do not depend on the number of repositories that the files are in.

use std::fs;
use std::path::Path;

use codecompass_testkit::{Git, Random, TestWorkspace};
use serde_json::Value;

use crate::PROGRAM;

/// The most repositories.
const MOST: usize = 8;

const QUESTIONS: &[&[&str]] = &[
    &["search", "Random"],
    &["search", "random.rs"],
    &["search", "how is a fixture written to a folder"],
    &["search", "panic: no room at src/random.rs:20 and fixture.rs:30"],
    &[
        "search",
        "Random::below is never called\n\nWhen `TestWorkspace.write` fails, `Random::new` and `Git.run` of \
         src/git.rs are not called, although the documentation of fixtures says that they are, and so do others.\n\
         0: at src/random.rs:20:5\n1: at src/fixture.rs:30:1\n2: at other.rs:3:1",
    ],
    &["locate", "new"],
];

/// Writes the files of a crate of this repository into so many repositories `r0`, `r1`, …, in the
/// order of their paths; returns their roots.
fn cut(workspace: &TestWorkspace, count: usize, random: &mut Random) -> Vec<String> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../testkit/src");
    let entries = fs::read_dir(source).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> = entries.filter(|path| path.extension().is_some_and(|end| end == "rs")).collect();
    files.sort();
    let mut ends: Vec<usize> = (1..count).map(|_| random.below(files.len() as u64) as usize).collect();
    ends.sort_unstable();
    let place = |number: usize| workspace.root().join(format!("{count}/r{number}"));
    for number in 0..count {
        fs::create_dir_all(place(number).join("src")).unwrap();
        Git::at(&place(number)).run(&["init", "--quiet"]);
    }
    for (at, file) in files.iter().enumerate() {
        let number = ends.iter().filter(|end| **end <= at).count();
        fs::copy(file, place(number).join("src").join(file.file_name().unwrap())).unwrap();
    }
    (0..count).map(|number| place(number).to_str().unwrap().to_string()).collect()
}

/// Returns what is printed, as text and as JSON, without the names of repositories and the branch,
/// which only one repository has.
fn printed(workspace: &TestWorkspace, question: &[&str], roots: &[String]) -> (String, Value) {
    let places = roots.iter().flat_map(|root| ["-w", root.as_str()]);
    let args: Vec<&str> = question.iter().copied().chain(places).collect();
    let mut text = workspace.run(PROGRAM, &args).found();
    for number in 0..MOST {
        text = text.replace(&format!("r{number}:src/"), "src/");
    }
    let answer = workspace.run(PROGRAM, &[&args[..], &["--json"]].concat()).found();
    let mut answer: Value = serde_json::from_str(&answer).unwrap();
    answer["metadata"].as_object_mut().unwrap().remove("ref");
    for result in answer["results"].as_array_mut().unwrap() {
        assert_eq!(result["repository"].is_string(), roots.len() > 1, "{result}");
        result.as_object_mut().unwrap().remove("repository");
    }
    (text, answer)
}

#[test]
fn what_is_printed_does_not_depend_on_the_number_of_repositories() {
    let workspace = TestWorkspace::plain("");
    let mut random = Random::new(5);
    let whole = cut(&workspace, 1, &mut random);
    let expected: Vec<_> = QUESTIONS.iter().map(|question| printed(&workspace, question, &whole)).collect();
    for count in 2..=MOST {
        let roots = cut(&workspace, count, &mut random);
        for (question, (text, json)) in QUESTIONS.iter().zip(&expected) {
            let found = printed(&workspace, question, &roots);
            assert_eq!(found.0, *text, "{count}: {question:?}");
            assert_eq!(found.1.to_string(), json.to_string(), "{count}: {question:?}");
        }
    }
}
