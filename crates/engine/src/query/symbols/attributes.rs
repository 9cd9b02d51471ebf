//! Attributes of definitions as answers show them and filters ask for them, all from stored facts.

use codecompass_syntax::facts::{Definition, Kind};

use crate::error::Result;
use crate::query::hit::Hit;
use crate::query::open_file::OpenFile;
use crate::query::symbols::public_api::{Offered, container_name};
use crate::store::Snapshot;
use crate::store::facts::Outline;

/// The attributes of a definition.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Attributes {
    /// Declaration words and what decorators and docs say in their place (`deprecated`), in a fixed
    /// order.
    pub modifiers: Vec<&'static str>,
    /// True if its calls give their results later.
    pub is_async: bool,
    /// True if it has a doc comment.
    pub has_doc: bool,
    /// True if code outside of the project can name it: it and all that it stands in are public.
    pub is_public_api: bool,
    /// The declared result of a function.
    pub return_type: Option<String>,
    /// The number of parameters but the instance; `None` where it is not known.
    pub parameter_count: Option<usize>,
    /// Decorators, annotations or attributes as written.
    pub decorators: Vec<String>,
    /// The first line of it that could not be parsed.
    pub problem_line: Option<u32>,
}

impl Attributes {
    /// Returns whether a modifier word is among the attributes.
    pub fn is(&self, word: &str) -> bool {
        self.modifiers.contains(&word)
    }

    pub(in crate::query) fn of(snapshot: &Snapshot, file: &OpenFile<'_>, ordinal: u32) -> Result<Option<Attributes>> {
        let Some(definition) = file.outline.definitions.get(ordinal as usize) else { return Ok(None) };
        Ok(Some(Attributes {
            modifiers: definition.modifiers.words().collect(),
            is_async: definition.modifiers.is_async(),
            has_doc: definition.doc.is_some(),
            is_public_api: Offered::by(snapshot, file)?.includes(&file.outline, definition),
            return_type: return_type(definition).map(str::to_string),
            parameter_count: definition.parameters.as_ref().map(|_| definition.parameter_count()),
            decorators: definition.decorators.clone(),
            problem_line: problem_line(&file.outline, definition),
        }))
    }
}

/// Gives the attributes of the definition that a hit of this view shows; `None` for text.
pub fn attributes(snapshot: &Snapshot, hit: &Hit) -> Result<Option<Attributes>> {
    let (Some(id), Some(version)) = (hit.symbol_id, snapshot.version_at(&hit.path)) else { return Ok(None) };
    match OpenFile::open(snapshot, version)? {
        Some(file) => Attributes::of(snapshot, &file, id.ordinal),
        None => Ok(None),
    }
}

/// Returns the first line of a definition that could not be parsed.
fn problem_line(outline: &Outline, definition: &Definition) -> Option<u32> {
    let lines = definition.span.start_line..=definition.span.end_line;
    outline.problems.iter().map(|problem| problem.line).find(|line| lines.contains(line))
}

/// Returns the declared result of a function.
pub(super) fn return_type(definition: &Definition) -> Option<&str> {
    let declared = definition.declared_type.as_ref().filter(|_| definition.kind.is_callable());
    declared.map(|declared| declared.text.as_str())
}

/// Returns the bare name of the type or function that a definition stands in.
pub(super) fn container<'a>(outline: &'a Outline, definition: &'a Definition) -> Option<&'a str> {
    let parent = definition.parent.and_then(|parent| outline.definitions.get(parent as usize));
    match parent {
        Some(parent) if parent.kind == Kind::Module => None,
        Some(parent) => Some(&parent.name),
        None if matches!(definition.kind, Kind::Method | Kind::Constructor) => {
            container_name(definition).and_then(|name| name.rsplit(['.', ':', '#', '\\']).next())
        }
        None => None,
    }
}
