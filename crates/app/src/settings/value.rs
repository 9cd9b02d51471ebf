//! The kinds of settings: a number, a share, a weight, a word from a list, a switch, a text, a list
//! of texts or of paths, factors by path. Values come from files and variables; both are checked
//! here, and no message repeats one.

use std::ops::RangeInclusive;

use codecompass_engine::config::{PathFactor, PathSet};
use codecompass_engine::weights::Tunable;

use super::Settings;

/// The kind of a setting, and how a value changes the settings.
pub(super) enum Kind {
    /// A whole number in a range.
    Number(RangeInclusive<u64>, fn(&mut Settings, u64)),
    /// A number from 0 to 1.
    Share(fn(&mut Settings, f64)),
    /// A weight of the ranking, in its range.
    Weight(&'static Tunable, fn(&mut Settings, f64)),
    /// A weight for each of some paths: a table, or in a variable `PATH=FACTOR` with commas
    /// between.
    Factors(&'static Tunable, fn(&mut Settings, Vec<PathFactor>)),
    /// One of these words.
    Word(&'static [&'static str], fn(&mut Settings, &str)),
    /// True or false.
    Switch(fn(&mut Settings, bool)),
    /// Any text on one line; an empty one is none.
    Text(fn(&mut Settings, Option<String>)),
    /// Folders and globs; in a variable with commas between them.
    Paths(fn(&mut Settings, PathSet)),
    /// Texts on one line each; in a variable with commas between them.
    List(fn(&mut Settings, Vec<String>)),
}

/// A value as it was written.
pub(super) enum Written<'a> {
    /// In a file.
    Toml(&'a toml::Value),
    /// In a variable; `None` when it is not Unicode.
    Variable(Option<&'a str>),
}

/// Longer texts are no model and no URL.
const MAX_TEXT_BYTES: usize = 1_000;

impl Kind {
    /// Puts a value in; `false` when it is not one of this kind.
    pub(super) fn put(&self, settings: &mut Settings, written: &Written<'_>) -> bool {
        match self {
            Kind::Number(range, set) => {
                let number = written.number().filter(|number| range.contains(number));
                number.map(|number| set(settings, number)).is_some()
            }
            Kind::Share(set) => {
                let share = written.share().filter(|share| (0.0..=1.0).contains(share));
                share.map(|share| set(settings, share)).is_some()
            }
            Kind::Weight(weight, set) => {
                let number = written.share().filter(|number| is_in_range(weight, *number));
                number.map(|number| set(settings, number)).is_some()
            }
            Kind::Factors(weight, set) => {
                let factors = written.factors();
                let factors = factors.filter(|all| all.iter().all(|path| is_in_range(weight, path.factor)));
                factors.map(|factors| set(settings, factors)).is_some()
            }
            Kind::Word(words, set) => {
                let word = written.text().filter(|word| words.contains(word));
                word.map(|word| set(settings, word)).is_some()
            }
            Kind::Switch(set) => written.switch().map(|switch| set(settings, switch)).is_some(),
            Kind::Text(set) => {
                let text = written.text().filter(|text| is_text(text));
                text.map(|text| set(settings, Some(text.to_string()).filter(|text| !text.is_empty()))).is_some()
            }
            Kind::Paths(set) => {
                let paths = written.list().and_then(|list| PathSet::new(&list).ok());
                paths.map(|paths| set(settings, paths)).is_some()
            }
            Kind::List(set) => written.list().map(|list| set(settings, list)).is_some(),
        }
    }

    /// Describes what a value must be, to follow "is not".
    pub(super) fn wanted(&self) -> String {
        match self {
            Kind::Number(range, _) => format!("a number from {} to {}", range.start(), range.end()),
            Kind::Share(_) => "a number from 0 to 1".into(),
            Kind::Weight(weight, _) => format!("a number from {} to {}", weight.range.0, weight.range.1),
            Kind::Factors(weight, _) => {
                let (low, high) = weight.range;
                format!("a table of paths with numbers from {low} to {high}, such as {{ src = 1.2 }}")
            }
            Kind::Word(words, _) => format!("one of {}", words.join(", ")),
            Kind::Switch(_) => "true or false".into(),
            Kind::Paths(_) => "a list of folders and globs, such as [\"api/**/*.ts\"]".into(),
            Kind::List(_) => format!("a list of texts on one line of at most {MAX_TEXT_BYTES} bytes each"),
            Kind::Text(_) => format!("a text on one line of at most {MAX_TEXT_BYTES} bytes"),
        }
    }
}

fn is_in_range(weight: &Tunable, number: f64) -> bool {
    (weight.range.0..=weight.range.1).contains(&number)
}

fn is_text(text: &str) -> bool {
    text.len() <= MAX_TEXT_BYTES && !text.contains(char::is_control)
}

impl<'a> Written<'a> {
    fn number(&self) -> Option<u64> {
        match self {
            Written::Toml(value) => value.as_integer().and_then(|number| u64::try_from(number).ok()),
            Written::Variable(_) => self.text()?.parse().ok(),
        }
    }

    fn share(&self) -> Option<f64> {
        match self {
            Written::Toml(value) => value.as_float().or_else(|| value.as_integer().map(|number| number as f64)),
            Written::Variable(_) => self.text()?.parse().ok(),
        }
    }

    fn factors(&self) -> Option<Vec<PathFactor>> {
        let factor = |path: &str, factor: Option<f64>| {
            let path = path.trim();
            let is_path = is_text(path) && !path.trim_matches(['/', '.']).is_empty();
            factor.filter(|_| is_path).map(|factor| PathFactor { path: path.to_string(), factor })
        };
        match self {
            Written::Toml(value) => {
                value.as_table()?.iter().map(|(path, value)| factor(path, Written::Toml(value).share())).collect()
            }
            Written::Variable(value) => {
                let entries = (*value)?.split(',').filter(|entry| !entry.trim().is_empty());
                let entry = |entry: &str| {
                    let (path, number) = entry.split_once('=')?;
                    factor(path, number.trim().parse().ok())
                };
                entries.map(entry).collect()
            }
        }
    }

    fn switch(&self) -> Option<bool> {
        match self {
            Written::Toml(value) => value.as_bool(),
            Written::Variable(_) => self.text()?.parse().ok(),
        }
    }

    fn list(&self) -> Option<Vec<String>> {
        let texts: Vec<&str> = match self {
            Written::Toml(value) => value.as_array()?.iter().map(|value| value.as_str()).collect::<Option<_>>()?,
            Written::Variable(value) => (*value)?.split(',').collect(),
        };
        let texts = texts.into_iter().map(str::trim).filter(|text| !text.is_empty());
        texts.map(|text| Some(text.to_string()).filter(|text| is_text(text))).collect()
    }

    /// Blanks around it do not count.
    pub(super) fn text(&self) -> Option<&'a str> {
        match self {
            Written::Toml(value) => value.as_str().map(str::trim),
            Written::Variable(value) => value.map(str::trim),
        }
    }

    /// Returns whether it switches something off: `false`, or one of `words`.
    pub(super) fn is_off(&self, words: &[&str]) -> bool {
        self.switch() == Some(false) || self.text().is_some_and(|text| words.contains(&text))
    }
}
