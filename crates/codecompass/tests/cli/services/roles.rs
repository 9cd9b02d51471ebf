//! Roles that endpoints and rpcs tell: as filters, as starts of traces, and in `impact`.

use codecompass_testkit::TestWorkspace;
use expect_test::expect;

use crate::check;

const FIXTURE: &str = r#"
//- /app/routes.py
from flask import Flask
from app.views import show, create

def register(app: Flask):
    app.add_url_rule('/users/<id>', view_func=show)
    app.add_url_rule('/users', view_func=create, methods=['POST'])

app = Flask(__name__)
register(app)
//- /app/views.py
from app.store import load, save

def show(id):
    return load(id)

def create():
    return save()
//- /app/store.py
def load(id):
    return read(id)

def save():
    return write()

def read(id):
    return id

def write():
    return None
//- /protos/users.proto
syntax = "proto3";
package shop;
message User {}
service Users {
  rpc Get(User) returns (User);
}
//- /app/server.py
import users_pb2_grpc
from app.store import load

class Users(users_pb2_grpc.UsersServicer):
    def Get(self, request, context):
        return load(1)
//- /tests/test_store.py
from app.store import load

def test_load():
    load(1)
"#;

fn shop() -> TestWorkspace {
    TestWorkspace::git(FIXTURE)
}

#[test]
fn traces_start_at_endpoints_and_rpcs() {
    let shop = shop();
    check(
        &shop,
        &["trace", "read", "--from", "GET /users/{id}"],
        expect![[r#"
        1 chain to read (app/store.py:7)

        1. 2 calls
           app/views.py:3  function  show  handler
           > at app/views.py:4
           app/store.py:1  function  load
           > at app/store.py:2
           app/store.py:7  function  read
    "#]],
    );
    check(
        &shop,
        &["trace", "read", "--from", "shop.Users/Get"],
        expect![[r#"
        1 chain to read (app/store.py:7)

        1. 2 calls
           app/server.py:5  method  Users.Get  handler
           > at app/server.py:6
           app/store.py:1  function  load
           > at app/store.py:2
           app/store.py:7  function  read
    "#]],
    );
    check(
        &shop,
        &["trace", "read", "--from", "GET /users/1/none"],
        expect![[r#"
            --- stderr
            error: no symbol `GET /users/1/none`
            help: did you mean `GET /users/{id}`, `POST /users`?
            --- exit code 2
        "#]],
    );
    check(
        &shop,
        &["trace", "write"],
        expect![[r#"
        1 chain to write (app/store.py:10)

        1. 2 calls
           app/views.py:6  function  create  handler
           > at app/views.py:7
           app/store.py:4  function  save
           > at app/store.py:5
           app/store.py:10  function  write
    "#]],
    );
}

#[test]
fn impact_tells_endpoints_and_rpcs() {
    let shop = shop();
    check(
        &shop,
        &["impact", "read"],
        expect![[r#"
            app/store.py:7-8  function  read
                def read(id)
            may affect 4 symbols and 1 test in 5 files: 1 at depth 1, 3 at depth 2, 1 at depth 3
            answers 1 endpoint: GET /users/{id}
            answers 1 rpc: shop.Users/Get

            entry points (with their depth)
              2  app/server.py:5  method  Users.Get  handler  uses load on line 6
              2  app/views.py:3  function  show  handler  uses load on line 4

            code (with their depth)
              1  app/store.py:1  function  load  uses read on line 2
              3  app/routes.py:4  function  register  router  uses show on line 5

            tests (with their depth)
              2  tests/test_store.py:3  function  test_load  test  uses load on line 4

            files
              app/routes.py  1
              app/server.py  1
              app/store.py  1
              app/views.py  1
              tests/test_store.py  1
        "#]],
    );
    check(
        &shop,
        &["impact", "read", "--role", "handler"],
        expect![[r#"
            app/store.py:7-8  function  read
                def read(id)
            may affect 2 symbols and 0 tests in 2 files: 0 at depth 1, 2 at depth 2
            answers 1 endpoint: GET /users/{id}
            answers 1 rpc: shop.Users/Get
            3 left out by --role
              1  app/store.py:1  function  load  uses read on line 2
              2  tests/test_store.py:3  function  test_load  test  uses load on line 4
              3  app/routes.py:4  function  register  router  uses show on line 5

            entry points (with their depth)
              2  app/server.py:5  method  Users.Get  handler  uses load on line 6
              2  app/views.py:3  function  show  handler  uses load on line 4

            files
              app/server.py  1
              app/views.py  1
        "#]],
    );
}

#[test]
fn roles_are_filters() {
    let shop = shop();
    check(
        &shop,
        &["symbols", "--role", "router"],
        expect![[r#"
        1 definition in 1 file

        app/routes.py
              4  def register(app: Flask)
    "#]],
    );
    check(
        &shop,
        &["symbols", "--role", "handler"],
        expect![[r#"
        3 definitions in 2 files (2 function, 1 method)

        app/server.py
              5  Users  def Get(self, request, context)

        app/views.py
              3  def show(id)
              6  def create()
    "#]],
    );
    check(
        &shop,
        &["search", "load user", "--role", "handler"],
        expect![[r#"
            app/views.py:3-4  function  show
                def show(id)
                  4 | return load(id)
        "#]],
    );
    check(
        &shop,
        &["search", "load", "--role", "test"],
        expect![[r#"
        tests/test_store.py:3-4  function  test_load
            def test_load()
              4 | load(1)

        tests/test_store.py:1-2  text
              1 | from app.store import load
        not sure: the name fits only roughly: `codecompass grep -F load` lists its lines, or ask in words what the code does
    "#]],
    );
    check(
        &shop,
        &["calls", "load", "-d", "callers", "--role", "handler"],
        expect![[r#"
            app/store.py:1-2  function  load
                def load(id)

            called by (2 calls)
              app/server.py:6  in Users.Get  handler
              app/views.py:4  in show  handler

            1 left out by --role
              tests/test_store.py:4  test_load > load
        "#]],
    );
    check(
        &shop,
        &["search", "load", "--role", "boss"],
        expect![[r#"
        --- stderr
        error: `boss` is no role
        help: use one of source, test, generated, vendored, docs, config, example, entry_point, handler, router
        --- exit code 2
    "#]],
    );
}
