//! Clients that search at the same time, a thread that saves files, and one that asks for what was
//! just saved.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use codecompass_testkit::{Markers, Random};
use serde_json::{Value, json};

use super::client::{Called, Client};
use super::saves::{Saved, Saves};
use crate::bench::search::QUESTIONS;
use crate::outcome::Outcome;

/// A definition in a file that is not changed, the only one of its name.
#[derive(Clone, Debug)]
pub(super) struct Known {
    pub(super) name: String,
    pub(super) path: String,
    pub(super) line: u32,
}

/// The questions of the clients, and the time they have.
pub(super) struct Load<'a> {
    pub(super) address: &'a str,
    pub(super) known: &'a [Known],
    pub(super) clients: usize,
    /// Between an answer and the next question of a client: half of this to one and a half.
    pub(super) pause: Duration,
    pub(super) length: Length,
}

/// When it is over.
#[derive(Clone, Copy)]
pub(super) enum Length {
    Time(Duration),
    Saves(usize),
}

/// The outcome of a load.
#[derive(Default)]
pub(super) struct Heard {
    /// The time of each search.
    pub(super) searches: Vec<Duration>,
    /// Answers that are not right, and errors.
    pub(super) wrong: Vec<String>,
    /// Searches whose answers said that they are of before the last saves.
    pub(super) stale_searches: usize,
    pub(super) saves: usize,
    /// Questions for names that were just written or removed.
    pub(super) asked: usize,
    /// Of these, how many were answered with "stale" or "syncing".
    pub(super) said_stale: usize,
    /// The times of these.
    pub(super) asks: Vec<Duration>,
    /// The time of all of it.
    pub(super) took: Duration,
}

impl Heard {
    /// Adds what came of another round.
    pub(super) fn add(&mut self, mut other: Heard) {
        self.searches.append(&mut other.searches);
        self.wrong.append(&mut other.wrong);
        self.asks.append(&mut other.asks);
        self.stale_searches += other.stale_searches;
        self.saves += other.saves;
        self.asked += other.asked;
        self.said_stale += other.said_stale;
        self.took += other.took;
    }
}

/// Saves in a second.
const SAVES_PER_SECOND: u32 = 20;
/// Of so many saves, one is asked about.
const SAMPLE: usize = 5;

/// Runs the clients; with `saves`, files are saved meanwhile.
pub(super) fn run(load: &Load<'_>, saves: Option<(&mut Saves, &Markers)>) -> Outcome<Heard> {
    let over = AtomicBool::new(false);
    let heard = Mutex::new(Heard::default());
    let start = Instant::now();
    let outcome = thread::scope(|scope| {
        for number in 0..load.clients {
            let (over, heard) = (&over, &heard);
            scope.spawn(move || searcher(load, number as u64, over, heard));
        }
        let outcome = match saves {
            None => {
                if let Length::Time(time) = load.length {
                    thread::sleep(time);
                }
                Ok(0)
            }
            Some((saves, markers)) => {
                // A question is asked at once or not at all.
                let (sender, receiver) = sync_channel(0);
                let heard = &heard;
                scope.spawn(move || asker(load.address, markers, &receiver, heard));
                save_steadily(load.length, saves, markers, |saved| drop(sender.try_send(saved)))
            }
        };
        over.store(true, Ordering::Relaxed);
        outcome
    });
    let mut heard = heard.into_inner()?;
    heard.saves = outcome?;
    heard.took = start.elapsed();
    Ok(heard)
}

fn save_steadily(length: Length, saves: &mut Saves, markers: &Markers, tell: impl Fn(Saved)) -> Outcome<usize> {
    let start = Instant::now();
    let mut count = 0;
    loop {
        let is_over = match length {
            Length::Time(time) => start.elapsed() >= time,
            Length::Saves(most) => count >= most,
        };
        if is_over {
            return Ok(count);
        }
        let saved = saves.save(markers)?;
        count += 1;
        if count % SAMPLE == 0 {
            tell(saved);
        }
        let next = start + Duration::from_secs(1) * count as u32 / SAVES_PER_SECOND;
        thread::sleep(next.saturating_duration_since(Instant::now()));
    }
}

