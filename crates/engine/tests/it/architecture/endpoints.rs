//! Endpoints of the fixtures in the folders of frameworks: a small program in each `.txt`, what is
//! expected of it in the `.expect` beside it.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use codecompass_engine::query::{self, EndpointOptions, EndpointsAnswer, Navigator};
use codecompass_engine::syntax::routes::frameworks;
use codecompass_engine::{Config, Engine, NoProgress, SyncOptions, sync};
use codecompass_testkit::TestWorkspace;
use expect_test::expect_file;

fn folder(framework: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../syntax/frameworks").join(framework).join("fixtures")
}

fn endpoints(text: &str, options: &EndpointOptions) -> EndpointsAnswer {
    let workspace = TestWorkspace::plain(text);
    let engine = Engine::open(&workspace.root(), &workspace.home(), Config::default()).unwrap();
    sync(&engine, SyncOptions::default(), &NoProgress).unwrap();
    let snapshot = engine.snapshot().unwrap().unwrap();
    query::endpoints(&Navigator::new(&snapshot), engine.source(), &engine.config().index, options).unwrap()
}

fn all() -> EndpointOptions {
    EndpointOptions { limit: usize::MAX, ..EndpointOptions::default() }
}

fn shown(answer: &EndpointsAnswer) -> String {
    let mut out = String::new();
    for endpoint in &answer.endpoints.items {
        let handler = endpoint.handler.as_ref().map_or("-".to_string(), |handler| match &handler.place {
            Some((path, line)) => format!("{} {path}:{line}", handler.name),
            None => handler.name.clone(),
        });
        let (path, line) = (&endpoint.declared_path, endpoint.declared_line);
        let confidence = endpoint.confidence.as_str();
        let _ = writeln!(
            out,
            "{} {} | {handler} | {path}:{line} | {} {confidence} {}",
            endpoint.method,
            endpoint.path,
            endpoint.framework,
            endpoint.role.as_str()
        );
    }
    for (path, line) in &answer.computed {
        let _ = writeln!(out, "computed {path}:{line}");
    }
    out
}

#[test]
fn fixtures_have_the_expected_endpoints() {
    for framework in frameworks() {
        let mut cases: Vec<PathBuf> =
            std::fs::read_dir(folder(framework.name)).unwrap().map(|entry| entry.unwrap().path()).collect();
        cases.retain(|case| case.extension().is_some_and(|extension| extension == "txt"));
        cases.sort();
        assert!(!cases.is_empty(), "{} has no fixture", framework.name);
        for case in cases {
            let answer = endpoints(&std::fs::read_to_string(&case).unwrap(), &all());
            let own = answer.endpoints.items.iter().filter(|endpoint| endpoint.framework == framework.name).count();
            assert!(own > 0, "{case:?} has no endpoint of {}", framework.name);
            expect_file![case.with_extension("expect")].assert_eq(&shown(&answer));
        }
    }
}

const SHOP: &str = "//- /app.js
const express = require('express');
const app = express();
app.get('/users/:id', show);
app.post('/users', create);
app.all('/users/:id/orders', show);
app.get('/health', (req, res) => {});
function show(req, res) {}
function create(req, res) {}
";

#[test]
fn restrictions() {
    let paths = |options: EndpointOptions| -> Vec<String> {
        let answer = endpoints(SHOP, &EndpointOptions { limit: usize::MAX, ..options });
        answer.endpoints.items.iter().map(|one| format!("{} {}", one.method, one.path)).collect()
    };
    let of = |path: &str| paths(EndpointOptions { path: Some(path.into()), ..all() });
    let below = ["GET /users/{id}", "POST /users", "ANY /users/{id}/orders"];
    assert_eq!(of("/users"), below);
    assert_eq!(of("users/"), below);
    assert_eq!(of("/users/7/orders"), ["ANY /users/{id}/orders"]);
    assert_eq!(of("/use"), [""; 0]);
    assert_eq!(of("/users/*"), ["GET /users/{id}"]);
    assert_eq!(of("**/orders"), ["ANY /users/{id}/orders"]);
    assert_eq!(
        paths(EndpointOptions { methods: vec!["post".into()], ..all() }),
        ["POST /users", "ANY /users/{id}/orders"]
    );
    assert_eq!(paths(EndpointOptions { handler: Some("create".into()), ..all() }), ["POST /users"]);
    assert_eq!(paths(EndpointOptions { frameworks: vec!["Koa".into()], ..all() }), [""; 0]);
    assert_eq!(paths(EndpointOptions { frameworks: vec!["express".into()], ..all() }).len(), 4);
}

#[test]
fn an_unknown_framework_is_an_error() {
    let workspace = TestWorkspace::plain(SHOP);
    let engine = Engine::open(&workspace.root(), &workspace.home(), Config::default()).unwrap();
    sync(&engine, SyncOptions::default(), &NoProgress).unwrap();
    let snapshot = engine.snapshot().unwrap().unwrap();
    let options = EndpointOptions { frameworks: vec!["expres".into()], ..all() };
    let config = &engine.config().index;
    let error = query::endpoints(&Navigator::new(&snapshot), engine.source(), config, &options).unwrap_err();
    assert!(error.to_string().starts_with("`expres` is no framework that is known; known are actix, "), "{error}");
}

#[test]
fn the_limit_cuts_the_list_and_not_the_counts() {
    let answer = endpoints(SHOP, &EndpointOptions { limit: 1, ..EndpointOptions::default() });
    assert_eq!((answer.endpoints.items.len(), answer.endpoints.total, answer.all), (1, 4, 4));
}
