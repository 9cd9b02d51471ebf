//! Definitions that have no namesake in their own file on the other side: the same one under
//! another name, in another container or in another file.
//!
//! From the surest evidence to the weakest, each definition in one pair only: equal text, text that
//! is equal but for the own name, membership in a container that has another name now, similar
//! text, the same users. Types go first, since their members follow them.

use std::collections::HashMap;

use codecompass_syntax::facts::Kind;
use rustc_hash::{FxHashMap, FxHashSet};

use super::files::FilePair;
use super::tokens::{self, Tokens};
use super::users::Users;
use super::{Change, ChangeKind, Leftovers, PairingEvidence, SideTexts, VersionedDefinition};
use crate::error::Result;
use crate::query::similarity::{is_like_kind, jaccard};
use crate::tokenize;

/// The least similarity of definitions with different names, or in different containers.
const MIN_SIMILARITY: f64 = 0.8;
/// The least similarity of definitions with the same qualified name in different files, and of the
/// users or the names of those with the same text.
const MIN_NAMESAKE_SIMILARITY: f64 = 0.5;
/// Shorter texts are equal by chance.
const MIN_TOKENS: usize = 12;
/// Shorter texts are similar by chance.
const MIN_SIMILAR_TOKENS: usize = 20;
/// Shorter texts with different names in different places are similar by chance.
const MIN_FAR_TOKENS: usize = 40;
/// Rows of tokens that more definitions have lead to none of them.
const MAX_POSTINGS: usize = 40;
/// The least share of the rows of tokens in common that makes a comparison worth while.
const MIN_SHINGLE_SHARE: f64 = 0.25;
/// The fewest members that must be in both of two types.
const MIN_MEMBERS: usize = 2;
/// The fewest definitions that must have turned from one name to the other.
const MIN_USERS: usize = 2;
/// The least similarity of functions that only have their users and callees in common.
const MIN_USED_SIMILARITY: f64 = 0.3;

/// Pairs what can be paired and returns all changes.
pub(super) fn pair_leftovers(left: Leftovers, texts: &mut SideTexts<'_>, files: &[FilePair]) -> Result<Vec<Change>> {
    let mut pairing = Pairing {
        old: left.deleted.into_iter().map(|found| UnpairedDefinition::new(found, false, texts)).collect(),
        new: left.added.into_iter().map(|found| UnpairedDefinition::new(found, true, texts)).collect(),
        changes: Vec::new(),
    };
    let users = Users::of_names(
        texts,
        files,
        pairing.old.iter().map(|one| one.name()),
        pairing.new.iter().map(|one| one.name()),
    )?;
    let is_container = |kind: Kind| kind.is_type() || kind == Kind::Module;
    for only in [Some(is_container), None] {
        let takes = |kind: Kind| only.is_none_or(|is_taken| is_taken(kind));
        pairing.pair_equal(takes);
        pairing.pair_similar(takes);
        pairing.pair_used(takes, &users);
        pairing.pair_short(takes);
        if only.is_some() {
            pairing.pair_members();
        }
    }
    pairing.pair_containers();
    Ok(pairing.finish())
}

/// A definition that has no partner so far.
struct UnpairedDefinition {
    found: VersionedDefinition,
    tokens: Tokens,
    is_taken: bool,
}

impl UnpairedDefinition {
    fn new(found: VersionedDefinition, is_after: bool, texts: &mut SideTexts<'_>) -> UnpairedDefinition {
        let span = &found.definition.span;
        let text = texts.text(is_after, found.version);
        let text = text.as_deref().and_then(|text| text.get(span.start_byte as usize..span.end_byte as usize));
        let tokens = Tokens::new(text.unwrap_or_default(), &found.definition.name, container_name(&found));
        UnpairedDefinition { found, tokens, is_taken: false }
    }

    fn name(&self) -> &str {
        &self.found.definition.name
    }

    fn kind(&self) -> Kind {
        self.found.definition.kind
    }

    fn container_name(&self) -> &str {
        container_name(&self.found)
    }

