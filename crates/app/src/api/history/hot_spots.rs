//! `history --hot`: the files that changed most lately, and who changed them.

use clap::Args;
use codecompass_engine::history::{self, HotFile, HotFolder, HotSpotOptions, PathAuthor, PeriodEnd};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::commits::date;
use crate::api::arguments::{Bounded, FilterArgs, PageArgs, filter, is_zero};
use crate::api::metadata::{Metadata, NoExtra};
use crate::api::page::Page;
use crate::api::part::{answer_fields, parts};
use crate::api::{Answer, Request};
use crate::error::AppError;
use crate::session::{CallContext, Session};

/// Folders and authors that are named.
const MAX_NAMED: usize = 10;

#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct HotSpotsRequest {
    #[command(flatten)]
    #[serde(flatten)]
    pub filter: FilterArgs,
    /// Only commits since this date; those of a year before the newest one if not given.
    #[arg(long, value_name = "DATE")]
    pub since: Option<String>,
    /// The commits of this branch, tag or commit, or of a range A..B.
    #[arg(long = "ref", value_name = "REF")]
    #[serde(rename = "ref")]
    pub reference: Option<String>,
    /// At most this many files.
    #[arg(long, short = 'n')]
    pub limit: Bounded<1, 100_000, 1000>,
    #[command(flatten)]
    #[serde(flatten)]
    pub page: PageArgs,
}

#[derive(Clone, Debug, Serialize)]
pub struct HotSpotsAnswer {
    /// The hottest first.
    pub files: Vec<HotFileView>,
    /// The number of files that changed.
    pub total: usize,
    /// The folders right below the one that was asked for.
    pub folders: Vec<HotFolderView>,
    pub authors: Vec<PathAuthorView>,
    /// The number of further authors.
    #[serde(skip_serializing_if = "is_zero")]
    pub more_authors: usize,
    /// The number of commits that changed any of the files.
    pub commits: usize,
    /// The oldest commits that count; absent if all do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    pub metadata: Metadata,
    /// The files behind this page.
    #[serde(skip)]
    pub behind: usize,
}
parts!(HotSpotsAnswer { files, folders, authors });

/// A file that changed.
#[derive(Clone, Debug, Serialize)]
pub struct HotFileView {
    pub path: String,
    pub commits: usize,
    /// The sum of its changes, new ones counting more than old ones.
    pub heat: f64,
    pub last_changed: String,
    pub authors: Vec<PathAuthorView>,
}
parts!(HotFileView { path, authors });

/// A folder whose files changed.
#[derive(Clone, Debug, Serialize)]
pub struct HotFolderView {
    pub path: String,
    pub commits: usize,
    pub heat: f64,
    pub authors: Vec<PathAuthorView>,
}
parts!(HotFolderView { path, authors });

/// A person who changed a file or folder.
#[derive(Clone, Debug, Serialize)]
pub struct PathAuthorView {
    pub author: String,
    pub commits: usize,
    /// The part in the heat, from 0 to 1.
    pub share: f64,
}
parts!(PathAuthorView { author });

fn rounded(number: f64) -> f64 {
    (number * 1000.0).round() / 1000.0
}

fn authors(authors: Vec<PathAuthor>) -> Vec<PathAuthorView> {
    authors.into_iter().map(PathAuthorView::from).collect()
}

impl From<PathAuthor> for PathAuthorView {
    fn from(it: PathAuthor) -> PathAuthorView {
        PathAuthorView { author: it.author.to_string(), commits: it.commits, share: rounded(it.share) }
    }
}

impl From<HotFile> for HotFileView {
    fn from(file: HotFile) -> HotFileView {
        HotFileView {
            path: file.path,
            commits: file.commits,
            heat: rounded(file.heat),
            last_changed: file.last_changed,
            authors: authors(file.authors),
        }
    }
}

impl From<HotFolder> for HotFolderView {
    fn from(folder: HotFolder) -> HotFolderView {
        HotFolderView {
            path: folder.path,
            commits: folder.commits,
            heat: rounded(folder.heat),
            authors: authors(folder.authors),
        }
    }
}

impl Answer for HotSpotsAnswer {
    answer_fields!(NoExtra, pages: files);

    fn is_found(&self) -> bool {
        self.total > 0
    }
}

impl Request for HotSpotsRequest {
    type Answer = HotSpotsAnswer;

    fn reference(&self) -> Option<&str> {
        Some(self.reference.as_deref().unwrap_or("HEAD"))
    }

    fn answer(&self, context: &CallContext) -> Result<HotSpotsAnswer, AppError> {
        let session = Session::open_checkout(context)?;
        let options = HotSpotOptions {
            filter: filter(&self.filter, &session)?,
            since: date(&self.since, PeriodEnd::First)?,
            range: self.reference.clone(),
        };
        let found = session.with_progress(|bar| history::hot_spots(&session.engine, &options, bar))?;
        let page = Page::new(self.page, self.limit.len());
        let total = found.files.len();
        let files: Vec<HotFileView> =
            found.files.into_iter().skip(page.offset()).take(page.limit()).map(HotFileView::from).collect();
        let mut metadata = Metadata::new(&session);
        metadata.count(total, files.len());
        page.mark(&mut metadata, &[total]);
        let mut authors = authors(found.authors);
        let more_authors = authors.len().saturating_sub(MAX_NAMED);
        authors.truncate(MAX_NAMED);
        Ok(HotSpotsAnswer {
            behind: page.behind(total, files.len()),
            files,
            total,
            folders: found.folders.into_iter().take(MAX_NAMED).map(HotFolderView::from).collect(),
            authors,
            more_authors,
            commits: found.commits,
            since: found.since,
            metadata,
        })
    }
}
