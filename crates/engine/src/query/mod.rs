//! The questions users ask, one file each. All take a [`Snapshot`] and an options struct and give plain answers.

mod context;
mod diff;
mod explain;
mod navigate;
mod page;
mod rank;
mod relations;
mod search;
mod status;
mod suggest;
mod symbols;

use std::sync::Arc;

use codecompass_syntax::facts::{Definition, Kind, SymbolRole, Visibility};
use codecompass_syntax::language_named;

pub use crate::query::context::tokens::estimate_tokens;
pub use crate::query::context::{Code, ContextAnswer, ContextOptions, Excerpt, Piece, Shown, Strategy, context};
pub use crate::query::diff::{ChangeKind, DiffAnswer, FileChange, Side, SymbolChange, diff};
pub use crate::query::explain::{Asked, ExplainAnswer, Standing, explain};
pub use crate::query::navigate::Navigator;
pub use crate::query::navigate::calls::{CallLevel, CallsAnswer, CallsOptions, Direction, OverriddenCalls, calls};
pub use crate::query::navigate::graph::{Edge, MAX_EXPANDED, Node};
pub use crate::query::navigate::impact::{Affected, ImpactAnswer, ImpactOptions, impact, impact_of_diff};
pub use crate::query::navigate::references::{RefsAnswer, RefsOptions, TestUses, refs};
pub use crate::query::navigate::trace::{Trace, TraceAnswer, TraceOptions, trace};
pub use crate::query::navigate::use_sites::{Enclosing, Meaning, UseSite};
pub use crate::query::page::Listed;
pub use crate::query::rank::profile::rank_profile_version;
pub use crate::query::rank::score::{Explanation, Part, PartName};
pub use crate::query::relations::deps::{Cycle, CycleStep, DepsAnswer, DepsOptions, EdgeKind, ImportEdge, deps};
pub use crate::query::relations::hierarchy::{HierarchyAnswer, HierarchyOptions, Relative, hierarchy};
pub use crate::query::relations::related::{Related, RelatedAnswer, RelatedOptions, Tie, related};
pub use crate::query::relations::similar::{Similar, SimilarAnswer, SimilarOptions, similar};
pub use crate::query::relations::type_relations::Relation;
pub use crate::query::search::confidence::Confidence;
pub use crate::query::search::intent::{Intent, Routed, route};
pub use crate::query::search::rerank::{Reranked, Reranking};
pub use crate::query::search::semantic::{Near, Problem, Semantic, SemanticReport, Skipped, nearest};
pub use crate::query::search::snippet::{Snippet, SnippetOptions, snippets, source_lines};
pub use crate::query::search::{Duplicate, SearchAnswer, SearchOptions, search};
pub use crate::query::status::{LanguageCount, StatusAnswer, status};
pub use crate::query::suggest::{Step, SuggestAnswer, SuggestOptions, Suggestion, suggest};
pub use crate::query::symbols::goto_definition::{AtAnswer, AtMeaning, at};
pub use crate::query::symbols::locate::{LocateAnswer, LocateOptions, MatchClass, locate};
pub use crate::query::symbols::outline::{OutlineAnswer, OutlineNode, outline, resolve_path};
pub(crate) use crate::query::symbols::source_text::current_text;
pub use crate::query::symbols::source_text::{ShowAnswer, show};
pub use crate::query::symbols::symbol_argument::{Subject, parse_place};

use crate::error::{Error, Result};
use crate::model::{Role, VersionId};
use crate::store::Snapshot;
use crate::store::facts::Outline;
use crate::store::read::snapshot::FileInfo;

/// One place in the code that answers a question: a symbol, or a piece of a file that belongs to none.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    /// Relative to the root, with `/`.
    pub path: String,
    /// First line of the declaration, or of the piece.
    pub line_start: u32,
    /// Last line.
    pub line_end: u32,
    /// Line of the name; the first line for text.
    pub name_line: u32,
    /// What it is; `None` for a piece of text, `file` and the like are the caller's words.
    pub kind: HitKind,
    /// The bare name; for a piece of text the file's name.
    pub name: String,
    /// The name with its containers.
    pub qualified_name: String,
    /// The file's language, `text` when none.
    pub language: String,
    /// The declaration on one line; empty for text.
    pub signature: String,
    /// The doc comment.
    pub doc: Option<String>,
    /// Who may use it; `None` for text.
    pub visibility: Option<Visibility>,
    /// What part it plays.
    pub symbol_role: SymbolRole,
    /// The part its file plays.
    pub file_role: Role,
    /// Identifies this place in this content; empty for text.
    pub symbol_id: String,
    /// Identifies the symbol across moves; empty for text.
    pub symbol_stable_id: String,
    /// Other places of the same symbol: parts of a partial type, declarations of what is defined here.
    pub other_places: Vec<Place>,
    /// The line that shows best why it was found; equals `line_start` when nothing is better.
    pub best_line: u32,
    /// How well it answers; only comparable within one answer.
    pub score: f64,
    /// What the score is made of.
    pub explanation: Explanation,
}

