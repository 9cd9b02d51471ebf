//! `calls --source` and `trace --source`: the code that calls lead through, in one answer.

use codecompass_testkit::TestWorkspace;
use expect_test::expect;
use serde_json::Value;

use crate::{PROGRAM, check};

const FLOW: &str = r#"
//- /jobs/enqueue.py
from jobs.queue import Queue, backoff


def enqueue(job, queue: Queue):
    if job.locked:
        raise ValueError(job)
    elif job.delay:
        backoff(job, queue)
    else:
        queue.push(job)
    job.notify()
    print(job)


def main():
    enqueue(object(), Queue())


//- /jobs/queue.py
from jobs import enqueue as again


class Queue:
    def __init__(self):
        self.items = []

    def push(self, job):
        """Puts a job into the queue.

        It is taken by the next worker that is free, whichever
        that is.
        """
        for name in job.names:
            self.store(name, job)

    def store(self, name, job):
        self.items.append((name, job))


def backoff(job, queue):
    try:
        job.wait()
    except OSError:
        again.enqueue(job, queue)


//- /jobs/notices.py
class Mail:
    def notify(self):
        pass


class Pager:
    def notify(self):
        pass
"#;

fn jobs() -> TestWorkspace {
    TestWorkspace::git(FLOW)
}

fn json(workspace: &TestWorkspace, args: &[&str]) -> Value {
    let answer = workspace.run(PROGRAM, &[args, &["--json"]].concat());
    assert_eq!(answer.code, Some(0), "{}", answer.stderr);
    serde_json::from_str(&answer.stdout).unwrap()
}

