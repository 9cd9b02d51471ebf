//! Symbols similar to a symbol: copies of it, and definitions with similar names, signatures or
//! bodies.
//!
//! Candidates come from the names of the view, from its text and from its vectors; each is then
//! compared fact by fact. The vectors are those of the store: no model runs, and no text leaves the
//! machine, whichever model made them.

use codecompass_syntax::facts::{Definition, Kind, Span};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::error::Result;
use crate::query::filter::Filter;
use crate::query::hit::Hit;
use crate::query::navigate::Navigator;
use crate::query::rank::score::{Explanation, Feature};
use crate::query::similarity::{is_like_kind, jaccard};
use crate::query::subject::Subject;
use crate::resolve::{FileView, Symbol};
use crate::store::Snapshot;
use crate::store::vectors::DocumentSet;
use crate::tokenize;
use crate::weights::similar as points;

/// Options of `similar`.
#[derive(Clone, Debug)]
pub struct SimilarOptions {
    /// Restrictions on the symbols that an ambiguous argument may mean.
    pub filter: Filter,
    /// At most this many.
    pub limit: usize,
}

/// The symbols similar to a symbol.
#[derive(Clone, Debug, PartialEq)]
pub struct SimilarAnswer {
    /// The symbol.
    pub subject: Subject,
    /// Copies first, then by score.
    pub similar: Vec<Similar>,
    /// The number of symbols that are similar enough to be shown.
    pub total: usize,
    /// The number of candidates that were compared.
    pub compared: usize,
}

/// A symbol that is like another; its hit explains its score.
#[derive(Clone, Debug, PartialEq)]
pub struct Similar {
    /// The symbol.
    pub hit: Hit,
    /// True if declaration and body are the same but for line ends and indentation.
    pub is_identical: bool,
    /// Names that both use in their bodies, or members of both.
    pub shared: Vec<String>,
}

/// Candidates beyond this many are not compared.
const MAX_CANDIDATES: usize = 600;
/// Members of a type whose names lead to other types.
const MAX_MEMBERS: usize = 30;
/// Definitions of one member's name; more say nothing.
const MAX_OWNERS: usize = 60;
/// Pieces of text that are looked at.
const MAX_CHUNKS: usize = 250;
/// Terms of a body that are searched for.
const MAX_TERMS: usize = 30;
/// Shared names that are told.
const MAX_SHARED: usize = 8;

/// Gives what is like the definition that `symbol` means best.
pub fn similar(navigator: &Navigator<'_>, symbol: &str, options: &SimilarOptions) -> Result<SimilarAnswer> {
    let (subject, symbol) = navigator.meant(symbol, &options.filter)?;
    let mut answer = SimilarAnswer { subject, similar: Vec::new(), total: 0, compared: 0 };
    let Some(own) = Shape::of(navigator, symbol)? else { return Ok(answer) };
    let same: FxHashSet<Symbol> = navigator.same_symbol(symbol)?.into_iter().collect();
    let mut found = Vec::new();
    for (candidate, found_by) in candidates(navigator, &own, symbol)? {
        if same.contains(&candidate) {
            continue;
        }
        let Some(other) = Shape::of(navigator, candidate)? else { continue };
        // What one holds of the other is no second thing.
        let (a, b) = (&own.definition.span, &other.definition.span);
        let holds =
            |outer: &Span, inner: &Span| outer.start_byte <= inner.start_byte && inner.end_byte <= outer.end_byte;
        if candidate.version == symbol.version && (holds(a, b) || holds(b, a)) {
            continue;
        }
        answer.compared += 1;
        let likeness = Likeness::between(&own, &other, found_by);
        let explanation = likeness.explain();
        if explanation.score() < points::MIN_SCORE {
            continue;
        }
        let Some(mut hit) = navigator.hit(candidate)? else { continue };
        (hit.score, hit.explanation) = (explanation.score(), explanation);
        found.push(Similar { hit, is_identical: likeness.is_identical, shared: likeness.shared });
    }
    found.sort_by(|a, b| {
        let order = |one: &Similar| (!one.is_identical, one.hit.path.clone(), one.hit.line_start, one.hit.name.clone());
        (!a.is_identical)
            .cmp(&!b.is_identical)
            .then_with(|| b.hit.score.total_cmp(&a.hit.score))
            .then_with(|| order(a).cmp(&order(b)))
    });
    answer.total = found.len();
    found.truncate(options.limit);
    answer.similar = found;
    Ok(answer)
}

