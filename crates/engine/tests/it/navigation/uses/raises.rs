//! Places where errors are raised and caught, and the functions that they pass through.

use expect_test::{Expect, expect};

use crate::navigation::check::Project;

#[track_caller]
fn check(name: &str, fixture: &str, expected: Expect) {
    expected.assert_eq(&Project::new(fixture).raises(name));
}

#[test]
fn python() {
    let fixture = r#"
//- /errors.py
class StoreError(Exception):
    pass


class Missing(StoreError):
    pass


NO_KEY = "the key is missing"
//- /store.py
from errors import Missing, StoreError, NO_KEY


def read(key):
    if key not in DATA:
        raise Missing(f"no entry {key} in the store")
    return DATA[key]


def check(key):
    if not key:
        raise ValueError(NO_KEY)


def load(key):
    check(key)
    return read(key)


def safe(key):
    try:
        return load(key)
    except KeyError:
        return 0
    except StoreError as error:
        log(error)
        raise


def main():
    try:
        safe("x")
    except Exception:
        print("failed")


def other():
    try:
        pass
    except Missing:
        pass
//- /tests/test_store.py
import pytest
from errors import Missing
from store import read


def test_missing():
    with pytest.raises(Missing):
        read("y")
"#;
    check(
        "Missing",
        fixture,
        expect![[r#"
            1 raised store.py:6 read, static import
            2 passed store.py:17 load from 1, calls read; static scope
            3 passed store.py:22 safe from 2, calls load; static scope
            4 passed store.py:32 main from 3, calls safe; static scope
            5 caught store.py:25 safe from 3, as StoreError, raised again at line 27; static handler
            6 caught store.py:33 main from 4, as Exception; static handler
            7 handler store.py:40 other, names Missing; static import
            8 tested tests/test_store.py:7 test_missing, names Missing; static import
        "#]],
    );
    check(
        "StoreError",
        fixture,
        expect![[r#"
            with Missing
            1 raised store.py:6 read, Missing; static import
            2 passed store.py:17 load from 1, calls read; static scope
            3 passed store.py:22 safe from 2, calls load; static scope
            4 passed store.py:32 main from 3, calls safe; static scope
            5 caught store.py:25 safe from 3, as StoreError, raised again at line 27; static handler
            6 caught store.py:33 main from 4, as Exception; static handler
            7 handler store.py:40 other, names Missing; static import
            8 tested tests/test_store.py:7 test_missing, names Missing; static import
        "#]],
    );
    check(
        "ValueError",
        fixture,
        expect![[r#"
            1 raised store.py:12 check, likely outside_name
            2 passed store.py:16 load from 1, calls check; likely scope
            3 passed store.py:22 safe from 2, calls load; likely scope
            4 passed store.py:32 main from 3, calls safe; likely scope
            5 caught store.py:33 main from 4, as Exception; likely handler
        "#]],
    );
    check(
        "no entry x in the store",
        fixture,
        expect![[r#"
            1 raised store.py:6 read, Missing; static literal_text
            2 passed store.py:17 load from 1, calls read; static scope
            3 passed store.py:22 safe from 2, calls load; static scope
            4 passed store.py:32 main from 3, calls safe; static scope
            5 caught store.py:25 safe from 3, as StoreError, raised again at line 27; static handler
            6 caught store.py:33 main from 4, as Exception; static handler
        "#]],
    );
    check(
        "the key is missing",
        fixture,
        expect![[r#"
            1 raised store.py:12 check, ValueError; static import
            2 passed store.py:16 load from 1, calls check; static scope
            3 passed store.py:22 safe from 2, calls load; static scope
            4 passed store.py:32 main from 3, calls safe; static scope
            5 caught store.py:33 main from 4, as Exception; static handler
        "#]],
    );
}

#[test]
fn java_and_kotlin() {
    check(
        "ParseException",
        r#"
//- /src/ParseException.java
class BaseException extends RuntimeException {}

class ParseException extends BaseException {
    ParseException(String message) { super(); }
}
//- /src/Parser.java
class Parser {
    int next(String text) throws ParseException {
        if (text.isEmpty()) {
            throw new ParseException("empty text");
        }
        return 1;
    }

    int all(String text) {
        return next(text);
    }
}
//- /src/Main.java
class Main {
    public static void main(String[] args) {
        Parser parser = new Parser();
        try {
            parser.all("x");
        } catch (IllegalStateException e) {
            System.out.println(e);
        } catch (BaseException | Error e) {
            throw new RuntimeException(e);
        } finally {
            parser.next("");
        }
    }
}
"#,
        expect![[r#"
            1 raised src/Parser.java:4 Parser.next, static package
            2 passed src/Main.java:11 Main.main from 1, calls Parser.next; static receiver_type
            3 passed src/Parser.java:10 Parser.all from 1, calls Parser.next; static enclosing_type
            4 passed src/Main.java:5 Main.main from 3, calls Parser.all; static receiver_type
            5 mapped src/Main.java:8 Main.main from 4, as BaseException, another error at line 9; static handler
            6 leaves src/Main.java:2 Main.main from 2, out of Main.main, which no code that was found calls; static no_caller
        "#]],
    );
    check(
        "Denied",
        r#"
//- /App.kt
class Denied(message: String) : Exception(message)

class Gate {
    fun open(name: String) {
        if (name.isEmpty()) throw Denied("no name")
    }

    fun enter(name: String): Boolean {
        return try {
            open(name)
            true
        } catch (e: Denied) {
            false
        }
    }
}
"#,
        expect![[r#"
            1 raised App.kt:5 Gate.open, static scope
            2 passed App.kt:10 Gate.enter from 1, calls Gate.open; static enclosing_type
            3 caught App.kt:12 Gate.enter from 2, as Denied; static handler
        "#]],
    );
}

#[test]
fn javascript_and_php() {
    check(
        "BadRequest",
        r#"
//- /errors.ts
export class BadRequest extends Error {}
//- /api.ts
import { BadRequest } from './errors';

function parse(body: string) {
  if (!body) throw new BadRequest('no body');
  return JSON.parse(body);
}

export function handle(body: string) {
  try {
    return parse(body);
  } catch (error) {
    if (error instanceof BadRequest) return 400;
    throw error;
  }
}

export async function later(body: string) {
  return new Promise((resolve, reject) => {
    reject(new BadRequest('late'));
  });
}

export function run(body: string) {
  return later(body).catch(() => null);
}
"#,
        expect![[r#"
            1 raised api.ts:4 parse, static import
            2 raised api.ts:19 later, static import
            3 passed api.ts:10 handle from 1, calls parse; static scope
            4 passed api.ts:24 run from 2, calls later; static scope
            5 caught api.ts:11 handle from 3, as everything, which asks for the type at line 12; static handler
            6 caught api.ts:24 run from 4, as everything; static handler
        "#]],
    );
    check(
        "NotFound",
        r#"
//- /src/errors.php
<?php
class HttpError extends \RuntimeException {}
class NotFound extends HttpError {}
//- /src/router.php
<?php
class Router {
    public function find($path) {
        if ($path === '') {
            throw new NotFound("no route for {$path}");
        }
        return $path;
    }

    public function dispatch($path) {
        try {
            return $this->find($path);
        } catch (HttpError $error) {
            return 404;
        }
    }
}
"#,
        expect![[r#"
            1 raised src/router.php:5 Router::find, static package
            2 passed src/router.php:12 Router::dispatch from 1, calls Router::find; static enclosing_type
            3 caught src/router.php:13 Router::dispatch from 2, as HttpError; static handler
        "#]],
    );
}

#[test]
fn go_and_rust() {
    check(
        "ErrMissing",
        r#"
//- /store.go
package store

import (
	"errors"
	"fmt"
)

var ErrMissing = errors.New("missing")

func read(key string) (string, error) {
	if key == "" {
		return "", fmt.Errorf("read %s: %w", key, ErrMissing)
	}
	return key, nil
}

func load(key string) (string, error) {
	value, err := read(key)
	if err != nil {
		return "", err
	}
	return value, nil
}

func Run(key string) int {
	_, err := load(key)
	if errors.Is(err, ErrMissing) {
		return 1
	}
	return 0
}
"#,
        expect![[r#"
            1 raised store.go:12 read, static scope
            2 passed store.go:18 load from 1, calls read; static scope
            3 passed store.go:26 Run from 2, calls load; static scope
            4 caught store.go:27 Run from 3, tested for store.ErrMissing; likely tested
        "#]],
    );
    let rust = r#"
//- /src/lib.rs
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("no entry for {key}")]
    Missing { key: String },
    #[error("the disk is full")]
    Full,
}

fn read(key: &str) -> Result<String, StoreError> {
    if key.is_empty() {
        return Err(StoreError::Missing { key: key.to_string() });
    }
    Ok(key.to_string())
}

fn load(key: &str) -> Result<String, StoreError> {
    let value = read(key)?;
    Ok(value)
}

pub fn run(key: &str) -> i32 {
    match load(key) {
        Ok(_) => 0,
        Err(StoreError::Full) => 2,
        Err(StoreError::Missing { .. }) => 1,
    }
}

pub fn quick(key: &str) -> Result<String, String> {
    load(key).map_err(|error| error.to_string())
}
"#;
    check(
        "StoreError::Missing",
        rust,
        expect![[r#"
            1 raised src/lib.rs:11 read, static receiver_type
            2 passed src/lib.rs:17 load from 1, calls read; static scope
            3 passed src/lib.rs:22 run from 2, calls load; static scope
            4 passed src/lib.rs:30 quick from 2, calls load; static scope
            5 caught src/lib.rs:25 run from 3, as Missing; static handler
            6 mapped src/lib.rs:30 quick from 4, as everything, another error at line 30; static handler
        "#]],
    );
    check(
        "no entry for abc",
        rust,
        expect![[r#"
        with StoreError::Missing
        1 raised src/lib.rs:11 read, StoreError::Missing; static receiver_type
        2 passed src/lib.rs:17 load from 1, calls read; static scope
        3 passed src/lib.rs:22 run from 2, calls load; static scope
        4 passed src/lib.rs:30 quick from 2, calls load; static scope
        5 caught src/lib.rs:25 run from 3, as Missing; static handler
        6 mapped src/lib.rs:30 quick from 4, as everything, another error at line 30; static handler
    "#]],
    );
}

#[test]
fn ruby_and_csharp() {
    check(
        "Store::Missing",
        r#"
//- /lib/store.rb
module Store
  class Error < StandardError; end

  class Missing < Error
    def initialize(key)
      super("no entry #{key}")
    end
  end

  class Reader
    def read(key)
      raise Missing, key if key.nil?
    end

    def load(key)
      read(key)
    rescue Error => e
      nil
    end

    def all
      read(nil)
    end
  end
end

class App
  rescue_from Store::Missing, with: :show
end
"#,
        expect![[r#"
            1 raised lib/store.rb:12 Reader#read, static package
            2 passed lib/store.rb:16 Reader#load from 1, calls Reader#read; static enclosing_type
            3 passed lib/store.rb:22 Reader#all from 1, calls Reader#read; static enclosing_type
            4 caught lib/store.rb:17 Reader#load from 2, as Error; static handler
            5 leaves lib/store.rb:21 Reader#all from 3, out of Reader#all, which no code that was found calls; static no_caller
            6 handler lib/store.rb:28 App, names Store::Missing; static receiver_type
        "#]],
    );
    check(
        "NoSuchUser",
        r#"
//- /Users.cs
using System;

class NoSuchUser : Exception {
    public NoSuchUser(string name) : base("no user " + name) {}
}

class Users {
    string Find(string name) => name ?? throw new NoSuchUser(name);

    string Show(string name) {
        try {
            return Find(name);
        } catch (NoSuchUser error) when (name == "") {
            return error.Message;
        } catch (Exception) {
            return "";
        }
    }
}
"#,
        expect![[r#"
            1 raised Users.cs:8 Users.Find, static scope
            2 passed Users.cs:12 Users.Show from 1, calls Users.Find; static enclosing_type
            3 caught Users.cs:13 Users.Show from 2, as NoSuchUser; static handler
        "#]],
    );
}

#[test]
fn cpp_swift_scala_and_elixir() {
    check(
        "ParseError",
        r#"
//- /parser.cpp
#include <stdexcept>

struct ParseError : public std::runtime_error {
    ParseError(const char* text) : std::runtime_error(text) {}
};

int parse(const char* text) {
    if (!text) throw ParseError("no text");
    return 1;
}

int run(const char* text) {
    try {
        return parse(text);
    } catch (const std::exception& error) {
        return 0;
    }
}

int all() {
    try {
        return parse("");
    } catch (...) {
        throw;
    }
}
"#,
        expect![[r#"
            1 raised parser.cpp:8 parse, static scope
            2 passed parser.cpp:14 run from 1, calls parse; static scope
            3 passed parser.cpp:22 all from 1, calls parse; static scope
            4 caught parser.cpp:15 run from 2, as exception; static handler
            5 caught parser.cpp:23 all from 3, as everything, raised again at line 24; static handler
            6 leaves parser.cpp:20 all from 3, out of all, which no code that was found calls; static no_caller
        "#]],
    );
    check(
        "LoadError",
        r#"
//- /Loader.swift
enum LoadError: Error {
    case missing
}

func read(_ key: String) throws -> String {
    if key.isEmpty { throw LoadError.missing }
    return key
}

func show(_ key: String) -> String {
    do {
        return try read(key)
    } catch LoadError.missing {
        return ""
    } catch {
        return "?"
    }
}
"#,
        expect![[r#"
            1 raised Loader.swift:6 read, static scope
            2 passed Loader.swift:12 show from 1, calls read; static scope
            3 caught Loader.swift:13 show from 2, as LoadError; static handler
        "#]],
    );
    check(
        "Denied",
        r#"
//- /Gate.scala
class Denied(message: String) extends RuntimeException(message)

object Gate {
  def open(name: String): Unit = {
    if (name.isEmpty) throw new Denied("no name")
  }

  def enter(name: String): Boolean = {
    try {
      open(name)
      true
    } catch {
      case e: Denied => false
      case _: Throwable => false
    }
  }
}
"#,
        expect![[r#"
            1 raised Gate.scala:5 Gate.open, static scope
            2 passed Gate.scala:10 Gate.enter from 1, calls Gate.open; static enclosing_type
            3 caught Gate.scala:13 Gate.enter from 2, as Denied; static handler
        "#]],
    );
    check(
        "NoEntry",
        r#"
//- /lib/store.ex
defmodule NoEntry do
  defexception [:message]
end

defmodule Store do
  def fetch!(key) do
    if key == "" do
      raise NoEntry, message: "no entry"
    end
  end

  def get(key) do
    try do
      fetch!(key)
    rescue
      e in NoEntry -> nil
    end
  end
end
"#,
        expect![[r#"
            1 raised lib/store.ex:8 fetch!, static scope
            2 passed lib/store.ex:14 get from 1, calls fetch!; static scope
            3 caught lib/store.ex:16 get from 2, as NoEntry; static handler
        "#]],
    );
}
