//! `outline`, `get_file_outline`: the skeleton of files.

use std::collections::BTreeSet;

use clap::{Args, ValueEnum};
use codecompass_engine::query::{self, OutlineAnswer as Found, OutlineNode, ViewPath};
use codecompass_engine::syntax::facts::Import;
use codecompass_engine::{Error as EngineError, Snapshot};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::api::arguments::{BudgetArgs, DetailArgs, PageArgs, PlaceDetail, RefArgs, one_or_more};
use crate::api::fan_out::Spread;
use crate::api::files::paths::{self, RefusedPath};
use crate::api::metadata::{Completeness, Metadata};
use crate::api::page::Page;
use crate::api::part::{Paged, Part as _, answer_fields, parts, shared_arguments, tokens};
use crate::api::{Answer, Request, metadata};
use crate::error::AppError;
use crate::session::{CallContext, Session};

/// The tokens that a file costs at least in an answer about several.
const MIN_FILE_TOKENS: usize = 8;
/// The tokens that are left for what is said about the whole answer.
const NOTE_TOKENS: usize = 150;
/// The names of each file in the shortest answer about several.
const FEW_NAMES: usize = 5;

#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct OutlineRequest {
    /// Files and folders; a unique end of a path will do.
    #[arg(required = true, num_args = 1.., value_name = "PATH")]
    #[serde(deserialize_with = "one_or_more")]
    #[schemars(with = "String", description = "File or folder, or several with commas.")]
    pub path: Vec<String>,
    /// Show only top-level definitions, or all.
    #[arg(long, value_enum, default_value_t = OutlineDepth::All)]
    #[serde(default)]
    #[schemars(with = "Option<OutlineDepth>", description = "")]
    pub depth: OutlineDepth,
    /// Show imports, too.
    #[arg(long)]
    #[serde(default)]
    #[schemars(description = "")]
    pub imports: bool,
    /// Show whole signatures and every member, even if that costs more than 15% of the file.
    #[arg(long)]
    #[serde(skip)]
    pub full: bool,
    #[command(flatten)]
    #[serde(flatten)]
    pub budget: BudgetArgs,
    #[command(flatten)]
    #[serde(flatten)]
    pub at: RefArgs,
    #[command(flatten)]
    #[serde(flatten)]
    pub page: PageArgs,
    #[arg(skip)]
    #[serde(flatten)]
    pub detail: DetailArgs,
}

/// The depth of an outline.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OutlineDepth {
    /// Top-level definitions.
    Top,
    /// All definitions.
    #[default]
    All,
}

/// The amount that an answer about several files shows of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum OutlineLevel {
    /// All definitions.
    All,
    /// Top-level definitions.
    Top,
    /// The names of top-level definitions.
    Names,
    /// The first of them.
    FirstNames,
}

/// The outline of one file, whose fields are those of the answer, or of several.
#[derive(Clone, Debug, Serialize)]
pub struct OutlineAnswer {
    #[serde(flatten)]
    pub file: Option<FileOutlineView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files: Option<Vec<FileOutlineView>>,
    /// Set for several files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level: Option<OutlineLevel>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<RefusedPath>,
    pub metadata: Metadata,
    /// The number of files, those on other pages included.
    #[serde(skip)]
    pub file_total: usize,
}
parts!(OutlineAnswer { files, refused, ..file });

/// The outline of a file.
#[derive(Clone, Debug, Serialize)]
pub struct FileOutlineView {
    pub path: String,
    pub language: String,
    pub line_count: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub imports: Option<Vec<ImportedNameView>>,
    pub symbols: Vec<OutlineNodeView>,
    /// The number of top-level definitions that are not listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub more_symbols: Option<usize>,
    pub problems: Vec<ProblemView>,
    #[serde(skip)]
    pub byte_count: u32,
    #[serde(skip)]
    pub symbol_count: usize,
}
parts!(FileOutlineView { path, imports, symbols, problems });

/// A name that a file brings in.
#[derive(Clone, Debug, Serialize)]
pub struct ImportedNameView {
    pub kind: &'static str,
    pub module: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alias: Option<String>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub reexport: bool,
    pub line: u32,
}
parts!(ImportedNameView { module, name, alias });

