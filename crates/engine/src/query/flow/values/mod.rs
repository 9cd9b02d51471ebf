//! The way of a value: where a setting, field, constant or key is written, copied, where it
//! decides, and where it is read.
//!
//! The uses of a symbol come from the resolver, those of a key from a search for the literal text
//! (`keys.rs`). The syntax trees of their files tell what is done at each place, and copies are
//! followed breadth first (`follow.rs`): into variables, fields, parameters and results.

mod follow;
mod keys;

use codecompass_syntax::facts::Kind;

use self::follow::{Carrier, Follower};
use crate::error::{Error, Result};
use crate::query::arguments::{checked, parse_place};
use crate::query::flow::parsed_files::ParsedFiles;
use crate::query::navigate::Navigator;
use crate::query::navigate::use_sites::{Enclosing, UseClass};
use crate::query::subject::Subject;
use crate::resolve::Symbol;

/// Options of [`values`].
#[derive(Clone, Copy, Debug)]
pub struct ValuesOptions {
    /// Copies of copies that are followed.
    pub hops: u32,
    /// The least certain class of places to list.
    pub least: UseClass,
}

/// Uses of a value at a place, in the order of the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ValueUse {
    /// It is declared.
    Defined,
    /// It is written.
    Written,
    /// It is given to another name, passed to a function, or returned.
    Copied,
    /// It decides a condition.
    Decides,
    /// It is read otherwise.
    Read,
    /// Any of these, in code that tests.
    Tested,
}

impl ValueUse {
    /// The word used in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            ValueUse::Defined => "defined",
            ValueUse::Written => "written",
            ValueUse::Copied => "copied",
            ValueUse::Decides => "decides",
            ValueUse::Read => "read",
            ValueUse::Tested => "tested",
        }
    }
}

/// One place of a value.
#[derive(Clone, Debug, PartialEq)]
pub struct ValueStep {
    /// The use that is made of it.
    pub used: ValueUse,
    /// Relative to the root, with `/`.
    pub path: String,
    /// The line.
    pub line: u32,
    /// The column, counted in bytes.
    pub column: u32,
    /// The definition around it.
    pub enclosing: Option<Enclosing>,
    /// The line without the blanks around it.
    pub source: String,
    /// The way the value takes: `to timeout`, `returned by load`.
    pub way: Option<String>,
    /// The number of the step that the value comes from, from 0.
    pub from: Option<usize>,
    /// The certainty that it is this value.
    pub class: UseClass,
    /// The evidence for that.
    pub evidence: &'static str,
    /// The number of copies on the way.
    pub hops: u32,
}

/// The places of a value.
#[derive(Clone, Debug, PartialEq)]
pub struct ValuesAnswer {
    /// The name that was asked for.
    pub name: String,
    /// The definition of the name, if it has one.
    pub subject: Option<Subject>,
    /// Texts that were looked for as keys.
    pub keys: Vec<String>,
    /// In the order of uses, then of the walk.
    pub steps: Vec<ValueStep>,
    /// The number of places by use, in the order of [`ValueUse`], listed or not.
    pub counts: [usize; 6],
    /// Names whose other uses were not followed, since they are too common.
    pub not_followed: Vec<String>,
    /// True if a bound on places, files or copies left something out.
    pub is_cut: bool,
    /// Longer keys that begin with this one, and the number of their places.
    pub longer_keys: Vec<(String, usize)>,
    /// Names like the one that was asked for, where nothing was found.
    pub suggestions: Vec<String>,
}

