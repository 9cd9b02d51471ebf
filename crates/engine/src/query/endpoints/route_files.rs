//! The files of a view that may declare routes, with their route facts.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use codecompass_syntax::Language;
use codecompass_syntax::routes::{Framework, RouteFacts, frameworks, route_facts};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::config::IndexConfig;
use crate::error::Result;
use crate::model::{ContentId, Role, VersionId};
use crate::parallel;
use crate::resolve::language_of;
use crate::scan::{ReadOutcome, Source};
use crate::store::Snapshot;
use crate::store::read::view_caches::VersionRoutes;

/// The time that one file may take.
const LIMIT: Duration = Duration::from_secs(5);

/// Files with route facts, in the order of versions.
#[derive(Default)]
pub(super) struct RouteFiles {
    by_version: BTreeMap<VersionId, Arc<VersionRoutes>>,
    /// The number of files that import each framework.
    imported: FxHashMap<&'static str, usize>,
}

impl RouteFiles {
    /// Returns the number of files that import a framework.
    pub(super) fn importing(&self, framework: &Framework) -> usize {
        self.imported.get(framework.name).copied().unwrap_or(0)
    }

    /// Returns the facts of a framework by file.
    pub(super) fn facts<'a>(&'a self, framework: &'a Framework) -> impl Iterator<Item = (VersionId, &'a RouteFacts)> {
        self.by_version.iter().flat_map(move |(version, routes)| {
            let of_framework = routes.facts.iter().filter(|(one, _)| one.name == framework.name);
            of_framework.map(|(_, facts)| (*version, facts))
        })
    }
}

/// A file that is to be read.
struct RouteCandidate<'view> {
    path: &'view str,
    version: VersionId,
    language: &'static Language,
    content: Option<ContentId>,
    kept: Option<Arc<str>>,
}

/// Returns the number of files that have a word of an import of some framework: those that a list
/// of endpoints reads first.
pub(super) fn count_candidates(snapshot: &Snapshot) -> Result<usize> {
    Ok(with_words(snapshot, true, &|framework| &framework.settings().detect)?.len())
}

/// Reads the facts of all files, or of all that are no tests, that may declare routes.
pub(super) fn read(snapshot: &Snapshot, source: &Source, config: &IndexConfig, has_tests: bool) -> Result<RouteFiles> {
    let importing = with_words(snapshot, has_tests, &|framework| &framework.settings().detect)?;
    let mut files = RouteFiles::default();
    add(snapshot, source, config, importing, &mut files, false)?;
    for routes in files.by_version.values() {
        for (framework, facts) in routes.facts.iter().filter(|(_, facts)| facts.imports_framework) {
            *files.imported.entry(framework.name).or_default() += usize::from(facts.imports_framework);
        }
    }
    // Files that are given a router by others need not import the framework.
    let imported = files.imported.clone();
    let hinted = with_words(snapshot, has_tests, &|framework| {
        if imported.contains_key(framework.name) { &framework.settings().hints } else { &[] }
    })?;
    add(snapshot, source, config, hinted, &mut files, false)?;
    let is_known = |framework: &Framework| imported.contains_key(framework.name);
    for routes in files.by_version.values_mut() {
        if routes.facts.iter().any(|(framework, _)| !is_known(framework)) {
            let facts = routes.facts.iter().filter(|(framework, _)| is_known(framework)).cloned().collect();
            *routes = Arc::new(VersionRoutes { facts, constants: routes.constants.clone() });
        }
    }
    Ok(files)
}

/// Returns what one file says about routes, whether it declares some or not.
pub(super) fn read_one(
    snapshot: &Snapshot,
    source: &Source,
    config: &IndexConfig,
    version: VersionId,
) -> Result<Arc<VersionRoutes>> {
    if let Some(known) = snapshot.routes(version) {
        return Ok(known);
    }
    let mut files = RouteFiles::default();
    add(snapshot, source, config, FxHashSet::from_iter([version]), &mut files, true)?;
    Ok(files.by_version.remove(&version).unwrap_or_default())
}

/// Candidates of one text beyond this many are looked for by its other words, too.
const FEW_CANDIDATES: usize = 200;

