//! Arguments that several questions share. Each struct is flattened into a request, for flags and
//! for tools alike.

use clap::{Args, ValueEnum};
use codecompass_engine::config::SemanticMode;
use codecompass_engine::query::{self, Filter, FindRole, HitKind, PathPattern, RoleFilter, Scope, TestUses, UseClass};
use codecompass_engine::syntax::facts::Kind;
use codecompass_engine::syntax::registry;
use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

pub use super::bounded::{Bounded, Share};
use super::part::Reduction;
use crate::choices::Detail;
use crate::error::AppError;
use crate::session::{CallContext, Session};
use crate::settings::Settings;

/// Deserializes the single value that a tool takes where the command line takes a list.
pub fn one<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Vec<T>, D::Error> {
    T::deserialize(deserializer).map(|value| vec![value])
}

/// Deserializes a list, or the single value of one.
pub fn one_or_more<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum OneOrMore {
        One(String),
        More(Vec<String>),
    }
    Ok(match OneOrMore::deserialize(deserializer)? {
        OneOrMore::One(value) => vec![value],
        OneOrMore::More(values) if values.is_empty() => return Err(D::Error::custom("the list is empty")),
        OneOrMore::More(values) => values,
    })
}

/// Returns whether a number is left out of JSON because it says nothing.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
pub(crate) fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// The symbols that a question is about. Each has an answer of its own; see
/// [`fan_out`](super::fan_out).
#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct SymbolArgs {
    /// Names, qualified names, symbol ids, path:line, path:line:column, or path::name.
    #[arg(id = "symbol", value_name = "SYMBOL", required = true)]
    #[serde(rename = "symbol", deserialize_with = "one_or_more")]
    #[schemars(with = "String", description = "Name, Type.member, path:line or path::name; several: `a, b`.")]
    pub symbols: Vec<String>,
}

impl SymbolArgs {
    /// Returns the symbol of a question about one.
    pub fn only(&self) -> &str {
        self.symbols.first().map_or("", String::as_str)
    }
}

/// The tokens that the answer of a tool may cost when the call does not say.
pub const USUAL_TOKENS: usize = 8_000;

/// The tokens that an answer may cost, for questions that choose what to show by them.
#[derive(Clone, Copy, Debug, Default, Args, Deserialize, JsonSchema)]
pub struct BudgetArgs {
    /// Show at most about this many tokens.
    #[arg(long, value_name = "N")]
    #[schemars(skip)]
    pub max_tokens: Option<Bounded<100, 1_000_000, 20_000>>,
}

impl BudgetArgs {
    /// Returns the budget: a server has one in any case, the command line only if it is given.
    pub fn tokens(self, context: &CallContext) -> Option<usize> {
        let usual = context.control.is_some().then_some(USUAL_TOKENS);
        self.max_tokens.map(Bounded::len).or(usual)
    }
}

/// The projects whose files count. Every question that takes paths takes them.
#[derive(Clone, Debug, Default, Args, Deserialize, JsonSchema)]
pub struct ProjectArgs {
    /// Only files of this project, by its name or folder; may be given several times. `codecompass
    /// projects` lists them.
    #[arg(long, value_name = "NAME")]
    #[serde(default, deserialize_with = "one_or_more")]
    #[schemars(with = "Vec<String>", description = "")]
    pub project: Vec<String>,
}

/// Projects, paths by regular expressions, and paths to leave out.
#[derive(Clone, Debug, Default, Args, Deserialize, JsonSchema)]
pub struct PathArgs {
    #[command(flatten)]
    #[serde(flatten)]
    pub projects: ProjectArgs,
    /// Only paths that this regular expression matches; may be given several times.
    #[arg(long, value_name = "REGEX")]
    #[serde(default, deserialize_with = "one_or_more")]
    #[schemars(with = "Vec<String>", description = "")]
    pub path_regex: Vec<String>,
    /// Leave out this folder, or paths that match this glob; may be given several times.
    #[arg(long, value_name = "PATH")]
    #[serde(default, deserialize_with = "one_or_more")]
    #[schemars(with = "Vec<String>", description = "Folders or globs.")]
    pub exclude: Vec<String>,
    /// Leave out paths that this regular expression matches; may be given several times.
    #[arg(long, value_name = "REGEX")]
    #[serde(default, deserialize_with = "one_or_more")]
    #[schemars(with = "Vec<String>", description = "")]
    pub exclude_regex: Vec<String>,
}