/// The properties of a definition that are compared.
struct Shape {
    definition: Definition,
    name_parts: Vec<String>,
    parameter_names: Vec<String>,
    parameter_types: Vec<String>,
    /// Names used in the body, or of members.
    inside: Vec<String>,
    lines: u32,
}

impl Shape {
    fn of(navigator: &Navigator<'_>, symbol: Symbol) -> Result<Option<Shape>> {
        let Some((file, definition)) = navigator.resolver.opened(symbol)? else { return Ok(None) };
        if definition.kind == Kind::Impl || definition.kind.is_outline_only() {
            return Ok(None);
        }
        let mut parameter_names = Vec::new();
        let mut parameter_types = Vec::new();
        for parameter in definition.own_parameters() {
            parameter_names.extend(Some(parameter.name.clone()).filter(|name| !name.is_empty()));
            let words = parameter.declared.iter().flat_map(|declared| tokenize::words(&declared.text));
            parameter_types.extend(words.map(str::to_string));
        }
        parameter_types.extend(
            definition.declared_type.iter().flat_map(|declared| tokenize::words(&declared.text)).map(str::to_string),
        );
        Ok(Some(Shape {
            name_parts: distinct(tokenize::parts(&definition.name)),
            parameter_names: distinct(parameter_names),
            parameter_types: distinct(parameter_types),
            inside: distinct(names_inside(&file, symbol.ordinal, &definition)),
            lines: definition.span.end_line - definition.span.start_line + 1,
            definition: definition.clone(),
        }))
    }
}

/// The names that a body uses, and those of its members.
fn names_inside(file: &FileView, ordinal: u32, definition: &Definition) -> Vec<String> {
    let lines = definition.span.start_line..=definition.span.end_line;
    // What the signature names is compared apart from the body.
    let declared: FxHashSet<&str> = tokenize::words(&definition.signature).collect();
    let used = file.uses.references.iter().filter(|reference| lines.contains(&reference.line));
    // Members may stand apart from their type.
    let is_apart = |member: &Definition| {
        let owner = member.qualified_name.strip_suffix(member.name.as_str()).unwrap_or("");
        definition.kind.is_type()
            && owner.len() > definition.qualified_name.len()
            && owner.trim_end_matches([':', '.', '#', '\\']) == definition.qualified_name
    };
    let members = file.definitions().iter().filter(|member| member.parent == Some(ordinal) || is_apart(member));
    let used = used.map(|reference| file.name(reference.name).to_string());
    let used = used.filter(|name| !declared.contains(name.as_str()));
    used.chain(members.map(|member| member.name.clone())).filter(|name| *name != definition.name).collect()
}

fn distinct(mut names: Vec<String>) -> Vec<String> {
    names.sort();
    names.dedup();
    names
}

/// The scores of the searches that found a candidate; zero where one did not.
#[derive(Clone, Copy, Default)]
struct FoundBy {
    /// The text score as a share of the best one's.
    text: f64,
    /// The cosine of its vector and that of the definition it is compared with.
    cosine: f64,
}

/// The definitions that searches found so far.
type Candidates = FxHashMap<Symbol, FoundBy>;

/// Definitions worth comparing.
fn candidates(navigator: &Navigator<'_>, own: &Shape, symbol: Symbol) -> Result<Vec<(Symbol, FoundBy)>> {
    let snapshot = navigator.snapshot();
    let mut found = Candidates::default();
    add_by_name(snapshot, own, &mut found)?;
    if own.definition.kind.is_type() {
        add_by_members(navigator, own, &mut found)?;
    }
    add_by_text(snapshot, own, &mut found)?;
    add_by_vector(snapshot, own, symbol, &mut found)?;
    let mut found: Vec<(Symbol, FoundBy)> = found.into_iter().collect();
    found.sort_unstable_by_key(|(symbol, _)| (snapshot.position(symbol.version), symbol.ordinal));
    Ok(found)
}

