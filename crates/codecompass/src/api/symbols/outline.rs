//! `outline`, `get_file_outline`: a file's skeleton.

use clap::{Args, ValueEnum};
use codecompass_engine::query::{self, OutlineNode};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::api::arguments::{DetailArgs, PageArgs, RefArgs};
use crate::api::metadata::Metadata;
use crate::api::page::Page;
use crate::api::part::{Paged, Reduction, parts};
use crate::api::{Answer, Request, metadata};
use crate::error::AppError;
use crate::session::{CallContext, Session};

#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub(crate) struct OutlineRequest {
    /// The file; a unique end of its path will do.
    #[arg(value_name = "PATH")]
    pub path: String,
    /// Show only top-level definitions, or all.
    #[arg(long, value_enum, default_value_t = OutlineDepth::All)]
    #[serde(default)]
    #[schemars(with = "Option<OutlineDepth>", description = "")]
    pub depth: OutlineDepth,
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
pub(crate) enum OutlineDepth {
    /// Top-level definitions.
    Top,
    /// All definitions.
    #[default]
    All,
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct OutlineAnswer {
    pub path: String,
    pub language: String,
    pub line_count: u32,
    pub symbols: Vec<OutlineNodeView>,
    pub problems: Vec<ProblemView>,
    pub metadata: Metadata,
}
parts!(OutlineAnswer { path, symbols, problems });

/// A definition and those inside it.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct OutlineNodeView {
    pub kind: &'static str,
    pub name: String,
    pub line_start: u32,
    pub line_end: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub visibility: Option<&'static str>,
    pub children: Vec<OutlineNodeView>,
}
parts!(OutlineNodeView { name, signature, children }, |node, reduction| {
    if reduction.location_only {
        (node.signature, node.visibility) = (None, None);
    }
});

/// A place that the parser did not understand.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct ProblemView {
    pub line: u32,
    pub message: String,
}
parts!(ProblemView { message });

impl OutlineNodeView {
    fn new(node: OutlineNode, depth: OutlineDepth) -> OutlineNodeView {
        let children = match depth {
            OutlineDepth::Top => Vec::new(),
            OutlineDepth::All => node.children.into_iter().map(|child| OutlineNodeView::new(child, depth)).collect(),
        };
        OutlineNodeView {
            kind: node.kind.as_str(),
            name: node.name,
            line_start: node.line_start,
            line_end: node.line_end,
            signature: Some(node.signature),
            visibility: Some(node.visibility.as_str()),
            children,
        }
    }
}

impl Answer for OutlineAnswer {
    type Extra = metadata::NoExtra;

    fn metadata(&mut self) -> &mut Metadata {
        &mut self.metadata
    }

    fn pages(&mut self) -> Vec<Paged<'_>> {
        vec![Paged::new("symbols", &mut self.symbols)]
    }
}

impl Request for OutlineRequest {
    type Answer = OutlineAnswer;

    fn reference(&self) -> Option<&str> {
        self.at.name()
    }

    fn reduction(&self) -> Reduction {
        self.detail.reduction()
    }

    fn answer(&self, context: &CallContext) -> Result<OutlineAnswer, AppError> {
        let session = Session::open_at(context, self.at.name())?;
        let path = session.relative_path(&self.path)?;
        let mut found = session.ask(|snapshot| query::outline(snapshot, &path))?;
        // There is no limit: all top-level definitions behind the first ones.
        let page = Page::new(self.page, usize::MAX);
        page.skip(&mut found.symbols);
        let mut metadata = Metadata::new(&session);
        page.mark(&mut metadata, &[]);
        Ok(OutlineAnswer {
            path: found.path,
            language: found.language,
            line_count: found.line_count,
            symbols: found.symbols.into_iter().map(|node| OutlineNodeView::new(node, self.depth)).collect(),
            problems: found.problems.into_iter().map(|(line, message)| ProblemView { line, message }).collect(),
            metadata,
        })
    }
}
