//! Facts by which a place that is not resolved cannot be a use of a symbol: the file cannot see it,
//! no value has it as a member, it takes another number of arguments, or the place names a
//! parameter.

use codecompass_syntax::facts::{Definition, Kind, ParameterKind, RefKind};

use crate::error::Result;
use crate::model::VersionId;
use crate::query::navigate::Navigator;
use crate::query::navigate::name_search::Occurrence;
use crate::resolve::{Arity, FileOutline, FileView, Given, SeenIn, Symbol, is_beyond_values, is_member_of_value};

/// Facts that rule out what is not resolved.
#[derive(Default)]
pub(super) struct UseLimits {
    /// The files that can see the symbol and its parts; empty if all can.
    seen_in: Vec<SeenIn>,
    /// The numbers of arguments that the symbol and its parts take; empty if they are not certain.
    arities: Vec<Arity>,
    /// True if no value has the symbol or one of its parts as a member.
    is_beyond_values: bool,
    /// The mark behind names of parameters in calls, which the symbol cannot be; empty if it can.
    keyword_mark: &'static str,
    /// True if the name is a word of the language, which heads other constructors, too.
    is_word: bool,
}

impl UseLimits {
    /// Returns the limits of a symbol with its parts. `overrides` says whether it overrides members
    /// of the view, `foreign` how many types outside it may override members of.
    pub(super) fn of(
        navigator: &Navigator<'_>,
        own: impl Iterator<Item = Symbol>,
        overrides: bool,
        foreign: usize,
    ) -> Result<UseLimits> {
        let (mut seen_in, mut arities, mut keyword_mark) = (Vec::new(), Vec::new(), None);
        let (mut beyond, mut words) = (Vec::new(), Vec::new());
        for symbol in own {
            let found = navigator.resolver.definition(symbol)?;
            beyond.push(found.as_ref().is_some_and(|(home, definition)| is_beyond_values(home, definition)));
            words.push(found.as_ref().is_some_and(|(home, definition)| is_word(home, definition)));
            seen_in.push(navigator.resolver.seen_in(symbol)?);
            arities.push(exact_arity(navigator, symbol, overrides, foreign)?);
            let mark = parameter_mark(navigator, symbol)?;
            keyword_mark = Some(mark).filter(|mark| keyword_mark.is_none_or(|known| known == *mark)).or(Some(""));
        }
        let all_seen: Option<Vec<SeenIn>> = seen_in.into_iter().collect();
        let all_arities: Option<Vec<Arity>> = arities.into_iter().collect();
        let keyword_mark = keyword_mark.unwrap_or_default();
        Ok(UseLimits {
            keyword_mark,
            seen_in: all_seen.unwrap_or_default(),
            arities: all_arities.unwrap_or_default(),
            is_beyond_values: !beyond.is_empty() && beyond.iter().all(|is_beyond| *is_beyond),
            is_word: !words.is_empty() && words.iter().all(|is_word| *is_word),
        })
    }

    /// Returns whether an occurrence that is nothing else is a word of the language or the name of
    /// a parameter in a call, and not the symbol.
    pub(super) fn rule_out(&self, occurrence: &Occurrence) -> bool {
        self.is_word || occurrence.is_keyword && !self.keyword_mark.is_empty()
    }

    /// Returns whether a file can see the symbol.
    pub(super) fn is_seen(&self, version: Option<VersionId>, path: &str) -> bool {
        self.seen_in.is_empty() || self.seen_in.iter().any(|seen| seen.includes(version, path))
    }

    /// Returns whether the symbol can be named or called as a reference does.
    pub(super) fn admit(&self, file: &FileView, number: u32) -> bool {
        let reference = file.uses.references.get(number as usize);
        if self.is_beyond_values && reference.is_some_and(|reference| is_member_of_value(file, reference)) {
            return false;
        }
        let is_refused = |seen: &SeenIn| reference.is_some_and(|reference| seen.refuses(file, reference));
        if !self.seen_in.is_empty() && self.seen_in.iter().all(is_refused) {
            return false;
        }
        let call = reference.filter(|reference| reference.kind == RefKind::Call);
        let given = call.and_then(|call| Given::by(file, call, None));
        self.arities.is_empty() || given.is_none_or(|given| self.arities.iter().any(|arity| arity.admits(given)))
    }
}

/// Returns the number of arguments that every call of a function gives, if that is certain.
fn exact_arity(navigator: &Navigator<'_>, symbol: Symbol, overrides: bool, foreign: usize) -> Result<Option<Arity>> {
    let Some((file, definition)) = navigator.resolver.definition(symbol)? else { return Ok(None) };
    let rules = file.rules();
    let is_function = matches!(definition.kind, Kind::Function | Kind::Method);
    let has_keywords = definition.parameters.iter().flatten().any(|parameter| parameter.kind == ParameterKind::Keyword);
    // What is overridden may have default values that count for this one, too.
    let is_override = rules.overloads_apart
        && (overrides || foreign > rules.root_types.len() || definition.modifiers.contains("override"));
    let is_exact = rules.exact_arguments && is_function && !has_keywords && !is_override;
    Ok(if is_exact { Arity::of(&definition, file.language) } else { None })
}

/// Returns whether a constructor has another name than its type, one that the language gives it.
fn is_word(file: &FileOutline, definition: &Definition) -> bool {
    let around = definition.parent.and_then(|parent| file.definitions().get(parent as usize));
    definition.kind == Kind::Constructor && around.is_some_and(|around| around.name != definition.name)
}

/// Returns the mark behind the names of parameters in calls if a definition cannot be a parameter.
/// A field may be one of the constructor.
fn parameter_mark(navigator: &Navigator<'_>, symbol: Symbol) -> Result<&'static str> {
    let Some((file, definition)) = navigator.resolver.definition(symbol)? else { return Ok("") };
    let is_property = definition.kind == Kind::Property && !definition.decorators.is_empty();
    let is_function = matches!(definition.kind, Kind::Function | Kind::Method);
    Ok(if is_function || is_property { &file.rules().keyword_mark } else { "" })
}
