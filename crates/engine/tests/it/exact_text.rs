//! Queries that are code or a message find the lines that hold them before anything else.

use codecompass_engine::query::{self, Feature, SearchOptions};
use codecompass_engine::{Config, Engine, NoProgress, SyncOptions, sync};
use codecompass_testkit::TestWorkspace;

const FIXTURE: &str = r#"
//- /src/texts.py
NO_ROOM = "the shelf is full: {} of {} places are taken"


def greeting(name):
    return "welcome to the shop, " + name
//- /src/shelf.py
from texts import NO_ROOM


class Shelf:
    def put(self, book):
        if len(self.books) >= self.places:
            raise ValueError(NO_ROOM.format(len(self.books), self.places))
        self.books.append(book)
//- /src/routes.go
package routes

func Register(router Router) {
	router.GET("/books", list)
	router.POST("/books", add)
}

// Router has get and post; GET and router are words of this comment.
type Router interface {
	GET(path string, handler Handler)
	POST(path string, handler Handler)
}
//- /docs/shelf.md
# Shelves

A shelf is full when all of its places are taken. The shelf is full: what now?
"#;

fn found(query: &str) -> Vec<String> {
    let workspace = TestWorkspace::in_memory(FIXTURE);
    let engine = Engine::open(&workspace.root(), &workspace.home(), Config::default()).unwrap();
    let snapshot = sync(&engine, SyncOptions::default(), &NoProgress).unwrap().0;
    let options = SearchOptions { limit: 10, source: Some(engine.source().clone()), ..SearchOptions::default() };
    let answer = query::search(&snapshot, query, &options).unwrap();
    let exact = |hit: &&query::Hit| hit.explanation.has(Feature::ExactText) || hit.explanation.has(Feature::UsesText);
    let listed = answer.hits.iter().take_while(exact);
    listed.map(|hit| format!("{}:{} {}", hit.path, hit.best_line, hit.name)).collect()
}

#[test]
fn code_is_found_as_it_is_written() {
    assert_eq!(found("router.GET("), ["src/routes.go:4 Register"]);
    assert_eq!(found("len(self.books) >= self.places"), ["src/shelf.py:6 put"]);
    assert_eq!(found("router.DELETE("), [""; 0]);
}

#[test]
fn a_message_finds_the_constant_that_has_it_and_the_code_that_uses_it() {
    let expected = ["src/texts.py:1 NO_ROOM", "src/shelf.py:7 put"];
    assert_eq!(found("ValueError: the shelf is full: 12 of 12 places are taken"), expected);
    assert_eq!(found("\"the shelf is full: {} of {} places are taken\""), expected);
}

#[test]
fn questions_in_words_are_not_searched_as_text() {
    assert_eq!(found("when is a shelf full"), [""; 0]);
    assert_eq!(found("how do I put a book on the shelf?"), [""; 0]);
}