/// Finds the places of a value and follows its copies.
pub fn values(navigator: &Navigator<'_>, name: &str, options: &ValuesOptions) -> Result<ValuesAnswer> {
    let name = checked(name, "value")?;
    let files = ParsedFiles::new(navigator);
    let mut follower = Follower::new(&files, options);
    let (subject, symbols, suggestions) = definitions(navigator, name)?;
    for symbol in &symbols {
        follower.add_definition(*symbol)?;
    }
    if !symbols.is_empty() {
        follower.start(Carrier::Symbols(symbols.clone()));
    }
    let is_place = parse_place(name).is_some() && !symbols.is_empty();
    let spellings = if is_place { Vec::new() } else { keys::spellings(name) };
    let found = keys::find(&files, &spellings, symbols.is_empty())?;
    let fields = keys::option_fields(navigator, name)?;
    for field in &fields {
        follower.add_definition(*field)?;
    }
    follower.start(Carrier::Symbols(fields));
    let named = keys::find(&files, &keys::field_names(name), true)?;
    follower.mark_cut(found.is_cut || named.is_cut);
    follower.start(Carrier::Keys(found.keys));
    follower.start(Carrier::Names(found.names));
    follower.start(Carrier::Names(named.names));
    follower.walk()?;
    let is_found = !follower.steps.is_empty();
    let Follower { steps, not_followed, is_cut, counts, .. } = follower;
    Ok(ValuesAnswer {
        name: name.to_string(),
        subject: subject.filter(|_| !symbols.is_empty()),
        keys: spellings.into_iter().chain(keys::field_names(name)).collect(),
        steps: in_order(steps),
        counts,
        not_followed: not_followed.into_iter().collect(),
        is_cut: is_cut || files.is_cut(),
        longer_keys: found.longer.into_iter().collect(),
        suggestions: if is_found { Vec::new() } else { suggestions },
    })
}

/// Returns the definitions of a name that hold values, or all if none does; otherwise names like
/// it.
fn definitions(navigator: &Navigator<'_>, name: &str) -> Result<(Option<Subject>, Vec<Symbol>, Vec<String>)> {
    let (subject, mut symbols) = match navigator.all_meant(name) {
        Ok((subject, _)) if subject.is_open => {
            let hits = subject.definitions.iter().map(|one| &one.hit);
            let symbols = hits.filter_map(|hit| navigator.symbol_of(hit)).collect();
            (subject, symbols)
        }
        Ok(found) => found,
        Err(Error::SymbolNotFound { suggestions, .. }) => return Ok((None, Vec::new(), suggestions)),
        Err(Error::FileNotFound { .. } | Error::AmbiguousPath { .. } | Error::InvalidInput(_)) => {
            return Ok((None, Vec::new(), Vec::new()));
        }
        Err(error) => return Err(error),
    };
    let last = name.rsplit(['.', ':', '#', '/', '\\']).next().unwrap_or(name);
    let (mut values, mut others) = (Vec::new(), Vec::new());
    for symbol in symbols.drain(..) {
        let Some((_, definition)) = navigator.resolver.definition(symbol)? else { continue };
        if parse_place(name).is_none() && definition.name.trim_start_matches(['@', '$', ':']) != last {
            continue;
        }
        let is_value = definition.kind.is_value() || matches!(definition.kind, Kind::Property | Kind::Key);
        if is_value { values.push(symbol) } else { others.push(symbol) }
    }
    let symbols = if values.is_empty() { others } else { values };
    Ok((Some(subject), symbols, Vec::new()))
}

/// Puts steps into the order of the answer and numbers what they come from anew.
fn in_order(steps: Vec<ValueStep>) -> Vec<ValueStep> {
    let mut order: Vec<usize> = (0..steps.len()).collect();
    order.sort_by_key(|at| {
        let step = &steps[*at];
        (step.used, step.class == UseClass::Possible, step.hops, *at)
    });
    let mut place = vec![0; steps.len()];
    order.iter().enumerate().for_each(|(new, old)| place[*old] = new);
    let mut steps: Vec<Option<ValueStep>> = steps.into_iter().map(Some).collect();
    let moved = order.into_iter().filter_map(|old| steps.get_mut(old).and_then(Option::take));
    moved.map(|step| ValueStep { from: step.from.map(|from| place[from]), ..step }).collect()
}
