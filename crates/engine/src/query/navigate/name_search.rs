//! Searches the texts of files for a name.

use std::rc::Rc;

use codecompass_syntax::language_of as language_of_text;
use memchr::memmem;
use rustc_hash::FxHashSet;

use crate::config::IndexConfig;
use crate::error::Result;
use crate::model::{ContentId, VersionId};
use crate::parallel;
use crate::query::large_files;
use crate::query::navigate::Navigator;
use crate::resolve::{FileOutline, Symbol, language_of};
use crate::scan::{ReadOutcome, Source};
use crate::store::Snapshot;
use crate::store::trigrams::{RequiredTrigrams, Trigram, fold};

/// Larger files are not counted.
const MAX_COUNTED_BYTES: u64 = 64 << 20;

/// A place of a name in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Occurrence {
    pub(super) byte: u32,
    pub(super) line: u32,
    pub(super) column: u32,
    /// It stands where the name of a parameter does in a call (`f(name=1)`).
    pub(super) is_keyword: bool,
    /// The byte before it; a line end at the start of the text.
    pub(super) before: u8,
}

/// A file that may have the name.
pub(super) struct NamedFile<'view> {
    pub(super) path: &'view str,
    /// `None` for a file that is too large to be indexed.
    pub(super) version: Option<VersionId>,
    content: Option<ContentId>,
    pub(super) has_facts: bool,
}

/// The places of a name in one file; `None` if it cannot be read.
pub(super) struct NamePlaces {
    pub(super) occurrences: Option<Vec<Occurrence>>,
    /// True if the text is the one that was indexed.
    pub(super) is_indexed: bool,
    /// True for a file that is too large to be indexed, and whose filter rules the name out.
    is_ruled_out: bool,
}

impl NamePlaces {
    fn new(occurrences: Option<Vec<Occurrence>>, is_indexed: bool) -> NamePlaces {
        NamePlaces { occurrences, is_indexed, is_ruled_out: false }
    }
}

/// A name to search for.
#[derive(Clone, Copy)]
pub(super) struct SearchedName<'a> {
    pub(super) name: &'a str,
    /// The family of languages.
    pub(super) group: &'static str,
    /// The mark behind names of parameters in calls; empty if there is none.
    pub(super) keyword_mark: &'static str,
}

impl<'a> SearchedName<'a> {
    /// Returns the name of a definition of a file.
    pub(super) fn of(home: &FileOutline, name: &'a str) -> SearchedName<'a> {
        SearchedName { name, group: home.language.group(), keyword_mark: &home.rules().keyword_mark }
    }
}

/// The places of one name in all files of a family of languages.
pub(crate) struct NameSearch<'view> {
    name: String,
    group: &'static str,
    keyword_mark: &'static str,
    /// In the order of paths.
    pub(super) files: Vec<NamedFile<'view>>,
    /// Of each file.
    pub(super) found: Vec<NamePlaces>,
    /// Files whose indexed text does not have the name.
    without: FxHashSet<VersionId>,
}

impl NameSearch<'_> {
    /// Returns whether all files had the texts that were indexed, or are too large for that and
    /// lack the name.
    pub(super) fn is_indexed(&self) -> bool {
        self.found.iter().all(|found| found.is_indexed || found.is_ruled_out)
    }
}

impl<'view> Navigator<'view> {
    /// Searches the texts for the name of a symbol ahead of its uses: files that only have words
    /// like it need not be decoded. Does nothing where no texts are at hand or the uses are known.
    pub(crate) fn search_texts(&self, symbol: Symbol) -> Result<()> {
        let Some((source, config)) = &self.texts else { return Ok(()) };
        if self.memo.uses.borrow().contains_key(&symbol) {
            return Ok(());
        }
        let Some((home, definition)) = self.resolver.definition(symbol)? else { return Ok(()) };
        if !definition.name.is_empty() {
            self.searched(source, config, SearchedName::of(&home, &definition.name))?;
        }
        Ok(())
    }

    /// Returns the files of a family of languages that may use a name, in the order of paths. If
    /// the texts were searched for it, they are those that have it, and their facts are in memory.
    pub(super) fn files_naming(&self, name: &str, group: &str) -> Result<Vec<VersionId>> {
        let searched = self.searched_name.borrow();
        let searched = searched.as_ref().filter(|searched| searched.name == name && searched.group == group);
        let mut files = Vec::new();
        for version in self.files_with(name)? {
            let language = language_of(self.snapshot(), version)?;
            let is_ruled_out = || searched.is_some_and(|searched| searched.without.contains(&version));
            if language.is_some_and(|language| language.group() == group) && !is_ruled_out() {
                files.push(version);
            }
        }
        if searched.is_some() {
            self.snapshot().decode_ahead(&files)?;
        }
        Ok(files)
    }

