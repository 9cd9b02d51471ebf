//! Types in several parts, inherited members, and what calls of overloads and of `super` mean.

use codecompass_engine::query::{self, SearchOptions};
use expect_test::{Expect, expect};

use crate::navigation::check::{
    CallsOptions, LocateOptions, Project, all_uses, callers, check_callees, check_calls_with, check_references,
    whole_hierarchy,
};

const JOB: &str = r#"
//- /Job.Designer.cs
namespace Shop;

/// The job that runs jobs; job after job.
public partial class Job : System.IDisposable
{
    public void Dispose() { }
    public void Stop() { base.Start(); }
}
//- /Job.More.cs
namespace Shop;

public partial class Job { public void Pause() { } }
public partial class Job<T> { public void Other() { } }
public static class JobExtensions { public static void Repeat(this Job job) { } }
//- /Job.cs
namespace Shop;

public partial class Job : Base
{
    public override void Start() { base.Start(); }
}
public class Base { public virtual void Start() { } }
public class Night : Job { }
"#;

#[test]
fn members_and_bases_of_all_parts() {
    let project = Project::new(JOB);
    expect![[r#"
        above Shop.Base Job.cs:7 declared
        above System.IDisposable outside declared
        overrides Shop.Base.Start Job.cs:7 declared
        below Shop.Night Job.cs:8 declared
        has method Start
        has method Dispose
        has method Stop
        has method Pause
        has method Repeat
    "#]]
    .assert_eq(&project.hierarchy("Shop.Job", &whole_hierarchy()));
    // The base is the part in the file that is named after it.
    expect![[r#"
        above Shop.Job Job.cs:3 declared
        above   Shop.Base Job.cs:7 declared
        above   System.IDisposable outside declared
    "#]]
    .assert_eq(&project.hierarchy("Night", &whole_hierarchy()));
}

#[test]
fn parts_are_one_result() {
    let project = Project::new(JOB);
    let answer = query::search(&project.snapshot, "Job", &SearchOptions { limit: 20, ..SearchOptions::default() });
    let mut shown = String::new();
    for hit in answer.unwrap().hits.iter().filter(|hit| hit.name == "Job") {
        let others = hit.other_places.iter().map(|place| format!(" {}:{}", place.path, place.line_start));
        shown += &format!("{}:{}{}\n", hit.path, hit.line_start, others.collect::<String>());
    }
    expect![[r#"
        Job.cs:3 Job.Designer.cs:4 Job.More.cs:3
        Job.More.cs:4
    "#]]
    .assert_eq(&shown);
}

#[test]
fn a_part_is_shown_with_the_places_of_the_others() {
    let project = Project::new(JOB);
    let shown = |symbol: &str| {
        let (source, config) = (project.engine.source(), &project.engine.config().index);
        let answer = query::show(&project.snapshot, source, config, symbol, &query::Filter::default()).unwrap();
        let places =
            answer.subject.hit.other_places.iter().map(|place| format!("{}:{}\n", place.path, place.line_start));
        format!("{}\n{}", answer.source.lines().next().unwrap_or(""), places.collect::<String>())
    };
    expect![[r#"
        public partial class Job : Base
        Job.More.cs:3
        Job.Designer.cs:4
    "#]]
    .assert_eq(&shown("Shop.Job"));
    expect![[r#"
        public partial class Job { public void Pause() { } }
        Job.Designer.cs:4
        Job.cs:3
    "#]]
    .assert_eq(&shown("Job.More.cs:3"));
}

#[test]
fn inherited_members_by_the_name_of_the_type() {
    let project = Project::new(
        "
//- /Mediator.cs
namespace Bus;

public interface ISender { void Send(object message); }
public interface IMediator : ISender { }
",
    );
    let locate = |symbol: &str| project.locate(symbol, &LocateOptions { limit: 5, ..LocateOptions::default() });
    expect![[r#"
        exact
        Mediator.cs:3 method Bus.ISender.Send
    "#]]
    .assert_eq(&locate("IMediator.Send"));
    expect![[r#"
        exact
        Mediator.cs:3 method Bus.ISender.Send
    "#]]
    .assert_eq(&locate("Bus.IMediator.Send()"));
}

#[test]
fn super_never_calls_the_override() {
    let options = CallsOptions { overrides: true, ..callers() };
    check_calls_with(
        r#"
//- /Base.java
class Base {
    void close() {}
}
class Sub extends Base {
    @Override void clo$0se() { super.close(); }
}
class Use {
    void run(Base base) { base.close(); }
}
"#,
        &options,
        expect![[r#"
            Use.run:8 calls Sub.close at Base.java:8, likely receiver_type through Base.close
        "#]],
    );
}

#[test]
fn an_overloaded_call_is_one_edge() {
    check_callees(
        r#"
//- /Log.java
class Log {
    void put(String text, Object... rest) {}
    void flush() {}
    void put(String text) {}
    void put(int number) {}
    void r$0un() { put("one"); }
}
"#,
        1,
        expect![[r#"
            Log.put:4 called by Log.run at Log.java:6, static enclosing_type
        "#]],
    );
}

/// Compares the uses of a method that overrides one of an outside type.
#[track_caller]
fn check_uses(symbol: &str, expected: Expect) {
    let project = Project::new(
        r#"
//- /Task.java
class Task implements Runnable {
    public void run() {}
    public String toString() { return ""; }
}
class Use {
    void go(Runnable one, Thread two, Object three) {
        one.run();
        two.run();
        three.toString();
        two.toString();
    }
}
"#,
    );
    expected.assert_eq(&project.references(symbol, &all_uses()));
}

#[test]
fn calls_through_outside_types_may_mean_an_override() {
    check_uses(
        "Task.run",
        expect![[r#"
        Task.java:7:13 call run in Use.go, possible name_only
        1 use in 1 file, 3 occurrences, 1 other
    "#]],
    );
    check_uses(
        "Task.toString",
        expect![[r#"
        Task.java:9:15 call toString in Use.go, possible name_only
        1 use in 1 file, 3 occurrences, 1 other
    "#]],
    );
}

/// A block that declares members of another file's module adds to that file's interface.
#[test]
fn interfaces_that_other_files_add_to() {
    let source = "
//- /context.ts
export interface Vars { a: string }
export function get(key: keyof Vars) {}
//- /index.ts
export * from './context'
//- /jwt.ts
import type {} from './index'
declare module './index' {
  interface Vars { token: string }
}
//- /other.ts
export interface Vars { c: string }
export const use = (vars: Vars) => vars
";
    check_references(
        &source.replace("  interface Vars { token", "  interface Va$0rs { token"),
        expect![[r#"
        context.ts:1:18 declaration Vars, static scope
        context.ts:2:32 type Vars in get, static scope
        2 uses in 1 file, 5 occurrences, 2 other
        also at context.ts:1
    "#]],
    );
    check_references(
        &source.replace("interface Vars { a", "interface Va$0rs { a"),
        expect![[r#"
        context.ts:2:32 type Vars in get, static scope
        jwt.ts:3:13 declaration Vars, static scope
        2 uses in 2 files, 5 occurrences, 2 other
        also at jwt.ts:3
    "#]],
    );
}
