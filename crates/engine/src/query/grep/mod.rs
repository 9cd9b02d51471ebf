//! Exact text search: the lines that a literal or a regular expression matches, as ripgrep finds
//! them, each with the definition around it.
//!
//! Words that every match must have choose the files (`pattern.rs`), and in a large tree so do
//! trigrams (`trigrams.rs`). Those files are read and searched in parallel (`scan.rs`). Words
//! do not choose among files without facts, because of long lines or a parse timeout. Files over
//! the size limit of the index, which are no part of a view, are always read.

mod pattern;
mod scan;
mod trigrams;

use std::collections::BTreeSet;
use std::sync::RwLockReadGuard;

use codecompass_syntax::facts::{Definition, Kind};
use codecompass_syntax::language_of;
use rustc_hash::FxHashSet;

use crate::error::Result;
use crate::model::{ContentId, Role, SkipReason, VersionId};
use crate::query::arguments;
use crate::query::filter::{Filter, PathPattern};
use crate::query::grep::pattern::{Pattern, Required};
use crate::query::grep::scan::{GrepCandidate, KeptFiles};
use crate::query::navigate::reading_rank;
use crate::query::navigate::references::TestUses;
use crate::query::navigate::use_sites::Enclosing;
use crate::scan::{self as listing, Source};
use crate::store::Snapshot;
use crate::store::trigrams::{RequiredTrigrams, TrigramTable};

/// Options of [`grep`].
#[derive(Clone, Debug)]
pub struct GrepOptions {
    /// Takes the pattern as a literal.
    pub fixed_strings: bool,
    /// Matches whole words only, as `rg --word-regexp` does.
    pub word: bool,
    /// The treatment of upper and lower case.
    pub case: CaseMode,
    /// Lets a match extend over several lines.
    pub multi_line: bool,
    /// Lets `.` match a line end.
    pub dot_all: bool,
    /// Restricts files to languages and paths; its kinds do not count.
    pub filter: Filter,
    /// Restricts files to these roles; all if empty.
    pub roles: Vec<Role>,
    /// The treatment of files with tests.
    pub tests: TestUses,
    /// Lines of context before each match.
    pub before: usize,
    /// Lines of context after each match.
    pub after: usize,
    /// Matches to skip.
    pub offset: usize,
    /// The largest number of matches to return; all are counted.
    pub limit: usize,
}

impl Default for GrepOptions {
    fn default() -> GrepOptions {
        GrepOptions {
            fixed_strings: false,
            word: false,
            case: CaseMode::Smart,
            multi_line: false,
            dot_all: false,
            filter: Filter::default(),
            roles: Vec::new(),
            tests: TestUses::Include,
            before: 0,
            after: 0,
            offset: 0,
            limit: usize::MAX,
        }
    }
}

/// The treatment of upper and lower case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CaseMode {
    /// Ignores case unless the pattern has an upper-case letter.
    #[default]
    Smart,
    /// Letters match in their own case.
    Sensitive,
    /// Letters match in both cases.
    Insensitive,
}

/// The matches of a pattern: those in source files first, then examples, tests, and what others
/// wrote; each in the order of paths and lines.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GrepAnswer {
    /// The page that was asked for.
    pub matches: Vec<GrepMatch>,
    /// The number of matches in all files.
    pub total: usize,
    /// Files with matches and the number in each, in the order of the matches.
    pub files: Vec<(String, usize)>,
    /// The number of files that the filters admit.
    pub searched: usize,
    /// Files that the filters admit and that could not be searched to their end.
    pub unsearched: Vec<(String, SkipReason)>,
    /// True if letters matched in both cases.
    pub ignored_case: bool,
}

/// One matching line, or the lines of one match that extends over several.
#[derive(Clone, Debug, PartialEq)]
pub struct GrepMatch {
    /// Relative to the root, with `/`.
    pub path: String,
    /// The first line.
    pub line: u32,
    /// The last line.
    pub line_end: u32,
    /// The column of the first match in the line, counted in bytes from 1.
    pub column: u32,
    /// The text without the last line end; a very long line is cut around the match.
    pub text: String,
    /// True if `text` is only a part of the line.
    pub is_cut: bool,
    /// The innermost definition around the line; `None` outside of definitions, in files without
    /// facts, and in files that changed after they were indexed.
    pub enclosing: Option<Enclosing>,
    /// Context lines before, with their numbers.
    pub before: Vec<(u32, String)>,
    /// Context lines after, with their numbers.
    pub after: Vec<(u32, String)>,
}

