//! The way of an error: where it is raised, through which functions it passes, and where it is
//! caught.
//!
//! `subject.rs` finds what a name or a message means: types with their subtypes, constants, literal
//! texts. `origins.rs` finds where that is raised, handled and tested, `upward.rs` follows the
//! callers of the functions that raise until a handler around a call takes the error.

mod handlers;
mod origins;
mod subject;
mod upward;

use self::origins::Origins;
use self::subject::ErrorSubject;
use self::upward::Ascent;
use crate::error::Result;
use crate::query::arguments::checked;
use crate::query::flow::parsed_files::ParsedFiles;
use crate::query::navigate::Navigator;
use crate::query::navigate::use_sites::{Enclosing, UseClass};
use crate::query::subject::Subject;

/// Options of [`raises`].
#[derive(Clone, Copy, Debug)]
pub struct RaisesOptions {
    /// Calls that are followed upwards.
    pub depth: u32,
    /// The least certain class of places to list.
    pub least: UseClass,
}

/// Events on the way of an error, in the order of the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RaiseEvent {
    /// It is raised, or returned as an error.
    Raised,
    /// A call lets it pass to the caller.
    Passed,
    /// A handler takes it.
    Caught,
    /// A handler makes another error of it.
    Mapped,
    /// Code that nothing calls lets it out.
    Leaves,
    /// A handler names it, and no chain that was found leads there.
    Handler,
    /// A test asks for it.
    Tested,
}

impl RaiseEvent {
    /// The word used in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            RaiseEvent::Raised => "raised",
            RaiseEvent::Passed => "passed",
            RaiseEvent::Caught => "caught",
            RaiseEvent::Mapped => "mapped",
            RaiseEvent::Leaves => "leaves",
            RaiseEvent::Handler => "handler",
            RaiseEvent::Tested => "tested",
        }
    }
}

/// One place on the way of an error.
#[derive(Clone, Debug, PartialEq)]
pub struct RaiseStep {
    /// The event.
    pub event: RaiseEvent,
    /// Relative to the root, with `/`.
    pub path: String,
    /// The line.
    pub line: u32,
    /// The definition around it.
    pub enclosing: Option<Enclosing>,
    /// The line without the blanks around it.
    pub source: String,
    /// The type that is raised or named, the function that is called, or what the handler does.
    pub note: Option<String>,
    /// The line of the call that a handler guards, where that is another one.
    pub call_line: Option<u32>,
    /// The number of the step that it comes from, from 0.
    pub from: Option<usize>,
    /// The certainty.
    pub class: UseClass,
    /// The evidence for that.
    pub evidence: &'static str,
    /// The number of calls from where it is raised.
    pub depth: u32,
}

/// The way of an error.
#[derive(Clone, Debug, PartialEq)]
pub struct RaisesAnswer {
    /// The name or message that was asked for.
    pub name: String,
    /// The definition of the name, if it has one.
    pub subject: Option<Subject>,
    /// Other types that are meant with it: subtypes, and types that have the message.
    pub types: Vec<String>,
    /// The things that were looked for, in words.
    pub looked_for: String,
    /// In the order of events, then of the walk.
    pub steps: Vec<RaiseStep>,
    /// The number of places by event, in the order of [`RaiseEvent`], listed or not.
    pub counts: [usize; 7],
    /// Calls that are not listed: the function around lets the same error out at another place.
    pub merged: usize,
    /// Functions whose callers were not followed, since they are too many.
    pub not_followed: Vec<String>,
    /// True if a bound on places, files or calls left something out.
    pub is_cut: bool,
    /// Names like the one that was asked for, where nothing was found.
    pub suggestions: Vec<String>,
}

/// Finds where an error is raised, what it passes through, and where it is caught.
pub fn raises(navigator: &Navigator<'_>, name: &str, options: &RaisesOptions) -> Result<RaisesAnswer> {
    let name = checked(name, "error")?;
    let files = ParsedFiles::new(navigator);
    let asked = ErrorSubject::find(&files, name)?;
    let origins = Origins::find(&files, &asked)?;
    let mut ascent = Ascent::new(&files, &asked, &origins, options);
    ascent.walk()?;
    ascent.add_handlers_elsewhere()?;
    let Ascent { steps, counts, not_followed, is_cut, merged, .. } = ascent;
    let is_found = !steps.is_empty();
    Ok(RaisesAnswer {
        name: name.to_string(),
        types: asked.other_names(navigator)?,
        looked_for: asked.looked_for(),
        subject: asked.subject,
        steps: in_order(steps),
        counts,
        merged,
        not_followed: not_followed.into_iter().collect(),
        is_cut: is_cut || asked.is_cut || origins.is_cut || files.is_cut(),
        suggestions: if is_found { Vec::new() } else { asked.suggestions },
    })
}

/// Puts steps into the order of the answer and numbers what they come from anew.
fn in_order(steps: Vec<RaiseStep>) -> Vec<RaiseStep> {
    let mut order: Vec<usize> = (0..steps.len()).collect();
    order.sort_by_key(|at| {
        let step = &steps[*at];
        (step.event, step.depth, step.class == UseClass::Possible, *at)
    });
    let mut place = vec![0; steps.len()];
    order.iter().enumerate().for_each(|(new, old)| place[*old] = new);
    let mut steps: Vec<Option<RaiseStep>> = steps.into_iter().map(Some).collect();
    let moved = order.into_iter().filter_map(|old| steps.get_mut(old).and_then(Option::take));
    moved.map(|step| RaiseStep { from: step.from.map(|from| place[from]), ..step }).collect()
}