    /// Returns the places of a name, from the last search if it was for the same.
    pub(super) fn searched(
        &self,
        source: &Source,
        config: &IndexConfig,
        word: SearchedName<'_>,
    ) -> Result<Rc<NameSearch<'view>>> {
        let SearchedName { name, group, keyword_mark } = word;
        let is_same =
            |last: &&Rc<NameSearch<'_>>| (&*last.name, last.group, last.keyword_mark) == (name, group, keyword_mark);
        if let Some(last) = self.searched_name.borrow().as_ref().filter(is_same) {
            return Ok(Rc::clone(last));
        }
        let files = self.files_that_name(name, group)?;
        let found = search(source, self.snapshot(), config, word, &files);
        // Facts may have names with marks in another form than the text.
        let is_plain = name.chars().all(is_regex_word);
        let is_without = |found: &NamePlaces| found.is_indexed && found.occurrences.as_ref().is_some_and(Vec::is_empty);
        let without = files.iter().zip(&found).filter(|(_, found)| is_plain && is_without(found));
        let without = without.filter_map(|(file, _)| file.version).collect();
        let searched = Rc::new(NameSearch { name: name.to_string(), group, keyword_mark, files, found, without });
        self.searched_name.replace(Some(Rc::clone(&searched)));
        Ok(searched)
    }

    /// Returns whether no file that is too large to be indexed has a name, as far as filters tell.
    pub(super) fn large_files_lack(&self, source: &Source, word: SearchedName<'_>) -> bool {
        let snapshot = self.snapshot();
        let of_group = |path: &str| language_of_text(path, "").is_some_and(|language| language.group() == word.group);
        let required = required_trigrams(word.name);
        let reader = source.reader();
        snapshot.oversized().iter().filter(|file| of_group(&file.path)).all(|file| {
            let filters = snapshot.large_files();
            required
                .as_ref()
                .is_some_and(|required| !large_files::may_match(filters, &reader, &file.path, file.content, required))
        })
    }

    /// The files of a family of languages that may have a name, in the order of paths; those
    /// without facts are among them.
    fn files_that_name(&self, name: &str, group: &str) -> Result<Vec<NamedFile<'view>>> {
        let snapshot = self.snapshot();
        let mut files = Vec::new();
        for version in self.files_with(name)? {
            let language = language_of(snapshot, version)?;
            if language.is_none_or(|language| language.group() != group) {
                continue;
            }
            let (Some(path), info) = (snapshot.path_of(version), snapshot.file_info(version)?) else { continue };
            let content = ContentId::from_slice(&info.content_id);
            files.push(NamedFile { path, version: Some(version), content, has_facts: info.skip.is_none() });
        }
        for (path, _) in snapshot.skipped_versions()? {
            let is_of_group = language_of_text(&path, "").is_some_and(|language| language.group() == group);
            let Some(version) = snapshot.version_at(&path).filter(|_| is_of_group) else { continue };
            let Some(path) = snapshot.path_of(version) else { continue };
            if files.iter().all(|file| file.version != Some(version)) {
                let content = ContentId::from_slice(&snapshot.file_info(version)?.content_id);
                files.push(NamedFile { path, version: Some(version), content, has_facts: false });
            }
        }
        for file in snapshot.oversized() {
            if language_of_text(&file.path, "").is_some_and(|language| language.group() == group) {
                files.push(NamedFile { path: &file.path, version: None, content: file.content, has_facts: false });
            }
        }
        files.sort_by_key(|file| file.path);
        Ok(files)
    }
}

