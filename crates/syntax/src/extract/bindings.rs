//! Declared types and values of names, as the query finds them.

use std::ops::Range;

use super::{Collector, MatchParts};
use crate::facts::Projection;
use crate::query::{Part, PatternProperties};

/// The declared type and the value of a name.
#[derive(Clone, Default)]
pub(crate) struct Hint {
    pub declared: Option<Range<usize>>,
    pub value: Option<Range<usize>>,
    pub projection: Projection,
    pub is_first: bool,
}

impl<'tree> Collector<'_, 'tree> {
    pub(super) fn bind(&mut self, parts: &MatchParts<'tree>, properties: &PatternProperties) {
        let Some(name) = parts.get(Part::Bind) else { return };
        let hint = self.found.hints.entry(name.start_byte()).or_default();
        hint.declared = parts.range(Part::BindType).or(hint.declared.take());
        hint.is_first |= properties.is_first;
        hint.projection = properties.projection.unwrap_or(hint.projection);
        let element = parts.range(Part::BindElement);
        let whole = if element.is_some() { Projection::Element } else { Projection::Whole };
        if let Some(value) = parts.range(Part::BindValue).or(element) {
            hint.value = Some(value);
            hint.projection = properties.projection.unwrap_or(whole);
        }
    }
}
