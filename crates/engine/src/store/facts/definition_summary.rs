//! The attributes of definitions that take no text, a few bytes each: a question that filters by
//! them need not have the outlines of a large tree in memory.

use codecompass_syntax::facts::{Definition, Kind, Modifiers, SymbolRole, Visibility};

/// The attributes of a definition that take no text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DefinitionSummary {
    pub kind: Kind,
    pub visibility: Visibility,
    pub role: SymbolRole,
    pub modifiers: Modifiers,
    /// The number of parameters but the instance; `None` where it is not known.
    pub parameters: Option<u16>,
    pub has_doc: bool,
    pub has_decorators: bool,
    pub has_type: bool,
}

impl DefinitionSummary {
    pub(crate) fn of(definition: &Definition) -> DefinitionSummary {
        let parameters = definition.parameters.as_ref().map(|_| definition.parameter_count());
        DefinitionSummary {
            kind: definition.kind,
            visibility: definition.visibility,
            role: definition.role,
            modifiers: definition.modifiers,
            parameters: parameters.map(|count| u16::try_from(count).unwrap_or(u16::MAX)),
            has_doc: definition.doc.is_some(),
            has_decorators: !definition.decorators.is_empty(),
            has_type: definition.declared_type.is_some(),
        }
    }
}
