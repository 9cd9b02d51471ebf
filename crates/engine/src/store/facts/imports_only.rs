//! Reads the imports of an outline and passes over the rest: following includes through a large
//! tree asks for those of thousands of headers, some of which define a hundred thousand names.
//!
//! Stored facts do not say what they are, so that who passes over them must know their types all
//! the same: the structures here are those of [`Outline`](crate::store::facts::Outline) with
//! nothing kept of their texts and lists.

use std::fmt;
use std::marker::PhantomData;

use codecompass_syntax::facts::{
    Chunk, DeclaredType, Import, Kind, Modifiers, ParameterKind, Problem, Span, SymbolRole, Visibility,
};
use serde::de::{Deserialize, Deserializer, SeqAccess, Visitor};

/// An outline of which only the imports are read.
#[derive(Default, serde::Deserialize)]
#[expect(dead_code, reason = "fields stand for what is passed over")]
pub(crate) struct ImportsOnly {
    line_count: u32,
    definitions: Passed<PassedDefinition>,
    pub imports: Vec<Import>,
    chunks: Passed<Chunk>,
    problems: Passed<Problem>,
}

/// The fields of a definition, in their order.
#[derive(serde::Deserialize)]
#[expect(dead_code, reason = "fields stand for what is passed over")]
struct PassedDefinition {
    name: PassedText,
    qualified_name: PassedText,
    kind: Kind,
    signature: PassedText,
    doc: Option<PassedText>,
    visibility: Visibility,
    modifiers: Modifiers,
    decorators: Passed<PassedText>,
    parent: Option<u32>,
    span: Span,
    outer_start_line: u32,
    outer_start_byte: u32,
    name_line: u32,
    name_column: u32,
    body_hash: u64,
    role: SymbolRole,
    parameters: Option<Passed<PassedParameter>>,
    declared_type: Option<DeclaredType>,
    value: Option<u32>,
    value_root: Option<u32>,
}

/// The fields of a parameter, in their order.
#[derive(serde::Deserialize)]
#[expect(dead_code, reason = "fields stand for what is passed over")]
struct PassedParameter {
    name: PassedText,
    declared: Option<DeclaredType>,
    kind: ParameterKind,
}

/// A list of which nothing is kept.
struct Passed<T>(PhantomData<T>);

impl<T> Default for Passed<T> {
    fn default() -> Passed<T> {
        Passed(PhantomData)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Passed<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Passed<T>, D::Error> {
        deserializer.deserialize_seq(Passed(PhantomData))
    }
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for Passed<T> {
    type Value = Passed<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Passed<T>, A::Error> {
        while elements.next_element::<T>()?.is_some() {}
        Ok(self)
    }
}

/// A text of which nothing is kept.
struct PassedText;

impl<'de> Deserialize<'de> for PassedText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<PassedText, D::Error> {
        deserializer.deserialize_str(PassedText)
    }
}

impl Visitor<'_> for PassedText {
    type Value = PassedText;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text")
    }

    fn visit_str<E>(self, _: &str) -> Result<PassedText, E> {
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::time::Duration;

    use codecompass_syntax::Parsed;

    use super::*;
    use crate::store::facts::{Outline, delta_codec, split};

    /// In all fixtures: a field that a definition gets must be here, too.
    #[test]
    fn imports_are_those_of_the_whole_outline() {
        let languages = Path::new(env!("CARGO_MANIFEST_DIR")).join("../syntax/languages");
        let mut imports = 0;
        for folder in std::fs::read_dir(languages).unwrap() {
            for file in std::fs::read_dir(folder.unwrap().path().join("fixtures")).unwrap() {
                let path = file.unwrap().path();
                let Ok(text) = std::fs::read_to_string(&path) else { continue };
                let name = path.file_name().unwrap().to_str().unwrap();
                let Some(language) = codecompass_syntax::language_of(name, &text) else { continue };
                let parsed = codecompass_syntax::parse(&text, Some(language), Duration::from_secs(60));
                let Parsed::Facts(facts) = parsed else { panic!("{name} takes too long") };
                let (outline, _) = split(*facts);
                let bytes = delta_codec::to_bytes(&outline);
                let read: ImportsOnly = delta_codec::from_bytes(&bytes).unwrap();
                assert_eq!(read.imports, outline.imports, "{name}");
                assert_eq!(delta_codec::from_bytes::<Outline>(&bytes).unwrap(), outline);
                imports += outline.imports.len();
            }
        }
        assert!(imports > 100, "{imports}");
    }
}
