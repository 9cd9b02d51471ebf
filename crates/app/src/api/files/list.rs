//! `ls`, `list_directory`: the entries of a folder, with what each holds.

use clap::Args;
use codecompass_engine::Error as EngineError;
use codecompass_engine::query::{self, FolderEntry, ViewPath};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::paths::relative;
use crate::api::arguments::{Bounded, PageArgs, RefArgs};
use crate::api::fan_out::Spread;
use crate::api::metadata::{Metadata, NoExtra};
use crate::api::page::Page;
use crate::api::part::{answer_fields, parts, shared_arguments};
use crate::api::{Answer, Request};
use crate::error::{AppError, Code};
use crate::remedy::Remedy;
use crate::session::{CallContext, Session};

/// The languages of a folder that are named.
const MAX_LANGUAGES: usize = 5;

#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct ListRequest {
    /// The folder [default: the current one]; a unique end of its path will do.
    #[arg(value_name = "PATH")]
    #[schemars(description = "Folder; default: the root.")]
    pub path: Option<String>,
    /// Show folders inside folders to this depth.
    #[arg(long, default_value_t = Bounded::new(1), value_name = "N")]
    #[serde(default = "one_level")]
    #[schemars(description = "Levels of the tree; default 1.", extend("default" = null))]
    pub depth: Bounded<1, 100>,
    #[command(flatten)]
    #[serde(flatten)]
    pub at: RefArgs,
    #[command(flatten)]
    #[serde(flatten)]
    pub page: PageArgs,
}

fn one_level() -> Bounded<1, 100> {
    Bounded::new(1)
}

#[derive(Clone, Debug, Serialize)]
pub struct ListAnswer {
    /// Empty for the root.
    pub path: String,
    #[serde(flatten)]
    pub totals: TotalsView,
    /// Each folder is followed by what is in it.
    pub entries: Vec<EntryView>,
    pub metadata: Metadata,
}
parts!(ListAnswer { path, entries });

/// Sums over the files of a folder.
#[derive(Clone, Debug, Serialize)]
pub struct TotalsView {
    pub files: usize,
    pub lines: u64,
    pub definitions: u64,
    pub bytes: u64,
    /// The most frequent ones.
    pub languages: Vec<LanguageFiles>,
}

/// A language with the number of its files.
#[derive(Clone, Debug, Serialize)]
pub struct LanguageFiles {
    pub language: String,
    pub files: usize,
}

/// A file or folder.
#[derive(Clone, Debug, Serialize)]
pub struct EntryView {
    pub path: String,
    pub kind: &'static str,
    pub depth: u32,
    #[serde(flatten)]
    pub content: EntryContent,
}
parts!(EntryView { path });

/// The content of an entry.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum EntryContent {
    Folder(TotalsView),
    File {
        lines: u64,
        definitions: u64,
        bytes: u64,
        #[serde(skip_serializing_if = "Option::is_none")]
        language: Option<String>,
    },
    /// The reason why it is not indexed.
    Skipped {
        skipped: String,
    },
}

impl From<query::FolderTotals> for TotalsView {
    fn from(totals: query::FolderTotals) -> TotalsView {
        let languages = totals.languages.into_iter().take(MAX_LANGUAGES);
        TotalsView {
            files: totals.files,
            lines: totals.lines,
            definitions: totals.symbols,
            bytes: totals.bytes,
            languages: languages.map(|(language, files)| LanguageFiles { language, files }).collect(),
        }
    }
}

impl From<FolderEntry> for EntryView {
    fn from(entry: FolderEntry) -> EntryView {
        let content = match (entry.skip, entry.is_folder) {
            (Some(reason), _) => EntryContent::Skipped { skipped: reason.replace('_', " ") },
            (None, true) => EntryContent::Folder(entry.totals.into()),
            (None, false) => EntryContent::File {
                lines: entry.totals.lines,
                definitions: entry.totals.symbols,
                bytes: entry.totals.bytes,
                language: entry.totals.languages.into_iter().next().map(|(language, _)| language),
            },
        };
        EntryView {
            path: entry.path,
            kind: if entry.is_folder { "folder" } else { "file" },
            depth: entry.depth,
            content,
        }
    }
}

impl Answer for ListAnswer {
    answer_fields!(NoExtra, pages: entries);
}

impl Request for ListRequest {
    type Answer = ListAnswer;
    shared_arguments!(at);

    fn spread(&self) -> Spread {
        if self.path.is_some() { Spread::Owner } else { Spread::Each }
    }

    fn subjects(&mut self) -> Vec<&mut String> {
        self.path.iter_mut().collect()
    }

    fn answer(&self, context: &CallContext) -> Result<ListAnswer, AppError> {
        let session = Session::open_at(context, self.at.name())?;
        let given = self.path.clone().unwrap_or_else(|| ".".into());
        let (mut paths, _) = relative(&session, &[given])?;
        let path = paths.pop().unwrap_or_default();
        let unindexed = session.engine.unindexed_below(&path)?;
        let found = session.ask(|snapshot| {
            let meant = match query::resolve_file_or_folder(snapshot, &path) {
                Err(EngineError::FileNotFound { .. }) if !unindexed.is_empty() => ViewPath::Folder(path.clone()),
                Err(error @ EngineError::FileNotFound { .. }) => return Ok(Err(error)),
                meant => meant?,
            };
            // Of a folder that was named by its end, what is not indexed is not known yet.
            let others = match &meant {
                ViewPath::Folder(folder) if *folder == path => unindexed.clone(),
                ViewPath::Folder(folder) => session.engine.unindexed_below(folder)?,
                ViewPath::File(_) => Vec::new(),
            };
            query::list(snapshot, &meant, self.depth.get(), &others).map(Ok)
        })?;
        let mut found = found.map_err(|error| not_listed(&session, &path, error))?;
        // There is no limit: all entries behind the first ones.
        let page = Page::new(self.page, usize::MAX);
        let total = found.entries.len();
        page.skip(&mut found.entries);
        let mut metadata = Metadata::new(&session);
        metadata.count(total, found.entries.len());
        page.mark(&mut metadata, &[total]);
        Ok(ListAnswer {
            path: found.path,
            totals: found.totals.into(),
            entries: found.entries.into_iter().map(EntryView::from).collect(),
            metadata,
        })
    }
}

/// Words why a folder that may be on disk has no entries.
fn not_listed(session: &Session, path: &str, error: EngineError) -> AppError {
    let is_on_disk = session.engine.workspace().root.join(path).is_dir();
    match session.skipped_by(path) {
        Ok(Some(skipped)) if is_on_disk => AppError::new(
            Code::FileNotFound,
            format!("no indexed folder {path}: it is skipped ({})", skipped.reason),
            Remedy::ListSkipped,
        ),
        _ => session.with_skip_reason(error).into(),
    }
}