#[test]
fn a_flow_as_text() {
    let workspace = jobs();
    check(
        &workspace,
        &["calls", "main", "--source", "bodies"],
        expect![[r#"
        jobs/enqueue.py:15-16  function  main
            def main()

        calls (depth 1: 2 calls; depth 2: 4 calls, 2 of them possible; depth 3: 2 calls, 1 of them possible)

        1. main  jobs/enqueue.py:15-16  entry point
           15 | def main():
           16 |     enqueue(object(), Queue())  → step 2, 3

        2. enqueue  jobs/enqueue.py:4-12  called by step 1 at 16
            4 | def enqueue(job, queue: Queue):
            5 |     if job.locked:
            6 |         raise ValueError(job)
            7 |     elif job.delay:
            8 |         backoff(job, queue)  → step 4
            9 |     else:
           10 |         queue.push(job)  → step 5
           11 |     job.notify()
           12 |     print(job)
          not resolved: job.notify at 11 may be Mail.notify (jobs/notices.py:2) or Pager.notify (jobs/notices.py:7)

        3. Queue  jobs/queue.py:4-18  called by step 1 at 16
            4 | class Queue:
            5 |     def __init__(self):
            6 |         self.items = []
            8 |     def push(self, job):
            9 |         """Puts a job into the queue.
           11 |         It is taken by the next worker that is free, whichever
           12 |         that is.
           13 |         """
           14 |         for name in job.names:
           15 |             self.store(name, job)
           17 |     def store(self, name, job):
           18 |         self.items.append((name, job))

        4. backoff  jobs/queue.py:21-25  called by step 2 at 8, under `elif job.delay`
           21 | def backoff(job, queue):
           22 |     try:
           23 |         job.wait()
           24 |     except OSError:
           25 |         again.enqueue(job, queue)  → step 2

        5. Queue.push  jobs/queue.py:8-15  called by step 2 at 10, under `else of elif job.delay`
            8 | def push(self, job):
            9 |     """Puts a job into the queue.
              …
           13 |     """
           14 |     for name in job.names:
           15 |         self.store(name, job)  → step 6

        6. Queue.store  jobs/queue.py:17-18  called by step 5 at 15, under `for name in job.names`
           17 | def store(self, name, job):
           18 |     self.items.append((name, job))
    "#]],
    );
    check(
        &workspace,
        &["calls", "Queue.store", "--source", "bodies", "-d", "callers", "--depth", "2"],
        expect![[r#"
        jobs/queue.py:17-18  method  Queue.store
            def store(self, name, job)

        called by (depth 1: 1 call; depth 2: 1 call)

        1. Queue.store  jobs/queue.py:17-18
           17 | def store(self, name, job):
           18 |     self.items.append((name, job))

        2. Queue.push  jobs/queue.py:8-15  calls step 1 at 15, under `for name in job.names`
            8 | def push(self, job):
            9 |     """Puts a job into the queue.
              …
           13 |     """
           14 |     for name in job.names:
           15 |         self.store(name, job)  → step 1

        3. enqueue  jobs/enqueue.py:4-12  calls step 2 at 10, under `else of elif job.delay`
            4 | def enqueue(job, queue: Queue):
            5 |     if job.locked:
            6 |         raise ValueError(job)
            7 |     elif job.delay:
            8 |         backoff(job, queue)
            9 |     else:
           10 |         queue.push(job)  → step 2
           11 |     job.notify()
           12 |     print(job)
    "#]],
    );
    check(
        &workspace,
        &["calls", "enqueue", "--source", "bodies", "--confidence", "static", "--depth", "1"],
        expect![[r#"
            jobs/enqueue.py:4-12  function  enqueue
                def enqueue(job, queue: Queue)

            calls (2 calls)

            1. enqueue  jobs/enqueue.py:4-12
                4 | def enqueue(job, queue: Queue):
                5 |     if job.locked:
                6 |         raise ValueError(job)
                7 |     elif job.delay:
                8 |         backoff(job, queue)  → step 2
                9 |     else:
               10 |         queue.push(job)  → step 3
               11 |     job.notify()
               12 |     print(job)

            2. backoff  jobs/queue.py:21-25  called by step 1 at 8, under `elif job.delay`
               21 | def backoff(job, queue):
               22 |     try:
               23 |         job.wait()
               24 |     except OSError:
               25 |         again.enqueue(job, queue)

            3. Queue.push  jobs/queue.py:8-15  called by step 1 at 10, under `else of elif job.delay`
                8 | def push(self, job):
                9 |     """Puts a job into the queue.
                  …
               13 |     """
               14 |     for name in job.names:
               15 |         self.store(name, job)
        "#]],
    );
}

#[test]
fn chains_as_text() {
    let workspace = jobs();
    check(
        &workspace,
        &["trace", "Queue.store", "--from", "main", "--source", "bodies"],
        expect![[r#"
        1 chain to Queue.store (jobs/queue.py:17)
        chain 1, 3 calls: steps 1 → 2 → 3 → 4

        1. main  jobs/enqueue.py:15-16  entry point
           15 | def main():
           16 |     enqueue(object(), Queue())  → step 2

        2. enqueue  jobs/enqueue.py:4-12  called by step 1 at 16
            4 | def enqueue(job, queue: Queue):
            5 |     if job.locked:
            6 |         raise ValueError(job)
            7 |     elif job.delay:
            8 |         backoff(job, queue)
            9 |     else:
           10 |         queue.push(job)  → step 3
           11 |     job.notify()
           12 |     print(job)

        3. Queue.push  jobs/queue.py:8-15  called by step 2 at 10, under `else of elif job.delay`
            8 | def push(self, job):
            9 |     """Puts a job into the queue.
              …
           13 |     """
           14 |     for name in job.names:
           15 |         self.store(name, job)  → step 4

        4. Queue.store  jobs/queue.py:17-18  called by step 3 at 15, under `for name in job.names`
           17 | def store(self, name, job):
           18 |     self.items.append((name, job))
    "#]],
    );
    check(
        &workspace,
        &["calls", "main", "--to", "Queue.store", "--source", "bodies"],
        expect![[r#"
        1 chain from main (jobs/enqueue.py:15) to Queue.store (jobs/queue.py:17)
        chain 1, 3 calls: steps 1 → 2 → 3 → 4

        1. main  jobs/enqueue.py:15-16  entry point
           15 | def main():
           16 |     enqueue(object(), Queue())  → step 2

        2. enqueue  jobs/enqueue.py:4-12  called by step 1 at 16
            4 | def enqueue(job, queue: Queue):
            5 |     if job.locked:
            6 |         raise ValueError(job)
            7 |     elif job.delay:
            8 |         backoff(job, queue)
            9 |     else:
           10 |         queue.push(job)  → step 3
           11 |     job.notify()
           12 |     print(job)

        3. Queue.push  jobs/queue.py:8-15  called by step 2 at 10, under `else of elif job.delay`
            8 | def push(self, job):
            9 |     """Puts a job into the queue.
              …
           13 |     """
           14 |     for name in job.names:
           15 |         self.store(name, job)  → step 4

        4. Queue.store  jobs/queue.py:17-18  called by step 3 at 15, under `for name in job.names`
           17 | def store(self, name, job):
           18 |     self.items.append((name, job))
    "#]],
    );
    check(
        &workspace,
        &["trace", "Queue.store", "--from", "main", "--source", "lines"],
        expect![[r#"
        1 chain to Queue.store (jobs/queue.py:17)

        1. 3 calls
           jobs/enqueue.py:15  function  main  entry point
           > at jobs/enqueue.py:16  enqueue(object(), Queue())
           jobs/enqueue.py:4  function  enqueue
           > at jobs/enqueue.py:10  queue.push(job)
           jobs/queue.py:8  method  Queue.push
           > at jobs/queue.py:15  self.store(name, job)
           jobs/queue.py:17  method  Queue.store
    "#]],
    );
}

#[test]
fn lines_of_calls() {
    let workspace = jobs();
    check(
        &workspace,
        &["calls", "enqueue", "--source", "lines"],
        expect![[r#"
        jobs/enqueue.py:4-12  function  enqueue
            def enqueue(job, queue: Queue)
        of 4 occurrences of `enqueue` 3 are this one, 1 may be; 2 more uses under another name

        called by (2 calls, 1 of them possible)
          jobs/enqueue.py:16  in main  entry point
              16 | enqueue(object(), Queue())
          jobs/queue.py:25  in backoff  possible: not resolved
              25 | again.enqueue(job, queue)

        calls (4 calls, 2 of them possible)
          jobs/queue.py:21  backoff  called on line 8
              8 | backoff(job, queue)
          jobs/queue.py:8  Queue.push  called on line 10
              10 | queue.push(job)
          jobs/notices.py:2  Mail.notify  called on line 11  possible: one of 2 candidates
              11 | job.notify()
          jobs/notices.py:7  Pager.notify  called on line 11  possible: one of 2 candidates
              11 | job.notify()

        named as a value, maybe called from there

        jobs/queue.py
             25:9  read     in backoff  again.enqueue(job, queue)

        calls outside: 2 built in
    "#]],
    );
    let answer = json(&workspace, &["calls", "enqueue", "-d", "callees", "--source", "lines"]);
    let lines: Vec<&str> =
        answer["edges"].as_array().unwrap().iter().map(|edge| edge["source"].as_str().unwrap()).collect();
    assert!(lines.contains(&"backoff(job, queue)"), "{lines:?}");
    let none = json(&workspace, &["calls", "enqueue", "-d", "callees"]);
    assert_eq!(none["edges"][0].get("source"), None);
    assert_eq!(none.get("steps"), None);
}

#[test]
fn a_flow_as_json() {
    let workspace = jobs();
    let answer = json(&workspace, &["calls", "main", "--source", "bodies"]);
    let steps = answer["steps"].as_array().unwrap();
    let numbers: Vec<u64> = steps.iter().map(|step| step["step"].as_u64().unwrap()).collect();
    assert_eq!(numbers, (1..=steps.len() as u64).collect::<Vec<_>>());
    let step = |name: &str| steps.iter().find(|step| step["name"] == name).unwrap();
    assert_eq!(step("main").get("reached_by"), None);
    let push = step("push");
    assert_eq!(push["reached_by"]["condition"]["text"], "else of elif job.delay", "{push}");
    assert_eq!(push["reached_by"]["line"], 10);
    assert_eq!(push["reached_by"]["direction"], "callees");
    // The lines of a long doc comment are a gap.
    let lines: Vec<u64> =
        push["source"].as_array().unwrap().iter().map(|line| line["line"].as_u64().unwrap()).collect();
    assert_eq!(lines, [8, 9, 13, 14, 15]);
    // The function that is met again is named where it is called.
    let backoff = step("backoff")["source"].as_array().unwrap();
    let again = backoff.iter().find(|line| line["text"].as_str().unwrap().contains("again.enqueue")).unwrap();
    assert_eq!(again["steps"], serde_json::json!([step("enqueue")["step"]]));
    let open = &step("enqueue")["unresolved"][0];
    assert_eq!(open["name"], "job.notify");
    assert_eq!(open["total"], 2);
    assert_eq!(open["candidates"][1]["qualified_name"], "Pager.notify");
    let chain = json(&workspace, &["trace", "Queue.store", "--from", "main", "--source", "bodies"]);
    assert_eq!(chain["paths"][0]["steps"], serde_json::json!([1, 2, 3, 4]));
    assert_eq!(chain["steps"][3]["name"], "store");
}

#[test]
fn what_has_no_room_is_named() {
    let workspace = jobs();
    let body: String = (0..30).map(|line| format!("    value{line} = {line} * factor\n")).collect();
    let functions = (0..20).map(|at| {
        let next = if at < 19 { format!("    part{}(factor)\n", at + 1) } else { String::new() };
        format!("def part{at}(factor):\n{body}    if factor:\n        return 0\n{body}{next}\n\n")
    });
    workspace.write("jobs/parts.py", &functions.collect::<String>());
    let args = ["calls", "part0", "--source", "bodies", "--depth", "10"];
    let text = workspace.run(PROGRAM, &[&args[..], &["--max-tokens", "300"]].concat()).stdout;
    assert!(text.contains("\n1. part0  jobs/parts.py:1-64\n"), "{text}");
    assert!(text.contains("      …\n   32 | "), "{text}");
    assert!(text.contains("   64 |     part1(factor)  → step 2\n"), "{text}");
    let (shown, unshown) = text.split_once("\nno room for ").unwrap();
    let shown = shown.matches(".py:").count() - 1;
    assert!(
        unshown.starts_with(&format!("{} functions:\n  {}. part{shown}  jobs/parts.py:", 11 - shown, shown + 1)),
        "{text}"
    );
    let more = workspace.run(PROGRAM, &[&args[..], &["--max-tokens", "3000"]].concat()).stdout;
    assert!(!more.contains("no room for"), "{more}");
    assert!(more.len() > text.len());
    let object = json(&workspace, &[&args[..], &["--max-tokens", "1000"]].concat());
    let steps = object["steps"].as_array().unwrap().len();
    assert_eq!(object["not_shown_total"], 11 - steps);
    assert_eq!(object["not_shown"][0]["step"], steps + 1);
    assert_eq!(object["metadata"]["result_completeness"], "truncated");
    // The same question has the same answer.
    let again = workspace.run(PROGRAM, &[&args[..], &["--max-tokens", "300"]].concat()).stdout;
    assert_eq!(again, text);
}

#[test]
fn a_budget_without_code_is_refused() {
    let workspace = jobs();
    check(
        &workspace,
        &["calls", "main", "--max-tokens", "300"],
        expect![[r#"
        --- stderr
        error: --max-tokens is for the code of functions
        help: give --source bodies, or leave it out
        --- exit code 2
    "#]],
    );
    check(
        &workspace,
        &["trace", "main", "--source", "all"],
        expect![[r#"
        --- stderr
        error: invalid value 'all' for '--source <WHAT>'
          [possible values: none, lines, bodies]

        For more information, try '--help'.
        --- exit code 2
    "#]],
    );
}

#[test]
fn each_variant_of_a_build_has_its_own_lines() {
    let workspace = TestWorkspace::git(
        "
//- /go.mod
module example.com/notify
//- /notify_linux.go
package notify

func Reloading() error {
	return send(\"RELOADING=1\")
}

func send(text string) error {
	return nil
}
//- /notify_windows.go
package notify

// Reloading tells the service manager that the configuration is about to be read again, which takes
// a while.
func Reloading() error {
	state := 3
	report(state)
	return nil
}

func report(state int) {
}
",
    );
    for place in ["notify_linux.go:3", "notify_windows.go:5"] {
        let answer = json(&workspace, &["calls", place, "--source", "bodies"]);
        let first = &answer["steps"][0];
        assert_eq!(format!("{}:{}", first["path"].as_str().unwrap(), first["line"]), place, "{answer}");
        for step in answer["steps"].as_array().unwrap() {
            let lines = step["line_start"].as_u64().unwrap()..=step["line_end"].as_u64().unwrap();
            for line in step["source"].as_array().unwrap() {
                assert!(lines.contains(&line["line"].as_u64().unwrap()), "{place}: {step}");
            }
        }
    }
}

#[test]
fn chains_to_what_is_read() {
    let workspace = TestWorkspace::git(
        "
//- /proxy.py
NO_UPSTREAM = 503


def serve(request):
    if not request:
        return fail()


def fail():
    return NO_UPSTREAM


def main():
    serve(None)
",
    );
    let answer = json(&workspace, &["trace", "NO_UPSTREAM", "--from", "main"]);
    let chain = answer["paths"][0].to_string();
    for name in ["\"main\"", "\"serve\"", "\"fail\"", "\"NO_UPSTREAM\""] {
        assert!(chain.contains(name), "{answer}");
    }
}