/// A definition and those inside it.
#[derive(Clone, Debug, Serialize)]
pub struct OutlineNodeView {
    pub kind: &'static str,
    pub name: String,
    pub line_start: u32,
    pub line_end: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub visibility: Option<&'static str>,
    pub children: Vec<OutlineNodeView>,
    /// True for what holds a value: a field, a constant.
    #[serde(skip)]
    pub is_value: bool,
    /// True for what has a body of statements.
    #[serde(skip)]
    pub is_callable: bool,
}
parts!(OutlineNodeView { name, signature, children }, |node, reduction| {
    if reduction.location_only {
        (node.signature, node.visibility) = (None, None);
    }
});

/// A place that the parser did not understand.
#[derive(Clone, Debug, Serialize)]
pub struct ProblemView {
    pub line: u32,
    pub message: String,
}
parts!(ProblemView { message });

impl OutlineNodeView {
    fn new(node: OutlineNode) -> OutlineNodeView {
        OutlineNodeView {
            is_value: node.kind.is_value(),
            is_callable: node.kind.is_callable(),
            kind: node.kind.as_str(),
            name: node.name,
            line_start: node.line_start,
            line_end: node.line_end,
            signature: Some(node.signature),
            visibility: Some(node.visibility.as_str()),
            children: node.children.into_iter().map(OutlineNodeView::new).collect(),
        }
    }

    /// Returns the number of definitions, this one included.
    pub fn count(&self) -> usize {
        1 + self.children.iter().map(OutlineNodeView::count).sum::<usize>()
    }
}

impl From<Import> for ImportedNameView {
    fn from(import: Import) -> ImportedNameView {
        let Import { module, name, alias, reexport, line, .. } = import;
        ImportedNameView { kind: "use", module, name, alias, reexport, line }
    }
}

impl FileOutlineView {
    fn new(found: Found, with_imports: bool) -> FileOutlineView {
        let symbols: Vec<_> = found.symbols.into_iter().map(OutlineNodeView::new).collect();
        FileOutlineView {
            path: found.path,
            language: found.language,
            line_count: found.line_count,
            imports: with_imports.then(|| found.imports.into_iter().map(ImportedNameView::from).collect()),
            symbol_count: symbols.iter().map(OutlineNodeView::count).sum(),
            symbols,
            more_symbols: None,
            problems: found.problems.into_iter().map(|(line, message)| ProblemView { line, message }).collect(),
            byte_count: found.byte_count,
        }
    }

    /// Drops what a level does not show.
    fn reduce_to(&mut self, level: OutlineLevel) {
        if level == OutlineLevel::All {
            return;
        }
        self.symbols.iter_mut().for_each(|node| node.children.clear());
        if level == OutlineLevel::Top {
            return;
        }
        self.problems.clear();
        self.symbols.iter_mut().for_each(|node| (node.signature, node.visibility) = (None, None));
        if level == OutlineLevel::FirstNames {
            self.more_symbols = Some(self.symbols.len().saturating_sub(FEW_NAMES)).filter(|more| *more > 0);
            self.symbols.truncate(FEW_NAMES);
        }
    }
}

impl Answer for OutlineAnswer {
    answer_fields!(metadata::NoExtra);

    fn pages(&mut self) -> Vec<Paged<'_>> {
        vec![
            Paged::optional("symbols", self.file.as_mut().map(|file| &mut file.symbols)),
            Paged::optional("files", self.files.as_mut()),
        ]
    }
}

/// The files of an answer.
struct FoundFiles {
    /// The outlines of the page.
    files: Vec<Found>,
    /// The number of files on all pages.
    total: usize,
    /// True if a single file was asked for.
    is_one: bool,
    refused: Vec<(String, EngineError)>,
}

impl OutlineRequest {
    /// Returns whether signatures are shown whole, whatever they cost.
    pub fn is_full(&self) -> bool {
        self.full || self.detail.detail_level == Some(PlaceDetail::Signature)
    }