    /// The file and the container.
    fn place_of_name(&self) -> (usize, &str) {
        let container = split_container(&self.found.definition.qualified_name);
        (self.found.file, container.map_or("", |(container, _)| container))
    }

    /// The order of definitions that are equally good partners.
    fn place(&self) -> (&str, u32) {
        (&self.found.path, self.found.ordinal)
    }
}

struct Pairing {
    old: Vec<UnpairedDefinition>,
    new: Vec<UnpairedDefinition>,
    changes: Vec<Change>,
}

/// Two definitions that may be one, by their numbers in the lists.
struct PossiblePair {
    score: f64,
    old: usize,
    new: usize,
    evidence: PairingEvidence,
}

impl Pairing {
    /// Pairs definitions with equal texts, then those whose texts are equal but for the own name.
    fn pair_equal(&mut self, takes: impl Fn(Kind) -> bool) {
        type Key = fn(&UnpairedDefinition, &mut Vec<(u64, u64)>);
        let same: Key = |one, keys| {
            let definition = &one.found.definition;
            let is_short = one.tokens.len() < MIN_TOKENS;
            let name = if is_short { &definition.qualified_name } else { &definition.name };
            keys.push((definition.body_hash, tokens::hash(name.as_bytes())));
        };
        let renamed: Key = |one, keys| {
            if one.tokens.len() >= MIN_TOKENS {
                keys.extend([(one.tokens.texts[0], 0), (one.tokens.texts[1], 1)]);
            }
        };
        for key in [same, renamed] {
            let mut by_key: FxHashMap<(u64, u64), Vec<usize>> = FxHashMap::default();
            let mut keys = Vec::new();
            let is_open = |one: &UnpairedDefinition| !one.is_taken && takes(one.kind());
            for (at, one) in self.new.iter().enumerate().filter(|(_, one)| is_open(one)) {
                keys.clear();
                key(one, &mut keys);
                keys.iter().for_each(|key| by_key.entry(*key).or_default().push(at));
            }
            let mut possible = Vec::new();
            for (old, one) in self.old.iter().enumerate().filter(|(_, one)| is_open(one)) {
                keys.clear();
                key(one, &mut keys);
                let partners: FxHashSet<usize> =
                    keys.iter().filter_map(|key| by_key.get(key)).flatten().copied().collect();
                let partners = partners.into_iter().filter(|new| is_like_kind(one.kind(), self.new[*new].kind()));
                let evidence = PairingEvidence::Identical;
                possible.extend(partners.map(|new| PossiblePair { score: 1.0, old, new, evidence }));
            }
            self.take(possible);
        }
    }

    /// Pairs definitions of few tokens with equal texts and similar names, if only one is gone from
    /// their container and only one came.
    fn pair_short(&mut self, takes: impl Fn(Kind) -> bool) {
        let key = |one: &UnpairedDefinition| {
            let (file, container) = one.place_of_name();
            (one.tokens.texts[1], file, container.to_string())
        };
        let is_open = |one: &&UnpairedDefinition| !one.is_taken && takes(one.kind()) && one.tokens.len() < MIN_TOKENS;
        let by_key = |side: &[UnpairedDefinition]| {
            let mut by_key: HashMap<(u64, usize, String), Vec<usize>> = HashMap::new();
            for (at, one) in side.iter().enumerate().filter(|(_, one)| is_open(one)) {
                by_key.entry(key(one)).or_default().push(at);
            }
            by_key
        };
        let (old, new) = (by_key(&self.old), by_key(&self.new));
        let mut possible = Vec::new();
        for (key, gone) in old {
            let (Some(came), [old]) = (new.get(&key), gone.as_slice()) else { continue };
            let [new] = came.as_slice() else { continue };
            let (one, other) = (&self.old[*old], &self.new[*new]);
            let parts = |name: &str| {
                let mut parts = tokenize::parts(name);
                parts.sort_unstable();
                parts
            };
            let score = jaccard(&parts(one.name()), &parts(other.name()));
            if score >= MIN_NAMESAKE_SIMILARITY && is_like_kind(one.kind(), other.kind()) {
                let evidence = PairingEvidence::Identical;
                possible.push(PossiblePair { score, old: *old, new: *new, evidence });
            }
        }
        self.take(possible);
    }