/// Returns the files that are too large to be indexed and have the last name of a symbol as a word.
pub fn oversized_files_with(snapshot: &Snapshot, source: &Source, symbol: &str) -> Result<Vec<String>> {
    let name = symbol.trim_end_matches("()").rsplit(['.', ':', '#', '/', '\\']).next().unwrap_or_default();
    let paths: Vec<PathPattern> = snapshot.oversized_paths().map(PathPattern::exact).collect();
    if paths.is_empty() || name.is_empty() {
        return Ok(Vec::new());
    }
    let filter = Filter { paths, ..Filter::default() };
    let case = CaseMode::Sensitive;
    let options = GrepOptions { fixed_strings: true, word: true, case, filter, limit: 0, ..GrepOptions::default() };
    Ok(grep(snapshot, source, name, &options)?.files.into_iter().map(|(path, _)| path).collect())
}

/// Finds the lines of the view that `pattern` matches.
pub fn grep(snapshot: &Snapshot, source: &Source, pattern: &str, options: &GrepOptions) -> Result<GrepAnswer> {
    arguments::check_length(pattern, "pattern")?;
    let compiled = Pattern::of(pattern, options)?;
    let (candidates, searched) = candidates(snapshot, source, &compiled, options)?;
    let found = scan::search(source, KeptFiles::of(snapshot), &compiled, &candidates, options);
    let mut answer = GrepAnswer {
        matches: Vec::new(),
        total: 0,
        files: Vec::new(),
        searched,
        unsearched: found.unsearched,
        ignored_case: compiled.ignores_case,
    };
    let last = options.offset.saturating_add(options.limit);
    for file in found.files {
        let candidate = &candidates[file.candidate];
        let first = answer.total;
        answer.total += file.count;
        answer.files.push((candidate.path.to_string(), file.count));
        let wanted = options.offset.saturating_sub(first)..last.saturating_sub(first).min(file.matches.len());
        if wanted.is_empty() {
            continue;
        }
        let mut matches = file.matches;
        matches.truncate(wanted.end);
        matches.drain(..wanted.start);
        add_enclosing(snapshot, source, candidate, file.content, &mut matches)?;
        answer.matches.extend(matches);
    }
    Ok(answer)
}

/// Returns the rank by which the file at `path` is listed before or behind others.
pub(crate) fn listing_rank(snapshot: &Snapshot, path: &str) -> usize {
    let role = if snapshot.counts_as_generated(path) { Role::Generated } else { listing::role(path) };
    usize::from(reading_rank(role))
}

/// The files that may match, in the order of the answer, and the number that the filters admit.
fn candidates<'view>(
    snapshot: &'view Snapshot,
    source: &Source,
    pattern: &Pattern,
    options: &GrepOptions,
) -> Result<(Vec<GrepCandidate<'view>>, usize)> {
    let filter = CandidateFilter::new(snapshot, pattern)?;
    let is_restricted = options.is_restricted();
    let mut candidates = Vec::new();
    let mut searched = 0;
    for (path, version) in snapshot.files() {
        // Most files of a large tree are ruled out here.
        let may_match = filter.may_match(*version);
        if !may_match && !is_restricted {
            searched += 1;
            continue;
        }
        let role = if snapshot.counts_as_generated(path) { Role::Generated } else { listing::role(path) };
        if !options.accepts(path, role) {
            continue;
        }
        if !options.filter.languages.is_empty() {
            let info = snapshot.file_info(*version)?;
            if !options.filter.accepts_file(path, info.language.as_deref()) {
                continue;
            }
        }
        searched += 1;
        if !may_match {
            continue;
        }
        let content = match source {
            Source::Directory(_) if !snapshot.content_cache().is_keeping() => None,
            _ => ContentId::from_slice(&snapshot.file_info(*version)?.content_id),
        };
        candidates.push(GrepCandidate { path, version: Some(*version), content, rank: reading_rank(role) });
    }
    for file in snapshot.oversized() {
        let role = listing::role(&file.path);
        let language = language_of(&file.path, "").map(|language| language.name);
        if options.accepts(&file.path, role) && options.filter.accepts_file(&file.path, language) {
            searched += 1;
            let (path, content) = (file.path.as_str(), file.content);
            candidates.push(GrepCandidate { path, version: None, content, rank: reading_rank(role) });
        }
    }
    candidates.sort_by_key(|candidate| (candidate.rank, candidate.path));
    Ok((candidates, searched))
}

/// Tells which versions may match.
struct CandidateFilter<'a> {
    /// Those that have the words which the pattern requires; `None` if it requires none.
    with_words: Option<BTreeSet<VersionId>>,
    /// Those whose words are not known.
    without_facts: FxHashSet<VersionId>,
    trigrams: Option<(RwLockReadGuard<'a, TrigramTable>, &'a RequiredTrigrams)>,
}