/// Finds the places of a name in files, in parallel; the results are in the order of the files.
fn search(
    source: &Source,
    snapshot: &Snapshot,
    config: &IndexConfig,
    word: SearchedName<'_>,
    files: &[NamedFile<'_>],
) -> Vec<NamePlaces> {
    let finder = memmem::Finder::new(word.name);
    let (contents, filters) = (snapshot.content_cache(), snapshot.large_files());
    let trigrams = required_trigrams(word.name);
    let max_file_bytes = config.max_file_bytes.max(MAX_COUNTED_BYTES);
    let unlimited = IndexConfig { max_file_bytes, max_line_bytes: usize::MAX, ..config.clone() };
    parallel::map(
        files,
        || source.reader(),
        |reader, file| {
            if let Some(text) = file.version.and_then(|version| contents.text(version)) {
                return NamePlaces::new(Some(occurrences(&text, word, &finder)), true);
            }
            let required = trigrams.as_ref().filter(|_| file.version.is_none());
            let may_match = |required| large_files::may_match(filters, reader, file.path, file.content, required);
            if required.is_some_and(|required| !may_match(required)) {
                return NamePlaces { is_ruled_out: true, ..NamePlaces::new(Some(Vec::new()), false) };
            }
            match reader.read(file.path, file.content, &unlimited) {
                ReadOutcome::Text(read) => {
                    let is_indexed = Some(read.content_id) == file.content;
                    // A text that was decoded from another encoding has another size.
                    let is_kept = is_indexed && !read.lossy && read.text.len() as u64 == read.stat.size;
                    if let Some(version) = file.version.filter(|_| is_kept) {
                        contents.insert(version, read.text.as_bytes());
                    }
                    NamePlaces::new(Some(occurrences(&read.text, word, &finder)), is_indexed && file.version.is_some())
                }
                // Binary files have no words, and deleted ones nothing.
                ReadOutcome::Vanished | ReadOutcome::Skipped { content_id: Some(_), .. } => {
                    NamePlaces::new(Some(Vec::new()), false)
                }
                ReadOutcome::Skipped { .. } => NamePlaces::new(None, false),
            }
        },
    )
}

/// Returns the trigrams that a text with the name must have in any encoding; `None` if there are
/// none.
fn required_trigrams(name: &str) -> Option<RequiredTrigrams> {
    if !name.is_ascii() {
        return None;
    }
    let mut folded = Vec::new();
    fold(name.as_bytes(), &mut folded);
    let trigrams: Vec<Trigram> = Trigram::of(&folded).collect();
    (!trigrams.is_empty()).then(|| vec![trigrams])
}

/// The places of a name as a whole word, as `rg --word-regexp` takes words.
fn occurrences(text: &str, word: SearchedName<'_>, finder: &memmem::Finder<'_>) -> Vec<Occurrence> {
    let SearchedName { name, keyword_mark, .. } = word;
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let (mut line, mut line_start) = (1, 0);
    let mut from = 0;
    while let Some(at) = finder.find(&bytes[from..]).map(|at| at + from) {
        let end = at + name.len();
        let before = text.get(..at).and_then(|before| before.chars().next_back());
        let after = text.get(end..).and_then(|after| after.chars().next());
        if !before.is_some_and(is_regex_word) && !after.is_some_and(is_regex_word) {
            let skipped = &bytes[line_start..at];
            line += memchr::memchr_iter(b'\n', skipped).count() as u32;
            line_start += memchr::memrchr(b'\n', skipped).map_or(0, |newline| newline + 1);
            let is_keyword = !keyword_mark.is_empty() && is_keyword(&text[..at], &text[end..], keyword_mark);
            let column = (at - line_start) as u32 + 1;
            let before = at.checked_sub(1).map_or(b'\n', |before| bytes[before]);
            found.push(Occurrence { byte: at as u32, line, column, is_keyword, before });
            from = end;
        } else {
            from = at + text[at..].chars().next().map_or(1, char::len_utf8);
        }
    }
    found
}

/// Returns whether what stands before and after a name makes it that of a parameter in a call.
fn is_keyword(before: &str, after: &str, mark: &str) -> bool {
    let value = after.trim_start().strip_prefix(mark);
    before.trim_end().ends_with(['(', ',']) && value.is_some_and(|value| !value.starts_with('='))
}

/// True for what `\w` matches.
pub(super) fn is_regex_word(c: char) -> bool {
    if c.is_ascii() {
        c.is_ascii_alphanumeric() || c == '_'
    } else {
        regex_syntax::try_is_word_character(c).unwrap_or_else(|_| c.is_alphanumeric())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(text: &str, name: &str) -> Vec<(u32, u32)> {
        let word = SearchedName { name, group: "", keyword_mark: "" };
        occurrences(text, word, &memmem::Finder::new(name)).iter().map(|at| (at.line, at.column)).collect()
    }

    #[test]
    fn whole_words_with_their_places() {
        assert_eq!(places("run\n  run(run) rerun run_ run", "run"), [(1, 1), (2, 3), (2, 7), (2, 23)]);
        assert_eq!(places("größe = größe2\ngröße", "größe"), [(1, 1), (2, 1)]);
        assert_eq!(places("a\n\n\nb", "b"), [(4, 1)]);
        assert_eq!(places("valid? invalid? valid?x", "valid?"), [(1, 1)]);
        assert_eq!(places("", "b"), []);
    }
}