/// Adds definitions of the same name, of one that differs in few letters, or of a longer one.
fn add_by_name(snapshot: &Snapshot, own: &Shape, found: &mut Candidates) -> Result<()> {
    let name = &own.definition.name;
    let mut rows = snapshot.symbols_named(name)?;
    let distance = match name.chars().count() {
        0..=4 => 0,
        5..=8 => 1,
        9..=60 => 2,
        _ => 0,
    };
    if distance > 0 {
        for similar in snapshot.similar_names(name, distance)? {
            rows.extend(snapshot.symbols_named(&similar)?);
        }
    }
    if name.chars().count() >= 4 {
        rows.extend(snapshot.symbols_with_prefix(name, MAX_CANDIDATES / 4)?);
    }
    let alike = rows.into_iter().filter(|row| is_like_kind(row.kind, own.definition.kind));
    for row in alike.take(MAX_CANDIDATES) {
        found.insert(Symbol { version: row.version, ordinal: row.ordinal }, FoundBy::default());
    }
    Ok(())
}

/// Adds types with members of the same names, unless half of all types have one.
fn add_by_members(navigator: &Navigator<'_>, own: &Shape, found: &mut Candidates) -> Result<()> {
    for member in own.inside.iter().take(MAX_MEMBERS) {
        let named = navigator.resolver.named(member)?;
        for other in named.iter().filter(|_| named.len() <= MAX_OWNERS) {
            for owner in navigator.resolver.owners_of(*other)? {
                found.entry(owner).or_default();
            }
        }
    }
    Ok(())
}

/// The words of a definition as a query of the text index, those of its name first.
fn search_terms(own: &Shape) -> Vec<(String, f32)> {
    let mut terms: Vec<(String, f32)> = Vec::new();
    let mut add = |word: &str, weight: f32| {
        for term in tokenize::terms(word) {
            if terms.len() < MAX_TERMS && !terms.iter().any(|(known, _)| *known == term) {
                terms.push((term, weight));
            }
        }
    };
    add(&own.definition.name, points::NAME_TERM);
    own.inside.iter().for_each(|name| add(name, points::BODY_TERM));
    own.parameter_names.iter().for_each(|name| add(name, points::PARAMETER_TERM));
    terms
}

/// Adds definitions in pieces of text with the same words.
fn add_by_text(snapshot: &Snapshot, own: &Shape, found: &mut Candidates) -> Result<()> {
    let chunks = snapshot.search_text(&search_terms(own), MAX_CHUNKS)?;
    let top = chunks.first().map_or(1.0, |hit| f64::from(hit.score).max(f64::MIN_POSITIVE));
    for chunk in chunks {
        let outline = snapshot.outline(chunk.version)?;
        let Some(place) = outline.chunks.get(chunk.chunk as usize) else { continue };
        // A type's own piece may have small members in it.
        for (ordinal, definition) in outline.definitions.iter().enumerate() {
            let is_own = place.definition == Some(ordinal as u32);
            let inside = (place.span.start_line..=place.span.end_line).contains(&definition.name_line);
            let is_alike = is_like_kind(definition.kind, own.definition.kind);
            if is_alike && (is_own || inside) && found.len() < MAX_CANDIDATES * 2 {
                let symbol = Symbol { version: chunk.version, ordinal: ordinal as u32 };
                let score = if is_own { f64::from(chunk.score) / top } else { 0.0 };
                let known = found.entry(symbol).or_default();
                known.text = known.text.max(score);
            }
        }
    }
    Ok(())
}

/// Adds definitions whose documents are near those of `symbol` by their vectors.
fn add_by_vector(snapshot: &Snapshot, own: &Shape, symbol: Symbol, found: &mut Candidates) -> Result<()> {
    let outline = snapshot.outline(symbol.version)?;
    // A long definition has several documents.
    let documents = outline.chunks.iter().enumerate().filter(|(_, chunk)| chunk.definition == Some(symbol.ordinal));
    let documents: DocumentSet = documents.map(|(at, _)| (symbol.version, at as u32)).collect();
    for hit in snapshot.nearest_documents(&documents, MAX_CHUNKS)? {
        let outline = snapshot.outline(hit.version)?;
        let ordinal = outline.chunks.get(hit.chunk as usize).and_then(|chunk| chunk.definition);
        let Some(definition) = ordinal.and_then(|ordinal| outline.definitions.get(ordinal as usize)) else { continue };
        if let Some(ordinal) = ordinal.filter(|_| is_like_kind(definition.kind, own.definition.kind)) {
            let known = found.entry(Symbol { version: hit.version, ordinal }).or_default();
            known.cosine = known.cosine.max(f64::from(hit.score));
        }
    }
    Ok(())
}