impl PathArgs {
    /// Returns whether no path is left out.
    pub fn is_empty(&self) -> bool {
        let PathArgs { projects, path_regex, exclude, exclude_regex } = self;
        [&projects.project, path_regex, exclude, exclude_regex].iter().all(|list| list.is_empty())
    }
}

/// The results to keep.
#[derive(Clone, Debug, Default, Args, Deserialize, JsonSchema)]
pub struct FilterArgs {
    /// Only files of this language; may be given several times.
    #[arg(long, value_name = "LANGUAGE")]
    #[serde(default, rename = "language", deserialize_with = "one")]
    #[schemars(with = "Option<String>", description = "")]
    pub lang: Vec<String>,
    /// Only this kind of result (function, class, method, text, file, …); may be given several
    /// times.
    #[arg(long, value_name = "KIND")]
    #[serde(default, deserialize_with = "one")]
    #[schemars(with = "Option<String>", description = "function, class, method, file, ...")]
    pub kind: Vec<String>,
    /// Only below this folder, or paths that match this glob; may be given several times.
    #[arg(long, value_name = "PATH")]
    #[serde(default, deserialize_with = "one")]
    #[schemars(with = "Option<String>", description = "Folder or glob.")]
    pub path: Vec<String>,
    #[command(flatten)]
    #[serde(flatten)]
    pub paths: PathArgs,
}

/// The schema of [`FilterArgs`] without descriptions. Only `search_code` has them: every word
/// counts for each tool.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "only the schema is made from this")]
pub struct FilterSchema {
    language: Option<String>,
    kind: Option<String>,
    path: Option<String>,
    #[serde(flatten)]
    paths: PathArgs,
}

impl FilterArgs {
    /// Returns whether nothing is left out.
    pub fn is_empty(&self) -> bool {
        [&self.lang, &self.kind, &self.path].iter().all(|list| list.is_empty()) && self.paths.is_empty()
    }
}

/// Checks filters and makes them the engine's; the session knows the projects.
pub fn filter(args: &FilterArgs, session: &Session) -> Result<Filter, AppError> {
    let known_languages: Vec<&str> = registry::all().iter().map(|language| language.name).chain(["text"]).collect();
    for wanted in &args.lang {
        if !known_languages.iter().any(|known| known.eq_ignore_ascii_case(wanted)) {
            return Err(AppError::invalid(
                format!("unknown language `{wanted}`"),
                format!("known languages are {}", known_languages.join(", ")),
            ));
        }
    }
    let known_kinds: Vec<&str> =
        Kind::ALL.iter().map(|kind| kind.as_str()).chain([HitKind::Text.as_str(), HitKind::File.as_str()]).collect();
    for wanted in &args.kind {
        if !known_kinds.contains(&wanted.as_str()) {
            return Err(AppError::invalid(
                format!("unknown kind `{wanted}`"),
                format!("known kinds are {}", known_kinds.join(", ")),
            ));
        }
    }
    let globs = |patterns: &[String]| -> Result<Vec<PathPattern>, AppError> {
        let lists = patterns.iter().map(|list| PathPattern::list(list)).collect::<Result<Vec<_>, _>>()?;
        Ok(lists.into_iter().flatten().collect())
    };
    let regexes = |patterns: &[String]| patterns.iter().map(|it| PathPattern::regex(it)).collect::<Result<Vec<_>, _>>();
    let mut excluded = globs(&args.paths.exclude)?;
    excluded.extend(regexes(&args.paths.exclude_regex)?);
    Ok(Filter {
        languages: args.lang.clone(),
        kinds: args.kind.clone(),
        paths: globs(&args.path)?,
        path_regexes: regexes(&args.paths.path_regex)?,
        excluded,
        projects: session.project_scope(&args.paths.projects.project)?,
    })
}

