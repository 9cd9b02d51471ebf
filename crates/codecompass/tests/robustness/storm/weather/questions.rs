//! Processes that ask, work and are killed; and whether their answers are right.

#![allow(clippy::unwrap_used, reason = "tests may fail loudly")]

use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use codecompass_testkit::{Answer, Random};
use serde_json::{Value, json};

use super::edits::Tree;
use super::server::Server;
use super::{JUDGED, KILLED, SAID_STALE, SLOTS, STARTED, Storm};

impl Storm<'_> {
    /// Starts one process after the other until it is over.
    pub(super) fn start_processes(&self, number: u64) {
        let mut random = Random::new(self.options.seed * 1000 + 500 + number);
        while !self.is_over() {
            self.count(STARTED);
            let tree = &self.trees[random.below(self.trees.len() as u64) as usize];
            match random.below(20) {
                0..4 => self.ask_a_server(tree, &mut random),
                4..8 => self.kill_one(tree, &mut random),
                8..11 => self.run_a_chore(tree, &mut random),
                _ => self.ask(tree, &mut random),
            }
        }
    }

    /// A name to ask for: one of this worktree, as it is or was a moment ago, or one of another
    /// worktree.
    fn name(&self, tree: &Tree, random: &mut Random) -> Option<(u64, String)> {
        let slot = random.below(SLOTS);
        let of = if random.chance(20) { &self.trees[random.below(self.trees.len() as u64) as usize] } else { tree };
        let [now, before] = of.names(slot);
        let name = if random.chance(25) { before.or(now) } else { now.or(before) };
        name.map(|name| (slot, name))
    }

    /// Asks a command for a name.
    fn ask(&self, tree: &Tree, random: &mut Random) {
        let Some((slot, name)) = self.name(tree, random) else { return };
        let kept = format!("kept_{slot}");
        let args: [&[&str]; 3] = [
            &["--quiet", "--json", "locate", &name],
            &["--quiet", "--json", "search", &name],
            &["--quiet", "--json", "refs", &kept],
        ];
        let args = args[random.below(3) as usize];
        let asked = Instant::now();
        let answer = Answer::of(&mut self.command(tree, args));
        let answered = Instant::now();
        let what = format!("{} {args:?}", tree.name);
        match serde_json::from_str::<Value>(&answer.stdout) {
            Ok(found) if matches!(answer.code, Some(0 | 1)) && answer.stderr.is_empty() => {
                self.judge(tree, &what, &name, &found, asked, answered);
            }
            _ => self.fail(format!("{what}: {answer:#?}")),
        }
    }

    /// Checks that an answer is right about a name at some moment that it may speak of.
    fn judge(&self, tree: &Tree, what: &str, name: &str, answer: &Value, asked: Instant, answered: Instant) {
        let hits = ["results", "references"].iter().filter_map(|list| answer[*list].as_array()).flatten();
        let is_it = |hit: &Value| hit["name"] == name || hit["enclosing"]["name"] == name;
        let is_found = hits.clone().any(is_it);
        let is_ours = name.starts_with(&format!("mark_{}_", tree.name));
        if matches!(answer["metadata"]["freshness_status"].as_str(), Some("stale" | "syncing")) && is_ours {
            self.count(SAID_STALE);
            return;
        }
        let is_right = if is_ours { self.markers.allows(name, is_found, asked, answered) } else { !is_found };
        if is_right {
            self.count(JUDGED);
        } else {
            self.fail(format!("{what}: {name} is found: {is_found}, which is of another time or place\n{answer}"));
        }
    }

    /// Starts a server, asks it a few questions, and ends it, well or badly.
    fn ask_a_server(&self, tree: &Tree, random: &mut Random) {
        let args = ["serve-mcp", "--quiet", "--index-wait", "60", "--tools", "all", "--answers", "json"];
        let mut server = Server::start(&mut self.command(tree, &args));
        for _ in 0..random.below(8) {
            let Some((_, name)) = self.name(tree, random) else { continue };
            let tool = *random.pick(&[&("locate_symbol", "symbol"), &("search_code", "query")]);
            let asked = Instant::now();
            let what = format!("{} {} {name}", tree.name, tool.0);
            match server.call(tool.0, &json!({tool.1: name})) {
                Ok(answer) => self.judge(tree, &what, &name, &answer, asked, Instant::now()),
                Err(error) => self.fail(format!("{what}: {error}")),
            }
            thread::sleep(Duration::from_millis(random.below(80)));
        }
        if random.chance(40) {
            server.kill();
            self.count(KILLED);
            return;
        }
        let answer = server.end();
        if answer.code != Some(0) || !answer.stderr.is_empty() {
            self.fail(format!("{}, a server's end: {answer:#?}", tree.name));
        }
    }

    /// Starts something and kills it soon.
    fn kill_one(&self, tree: &Tree, random: &mut Random) {
        let lines: [&[&str]; 6] = [
            &["index"],
            &["index", "--force"],
            &["sync"],
            &["gc", "--now"],
            &["search", "what is kept"],
            &["refs", "kept_1"],
        ];
        let mut command = self.command(tree, lines[random.below(6) as usize]);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        thread::sleep(Duration::from_millis(random.below(150)));
        child.kill().unwrap();
        child.wait().unwrap();
        self.count(KILLED);
    }

    /// Runs what works on the index.
    fn run_a_chore(&self, tree: &Tree, random: &mut Random) {
        let lines: [&[&str]; 6] = [
            &["--quiet", "--json", "sync"],
            &["--quiet", "--json", "index"],
            &["--quiet", "--json", "index", "--force"],
            &["--quiet", "--json", "gc", "--now"],
            &["--quiet", "--json", "gc"],
            &["--quiet", "--json", "status"],
        ];
        let line = lines[random.below(6) as usize];
        let answer = Answer::of(&mut self.command(tree, line));
        let is_json = serde_json::from_str::<Value>(&answer.stdout).is_ok();
        // Who asks for the state of what is not indexed yet hears so.
        let is_allowed =
            answer.code == Some(0) && answer.stderr.is_empty() || line[2] == "status" && answer.code == Some(1);
        if !is_json || !is_allowed {
            self.fail(format!("{} {line:?}: {answer:#?}", tree.name));
        }
    }
}
