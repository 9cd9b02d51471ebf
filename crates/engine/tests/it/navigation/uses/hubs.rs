//! Callers that are called by very many functions.

use codecompass_engine::query::Scope;
use expect_test::expect;

use crate::navigation::check::{CallsOptions, Project, TestUses, callers, check_callers, check_calls_with};

/// A chain of callers that passes through `hub`, which `calls` functions call.
fn with_hub(calls: usize) -> String {
    let users: String = (0..calls).map(|number| format!("def use_{number}():\n    hub()\n\n\n")).collect();
    format!("//- /a.py\ndef tar$0get():\n    pass\n\n\ndef hub():\n    target()\n\n\n{users}")
}

#[test]
fn callers_of_a_hub_are_not_followed() {
    check_callers(
        &with_hub(101),
        3,
        expect![[r#"
            hub:5 calls target at a.py:6, static scope (known)
            not followed: hub:5
        "#]],
    );
}

/// Calls that are not listed do not make a hub.
#[test]
fn calls_outside_of_the_scope_make_no_hub() {
    let users: String = (0..101).map(|number| format!("def test_{number}():\n    hub()\n\n\n")).collect();
    let fixture = format!(
        "//- /a.py\ndef tar$0get():\n    pass\n\n\ndef hub():\n    target()\n\n\ndef main():\n    hub()\n\
         //- /tests/test_a.py\nfrom a import hub\n\n\n{users}"
    );
    let scope = Scope { tests: TestUses::Exclude, ..Scope::default() };
    check_calls_with(
        &fixture,
        &CallsOptions { depth: 2, scope, ..callers() },
        expect![[r#"
        hub:5 calls target at a.py:6, static scope
          main:9 calls hub at a.py:10, static scope
    "#]],
    );
}

#[test]
fn callers_below_the_limit_of_a_hub_are_followed() {
    let fixture = with_hub(100);
    let (project, cursor) = Project::at_cursor(&fixture);
    let answer = project.calls(&cursor.to_string(), &CallsOptions { depth: 2, ..callers() });
    assert_eq!(answer.lines().filter(|line| line.contains("calls hub")).count(), 100);
    assert!(!answer.contains("not followed"), "{answer}");
}