/// Returns a symbol argument whose path, if it is a place, is relative to the root.
pub fn symbol(session: &Session, symbol: &str) -> Result<String, AppError> {
    Ok(match query::parse_place(symbol.trim()) {
        Some((path, line, None)) => format!("{}:{line}", session.relative_path(path)?),
        Some((path, line, Some(column))) => format!("{}:{line}:{column}", session.relative_path(path)?),
        None => symbol.to_string(),
    })
}

/// The ref to answer for.
#[derive(Clone, Debug, Default, Args, Deserialize, JsonSchema)]
pub struct RefArgs {
    /// Answer for this branch, tag, remote branch or commit (HEAD~3 and the like work, too) instead
    /// of the files on disk. The branch that is checked out here means the files on disk.
    #[arg(long = "ref", value_name = "REF")]
    #[serde(rename = "ref")]
    #[schemars(description = "")]
    pub reference: Option<String>,
}

impl RefArgs {
    pub fn name(&self) -> Option<&str> {
        self.reference.as_deref()
    }
}

/// The part of a long list to show.
#[derive(Clone, Copy, Debug, Default, Args, Deserialize, JsonSchema)]
pub struct PageArgs {
    /// Skip this many of each list: the `next_offset` of the answer before.
    #[arg(long, default_value_t = 0, value_name = "N")]
    #[serde(default)]
    #[schemars(description = "")]
    pub offset: u32,
}

/// The weight of meaning in one answer. Settings have the defaults; see docs/semantic.md.
#[derive(Clone, Debug, Default, Args, Deserialize, JsonSchema)]
pub struct MeaningArgs {
    /// The use of meaning, beside words.
    #[arg(long, value_enum, value_name = "MODE")]
    #[serde(skip)]
    pub mode: Option<Mode>,
    /// The largest share that meaning may have in the evidence for an answer, from 0 to 1.
    #[arg(long, value_name = "SHARE")]
    #[schemars(description = "Largest share of meaning.")]
    pub semantic_ratio: Option<Share>,
    /// Say so when the answer is less sure than this, from 0 to 1.
    #[arg(long, value_name = "SHARE")]
    #[schemars(description = "")]
    pub confidence_threshold: Option<Share>,
    /// Leave out what only meaning finds and is less similar to the query than this, from 0 to 1.
    #[arg(long, value_name = "COSINE")]
    #[schemars(description = "Least similarity of what only meaning finds.")]
    pub min_similarity: Option<Share>,
}

impl MeaningArgs {
    /// Puts the given values in the place of those of the settings.
    pub fn adjust(&self, settings: &mut Settings) {
        let semantic = &mut settings.engine.semantic;
        if let Some(mode) = self.mode {
            semantic.mode = match mode {
                Mode::Off => SemanticMode::Off,
                Mode::RerankOnly => SemanticMode::RerankOnly,
                Mode::Hybrid => SemanticMode::Hybrid,
            };
        }
        semantic.ratio = self.semantic_ratio.map_or(semantic.ratio, Share::get);
        semantic.confidence_threshold = self.confidence_threshold.map_or(semantic.confidence_threshold, Share::get);
        semantic.min_similarity = self.min_similarity.map_or(semantic.min_similarity, Share::get);
    }
}

/// The use of meaning in a search, beside words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub enum Mode {
    /// Words only.
    Off,
    /// Meaning also orders what words find.
    RerankOnly,
    /// Meaning also finds what words do not.
    Hybrid,
}

/// The certainty that is asked of uses and calls.
#[derive(Clone, Copy, Debug, Default, Args, Deserialize, JsonSchema)]
pub struct CertaintyArgs {
    /// `static` leaves out what is not proven by scope, import or type, `likely` what is not
    /// resolved.
    #[arg(long, value_enum, default_value_t = CertaintyArg::All, value_name = "CONFIDENCE")]
    #[serde(default)]
    #[schemars(description = "static: only proven uses.")]
    pub confidence: CertaintyArg,
}

impl CertaintyArgs {
    /// Returns the least certain class of uses to list.
    pub fn least(self) -> UseClass {
        match self.confidence {
            CertaintyArg::Static => UseClass::Static,
            CertaintyArg::Likely => UseClass::Likely,
            CertaintyArg::All => UseClass::Possible,
        }
    }
}

/// The certainty that answers must have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CertaintyArg {
    /// Proven by scope, import or type.
    Static,
    /// And what is only likely; it is marked.
    Likely,
    /// And what could not be resolved; it comes last.
    #[default]
    All,
}

