//! `services`: rpcs with the code that answers and calls them.

mod roles;

use codecompass_testkit::TestWorkspace;
use expect_test::expect;

use crate::{check, check_json};

const FIXTURE: &str = r#"
//- /protos/shop.proto
syntax = "proto3";
package shop;
message Item { string sku = 1; }
message Cart {}
service Carts {
  rpc Get(Item) returns (Cart);
  rpc Watch(Item) returns (stream Cart);
}
service Orders {
  rpc Place(stream Item) returns (Cart);
}
//- /server/main.go
package main

import pb "example.com/shop"

type server struct {
	pb.UnimplementedCartsServer
}

func (s *server) Get(ctx Context, in *pb.Item) (*pb.Cart, error) { return nil, nil }

func main() {
	pb.RegisterCartsServer(s, &server{})
}
//- /client.py
import shop_pb2_grpc

def show(channel):
    stub = shop_pb2_grpc.CartsStub(channel)
    return stub.Get(item)

def place(channel):
    shop_pb2_grpc.OrdersStub(channel).Place(items())
"#;

fn shop() -> TestWorkspace {
    TestWorkspace::git(FIXTURE)
}

#[test]
fn services_as_text() {
    let shop = shop();
    check(
        &shop,
        &["services"],
        expect![[r#"
        2 services with 3 methods: 1 implemented here, 2 called
        protos/shop.proto
             5  grpc shop.Carts
                  server server server/main.go:5  registered :12  without 1 method
             6    Get(Item) → Cart  server.Get server/main.go:9
                    called by show client.py:5
             7    Watch(Item) → stream Cart  no method
             9  grpc shop.Orders
                  implementation not found here
            10    Place(stream Item) → Cart
                    called by place client.py:8
    "#]],
    );
    check(
        &shop,
        &["services", "orders/place"],
        expect![[r#"
        1 of 2 services with 1 method: 0 implemented here, 1 called
        protos/shop.proto
             9  grpc shop.Orders
                  implementation not found here
            10    Place(stream Item) → Cart
                    called by place client.py:8
    "#]],
    );
    check(
        &shop,
        &["services", "--kind", "soap"],
        expect![[r#"
        --- stderr
        error: `soap` is no kind of service
        help: use grpc, graphql or openapi
        --- exit code 2
    "#]],
    );
    check(
        &shop,
        &["services", "nothing"],
        expect![[r#"
        0 of 2 services with 0 methods: 0 implemented here, 0 called
        --- exit code 1
    "#]],
    );
}

#[test]
fn services_as_json() {
    check_json(
        &shop(),
        &["services", "Carts/Get"],
        expect![[r#"
        {
          "metadata": {
            "codecompass_protocol_version": "1.0",
            "ref": "main",
            "returned": 1,
            "total_candidates": 1
          },
          "services": [
            {
              "declared": [
                {
                  "line": 5,
                  "path": "protos/shop.proto"
                }
              ],
              "implementations": [
                {
                  "confidence": "static",
                  "language": "go",
                  "line": 5,
                  "missing": 1,
                  "name": "server",
                  "path": "server/main.go",
                  "registered": {
                    "line": 12,
                    "path": "server/main.go"
                  }
                }
              ],
              "kind": "grpc",
              "methods": [
                {
                  "clients": [
                    {
                      "confidence": "static",
                      "language": "python",
                      "line": 5,
                      "name": "show",
                      "path": "client.py"
                    }
                  ],
                  "clients_total": 1,
                  "implementations": [
                    {
                      "confidence": "static",
                      "language": "go",
                      "line": 9,
                      "name": "server.Get",
                      "path": "server/main.go"
                    }
                  ],
                  "line": 6,
                  "name": "Get",
                  "path": "protos/shop.proto",
                  "request": {
                    "line": 3,
                    "path": "protos/shop.proto",
                    "stream": false,
                    "type": "Item"
                  },
                  "response": {
                    "line": 4,
                    "path": "protos/shop.proto",
                    "stream": false,
                    "type": "Cart"
                  }
                }
              ],
              "name": "Carts",
              "package": "shop"
            }
          ],
          "totals": {
            "all": 2,
            "called": 1,
            "found": 1,
            "implemented": 1,
            "rpcs": 1,
            "specifications": 0,
            "undocumented": 0,
            "unread": 0
          }
        }
    "#]],
    );
}

#[test]
fn specifications_are_compared_with_the_code() {
    let shop = TestWorkspace::git(
        r#"
//- /app.js
const express = require('express');
const app = express();
app.get('/v1/users/:id', show);
app.post('/v1/users', create);
app.get('/health', (req, res) => {});
function show(req, res) {}
function create(req, res) {}
//- /openapi.yaml
openapi: 3.0.3
servers:
  - url: https://api.example.com/v1
paths:
  /users/{userId}:
    get:
      operationId: show
    delete: {}
  /users:
    post: {}
//- /old.json
{"swagger": "2.0", "paths": {
  "/users": {"post": {}},
  "/gone": {"get": {}}
}}
//- /broken.yaml
openapi: 3.0.0
paths:
  /x: [
    get:
  "unclosed
"#,
    );
    check(
        &shop,
        &["services"],
        expect![[r#"
            broken.yaml
                    openapi 3.0.0: 0 of 0 operations in the code
            old.json
                    openapi 2.0: 1 of 2 operations in the code (below /v1, which the specification does not name)
                 3  GET /gone  not in the code
            openapi.yaml
                    openapi 3.0.3: 2 of 3 operations in the code (below /v1 or /)
                 8  DELETE /users/{userId}  not in the code
            1 endpoint in no specification
              GET /health  app.js:5
            not read in full: broken.yaml:1 no operation was found below `paths`
        "#]],
    );
    check(
        &shop,
        &["services", "--kind", "openapi", "--path", "old.json"],
        expect![[r#"
            old.json
                    openapi 2.0: 1 of 2 operations in the code (below /v1, which the specification does not name)
                 3  GET /gone  not in the code
            2 endpoints in no specification
              GET /v1/users/{id}  app.js:3
              GET /health  app.js:5
        "#]],
    );
}

#[test]
fn broken_files_are_named() {
    let files = "//- /a.proto\nsyntax = \"proto3\";\nservice A { rpc B(C returns\n\
                 //- /api.json\n{\"openapi\": \"3.0.0\", \"paths\": {\"/a\": {\"get\":\n\
                 //- /openapi.yaml\nopenapi: 3.0.0\npaths:\n  /a: [}{\n";
    let workspace = TestWorkspace::plain(files);
    let answer = workspace.run(crate::PROGRAM, &["services", "--json"]).found();
    let answer: serde_json::Value = serde_json::from_str(&answer).unwrap();
    let named: Vec<&str> = answer["unread"].as_array().unwrap().iter().filter_map(|one| one["path"].as_str()).collect();
    assert_eq!(named, ["a.proto", "api.json", "openapi.yaml"], "{answer}");
}
