//! Places where values are written and copied, where they decide, and where they are read.

use expect_test::{Expect, expect};

use crate::navigation::check::Project;

#[track_caller]
fn check(name: &str, fixture: &str, expected: Expect) {
    expected.assert_eq(&Project::new(fixture).values(name));
}

#[test]
fn a_constant_of_python_through_a_parameter_a_field_and_a_result() {
    check(
        "TIMEOUT",
        r#"
//- /settings.py
import os

TIMEOUT = int(os.environ.get("TIMEOUT", "3"))
RETRIES = 2
//- /client.py
from settings import TIMEOUT


class Client:
    def __init__(self, limit, name="x"):
        self.limit = limit

    def is_slow(self, seconds):
        if seconds > self.limit:
            return True
        return False

    def wait(self):
        return self.limit


def make():
    return Client(TIMEOUT)


def main():
    pause = Client(3).wait()
    while pause and not TIMEOUT:
        print(pause)
//- /tests/test_client.py
from client import Client
from settings import TIMEOUT


def test_slow():
    assert Client(TIMEOUT).is_slow(9)
"#,
        expect![[r#"
            1 defined settings.py:3:1 , constant static definition
            2 copied client.py:18:19 make, passed to Client as limit static import
            3 copied client.py:14:21 Client.wait from 2, returned by Client.wait static enclosing_type
            4 copied client.py:6:22 Client.limit from 2, to limit static scope
            5 copied client.py:22:23 main from 3, to pause static receiver_type
            6 copied client.py:24:15 main from 5, passed to print static scope
            7 copied settings.py:3:30 TIMEOUT, passed to int possible literal_text
            8 decides client.py:23:25 main, static import
            9 decides client.py:9:27 Client.is_slow from 2, static enclosing_type
            10 decides client.py:23:11 main from 5, static scope
            11 tested tests/test_client.py:6:19 test_slow, passed to Client static import
        "#]],
    );
}

#[test]
fn a_key_of_javascript_that_a_constant_holds() {
    check(
        "trust proxy",
        r#"
//- /lib/app.js
const KEY = 'trust proxy';
var app = exports = module.exports = {};

app.defaults = function defaults() {
  this.set('trust proxy', false);
  Object.defineProperty(this.settings, KEY, { value: true });
};

app.set = function set(setting, val) {
  this.settings[setting] = val;
};

app.get = function get(name) {
  return this.settings[name];
};
//- /lib/request.js
var req = exports = module.exports = {};

function protocol() {
  var trust = this.app.get('trust proxy');
  if (!trust) {
    return 'http';
  }
  return choose(trust);
}

function choose(how, other) {
  return how ? 'https' : 'http';
}
//- /test/app.js
describe('trust proxy', function () {
  app.set('trust proxy', true);
});
"#,
        expect![[r#"
            1 written lib/app.js:5:12 app.defaults, likely literal_text
            2 written lib/app.js:6:40 app.defaults from 3, likely scope
            3 copied lib/app.js:1:13 KEY, to KEY likely literal_text
            4 copied lib/request.js:4:28 protocol, to trust likely literal_text
            5 copied lib/request.js:8:17 protocol from 4, passed to choose as how likely scope
            6 decides lib/request.js:5:8 protocol from 4, likely scope
            7 decides lib/request.js:12:10 choose from 5, likely scope
            8 tested test/app.js:1:10 , likely literal_text
            9 tested test/app.js:2:11 , likely literal_text
        "#]],
    );
}

#[test]
fn fields_of_java_kotlin_and_csharp() {
    check(
        "maxSize",
        r#"
//- /Cache.java
class Options {
    final int maxSize;

    Options(int maxSize) {
        this.maxSize = maxSize;
    }

    int size() {
        return maxSize;
    }
}

class Cache {
    private final int limit;

    Cache(Options options) {
        this.limit = options.maxSize;
    }

    boolean isFull(int count) {
        return count >= limit ? true : false;
    }

    void fill(Options options) {
        for (int i = 0; i < options.size(); i++) {
            add(i);
        }
    }
}
"#,
        expect![[r#"
            1 defined Cache.java:2:15 Options, field static definition
            2 written Cache.java:5:14 Options.Options, static enclosing_type
            3 copied Cache.java:9:16 Options.size, returned by Options.size static enclosing_type
            4 copied Cache.java:17:30 Cache.Cache, to limit static receiver_type
            5 decides Cache.java:25:37 Cache.fill from 3, static receiver_type
            6 decides Cache.java:21:25 Cache.isFull from 4, static enclosing_type
        "#]],
    );
    check(
        "Verbose",
        r#"
//- /Settings.cs
class Settings {
    public bool Verbose { get; set; }
}

class Log {
    private bool loud;

    public Log(Settings settings) {
        loud = settings.Verbose;
        Write(text: "x", force: settings.Verbose);
    }

    void Write(string text, bool force) {
        if (loud || force) System.Console.WriteLine(text);
    }
}
"#,
        expect![[r#"
            1 defined Settings.cs:2:17 Settings, property static definition
            2 copied Settings.cs:9:25 Log.Log, to loud static receiver_type
            3 copied Settings.cs:10:42 Log.Log, passed to Write as force static receiver_type
            4 decides Settings.cs:14:13 Log.Write from 2, static enclosing_type
            5 decides Settings.cs:14:21 Log.Write from 3, static scope
        "#]],
    );
    check(
        "retries",
        r#"
//- /Settings.kt
class Settings(val retries: Int)

class Client(private val settings: Settings) {
    fun attempts(): Int = settings.retries

    fun run() {
        val left = attempts()
        when (left) {
            0 -> stop()
            else -> connect(count = settings.retries)
        }
    }

    fun connect(host: String = "", count: Int) {
        if (count > 3) stop()
    }

    fun stop() {}
}
"#,
        expect![[r#"
            1 defined Settings.kt:1:20 Settings, field static definition
            2 copied Settings.kt:4:36 Client.attempts, returned by Client.attempts static receiver_type
            3 copied Settings.kt:10:46 Client.run, passed to connect as count static receiver_type
            4 copied Settings.kt:7:20 Client.run from 2, to left static enclosing_type
            5 decides Settings.kt:15:13 Client.connect from 3, static scope
            6 decides Settings.kt:8:15 Client.run from 4, static scope
        "#]],
    );
}

#[test]
fn settings_of_go_rust_ruby_and_php() {
    check(
        "MaxConns",
        r#"
//- /server.go
package server

type Config struct {
	MaxConns int
}

type Server struct {
	limit int
}

func New(c Config) *Server {
	if c.MaxConns == 0 {
		c.MaxConns = 10
	}
	return &Server{limit: c.MaxConns}
}

func (s *Server) full(n int) bool {
	limit := s.limit
	return n > limit && limit > 0
}
"#,
        expect![[r#"
            1 defined server.go:4:2 Config, field static definition
            2 written server.go:13:5 New, static receiver_type
            3 copied server.go:15:26 New, to limit static receiver_type
            4 copied server.go:19:13 Server.full from 3, to limit static receiver_type
            5 decides server.go:12:7 New, static receiver_type
            6 decides server.go:20:13 Server.full from 4, static scope
            7 decides server.go:20:22 Server.full from 4, static scope
        "#]],
    );
    check(
        "retries",
        r#"
//- /src/lib.rs
pub struct Config {
    pub retries: u32,
}

pub struct Client {
    left: u32,
}

impl Client {
    pub fn new(config: &Config) -> Client {
        Client { left: config.retries }
    }

    fn may_retry(&self) -> bool {
        match self.left {
            0 => false,
            _ => true,
        }
    }
}

pub fn default() -> Config {
    Config { retries: 3 }
}

fn count(config: &Config) -> u32 {
    config.retries
}

pub fn run(config: &Config) {
    let n = count(config);
    if n > 2 {
        panic!("{n}");
    }
}
"#,
        expect![[r#"
            1 defined src/lib.rs:2:9 Config, field static definition
            2 written src/lib.rs:23:14 default, static receiver_type
            3 copied src/lib.rs:11:31 Client::new, to left static receiver_type
            4 copied src/lib.rs:27:12 count, returned by count static receiver_type
            5 copied src/lib.rs:31:13 run from 4, to n static scope
            6 decides src/lib.rs:15:20 Client::may_retry from 3, static enclosing_type
            7 decides src/lib.rs:32:8 run from 5, static scope
        "#]],
    );
    check(
        "force_ssl",
        r#"
//- /config/environment.rb
App.configure do
  config.force_ssl = true
end
//- /lib/app.rb
class Stack
  def build(app)
    if config.force_ssl
      use SSL, redirect: options[:force_ssl]
    end
  end
end
"#,
        expect![[r#"
            1 written config/environment.rb:2:10 , possible name_only
            2 copied lib/app.rb:4:34 Stack#build, passed to use as redirect likely literal_text
            3 decides lib/app.rb:3:15 Stack#build, possible name_only
        "#]],
    );
    check(
        "APP_DEBUG",
        r#"
//- /config/app.php
<?php
return ['debug' => env('APP_DEBUG', false)];
//- /src/Handler.php
<?php
class Handler {
    private $debug;

    public function boot() {
        $this->debug = getenv('APP_DEBUG');
    }

    public function render($e) {
        if ($this->debug) {
            return (string) $e;
        }
        return '';
    }
}
"#,
        expect![[r#"
            1 copied config/app.php:2:24 , to debug likely literal_text
            2 copied src/Handler.php:6:31 Handler::boot, to debug likely literal_text
            3 decides src/Handler.php:10:20 Handler::render from 2, likely enclosing_type
        "#]],
    );
}

#[test]
fn settings_of_cpp_swift_scala_and_elixir() {
    check(
        "maxDepth",
        r#"
//- /parser.cpp
struct Options {
    int maxDepth = 10;
};

class Parser {
public:
    explicit Parser(const Options& options) { depth = options.maxDepth; }
    bool tooDeep(int level) { return level > depth ? true : false; }

private:
    int depth;
};
"#,
        expect![[r#"
            1 defined parser.cpp:2:9 Options, field static definition
            2 copied parser.cpp:7:63 Parser::Parser, to depth static receiver_type
            3 decides parser.cpp:8:46 Parser::tooDeep from 2, static enclosing_type
        "#]],
    );
    check(
        "timeout",
        r#"
//- /Client.swift
struct Config {
    let timeout: Int
}

class Client {
    var limit = 0

    func setUp(config: Config) {
        limit = config.timeout
        start(after: config.timeout)
    }

    func start(after seconds: Int) {
        guard seconds > 0 else { return }
    }
}
"#,
        expect![[r#"
            1 defined Client.swift:2:9 Config, field static definition
            2 copied Client.swift:9:24 Client.setUp, to limit static receiver_type
            3 copied Client.swift:10:29 Client.setUp, passed to start as seconds static receiver_type
            4 decides Client.swift:14:15 Client.start from 3, static scope
        "#]],
    );
    check(
        "maxRetries",
        r#"
//- /Client.scala
class Settings(val maxRetries: Int)

class Client(settings: Settings) {
  val left = settings.maxRetries

  def attempts: Int = settings.maxRetries

  def run(): Unit = {
    if (left > 0) connect(settings.maxRetries)
  }

  def connect(count: Int): Boolean = count match {
    case 0 => false
    case _ => true
  }
}
"#,
        expect![[r#"
            1 defined Client.scala:1:20 Settings, field static definition
            2 copied Client.scala:4:23 Client.left, to left static receiver_type
            3 copied Client.scala:6:32 Client.attempts, returned by Client.attempts static receiver_type
            4 copied Client.scala:9:36 Client.run, passed to connect as count static receiver_type
            5 decides Client.scala:9:9 Client.run from 2, static enclosing_type
            6 decides Client.scala:12:38 Client.connect from 4, static scope
        "#]],
    );
    check(
        "pool_size",
        r#"
//- /lib/repo.ex
defmodule Repo do
  def start(opts) do
    size = Keyword.get(opts, :pool_size, 10)
    connect(size)
  end

  defp connect(size) do
    if size > 1 do
      :pool
    else
      :single
    end
  end
end
//- /config/config.exs
import Config
config :app, Repo, pool_size: 5
"#,
        expect![[r#"
            1 written config/config.exs:2:20 , likely literal_text
            2 copied lib/repo.ex:3:30 start, to size likely literal_text
            3 copied lib/repo.ex:4:13 start from 2, passed to connect as size likely scope
            4 decides lib/repo.ex:8:8 connect from 3, likely scope
        "#]],
    );
}

#[test]
fn options_of_a_command_line() {
    check(
        "--dry-run",
        r#"
//- /cli.py
import argparse


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--dry-run", action="store_true")
    args = parser.parse_args()
    if args.dry_run:
        return
//- /src/main.rs
#[derive(Parser)]
struct Args {
    /// Changes nothing.
    #[arg(long)]
    dry_run: bool,
}

fn run(args: &Args) {
    if args.dry_run {
        return;
    }
}
"#,
        expect![[r#"
            1 defined src/main.rs:5:5 Args, field static definition
            2 written cli.py:6:25 main, likely literal_text
            3 decides src/main.rs:9:13 run, static receiver_type
            4 decides cli.py:8:13 main, possible name_only
        "#]],
    );
}

#[test]
fn keys_in_quotes_are_names() {
    check(
        "LIMIT",
        "
//- /app.py
LIMIT = 3


def options():
    return {\"max_fields\": LIMIT}
",
        expect![[r#"
            1 defined app.py:1:1 , constant static definition
            2 copied app.py:5:27 options, to max_fields static scope
        "#]],
    );
}