    /// Pairs definitions whose texts are similar.
    fn pair_similar(&mut self, takes: impl Fn(Kind) -> bool) {
        let is_open = |one: &UnpairedDefinition| !one.is_taken && takes(one.kind());
        let mut by_shingle: FxHashMap<u64, Vec<usize>> = FxHashMap::default();
        let mut by_name: HashMap<&str, Vec<usize>> = HashMap::new();
        for (at, one) in self.new.iter().enumerate().filter(|(_, one)| is_open(one)) {
            by_name.entry(&one.found.definition.qualified_name).or_default().push(at);
            one.tokens.shingles.iter().for_each(|shingle| by_shingle.entry(*shingle).or_default().push(at));
        }
        let mut possible = Vec::new();
        for (old, one) in self.old.iter().enumerate().filter(|(_, one)| is_open(one)) {
            let mut shared: FxHashMap<usize, usize> = FxHashMap::default();
            let postings = one.tokens.shingles.iter().filter_map(|shingle| by_shingle.get(shingle));
            for at in postings.filter(|list| list.len() <= MAX_POSTINGS).flatten() {
                *shared.entry(*at).or_default() += 1;
            }
            let needed = one.tokens.shingles.len() as f64 * MIN_SHINGLE_SHARE;
            shared.retain(|_, count| *count as f64 >= needed);
            let namesakes = by_name.get(one.found.definition.qualified_name.as_str());
            let partners: FxHashSet<usize> =
                shared.into_keys().chain(namesakes.into_iter().flatten().copied()).collect();
            for new in partners {
                let other = &self.new[new];
                let is_namesake = one.found.definition.qualified_name == other.found.definition.qualified_name;
                let least = if is_namesake { MIN_NAMESAKE_SIMILARITY } else { MIN_SIMILARITY };
                let is_far = one.name() != other.name() && one.place_of_name() != other.place_of_name();
                let needed = if is_far { MIN_FAR_TOKENS } else { MIN_SIMILAR_TOKENS };
                let is_long = is_namesake || one.tokens.len().min(other.tokens.len()) >= needed;
                let score = one.tokens.similarity(&other.tokens);
                if is_long && score >= least && is_like_kind(one.kind(), other.kind()) {
                    possible.push(PossiblePair { score, old, new, evidence: PairingEvidence::SimilarText(score) });
                }
            }
        }
        self.take(possible);
    }

    /// Pairs definitions of which the one is used where the other was, and that use the same names.
    fn pair_used(&mut self, takes: impl Fn(Kind) -> bool, users: &Users) {
        let is_open = |one: &&UnpairedDefinition| !one.is_taken && takes(one.kind());
        let count = |side: &[UnpairedDefinition]| {
            let mut count: HashMap<String, usize> = HashMap::new();
            side.iter().for_each(|one| *count.entry(one.name().to_string()).or_default() += 1);
            count
        };
        let (old_names, new_names) = (count(&self.old), count(&self.new));
        let mut by_user: FxHashMap<u64, Vec<usize>> = FxHashMap::default();
        for (at, one) in self.new.iter().enumerate().filter(|(_, one)| is_open(one)) {
            users.gained(one.name()).iter().for_each(|user| by_user.entry(*user).or_default().push(at));
        }
        let mut possible = Vec::new();
        for (old, one) in self.old.iter().enumerate().filter(|(_, one)| is_open(one)) {
            let lost = users.lost(one.name());
            let partners: FxHashSet<usize> =
                lost.iter().filter_map(|user| by_user.get(user)).flatten().copied().collect();
            for new in partners {
                let other = &self.new[new];
                let text = one.tokens.similarity(&other.tokens);
                let is_equal =
                    one.tokens.texts[1] == other.tokens.texts[1] || one.tokens.texts[0] == other.tokens.texts[0];
                let (least, least_share) =
                    if is_equal { (1, MIN_NAMESAKE_SIMILARITY) } else { (MIN_USERS, MIN_SIMILARITY) };
                let (by, calls) = users.similarity(&one.found, &other.found);
                let score = if is_equal || calls.is_none() { by } else { (by + calls.unwrap_or(0.0)) / 2.0 };
                let is_like = is_equal || text >= MIN_USED_SIMILARITY;
                let enough = lost.len().min(users.gained(other.name()).len()) >= least;
                // Where only some of several namesakes were renamed, it is not known which.
                let as_many = old_names.get(one.name()) == new_names.get(other.name());
                if enough && as_many && is_like && score >= least_share && is_like_kind(one.kind(), other.kind()) {
                    possible.push(PossiblePair { score, old, new, evidence: PairingEvidence::SameUsers(score) });
                }
            }
        }
        self.take(possible);
    }

