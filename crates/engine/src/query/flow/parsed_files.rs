//! The syntax trees of the files that one question looks into, parsed when they are asked for.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use codecompass_syntax::flow::FlowCode;
use rustc_hash::FxHashMap;

use crate::error::Result;
use crate::model::VersionId;
use crate::query::files::current_text::current_text;
use crate::query::navigate::Navigator;
use crate::query::navigate::use_sites::Enclosing;
use crate::resolve::language_of;

/// Files that one question parses.
const MAX_FILES: usize = 250;
/// Bytes of text that one question parses.
const MAX_BYTES: usize = 16 << 20;
/// The time for one file.
const LIMIT: Duration = Duration::from_secs(10);

/// Parsed files of a view.
pub(super) struct ParsedFiles<'a, 'view> {
    pub(super) navigator: &'a Navigator<'view>,
    files: RefCell<FxHashMap<VersionId, Option<Rc<FlowCode>>>>,
    read: RefCell<(usize, usize)>,
}

impl<'a, 'view> ParsedFiles<'a, 'view> {
    pub(super) fn new(navigator: &'a Navigator<'view>) -> ParsedFiles<'a, 'view> {
        ParsedFiles { navigator, files: RefCell::default(), read: RefCell::default() }
    }

    /// Returns whether the bound on files was reached, so that some were not looked into.
    pub(super) fn is_cut(&self) -> bool {
        let (files, bytes) = *self.read.borrow();
        files > MAX_FILES || bytes > MAX_BYTES
    }

    /// Returns the trees of a file; `None` if it is no code, cannot be read, or is one too many.
    pub(super) fn code(&self, version: VersionId) -> Result<Option<Rc<FlowCode>>> {
        if let Some(known) = self.files.borrow().get(&version) {
            return Ok(known.clone());
        }
        let found = self.parse(version)?.map(Rc::new);
        self.files.borrow_mut().insert(version, found.clone());
        Ok(found)
    }

    fn parse(&self, version: VersionId) -> Result<Option<FlowCode>> {
        let snapshot = self.navigator.snapshot();
        let (Some(path), Some((source, config))) = (snapshot.path_of(version), self.navigator.texts()) else {
            return Ok(None);
        };
        let Some(language) = language_of(snapshot, version)? else { return Ok(None) };
        // A file that changed meanwhile has no places that facts tell of.
        let Ok(text) = current_text(snapshot, source, config, path) else { return Ok(None) };
        let mut read = self.read.borrow_mut();
        (read.0, read.1) = (read.0 + 1, read.1 + text.len());
        if read.0 > MAX_FILES || read.1 > MAX_BYTES {
            return Ok(None);
        }
        Ok(FlowCode::parse(text, language, LIMIT))
    }

    /// Returns the definition around a line, and whether it belongs to a test.
    pub(super) fn around(&self, version: VersionId, line: u32) -> Result<(Option<Enclosing>, Option<u32>, bool)> {
        let Some(outline) = self.navigator.resolver.outline(version)? else { return Ok((None, None, false)) };
        let ordinal = outline.outline.innermost_at(
            line,
            |around| !around.kind.is_outline_only(),
            |around| around.span.start_line,
        );
        let is_test = self.navigator.is_test(&outline, ordinal)?;
        let definition = ordinal.and_then(|ordinal| outline.definitions().get(ordinal as usize));
        Ok((definition.map(|one| Enclosing::new(one, outline.definitions())), ordinal, is_test))
    }
}
