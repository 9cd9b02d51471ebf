//! Declared types and values of names, as the query finds them.

use std::ops::Range;

use super::{Collector, MatchParts};
use crate::facts::Projection;
use crate::query::{Part, PatternProperties};
use crate::tree::Node;

/// The declared type and the value of a name.
#[derive(Clone, Default)]
pub(crate) struct Hint<'tree> {
    pub declared: Option<TypePlace<'tree>>,
    pub value: Option<Node<'tree>>,
    /// The member of the value that it is, where that has another name.
    pub member: Option<Node<'tree>>,
    pub projection: Projection,
    pub is_first: bool,
}

/// A name that holds a type in a part of the text, as a test says.
pub(crate) struct Narrowing<'tree> {
    pub name: Node<'tree>,
    pub declared: TypePlace<'tree>,
    pub holds: Range<usize>,
}

/// The place of a type; its node is unknown inside the tokens of a macro.
#[derive(Clone)]
pub(crate) struct TypePlace<'tree> {
    pub range: Range<usize>,
    pub node: Option<Node<'tree>>,
}

impl<'tree> From<Node<'tree>> for TypePlace<'tree> {
    fn from(node: Node<'tree>) -> TypePlace<'tree> {
        TypePlace { range: node.byte_range(), node: Some(node) }
    }
}

impl<'tree> Collector<'_, 'tree> {
    pub(super) fn bind(&mut self, parts: &MatchParts<'tree>, properties: &PatternProperties) {
        let Some(name) = parts.get(Part::Bind) else { return };
        let hint = self.found.hints.entry(name.start_byte()).or_default();
        hint.declared = parts.get(Part::BindType).map(TypePlace::from).or(hint.declared.take());
        hint.is_first |= properties.is_first;
        hint.projection = properties.projection.unwrap_or(hint.projection);
        let element = parts.get(Part::BindElement);
        let whole = if element.is_some() { Projection::Element } else { Projection::Whole };
        if let Some(value) = parts.get(Part::BindValue).or(element) {
            hint.value = Some(value);
            hint.member = parts.get(Part::BindMember);
            hint.projection = properties.projection.unwrap_or(whole);
        }
    }
    pub(super) fn narrow(&mut self, parts: &MatchParts<'tree>) {
        let (Some(name), Some(declared)) = (parts.get(Part::Narrow), parts.get(Part::NarrowType)) else { return };
        let after = |node: Node<'tree>| node.parent().map(|around| node.end_byte()..around.end_byte());
        let holds = parts.range(Part::NarrowIn).or_else(|| after(parts.get(Part::NarrowAfter)?));
        if let Some(holds) = holds {
            self.found.narrowings.push(Narrowing { name, declared: TypePlace::from(declared), holds });
        }
    }
}
