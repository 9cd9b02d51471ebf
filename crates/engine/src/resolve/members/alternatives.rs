//! Definitions that exclude each other: several of one name where a program can have one, each for
//! other conditions (`cfg`, `#if`, build tags, `expect` and `actual`). They are one symbol in
//! several places, and a use means each of them.

use codecompass_syntax::facts::{Definition, Kind};
use codecompass_syntax::{AlternativeScope, ModuleSystem};

use crate::error::Result;
use crate::resolve::Resolver;
use crate::resolve::entity::Symbol;
use crate::resolve::file::FileOutline;
use crate::resolve::names::modules::layout::folder_of;

impl Resolver<'_> {
    /// Returns the other definitions that stand for a symbol under other conditions.
    pub(super) fn alternatives(
        &self,
        symbol: Symbol,
        file: &FileOutline,
        definition: &Definition,
    ) -> Result<Vec<Symbol>> {
        let rules = file.rules();
        let mut found = Vec::new();
        if rules.repeated_names.contains(&definition.name) || !can_be_one(definition.kind) {
            return Ok(found);
        }
        if rules.alternatives != AlternativeScope::Unknown {
            let others = file.named(&definition.name).iter().filter(|ordinal| **ordinal != symbol.ordinal);
            let others = others.filter(|ordinal| file.excludes(symbol.ordinal, **ordinal));
            found.extend(others.map(|ordinal| Symbol { ordinal: *ordinal, ..symbol }));
        }
        let has_modifier = is_conditional(file, definition);
        if rules.alternatives != AlternativeScope::Folder && !has_modifier {
            return Ok(found);
        }
        for other in self.named(&definition.name)?.iter().filter(|other| other.version != symbol.version) {
            let path = self.snapshot.path_of(other.version).unwrap_or("");
            if !has_modifier && folder_of(path) != folder_of(&file.path) {
                continue;
            }
            let Some((home, one)) = self.definition(*other)? else { continue };
            let is_same = one.qualified_name == definition.qualified_name
                && home.language.group() == file.language.group()
                && can_be_one(one.kind)
                && one.kind.is_type() == definition.kind.is_type();
            let excludes = if has_modifier {
                is_conditional(&home, &one)
                    && self.may_be_one(file, definition, &one)
                    && named_word(definition) == named_word(&one)
            } else {
                home.package() == file.package() && !is_local(file, definition) && !is_local(&home, &one)
            };
            if is_same && excludes {
                found.push(*other);
            }
        }
        Ok(found)
    }
}

impl FileOutline {
    /// Returns whether two definitions of the file cannot both be there: they have one name in one
    /// place, and nothing else tells them apart.
    fn excludes(&self, one: u32, other: u32) -> bool {
        let definitions = self.definitions();
        let Some((one, other)) = definitions.get(one as usize).zip(definitions.get(other as usize)) else {
            return false;
        };
        let rules = self.rules();
        let is_one_place = one.parent == other.parent
            || one.parent.zip(other.parent).is_some_and(|(one, other)| self.are_same_blocks(one, other));
        one.qualified_name == other.qualified_name
            && is_one_place
            && one.modifiers.contains("static") == other.modifiers.contains("static")
            && self.share_names(one.kind, other.kind)
            && (rules.modules == ModuleSystem::Dotted || !is_local(self, one))
            && (!rules.overloads_apart || same_words(&one.signature, &other.signature))
    }

    /// Returns whether two definitions that hold others are one place: blocks for the same type, or
    /// alternatives themselves.
    fn are_same_blocks(&self, one: u32, other: u32) -> bool {
        let definitions = self.definitions();
        let Some((a, b)) = definitions.get(one as usize).zip(definitions.get(other as usize)) else { return false };
        match (a.kind, b.kind) {
            (Kind::Impl, Kind::Impl) => a.parent == b.parent && same_words(&a.signature, &b.signature),
            _ => can_be_one(a.kind) && can_be_one(b.kind) && a.parent == b.parent && self.excludes(one, other),
        }
    }

    /// Returns whether definitions of two kinds cannot have one name in one place.
    fn share_names(&self, one: Kind, other: Kind) -> bool {
        if !can_be_one(one) || !can_be_one(other) {
            return false;
        }
        let is_plain = |kind: Kind| kind.is_callable() || kind.is_value();
        match self.rules().modules {
            ModuleSystem::Dotted => true,
            ModuleSystem::Crates => {
                let is_macro = |kind: Kind| kind == Kind::Macro;
                one == other
                    || one.is_type() && other.is_type()
                    || is_plain(one) && is_plain(other) && !is_macro(one) && !is_macro(other)
            }
            _ => one == other || is_plain(one) && is_plain(other),
        }
    }
}

/// Returns whether definitions of a kind are symbols that conditions can choose between.
fn can_be_one(kind: Kind) -> bool {
    kind != Kind::Impl && (kind.is_type() || kind.is_callable() || kind.is_value() || kind == Kind::Module)
}

/// Returns whether a definition, or one around it, has a modifier of alternatives.
fn is_conditional(file: &FileOutline, definition: &Definition) -> bool {
    let words = &file.rules().alternative_modifiers;
    let has_word = |one: &Definition| words.iter().any(|word| one.modifiers.contains(word));
    !words.is_empty() && (has_word(definition) || file.outwards(definition.parent).any(|(_, around)| has_word(around)))
}

/// Returns whether a definition stands in a function, whose blocks have names of their own.
fn is_local(file: &FileOutline, definition: &Definition) -> bool {
    file.outwards(definition.parent).any(|(_, around)| around.kind.is_callable() && around.kind != Kind::Macro)
}

/// Returns whether two signatures have the same words.
fn same_words(one: &str, other: &str) -> bool {
    one.split_whitespace().eq(other.split_whitespace())
}

/// The name of a definition as its signature has it, with the type that it extends.
fn named_word(definition: &Definition) -> &str {
    let words = definition.signature.split_whitespace();
    let words = words.map(|word| word.split(['(', ':']).next().unwrap_or(word));
    let is_named =
        |word: &&str| word.strip_suffix(definition.name.as_str()).is_some_and(|before| before.ends_with('.'));
    let mut extended = words.filter(is_named);
    extended.next().unwrap_or(&definition.name)
}
