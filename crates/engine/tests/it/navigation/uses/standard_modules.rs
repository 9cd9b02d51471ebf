//! Modules of the standard library and of packages that files of the repository have the name of.

use expect_test::expect;

use crate::navigation::check::check_references;

#[test]
fn modules_of_python() {
    check_references(
        r#"
//- /shop/__init__.py
//- /shop/signing.py
def du$0mps(value): pass
//- /shop/json.py
import json
def encode(value): return json.dumps(value)
//- /shop/six.py
def moved(): pass
//- /tools/report.py
import json
import six
print(json.dumps(1))
print(six.dumps(1))
//- /shop/inner/__init__.py
//- /shop/inner/task.py
import six
def run(): return six.dumps(1)
"#,
        expect![[r#"
            shop/inner/task.py:2:23 call dumps in run, possible name_only
            1 use in 1 file, 5 occurrences, 3 other
        "#]],
    );
}

#[test]
fn modules_of_javascript() {
    check_references(
        r#"
//- /package.json
{ "name": "shop", "dependencies": { "@acme/store": "1", "events": "3" } }
//- /src/store.js
export class Store {
    re$0ad(key) {}
}
//- /src/fs.js
//- /src/events.js
//- /src/mail.js
//- /src/app.js
import fs from "fs";
import path from "node:path";
import events from "events/lib";
import store from "@acme/store";
import mail from "mail";
fs.read(1);
path.read(1);
events.read(1);
store.read(1);
mail.read(1);
import text from "fs/text";
text.read(1);
"#,
        expect![[r#"
            src/app.js:10:6 call read, possible name_only
            src/app.js:12:6 call read, possible name_only
            2 uses in 1 file, 7 occurrences, 4 other
        "#]],
    );
}

#[test]
fn packages_of_go() {
    check_references(
        r#"
//- /go.mod
module example.com/shop
//- /internal/files/os.go
package files

import "os"

type Disk struct{}

func (Disk) Re$0ad(name string) { os.Read(name) }
//- /errors/errors.go
package failures
//- /app.go
package shop

import "errors"
import "example.org/errors"

func run() { errors.Read("a") }
"#,
        expect![[r#"
            0 uses in 0 files, 3 occurrences, 2 other
        "#]],
    );
}