/// A stretch of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Relative to the root, with `/`.
    pub path: String,
    /// First line.
    pub line_start: u32,
    /// Last line.
    pub line_end: u32,
}

/// What a hit is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HitKind {
    /// A definition.
    Symbol(Kind),
    /// A stretch of a file that belongs to no definition.
    Text,
    /// A whole file, found by its path.
    File,
}

impl HitKind {
    /// The word used in JSON and filters.
    pub fn as_str(self) -> &'static str {
        match self {
            HitKind::Symbol(kind) => kind.as_str(),
            HitKind::Text => "text",
            HitKind::File => "file",
        }
    }
}

/// What answers are restricted to. Empty fields restrict nothing.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Language names.
    pub languages: Vec<String>,
    /// Kind names.
    pub kinds: Vec<String>,
    /// Path patterns.
    pub paths: Vec<PathPattern>,
}

impl Filter {
    fn accepts_file(&self, path: &str, language: Option<&str>) -> bool {
        let language = language.unwrap_or("text");
        (self.languages.is_empty() || self.languages.iter().any(|wanted| wanted.eq_ignore_ascii_case(language)))
            && (self.paths.is_empty() || self.paths.iter().any(|pattern| pattern.matches(path)))
    }

    fn accepts_kind(&self, kind: HitKind) -> bool {
        self.kinds.is_empty() || self.kinds.iter().any(|wanted| wanted == kind.as_str())
    }
}

/// A folder, a file, or a glob in which `*` stays within a folder and `**` does not.
#[derive(Clone, Debug)]
pub struct PathPattern {
    plain: String,
    glob: Option<globset::GlobMatcher>,
}

impl PathPattern {
    /// Reads a pattern; the error says what is wrong with it.
    pub fn new(pattern: &str) -> Result<PathPattern> {
        let plain = pattern.trim_start_matches("./").trim_end_matches('/');
        let glob = match plain.contains(['*', '?', '[', '{']) {
            true => {
                let built = globset::GlobBuilder::new(plain).literal_separator(true).build();
                Some(built.map_err(|error| Error::InvalidInput(error.to_string()))?.compile_matcher())
            }
            false => None,
        };
        Ok(PathPattern { plain: plain.to_string(), glob })
    }

    /// Whether the pattern names the path or a folder above it.
    pub fn matches(&self, path: &str) -> bool {
        match &self.glob {
            Some(glob) => glob.is_match(path),
            None if self.plain.is_empty() || self.plain == "." => true,
            None => path == self.plain || path.strip_prefix(&self.plain).is_some_and(|rest| rest.starts_with('/')),
        }
    }
}

/// A file of the snapshot with everything needed to make hits of it.
#[derive(Clone)]
struct OpenFile<'a> {
    path: &'a str,
    info: Arc<FileInfo>,
    outline: Arc<Outline>,
}