/// Returns the files of each framework's languages that have the longest word of one of its texts,
/// and where these are many, its other words.
fn with_words(
    snapshot: &Snapshot,
    has_tests: bool,
    texts: &dyn Fn(&'static Framework) -> &'static [String],
) -> Result<FxHashSet<VersionId>> {
    let mut found = FxHashSet::default();
    let mut by_word: FxHashMap<String, Arc<FxHashSet<VersionId>>> = FxHashMap::default();
    for framework in frameworks() {
        let languages = &framework.settings().languages;
        for text in texts(framework) {
            let mut candidates: Option<Vec<VersionId>> = None;
            for word in words(text) {
                if candidates.as_ref().is_some_and(|known| known.len() <= FEW_CANDIDATES) {
                    break;
                }
                let with_word = files_with(snapshot, word, &mut by_word)?;
                candidates = Some(match candidates {
                    Some(known) => known.into_iter().filter(|version| with_word.contains(version)).collect(),
                    None => {
                        let mut wanted = Vec::new();
                        for version in with_word.iter() {
                            let is_wanted = has_tests || snapshot.file_info(*version)?.role != Role::Test;
                            let language = language_of(snapshot, *version)?.filter(|_| is_wanted);
                            let is_used = |name: &String| language.is_some_and(|language| language.name == name);
                            wanted.extend(languages.iter().any(is_used).then_some(*version));
                        }
                        wanted
                    }
                });
            }
            found.extend(candidates.into_iter().flatten());
        }
    }
    Ok(found)
}

fn files_with(
    snapshot: &Snapshot,
    word: &str,
    by_word: &mut FxHashMap<String, Arc<FxHashSet<VersionId>>>,
) -> Result<Arc<FxHashSet<VersionId>>> {
    if let Some(known) = by_word.get(word) {
        return Ok(Arc::clone(known));
    }
    let versions: FxHashSet<VersionId> = match snapshot.versions_with_word(word)? {
        Some(versions) => versions.into_iter().collect(),
        None => snapshot.files().iter().map(|(_, version)| *version).collect(),
    };
    let versions = Arc::new(versions);
    by_word.insert(word.to_string(), Arc::clone(&versions));
    Ok(versions)
}

/// Returns the words of a text that stand whole in a file that has it, longest first. A last word
/// in capitals may go on there (`WebApplication.Create`), unless it is the only one.
fn words(text: &str) -> Vec<&str> {
    let is_inner = |c: char| c.is_alphanumeric() || c == '_';
    let mut words: Vec<&str> = text.split(|c: char| !is_inner(c)).filter(|word| !word.is_empty()).collect();
    let goes_on = |last: &&str| text.ends_with(*last) && last.starts_with(char::is_uppercase);
    if words.len() > 1 && words.last().is_some_and(goes_on) {
        words.pop();
    }
    words.sort_by_key(|word| std::cmp::Reverse(word.len()));
    words.dedup();
    words
}

/// Adds the facts of files; those that were never read are read in parallel. Unless the constants
/// of a file are wanted, one without a text of any framework is not parsed.
fn add(
    snapshot: &Snapshot,
    source: &Source,
    config: &IndexConfig,
    versions: FxHashSet<VersionId>,
    files: &mut RouteFiles,
    wants_constants: bool,
) -> Result<()> {
    let mut candidates = Vec::new();
    for version in versions {
        if files.by_version.contains_key(&version) {
            continue;
        }
        if let Some(known) = snapshot.routes(version) {
            files.by_version.insert(version, known);
            continue;
        }
        let (Some(path), Some(language)) = (snapshot.path_of(version), language_of(snapshot, version)?) else {
            continue;
        };
        let content = ContentId::from_slice(&snapshot.file_info(version)?.content_id);
        let kept = snapshot.content_cache().text(version);
        candidates.push(RouteCandidate { path, version, language, content, kept });
    }
    candidates.sort_by_key(|candidate| candidate.version);
    let read = parallel::map(
        &candidates,
        || source.reader(),
        |reader, candidate| match &candidate.kept {
            Some(text) => routes_of(text, candidate.language, wants_constants),
            None => match reader.read(candidate.path, candidate.content, config) {
                ReadOutcome::Text(read) if Some(read.content_id) == candidate.content => {
                    routes_of(&read.text, candidate.language, wants_constants)
                }
                _ => Some(VersionRoutes::default()),
            },
        },
    );
    for (candidate, routes) in candidates.iter().zip(read) {
        let Some(routes) = routes.map(Arc::new) else { continue };
        snapshot.keep_routes(candidate.version, Arc::clone(&routes));
        files.by_version.insert(candidate.version, routes);
    }
    Ok(())
}

/// Returns the facts of a text; `None` if nothing in it is wanted.
fn routes_of(text: &str, language: &'static Language, wants_constants: bool) -> Option<VersionRoutes> {
    let is_of_language =
        |framework: &&'static Framework| framework.settings().languages.iter().any(|name| name == language.name);
    let all: Vec<&'static Framework> =
        frameworks().iter().filter(is_of_language).filter(|framework| framework.may_be_in(text)).collect();
    if all.is_empty() && !wants_constants {
        return None;
    }
    let read = route_facts(text, language, &all, LIMIT);
    Some(VersionRoutes { facts: all.into_iter().zip(read.facts).collect(), constants: read.constants })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_texts() {
        assert_eq!(words("from django.urls"), ["django", "from", "urls"]);
        assert_eq!(words("WebApplication.Create"), ["WebApplication"]);
        assert_eq!(words("ControllerBase"), ["ControllerBase"]);
        assert_eq!(words(".get("), ["get"]);
    }
}