    /// Pairs the members of types that have another name now.
    fn pair_members(&mut self) {
        let mut renamed: HashMap<String, String> = HashMap::new();
        for change in &self.changes {
            if let (Some(old), Some(new)) = (&change.before, &change.after) {
                let (old, new) = (&old.definition, &new.definition);
                renamed.insert(old.qualified_name.clone(), new.qualified_name.clone());
            }
        }
        let mut by_name: HashMap<&str, Vec<usize>> = HashMap::new();
        for (at, one) in self.new.iter().enumerate().filter(|(_, one)| !one.is_taken) {
            by_name.entry(&one.found.definition.qualified_name).or_default().push(at);
        }
        let mut possible = Vec::new();
        for (old, one) in self.old.iter().enumerate().filter(|(_, one)| !one.is_taken) {
            let Some((container, end)) = split_container(&one.found.definition.qualified_name) else { continue };
            let Some(container) = renamed.get(container) else { continue };
            let named = by_name.get(format!("{container}{end}").as_str());
            for new in named.into_iter().flatten().copied() {
                let other = &self.new[new];
                let same = one.tokens.texts[0] == other.tokens.texts[0];
                let score = if same { 1.0 } else { one.tokens.similarity(&other.tokens) };
                if is_like_kind(one.kind(), other.kind()) {
                    possible.push(PossiblePair { score, old, new, evidence: PairingEvidence::SameContainer });
                }
            }
        }
        self.take(possible);
    }

    /// Pairs types without a partner to which most of the members went that the other one had.
    fn pair_containers(&mut self) {
        let container = |found: &VersionedDefinition| {
            split_container(&found.definition.qualified_name).map(|(container, _)| container.to_string())
        };
        let count = |side: &[UnpairedDefinition]| {
            let mut members: HashMap<String, usize> = HashMap::new();
            let containers = side.iter().filter_map(|one| container(&one.found));
            containers.for_each(|container| *members.entry(container).or_default() += 1);
            members
        };
        let (old_members, new_members) = (count(&self.old), count(&self.new));
        let mut moved: HashMap<(String, String), usize> = HashMap::new();
        for change in self.changes.iter().filter(|change| change.kind == ChangeKind::Moved) {
            let (Some(before), Some(after)) = (&change.before, &change.after) else { continue };
            if let (Some(old), Some(new)) = (container(before), container(after)) {
                *moved.entry((old, new)).or_default() += 1;
            }
        }
        let mut possible = Vec::new();
        let open = |side: &[UnpairedDefinition]| -> HashMap<String, usize> {
            let types = side.iter().enumerate().filter(|(_, one)| !one.is_taken && one.kind().is_type());
            types.map(|(at, one)| (one.found.definition.qualified_name.clone(), at)).collect()
        };
        let (old_types, new_types) = (open(&self.old), open(&self.new));
        for ((from, to), count) in &moved {
            let (Some(&old), Some(&new)) = (old_types.get(from), new_types.get(to)) else { continue };
            let all = old_members.get(from).unwrap_or(&0) + new_members.get(to).unwrap_or(&0);
            let score = *count as f64 / all.saturating_sub(*count).max(1) as f64;
            if *count >= MIN_MEMBERS && score >= MIN_SIMILARITY {
                possible.push(PossiblePair { score, old, new, evidence: PairingEvidence::SameMembers(score) });
            }
        }
        let known = self.changes.len();
        self.take(possible);
        let named = |change: &Change| Some((change.before.as_ref()?.name(), change.after.as_ref()?.name()));
        let pairs: FxHashSet<_> = self.changes[known..].iter().filter_map(named).collect();
        for change in self.changes[..known].iter_mut() {
            let containers = change.before.as_ref().and_then(container).zip(change.after.as_ref().and_then(container));
            if containers.is_some_and(|containers| pairs.contains(&containers)) {
                change.is_implied = change.evidence == Some(PairingEvidence::Identical);
                change.kind = ChangeKind::Renamed;
            }
        }
    }