/// The amount of detail in each result of a tool. Most commands have no flags for it: text is short
/// by itself.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
pub struct DetailArgs {
    /// The server's instructions explain it once.
    #[schemars(description = "")]
    pub detail_level: Option<PlaceDetail>,
    /// Leave out source, docs and score parts.
    #[serde(default)]
    #[schemars(description = "")]
    pub compact: bool,
}

impl DetailArgs {
    pub fn reduction(self) -> Reduction {
        Reduction::new(self.level(), self.compact)
    }

    /// Returns the detail level that was asked for.
    pub fn level(self) -> Option<Detail> {
        self.detail_level.map(|level| match level {
            PlaceDetail::Location => Detail::Location,
            PlaceDetail::Signature => Detail::Signature,
            PlaceDetail::Context => Detail::Context,
        })
    }
}

/// The detail levels of results. Only definitions have source to add.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(description = "")]
pub enum PlaceDetail {
    Location,
    Signature,
    Context,
}

/// The treatment of uses in tests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TestsArg {
    /// List them like all others.
    #[default]
    Include,
    /// Leave them out.
    Exclude,
    /// List nothing else.
    Only,
}

impl From<TestsArg> for TestUses {
    fn from(tests: TestsArg) -> TestUses {
        match tests {
            TestsArg::Include => TestUses::Include,
            TestsArg::Exclude => TestUses::Exclude,
            TestsArg::Only => TestUses::Only,
        }
    }
}

/// The code that an answer lists.
#[derive(Clone, Debug, Default, Args, Deserialize, JsonSchema)]
pub struct ScopeArgs {
    /// List only what stands below this folder, or in paths that match this glob; may be given
    /// several times.
    #[arg(long, value_name = "PATH")]
    #[serde(default, deserialize_with = "one")]
    #[schemars(with = "Option<String>", description = "")]
    pub path: Vec<String>,
    #[command(flatten)]
    #[serde(flatten)]
    pub paths: PathArgs,
    #[command(flatten)]
    #[serde(flatten)]
    pub tests: TestsArgs,
}

/// Roles of code.
#[derive(Clone, Debug, Default, Args, Deserialize, JsonSchema)]
pub struct RoleArgs {
    /// Only code of this role, or in files of it: source, test, generated, vendored, docs, config,
    /// example, entry_point, handler or router; may be given several times.
    #[arg(long = "role", id = "code_role", value_name = "ROLE", value_delimiter = ',')]
    #[serde(default, rename = "role", deserialize_with = "one_or_more")]
    #[schemars(with = "Option<String>", description = "")]
    pub role: Vec<String>,
}

impl RoleArgs {
    /// Checks the words.
    pub fn filter(&self) -> Result<RoleFilter, AppError> {
        let role = |word: &String| {
            FindRole::from_name(word).ok_or_else(|| {
                let advice = format!("use one of {}", FindRole::names().join(", "));
                AppError::invalid(format!("`{word}` is no role"), advice)
            })
        };
        Ok(RoleFilter::new(self.role.iter().map(role).collect::<Result<_, _>>()?))
    }
}

/// The treatment of tests.
#[derive(Clone, Copy, Debug, Default, Args, Deserialize, JsonSchema)]
pub struct TestsArgs {
    /// Include, exclude or show only test code.
    #[arg(long, value_enum, default_value_t = TestsArg::Include, value_name = "WHAT")]
    #[serde(default)]
    #[schemars(with = "Option<TestsArg>", description = "")]
    pub tests: TestsArg,
}

impl ScopeArgs {
    /// Checks the paths and makes them the engine's.
    pub fn scope(&self, session: &Session) -> Result<Scope, AppError> {
        self.scope_in(&[], session)
    }

    /// The same for files of these languages alone.
    pub fn scope_in(&self, languages: &[String], session: &Session) -> Result<Scope, AppError> {
        let (lang, path, paths) = (languages.to_vec(), self.path.clone(), self.paths.clone());
        let files = FilterArgs { lang, kind: Vec::new(), path, paths };
        Ok(Scope { filter: filter(&files, session)?, tests: self.tests.tests.into(), ..Scope::default() })
    }
}