/// Searches until it is over; half the questions are names, half are in words.
fn searcher(load: &Load<'_>, number: u64, over: &AtomicBool, heard: &Mutex<Heard>) {
    let mut random = Random::new(number + 100);
    let mut own = Heard::default();
    let mut client = match Client::connect(load.address) {
        Ok(client) => client,
        Err(error) => return note(heard, format!("cannot connect: {error}")),
    };
    // Not all at the same moment.
    thread::sleep(load.pause * number as u32 / load.clients as u32);
    while !over.load(Ordering::Relaxed) {
        let known = &load.known[random.below(load.known.len() as u64) as usize];
        let by_name = random.chance(50);
        let query = if by_name { &known.name } else { random.pick(QUESTIONS) };
        let Called { asked, answered, answer } = client.call("search_code", &json!({"query": query}));
        own.searches.push(answered - asked);
        match answer {
            Err(error) => {
                own.wrong.push(format!("{query}: {error}"));
                match Client::connect(load.address) {
                    Ok(new) => client = new,
                    Err(_) => break,
                }
            }
            Ok(answer) => {
                own.stale_searches += usize::from(says_stale(&answer));
                let results = answer["results"].as_array().map(Vec::as_slice).unwrap_or_default();
                let is_right = |hit: &Value| {
                    hit["name"] == known.name.as_str()
                        && hit["path"] == known.path.as_str()
                        && hit["line_start"] == known.line
                };
                if results.is_empty() || by_name && !results.iter().any(is_right) {
                    own.wrong.push(format!("{query}: {answer}"));
                }
            }
        }
        // As people and agents do, not all in step: once a slow answer had made them meet, they
        // would go on so for ever.
        thread::sleep(load.pause * (50 + random.below(101) as u32) / 100);
    }
    if let Ok(mut heard) = heard.lock() {
        heard.searches.append(&mut own.searches);
        heard.wrong.append(&mut own.wrong);
        heard.stale_searches += own.stale_searches;
    }
}

/// Asks for names that were just written, which must be there, and for those just removed, which
/// must not.
fn asker(address: &str, markers: &Markers, saved: &Receiver<Saved>, heard: &Mutex<Heard>) {
    let mut client = match Client::connect(address) {
        Ok(client) => client,
        Err(error) => return note(heard, format!("cannot connect: {error}")),
    };
    for (turn, saved) in saved.iter().enumerate() {
        for name in [saved.written, saved.removed].into_iter().flatten() {
            let tool = ["locate_symbol", "search_code"][turn % 2];
            let argument = ["symbol", "query"][turn % 2];
            let Called { asked, answered, answer } = client.call(tool, &json!({argument: name}));
            let Ok(mut heard) = heard.lock() else { return };
            heard.asked += 1;
            heard.asks.push(answered - asked);
            match answer {
                Err(error) => heard.wrong.push(format!("{tool} {name}: {error}")),
                Ok(answer) if says_stale(&answer) => heard.said_stale += 1,
                Ok(answer) => {
                    let results = answer["results"].as_array().map(Vec::as_slice).unwrap_or_default();
                    let is_found = results.iter().any(|hit| hit["name"] == name.as_str());
                    if !markers.allows(&name, is_found, asked, answered) {
                        heard
                            .wrong
                            .push(format!("{tool} {name}, found: {is_found}, which is of another time: {answer}"));
                    }
                }
            }
        }
    }
}

fn says_stale(answer: &Value) -> bool {
    matches!(answer["metadata"]["freshness_status"].as_str(), Some("stale" | "syncing"))
}

fn note(heard: &Mutex<Heard>, wrong: String) {
    if let Ok(mut heard) = heard.lock() {
        heard.wrong.push(wrong);
    }
}