    /// Accepts the best of the possible pairs, each definition once.
    fn take(&mut self, mut possible: Vec<PossiblePair>) {
        possible.sort_by(|a, b| {
            let order = |pair: &PossiblePair| {
                let (old, new) = (&self.old[pair.old], &self.new[pair.new]);
                let is_elsewhere = old.found.file != new.found.file;
                let is_named_else = old.found.definition.qualified_name != new.found.definition.qualified_name;
                (is_elsewhere, is_named_else, old.kind() != new.kind(), old.name() != new.name())
            };
            let place = |pair: &PossiblePair| (self.old[pair.old].place(), self.new[pair.new].place());
            b.score.total_cmp(&a.score).then_with(|| order(a).cmp(&order(b))).then_with(|| place(a).cmp(&place(b)))
        });
        for PossiblePair { score, old, new, evidence } in possible {
            let (one, other) = (&mut self.old[old], &mut self.new[new]);
            if one.is_taken || other.is_taken {
                continue;
            }
            (one.is_taken, other.is_taken) = (true, true);
            let is_member = evidence == PairingEvidence::SameContainer;
            let has_name =
                if is_member { one.container_name() == other.container_name() } else { one.name() == other.name() };
            let kind = if is_member && score < 1.0 {
                ChangeKind::Modified
            } else if has_name {
                ChangeKind::Moved
            } else {
                ChangeKind::Renamed
            };
            self.changes.push(Change {
                kind,
                before: Some(one.found.clone()),
                after: Some(other.found.clone()),
                evidence: Some(evidence),
                is_implied: is_member && kind != ChangeKind::Modified,
            });
        }
    }

    fn finish(self) -> Vec<Change> {
        let Pairing { old, new, mut changes } = self;
        let one_sided = |kind, before, after| Change { kind, before, after, evidence: None, is_implied: false };
        let gone = old.into_iter().filter(|one| !one.is_taken);
        changes.extend(gone.map(|one| one_sided(ChangeKind::Deleted, Some(one.found), None)));
        let come = new.into_iter().filter(|one| !one.is_taken);
        changes.extend(come.map(|one| one_sided(ChangeKind::Added, None, Some(one.found))));
        changes
    }
}

/// The last part of the name of a definition's container.
fn container_name(found: &VersionedDefinition) -> &str {
    let container = split_container(&found.definition.qualified_name).map_or("", |(container, _)| container);
    split_container(container).map_or(container, |(_, end)| end).trim_start_matches(is_separator)
}

/// Splits a qualified name into its container and the rest, which begins with the separator.
fn split_container(qualified_name: &str) -> Option<(&str, &str)> {
    let name = qualified_name.rfind(is_separator)? + 1;
    let container = qualified_name[..name].trim_end_matches(is_separator);
    Some((container, &qualified_name[container.len()..])).filter(|(container, _)| !container.is_empty())
}

fn is_separator(c: char) -> bool {
    matches!(c, ':' | '.' | '#' | '\\' | '/')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn containers_of_names() {
        assert_eq!(split_container("a::B::c"), Some(("a::B", "::c")));
        assert_eq!(split_container("B.c"), Some(("B", ".c")));
        assert_eq!(split_container("c"), None);
        assert_eq!(split_container(".c"), None);
    }
}
