//! `impact --rename`: the places that change if a symbol gets another name.

use codecompass_engine::query::{self, Navigator, RenameAnswer, RenameClass, RenamePlace};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::api::arguments::symbol;
use crate::api::page::Page;
use crate::api::part::parts;
use crate::api::views::{HitView, SubjectView};
use crate::error::AppError;
use crate::session::Session;

#[derive(Clone, Debug, Default, clap::Args, Deserialize, JsonSchema)]
pub struct RenameArgs {
    /// List every place that changes if the symbol is called NEW_NAME instead, by certainty;
    /// nothing is written. Filters do not apply.
    #[arg(long, value_name = "NEW_NAME", conflicts_with_all = ["diff", "source"])]
    #[schemars(description = "New name.")]
    pub rename: Option<String>,
    /// With --rename: print a patch of the definitions and proven uses, for `git apply`.
    #[arg(long, requires = "rename")]
    #[serde(default)]
    #[schemars(description = "")]
    pub patch: bool,
}

/// The places that a new name changes.
#[derive(Clone, Debug, Serialize)]
pub struct RenameView {
    pub name: String,
    pub new_name: String,
    /// The definitions that get the name together: parts, overloads, what overrides what.
    pub definitions: Vec<HitView>,
    pub places: Vec<RenamePlaceView>,
    /// All places by class, listed or not.
    pub by_class: RenameCounts,
    /// The number of files with a place.
    pub files: usize,
    /// Definitions that have the new name already.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conflicts: Vec<HitView>,
    /// Types outside of the repository that may demand the old name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub bases_outside: Vec<String>,
    /// Files that are called like a type, and their new paths; the patch renames them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub renamed_files: Vec<RenamedFileView>,
    /// Files whose places are not known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unread: Vec<String>,
    /// The certain places as a patch, where that is asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub patch: Option<String>,
    /// True if there are more places than were looked at.
    #[serde(skip)]
    pub is_cut: bool,
}
parts!(RenameView { name, new_name, definitions, places, conflicts, bases_outside, renamed_files, unread, patch });

/// A file that gets another path.
#[derive(Clone, Debug, Serialize)]
pub struct RenamedFileView {
    pub path: String,
    pub new_path: String,
}
parts!(RenamedFileView { path, new_path });

/// Numbers of places.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RenameCounts {
    pub definitions: usize,
    #[serde(rename = "static")]
    pub proven: usize,
    pub likely: usize,
    pub possible: usize,
    pub text: usize,
}

/// A place that changes.
#[derive(Clone, Debug, Serialize)]
pub struct RenamePlaceView {
    pub path: String,
    pub line: u32,
    pub column: u32,
    pub class: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<&'static str>,
    /// The text that stands there afterwards, if it is not the new name alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replacement: Option<String>,
    pub source: String,
    /// The reason why the patch leaves out a certain place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_out: Option<&'static str>,
    #[serde(skip)]
    pub rename_class: RenameClass,
}
parts!(RenamePlaceView { path, replacement, source });

impl RenamePlaceView {
    fn new(place: RenamePlace, new_name: &str) -> RenamePlaceView {
        RenamePlaceView {
            path: place.path,
            line: place.line,
            column: place.column,
            class: place.class.as_str(),
            kind: place.kind.map(|kind| kind.as_str()),
            replacement: Some(place.replacement).filter(|replacement| replacement != new_name),
            source: place.source.trim().to_string(),
            left_out: place.left_out,
            rename_class: place.class,
        }
    }
}

impl RenameArgs {
    /// Refuses what is no name, and a question without a symbol.
    pub(super) fn check(&self, symbols: &[String]) -> Result<(), AppError> {
        let Some(new_name) = &self.rename else {
            let advice = "give the new name as well";
            return if self.patch { Err(AppError::invalid("a patch is for a new name", advice)) } else { Ok(()) };
        };
        if symbols.is_empty() {
            return Err(AppError::invalid("a new name needs a symbol", "name the symbol"));
        }
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '?' | '!' | '\'' | '-');
        let is_name = new_name.starts_with(|c: char| c.is_alphabetic() || matches!(c, '_' | '$'));
        if !is_name || !new_name.chars().all(is_part) {
            let advice = "give a name alone, without its container, quotes or spaces";
            return Err(AppError::invalid(format!("`{new_name}` is not a name"), advice));
        }
        Ok(())
    }

    /// Finds what the new name changes; the list is cut to the page.
    pub(super) fn find(
        &self,
        asked: &str,
        new_name: &str,
        session: &Session,
        page: Page,
    ) -> Result<(SubjectView, RenameView), AppError> {
        let asked = symbol(session, asked)?;
        let engine = &session.engine;
        let found = session.ask(|snapshot| {
            let navigator = Navigator::new(snapshot).reading(engine.source(), &engine.config().index);
            query::rename(&navigator, &asked, new_name)
        })?;
        let RenameAnswer {
            subject,
            name,
            new_name,
            definitions,
            places,
            conflicts,
            outside,
            unread,
            files: renamed,
            is_cut,
            patch,
        } = found;
        if name == new_name {
            return Err(AppError::invalid(format!("its name is `{name}` already"), "give another one"));
        }
        let count = |class| places.iter().filter(|place| place.class == class).count();
        let by_class = RenameCounts {
            definitions: count(RenameClass::Definition),
            proven: count(RenameClass::Static),
            likely: count(RenameClass::Likely),
            possible: count(RenameClass::Possible),
            text: count(RenameClass::Text),
        };
        let mut files: Vec<&str> = places.iter().map(|place| place.path.as_str()).collect();
        files.sort_unstable();
        files.dedup();
        let files = files.len();
        let mut places: Vec<RenamePlaceView> =
            places.into_iter().map(|place| RenamePlaceView::new(place, &new_name)).collect();
        page.skip(&mut places);
        places.truncate(page.limit());
        let views = |hits: Vec<query::Hit>| hits.into_iter().map(HitView::symbol).collect();
        let view = RenameView {
            definitions: views(definitions),
            conflicts: views(conflicts),
            bases_outside: outside,
            renamed_files: renamed.into_iter().map(|(path, new_path)| RenamedFileView { path, new_path }).collect(),
            patch: self.patch.then_some(patch),
            name,
            new_name,
            places,
            by_class,
            files,
            unread,
            is_cut,
        };
        Ok((subject.into(), view))
    }
}

impl RenameView {
    /// The number of all places.
    pub fn total(&self) -> usize {
        let RenameCounts { definitions, proven, likely, possible, text } = self.by_class;
        definitions + proven + likely + possible + text
    }
}