impl<'a> CandidateFilter<'a> {
    fn new(snapshot: &'a Snapshot, pattern: &'a Pattern) -> Result<CandidateFilter<'a>> {
        let with_words = versions_with(snapshot, pattern)?;
        let mut without_facts = FxHashSet::default();
        if with_words.is_some() {
            let skipped = snapshot.skipped_versions()?;
            without_facts.extend(skipped.iter().filter_map(|(path, _)| snapshot.version_at(path)));
        }
        let trigrams = match &pattern.trigrams {
            Some(required) => Some((snapshot.trigrams()?, required)),
            None => None,
        };
        let trigrams = trigrams.filter(|(table, _)| !table.is_empty());
        Ok(CandidateFilter { with_words, without_facts, trigrams })
    }

    fn may_match(&self, version: VersionId) -> bool {
        let has_words = self.with_words.as_ref().is_none_or(|with| with.contains(&version));
        (has_words || self.without_facts.contains(&version))
            && self.trigrams.as_ref().is_none_or(|(table, required)| table.may_match(version, required))
    }
}

impl GrepOptions {
    /// Returns whether not every file may be searched.
    fn is_restricted(&self) -> bool {
        let Filter { languages, kinds: _, paths, path_regexes, excluded, projects } = &self.filter;
        let any_path = paths.is_empty() && path_regexes.is_empty() && excluded.is_empty() && projects.is_none();
        let any_role = self.roles.is_empty() && self.tests == TestUses::Include;
        !(any_path && any_role && languages.is_empty())
    }

    /// Returns whether a file may be searched, by its path and role.
    fn accepts(&self, path: &str, role: Role) -> bool {
        let is_test = role == Role::Test;
        let fits_tests = match self.tests {
            TestUses::Include => true,
            TestUses::Exclude => !is_test,
            TestUses::Only => is_test,
        };
        let fits_role = self.roles.is_empty() || self.roles.contains(&role);
        fits_tests && fits_role && self.filter.accepts_path(path)
    }
}

/// Versions that have the words that the pattern requires; `None` if every version may match.
fn versions_with(snapshot: &Snapshot, pattern: &Pattern) -> Result<Option<BTreeSet<VersionId>>> {
    let Required::AnyOf(lists) = &pattern.required else { return Ok(None) };
    let mut found = BTreeSet::new();
    for words in lists {
        let mut of_all: Option<BTreeSet<VersionId>> = None;
        for word in words {
            let Some(versions) = snapshot.versions_with_word_in_any_case(word)? else { continue };
            of_all = Some(match of_all {
                None => versions,
                Some(known) => known.intersection(&versions).copied().collect(),
            });
        }
        match of_all {
            Some(versions) => found.extend(versions),
            None => return Ok(None),
        }
    }
    Ok(Some(found))
}

/// Adds the definitions around matches, if the file is still the one that was indexed.
fn add_enclosing(
    snapshot: &Snapshot,
    source: &Source,
    candidate: &GrepCandidate<'_>,
    searched: Option<ContentId>,
    matches: &mut [GrepMatch],
) -> Result<()> {
    let Some(version) = candidate.version else { return Ok(()) };
    let outline = snapshot.outline(version)?;
    if outline.definitions.is_empty() {
        return Ok(());
    }
    if let Source::Directory(root) = source {
        let indexed = &snapshot.file_info(version)?.content_id;
        let searched = searched.or_else(|| scan::content_of(root, candidate.path));
        if searched.is_none_or(|content| content.0 != indexed.as_slice()) {
            return Ok(());
        }
    }
    for found in matches {
        found.enclosing = innermost(&outline.definitions, found.line)
            .map(|definition| Enclosing::new(definition, &outline.definitions));
    }
    Ok(())
}

/// The innermost definition around a line. Of a function and a variable or field that it sets, it
/// is the function.
fn innermost(definitions: &[Definition], line: u32) -> Option<&Definition> {
    let around = || {
        definitions.iter().filter(|definition| {
            (definition.span.start_line..=definition.span.end_line).contains(&line) && definition.kind != Kind::Impl
        })
    };
    let length = |definition: &&Definition| definition.span.end_line - definition.span.start_line;
    let nearest = around().min_by_key(length)?;
    let function = around().filter(|definition| definition.kind.is_callable()).min_by_key(length);
    function.filter(|_| nearest.kind.is_value()).or(Some(nearest))
}
