//! `index`, `sync`, `status`, `doctor` and `gc`: what the index holds and how it is kept.

use expect_test::expect;
use serde_json::Value;

use crate::{PROGRAM, check, check_json, workspace};

#[test]
fn status_before_the_first_index() {
    let workspace = workspace();
    check(
        &workspace,
        &["status"],
        expect![[r#"
        ROOT
        not indexed yet; any question or `codecompass index` does it
        --- exit code 1
    "#]],
    );
    check_json(
        &workspace,
        &["status"],
        expect![[r#"
            {
              "files": 0,
              "freshness_status": "stale",
              "generation": 0,
              "head": null,
              "indexing_status": "not_indexed",
              "metadata": {
                "codecompass_protocol_version": "1.0",
                "ref": "main"
              },
              "ref": "main",
              "root": "ROOT",
              "schema_version": {
                "current": null,
                "required": 6
              },
              "symbols": 0,
              "watcher": {
                "mode": null,
                "pid": null,
                "state": "none"
              }
            }
            --- exit code 1
        "#]],
    );
}

#[test]
fn index_and_sync_tell_what_changed() {
    let workspace = workspace();
    check(
        &workspace,
        &["index"],
        expect![[r#"
            11 parsed, 0 unchanged, 0 removed
            10 files, 24 symbols
        "#]],
    );
    check(
        &workspace,
        &["index"],
        expect![[r#"
            up to date
            10 files, 24 symbols
        "#]],
    );
    workspace.write("src/new.rs", "pub fn added() {}\n");
    workspace.remove("web/legacy.js");
    check(
        &workspace,
        &["sync"],
        expect![[r#"
            1 parsed, 10 unchanged, 1 removed
            10 files, 23 symbols
        "#]],
    );
    check(
        &workspace,
        &["sync"],
        expect![[r#"
            up to date
            10 files, 23 symbols
        "#]],
    );
    check(
        &workspace,
        &["index", "--force"],
        expect![[r#"
            11 parsed, 0 unchanged, 0 removed
            10 files, 23 symbols
        "#]],
    );
    workspace.remove("src/new.rs");
    check_json(
        &workspace,
        &["sync"],
        expect![[r#"
            {
              "changed": 1,
              "files": 9,
              "generation": 2,
              "metadata": {
                "codecompass_protocol_version": "1.0",
                "ref": "main"
              },
              "parsed": 0,
              "published": true,
              "removed": 1,
              "reused": 10,
              "root": "ROOT",
              "symbols": 22,
              "unreadable": 0
            }
        "#]],
    );
}

#[test]
fn files_that_are_skipped() {
    let workspace = workspace();
    workspace.run(PROGRAM, &["index"]).found();
    check(
        &workspace,
        &["index", "--show-ignored"],
        expect![[r#"
        .git/  built-in rule: version control
        data/blob.py  binary content
        node_modules/  built-in rule: dependencies
        scratch.tmp  .gitignore: *.tmp
        secret/  .codecompassignore: secret/
        5 skipped: 1 binary, 2 built in, 2 ignore file
    "#]],
    );
    check_json(
        &workspace,
        &["index", "--show-ignored"],
        expect![[r#"
        {
          "skipped": [
            {
              "detail": "built-in rule: version control",
              "is_dir": true,
              "path": ".git",
              "reason": "built_in"
            },
            {
              "detail": "binary content",
              "is_dir": false,
              "path": "data/blob.py",
              "reason": "binary"
            },
            {
              "detail": "built-in rule: dependencies",
              "is_dir": true,
              "path": "node_modules",
              "reason": "built_in"
            },
            {
              "detail": ".gitignore: *.tmp",
              "is_dir": false,
              "path": "scratch.tmp",
              "reason": "ignore_file"
            },
            {
              "detail": ".codecompassignore: secret/",
              "is_dir": true,
              "path": "secret",
              "reason": "ignore_file"
            }
          ],
          "total": 5
        }
    "#]],
    );
}

#[test]
fn doctor_before_the_first_index() {
    let workspace = workspace();
    check(
        &workspace,
        &["doctor"],
        expect![[r#"
            codecompass VERSION
            ok   workspace: ROOT (worktree)
            ok   store: not_indexed, SIZE at HOME/stores/workspace-HASH
            ok   watcher: not being watched; `codecompass watch` does it
            ok   warmth: cold: no process keeps it up to date, so the next question first lists the files and indexes what changed; a server that watches or `codecompass watch --background` keeps it warm
            ok   model: fast_local: static-code-256@1, 256 dimensions
        "#]],
    );
}

#[test]
fn status_of_a_fresh_index() {
    let workspace = workspace();
    workspace.run(PROGRAM, &["index"]).found();
    check(
        &workspace,
        &["status"],
        expect![[r#"
            ROOT (main)
            10 files, 24 symbols, 1629 B of source, generation 1, fresh
                   2 files         6 symbols  python
                   2 files         0 symbols  text
                   1 file          4 symbols  go
                   1 file          2 symbols  javascript
                   1 file          2 symbols  markdown
                   1 file          5 symbols  rust
                   1 file          1 symbol   tsx
                   1 file          4 symbols  typescript
            store HOME/stores/workspace-HASH (SIZE)
        "#]],
    );
    let head = workspace.run_git(&["rev-parse", "HEAD"]);
    let mut status = workspace.run(PROGRAM, &["status", "--json"]);
    assert_eq!(status.stdout.matches(head.trim()).count(), 1);
    status.stdout = status.stdout.replace(head.trim(), "COMMIT");
    let status: Value = serde_json::from_str(&status.shown(&workspace)).unwrap();
    for field in ["root", "ref", "head", "generation", "files", "symbols", "freshness_status", "indexing_status"] {
        assert!(!status[field].is_null(), "{field} is part of the contract");
    }
    assert_eq!((&status["head"], &status["ref"], &status["root"]), (&"COMMIT".into(), &"main".into(), &"ROOT".into()));
}

#[test]
fn a_forced_sync_builds_the_index_anew() {
    let workspace = workspace();
    workspace.run(PROGRAM, &["index"]).found();
    let parsed = |args: &[&str]| {
        let answer: Value = serde_json::from_str(&workspace.run(PROGRAM, args).found()).unwrap();
        (answer["parsed"].as_u64().unwrap(), answer["changed"].as_u64().unwrap())
    };
    assert_eq!(parsed(&["sync", "--json"]), (0, 0));
    let (all, _) = parsed(&["sync", "--force", "--json"]);
    assert!(all >= 10, "{all}");
    workspace.write("billing/invoice.py", "def changed(): pass\n");
    assert_eq!(parsed(&["sync", "--json"]), (1, 1));
}

#[test]
fn doctor_as_text() {
    let workspace = workspace();
    workspace.run(PROGRAM, &["index"]).found();
    check(
        &workspace,
        &["doctor", "--full"],
        expect![[r#"
            codecompass VERSION
            ok   workspace: ROOT (worktree)
            ok   store: compatible, SIZE at HOME/stores/workspace-HASH
            ok   contents: database SIZE, text index SIZE, other SIZE; 1 worktree, 0 commit and 0 directory views; 11 file versions, 0 waiting for collection
            ok   integrity: all checksums match
            ok   freshness: fresh
            ok   last run: published
            ok   skipped: 2 files and 3 directories by 5 rules; `codecompass index --show-ignored` lists them with reasons
            ok   watcher: not being watched; `codecompass watch` does it
            ok   warmth: cold: no process keeps it up to date, so the next question first lists the files and indexes what changed; a server that watches or `codecompass watch --background` keeps it warm
            ok   model: fast_local: static-code-256@1, 256 dimensions
            ok   vectors: 25 of 25 search documents, 3564 B
            rules that skip most:
                 1 file       binary content
                 1 directory  .codecompassignore: secret/  remove the line, or include it again by a line `!NAME` below
                 1 file       .gitignore: *.tmp
                 1 directory  built-in: dependencies
                 1 directory  built-in: version control
                 what built-in rules and git's ignore files skip, a line `!NAME` in .codecompassignore includes again
        "#]],
    );
}

#[test]
fn doctor_as_json() {
    let workspace = workspace();
    workspace.run(PROGRAM, &["index"]).found();
    check_json(
        &workspace,
        &["doctor"],
        expect![[r#"
            {
              "checks": [
                {
                  "check": "workspace",
                  "detail": "ROOT (worktree)",
                  "ok": true,
                  "remediation": null
                },
                {
                  "check": "store",
                  "detail": "compatible, SIZE at HOME/stores/workspace-HASH",
                  "ok": true,
                  "remediation": null
                },
                {
                  "check": "contents",
                  "detail": "database SIZE, text index SIZE, other SIZE; 1 worktree, 0 commit and 0 directory views; 11 file versions, 0 waiting for collection",
                  "ok": true,
                  "remediation": null
                },
                {
                  "check": "freshness",
                  "detail": "fresh",
                  "ok": true,
                  "remediation": null
                },
                {
                  "check": "last run",
                  "detail": "published",
                  "ok": true,
                  "remediation": null
                },
                {
                  "check": "skipped",
                  "detail": "2 files and 3 directories by 5 rules; `codecompass index --show-ignored` lists them with reasons",
                  "ok": true,
                  "remediation": null
                },
                {
                  "check": "watcher",
                  "detail": "not being watched; `codecompass watch` does it",
                  "ok": true,
                  "remediation": null
                },
                {
                  "check": "warmth",
                  "detail": "cold: no process keeps it up to date, so the next question first lists the files and indexes what changed; a server that watches or `codecompass watch --background` keeps it warm",
                  "ok": true,
                  "remediation": null
                },
                {
                  "check": "model",
                  "detail": "fast_local: static-code-256@1, 256 dimensions",
                  "ok": true,
                  "remediation": null
                },
                {
                  "check": "vectors",
                  "detail": "25 of 25 search documents, 3564 B",
                  "ok": true,
                  "remediation": null
                }
              ],
              "compatibility": "compatible",
              "contents": {
                "database_bytes": null,
                "other_bytes": null,
                "text_bytes": null,
                "vector_bytes": null,
                "versions": 11,
                "views": {
                  "commit": 0,
                  "live": 0,
                  "worktree": 1
                },
                "waiting_versions": 0
              },
              "ok": true,
              "runs": [
                {
                  "attempt": 1,
                  "changed_files": 11,
                  "duration_ms": null,
                  "files_done": 11,
                  "files_total": 11,
                  "head_commit": "355908ff5e16dc661683fa269491e27ce0589ee0",
                  "message": null,
                  "mode": "full",
                  "pid": null,
                  "retry_count": 0,
                  "started_at": null,
                  "state": "published",
                  "sync_id": 1
                }
              ],
              "skipped": {
                "directories": 3,
                "files": 2,
                "rule_count": 5,
                "rules": [
                  {
                    "directories": 0,
                    "files": 1,
                    "reason": "binary",
                    "remediation": null,
                    "rule": "binary content",
                    "source": null
                  },
                  {
                    "directories": 1,
                    "files": 0,
                    "reason": "ignore_file",
                    "remediation": "remove the line, or include it again by a line `!NAME` below",
                    "rule": "secret/",
                    "source": ".codecompassignore"
                  },
                  {
                    "directories": 0,
                    "files": 1,
                    "reason": "ignore_file",
                    "remediation": "a line `!NAME` in .codecompassignore includes it again",
                    "rule": "*.tmp",
                    "source": ".gitignore"
                  },
                  {
                    "directories": 1,
                    "files": 0,
                    "reason": "built_in",
                    "remediation": "a line `!NAME` in .codecompassignore includes it again",
                    "rule": "dependencies",
                    "source": "built-in"
                  },
                  {
                    "directories": 1,
                    "files": 0,
                    "reason": "built_in",
                    "remediation": null,
                    "rule": "version control",
                    "source": "built-in"
                  }
                ]
              },
              "version": "VERSION",
              "warmth": {
                "owner": null,
                "pid": null,
                "state": "cold"
              },
              "watcher": {
                "mode": null,
                "pid": null,
                "state": "none"
              }
            }
        "#]],
    );
}

#[test]
fn status_of_a_stale_index_and_what_gc_removes() {
    let workspace = workspace();
    workspace.run(PROGRAM, &["index"]).found();
    workspace.write("README.md", "# Changed\n");
    check(
        &workspace,
        &["status"],
        expect![[r#"
            ROOT (main)
            10 files, 24 symbols, 1629 B of source, generation 1, stale
                   2 files         6 symbols  python
                   2 files         0 symbols  text
                   1 file          4 symbols  go
                   1 file          2 symbols  javascript
                   1 file          2 symbols  markdown
                   1 file          5 symbols  rust
                   1 file          1 symbol   tsx
                   1 file          4 symbols  typescript
            store HOME/stores/workspace-HASH (SIZE)
        "#]],
    );
    workspace.run(PROGRAM, &["sync"]).found();
    check(
        &workspace,
        &["gc"],
        expect![[r#"
        dropped 0 views and removed 0 file versions; the store has SIZE (before: SIZE)
        1 more are kept for a while; --now removes them
    "#]],
    );
    check_json(
        &workspace,
        &["gc", "--now"],
        expect![[r#"
            {
              "dropped_views": 0,
              "removed_clones": [],
              "removed_commits": 0,
              "removed_stores": [],
              "removed_versions": 1,
              "store_bytes": null,
              "store_bytes_before": null,
              "views": [],
              "waiting_versions": 0
            }
        "#]],
    );
}

#[test]
fn gc_lists_the_views_that_it_drops() {
    let workspace = workspace();
    let side = workspace.beside("side");
    workspace.run_git(&["worktree", "add", "--quiet", "-b", "side", side.to_str().unwrap()]);
    workspace.run(PROGRAM, &["index"]).found();
    workspace.run(PROGRAM, &["-w", side.to_str().unwrap(), "index"]).found();
    workspace.run_git(&["worktree", "remove", "--force", side.to_str().unwrap()]);
    let collected = workspace.run(PROGRAM, &["gc"]).found();
    expect![[r#"
        dropped 1 view and removed 0 file versions; the store has SIZE (before: SIZE)
            worktree SIDE  directory is gone
    "#]]
    .assert_eq(&workspace.normalised(&collected).replace(side.to_str().unwrap(), "SIDE"));
}
