//! Calls and chains of calls through code that passes a function on.

use expect_test::expect;

use crate::navigation::check::{Project, all_uses, check_callers, check_references, check_trace, five_chains};

#[test]
fn several_levels_go_through_code_that_passes_a_function_on() {
    check_callers(
        r#"
//- /a.py
class Agent:
    def request(self, deferred):
        deferred.addCallback(self.ready)

    def ready(self):
        finish()


def fin$0ish():
    pass


def main(agent: Agent, deferred):
    agent.request(deferred)
"#,
        3,
        expect![[r#"
            Agent.ready:5 calls finish at a.py:6, static scope
              Agent.request:2 calls Agent.ready at a.py:3, likely enclosing_type
                main:13 calls Agent.request at a.py:14, static receiver_type
        "#]],
    );
}

#[test]
fn several_levels_begin_with_code_that_passes_the_function_on() {
    check_callers(
        r#"
//- /a.py
def cle$0an(text):
    return text


def all_clean(texts):
    return map(clean, texts)


def main():
    all_clean([])
"#,
        2,
        expect![[r#"
            all_clean:5 calls clean at a.py:6, likely scope
              main:9 calls all_clean at a.py:10, static scope
            1 other use
        "#]],
    );
}

#[test]
fn through_a_variable_that_holds_a_wrapped_function() {
    check_trace(
        r#"
//- /a.ts
import { debounce } from "lodash";

function wri$0te(text: string) {}

const save = debounce(write, 100);

export function click() {
    save("x");
}
"#,
        Some("click"),
        expect![[r#"
            click:7 > save:5 > write:3, likely
        "#]],
    );
}

#[test]
fn into_an_instance_that_code_outside_calls() {
    check_trace(
        r#"
//- /a.py
from twisted.internet.protocol import Protocol


class Reader(Protocol):
    def dataReceived(self, data):
        finish()


class Plain:
    def unused(self):
        finish()


def fin$0ish():
    pass


def main(response):
    response.deliver(Reader())
    Plain()
"#,
        Some("main"),
        expect![[r#"
            main:18 > Reader.dataReceived:5 > finish:14, likely
        "#]],
    );
}

/// A function that is assigned to a field is a write of it, and is called where the field is.
#[test]
fn functions_assigned_to_fields() {
    let project = Project::new(
        r#"
//- /effect.ts
export class Effect {
  scheduler?: () => void
  trigger() {
    if (this.scheduler) this.scheduler()
  }
}
export function queueJob() {}
//- /setup.ts
import { Effect, queueJob } from './effect'
export function setup(instance: any, other: any) {
  const effect = (instance.effect = new Effect())
  effect.scheduler = () => queueJob()
  other.scheduler = () => queueJob()
}
//- /other.js
const app = {}
app.handle = function () {
  app.handle()
}
"#,
    );
    expect![[r#"
        effect.ts:4:14 read scheduler in Effect.trigger, static enclosing_type
        effect.ts:4:30 call scheduler in Effect.trigger, static enclosing_type
        setup.ts:4:10 write scheduler in setup, static receiver_type
        3 uses in 2 files, 5 occurrences, 1 other
        effect.ts:2 Effect.scheduler has 3 uses
        setup.ts:4 setup.effect.scheduler has 0 uses
    "#]]
    .assert_eq(&project.references("Effect.scheduler", &all_uses()));
    expect![[r#"
        Effect.trigger:3 > setup.effect.scheduler:4 > queueJob:7, likely
    "#]]
    .assert_eq(&project.trace(Some("Effect.trigger"), "queueJob", &five_chains()));
    // It is no use of what it defines.
    expect![[r#"
        other.js:3:7 call handle in app.handle, static receiver_type
        1 use in 1 file, 2 occurrences
    "#]]
    .assert_eq(&project.references("app.handle", &all_uses()));
}

/// A pattern that takes a function out of an unknown object may take this one.
#[test]
fn functions_taken_out_of_objects() {
    check_references(
        r#"
//- /a.ts
export function re$0nder() {}
export const utils = { render } as any
//- /b.ts
import { utils } from './a'
const { render } = utils
export function run() { render() }
"#,
        expect![[r#"
            a.ts:2:24 read render in utils, static scope
            b.ts:2:9 read render in render, possible name_only
            2 uses in 2 files, 4 occurrences, 1 other
        "#]],
    );
}