impl<'a> OpenFile<'a> {
    fn open(snapshot: &'a Snapshot, version: VersionId) -> Result<Option<OpenFile<'a>>> {
        let Some(path) = snapshot.path_of(version) else { return Ok(None) };
        let info = snapshot.file_info(version)?;
        Ok(Some(OpenFile { path, info, outline: snapshot.outline(version)? }))
    }

    fn symbol_hit(&self, ordinal: u32) -> Option<Hit> {
        let definition = self.outline.definitions.get(ordinal as usize)?;
        let language = self.info.language.as_deref().unwrap_or("text");
        Some(Hit {
            path: self.path.to_string(),
            line_start: definition.span.start_line,
            line_end: definition.span.end_line,
            name_line: definition.name_line,
            kind: HitKind::Symbol(definition.kind),
            name: definition.name.clone(),
            qualified_name: definition.qualified_name.clone(),
            language: language.to_string(),
            signature: definition.signature.clone(),
            doc: definition.doc.clone(),
            visibility: Some(definition.visibility),
            symbol_role: definition.role,
            file_role: self.info.role,
            symbol_id: symbol_id(self.path, &self.info.content_id, ordinal),
            symbol_stable_id: definition.stable_id(language),
            other_places: Vec::new(),
            best_line: definition.span.start_line,
            score: 0.0,
            explanation: Explanation::default(),
        })
    }

    fn text_hit(&self, kind: HitKind, line_start: u32, line_end: u32) -> Hit {
        let name = self.path.rsplit('/').next().unwrap_or(self.path);
        Hit {
            path: self.path.to_string(),
            line_start,
            line_end,
            name_line: line_start,
            kind,
            name: name.to_string(),
            qualified_name: self.path.to_string(),
            language: self.info.language.clone().unwrap_or_else(|| "text".into()),
            signature: String::new(),
            doc: None,
            visibility: None,
            symbol_role: SymbolRole::Plain,
            file_role: self.info.role,
            symbol_id: String::new(),
            symbol_stable_id: String::new(),
            other_places: Vec::new(),
            best_line: line_start,
            score: 0.0,
            explanation: Explanation::default(),
        }
    }

    /// The module path and qualified name together, in lower-case parts, for matching qualified queries.
    fn full_name_parts(&self, definition: &Definition) -> Vec<String> {
        let language = self.info.language.as_deref().and_then(language_named);
        let module = language.map(|language| language.module_path(self.path)).unwrap_or_default();
        name_parts(&module).chain(name_parts(&definition.qualified_name)).collect()
    }
}

/// The longest symbol that is accepted, and the part of a query that is searched for.
const MAX_QUERY_BYTES: usize = 64 * 1024;

/// Returns the part of a query that is searched for. A longer text is cut at the end of a line, or between characters
/// where the lines are long.
fn searched_part(query: &str) -> &str {
    let query = query.trim();
    if query.len() <= MAX_QUERY_BYTES {
        return query;
    }
    let head = &query[..query.floor_char_boundary(MAX_QUERY_BYTES)];
    let end = head.rfind('\n').filter(|end| *end >= MAX_QUERY_BYTES / 2);
    head[..end.unwrap_or(head.len())].trim_end()
}

/// Returns how many bytes at the end of a query are too many to be searched for.
pub fn ignored_query_bytes(query: &str) -> usize {
    query.trim().len() - searched_part(query).len()
}

/// A query or symbol without blanks around it; the error calls it `what`.
fn checked<'a>(asked: &'a str, what: &str) -> Result<&'a str> {
    let asked = asked.trim();
    match asked.len() {
        0 => Err(Error::InvalidInput(format!("the {what} is empty"))),
        1..=MAX_QUERY_BYTES => Ok(asked),
        size => Err(Error::InvalidInput(format!("the {what} has {size} bytes, at most {MAX_QUERY_BYTES} are allowed"))),
    }
}

/// The parts of a qualified name in any notation, in lower case.
fn name_parts(name: &str) -> impl Iterator<Item = String> {
    name.split(['.', ':', '#', '/', '\\']).filter(|part| !part.is_empty()).map(str::to_lowercase)
}

/// Identifies a definition in one content of one file: 12 hex digits of both and its number.
fn symbol_id(path: &str, content_id: &[u8], ordinal: u32) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(path.as_bytes());
    hasher.update(b"\0");
    hasher.update(content_id);
    format!("{}.{ordinal}", &hasher.finalize().to_hex()[..12])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn path_patterns() {
        let path_matches = |pattern: &str, path: &str| PathPattern::new(pattern).unwrap().matches(path);
        assert!(path_matches("src", "src/a.rs"));
        assert!(!path_matches("src", "srcs/a.rs"));
        assert!(path_matches("./src/a.rs", "src/a.rs"));
        assert!(path_matches("src/*.rs", "src/a.rs"));
        assert!(!path_matches("src/*.rs", "src/b/a.rs"));
        assert!(path_matches("**/*.rs", "src/b/a.rs"));
        assert!(path_matches("**/a.rs", "a.rs"));
        assert!(path_matches("src/**/a.rs", "src/x/y/a.rs"));
        assert!(!path_matches("**/*.py", "src/b/a.rs"));
        assert!(path_matches(".", "anything"));
        assert!(PathPattern::new("src/[a").is_err());
    }

    #[test]
    fn long_queries_are_cut() {
        let fitting = "word ".repeat(MAX_QUERY_BYTES / 5);
        assert_eq!((searched_part(&fitting), ignored_query_bytes(&fitting)), (fitting.trim(), 0));
        let lines = "a line of a pasted text\n".repeat(5_000);
        let part = searched_part(&lines);
        assert!(part.len() > MAX_QUERY_BYTES - 24 && part.ends_with("a pasted text"), "{}", part.len());
        assert_eq!(ignored_query_bytes(&lines), lines.trim().len() - part.len());
        // A cut behind the only line end would lose nearly everything.
        let long_line = format!("title\n{}", "ü".repeat(MAX_QUERY_BYTES));
        assert_eq!(searched_part(&long_line).len(), MAX_QUERY_BYTES);
    }
}