    /// Answers with as much of each file as the token budget allows; `cost` tells what an answer
    /// costs.
    pub fn answer_within(
        &self,
        context: &CallContext,
        cost: &dyn Fn(&OutlineAnswer) -> usize,
    ) -> Result<OutlineAnswer, AppError> {
        let session = Session::open_at(context, self.at.name())?;
        let budget = self.budget.tokens(context);
        let page = Page::new(self.page, budget.map_or(usize::MAX, |budget| budget / MIN_FILE_TOKENS));
        let (given, mut refused) = paths::relative(&session, &paths::split(&session, &self.path)?)?;
        let found = session.ask(|snapshot| self.find(snapshot, &given, page))?;
        if found.is_one && refused.is_empty() {
            return Ok(self.about_one(&session, found));
        }
        refused.extend(paths::refused(&session, found.refused, found.files.is_empty())?);
        let shown = found.files.len();
        let files = found.files.into_iter().map(|file| FileOutlineView::new(file, self.imports));
        let mut metadata = Metadata::new(&session);
        metadata.count(found.total, shown);
        page.mark(&mut metadata, &[found.total]);
        let mut answer = OutlineAnswer {
            file: None,
            files: Some(files.collect()),
            level: None,
            refused,
            metadata,
            file_total: found.total,
        };
        let least = if self.depth == OutlineDepth::Top { OutlineLevel::Top } else { OutlineLevel::All };
        let levels = [OutlineLevel::All, OutlineLevel::Top, OutlineLevel::Names, OutlineLevel::FirstNames];
        for level in levels.into_iter().skip_while(|level| *level != least) {
            answer.files.iter_mut().flatten().for_each(|file| file.reduce_to(level));
            let has_all = answer.files.iter().flatten().all(|file| file.more_symbols.is_none());
            answer.level = Some(if has_all { level.min(OutlineLevel::Names) } else { level });
            if level != least {
                answer.metadata.result_completeness = Some(Completeness::Truncated);
            }
            if budget.is_none_or(|budget| cost(&answer) + NOTE_TOKENS <= budget) {
                break;
            }
        }
        Ok(answer)
    }

    fn about_one(&self, session: &Session, mut found: FoundFiles) -> OutlineAnswer {
        // There is no limit: all top-level definitions behind the first ones.
        let page = Page::new(self.page, usize::MAX);
        let mut metadata = Metadata::new(session);
        page.mark(&mut metadata, &[]);
        let mut file = found.files.pop().map(|file| FileOutlineView::new(file, self.imports));
        if let Some(file) = &mut file {
            page.skip(&mut file.symbols);
            if self.depth == OutlineDepth::Top {
                file.reduce_to(OutlineLevel::Top);
            }
        }
        OutlineAnswer { file, files: None, level: None, refused: Vec::new(), metadata, file_total: 1 }
    }

    fn find(&self, snapshot: &Snapshot, given: &[String], page: Page) -> Result<FoundFiles, EngineError> {
        let mut paths: Vec<String> = Vec::new();
        let (mut refused, mut is_one) = (Vec::new(), given.len() == 1);
        for path in given {
            match query::resolve_file_or_folder(snapshot, path) {
                Ok(ViewPath::File(file)) => paths.push(file),
                Ok(ViewPath::Folder(folder)) => {
                    is_one = false;
                    paths.extend(query::paths_below(snapshot, &folder)?.into_iter().map(str::to_string));
                }
                Err(error) if is_one => return Err(error),
                Err(error) => refused.push((path.clone(), error)),
            }
        }
        let mut seen = BTreeSet::new();
        paths.retain(|path| seen.insert(path.clone()));
        let total = paths.len();
        let (offset, limit) = if is_one { (0, usize::MAX) } else { (page.offset(), page.limit()) };
        let mut files = Vec::new();
        for path in paths.into_iter().skip(offset).take(limit) {
            match query::outline(snapshot, &path) {
                Ok(file) => files.push(file),
                Err(error @ EngineError::FileNotFound { .. }) if !is_one => refused.push((path, error)),
                Err(error) => return Err(error),
            }
        }
        Ok(FoundFiles { files, total, is_one, refused })
    }
}

impl Request for OutlineRequest {
    type Answer = OutlineAnswer;
    shared_arguments!(at, detail);

    fn spread(&self) -> Spread {
        if self.path.is_empty() { Spread::Each } else { Spread::Owner }
    }

    fn lists(&mut self) -> Option<&mut Vec<String>> {
        Some(&mut self.path)
    }

    fn answer(&self, context: &CallContext) -> Result<OutlineAnswer, AppError> {
        self.answer_within(context, &|answer| tokens(&answer.json()))
    }
}