/// The similarity of two definitions; shares are 0 to 1.
struct Likeness {
    is_identical: bool,
    name: f64,
    spelling: f64,
    same_kind: bool,
    parameter_count: f64,
    parameter_names: f64,
    parameter_types: f64,
    inside: f64,
    text: f64,
    cosine: f64,
    size: f64,
    shared: Vec<String>,
}

impl Likeness {
    fn between(own: &Shape, other: &Shape, found_by: FoundBy) -> Likeness {
        let (a, b) = (&own.definition, &other.definition);
        let counts = (a.parameter_count(), b.parameter_count());
        let both_call = a.kind.is_callable() && b.kind.is_callable();
        let mut shared: Vec<String> =
            own.inside.iter().filter(|name| other.inside.binary_search(name).is_ok()).cloned().collect();
        let inside = jaccard(&own.inside, &other.inside);
        // Bodies of one or two names are alike by chance.
        let weight = (own.inside.len().min(other.inside.len()) as f64 / points::BODY_NAMES).min(1.0);
        shared.truncate(MAX_SHARED);
        Likeness {
            // One line may well be there twice without being a copy.
            is_identical: a.body_hash == b.body_hash && a.span.end_line > a.span.start_line,
            name: jaccard(&own.name_parts, &other.name_parts),
            spelling: spelling(&a.name.to_lowercase(), &b.name.to_lowercase()),
            same_kind: a.kind == b.kind,
            parameter_count: if both_call && counts.0 == counts.1 && counts.0 > 0 { 1.0 } else { 0.0 },
            parameter_names: jaccard(&own.parameter_names, &other.parameter_names),
            parameter_types: jaccard(&own.parameter_types, &other.parameter_types),
            inside: inside * weight,
            text: found_by.text,
            cosine: found_by.cosine,
            size: f64::from(own.lines.min(other.lines)) / f64::from(own.lines.max(other.lines).max(1)),
            shared,
        }
    }

    fn explain(&self) -> Explanation {
        let mut parts = Explanation::default();
        let spelling = (self.spelling - points::MIN_SPELLING) / (1.0 - points::MIN_SPELLING);
        parts.add(Feature::Identical, if self.is_identical { points::IDENTICAL } else { 0.0 });
        parts.add(Feature::NameParts, points::NAME_PARTS * self.name);
        parts.add(Feature::Spelling, points::SPELLING * spelling.max(0.0));
        parts.add(Feature::Body, points::BODY * self.inside);
        parts.add(Feature::Text, points::TEXT * self.text);
        let meaning = (self.cosine - points::MIN_COSINE) / (1.0 - points::MIN_COSINE);
        parts.add(Feature::Meaning, points::MEANING * meaning.max(0.0));
        parts.add(Feature::ParameterCount, points::PARAMETER_COUNT * self.parameter_count);
        parts.add(Feature::ParameterNames, points::PARAMETER_NAMES * self.parameter_names);
        parts.add(Feature::ParameterTypes, points::PARAMETER_TYPES * self.parameter_types);
        // Kind and size alone are no likeness, so they count by what else there is.
        let share = (parts.score() / points::FULL_SCORE).min(1.0);
        parts.add(Feature::Kind, if self.same_kind { points::KIND * share } else { 0.0 });
        parts.add(Feature::Size, points::SIZE * self.size * share);
        parts
    }
}

/// One minus the edits that turn one name into the other, as a share of the longer one.
fn spelling(a: &str, b: &str) -> f64 {
    const MAX_CHARS: usize = 80;
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().take(MAX_CHARS).collect(), b.chars().take(MAX_CHARS).collect());
    let longest = a.len().max(b.len()).max(1);
    1.0 - strsim::generic_levenshtein(&a, &b) as f64 / longest as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_between_names() {
        assert_eq!(spelling("kitten", "kitten"), 1.0);
        assert_eq!(spelling("kitten", "sitting"), 1.0 - 3.0 / 7.0);
        assert_eq!(spelling("", ""), 1.0);
    }
}
