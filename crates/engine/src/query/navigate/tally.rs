//! Counts the occurrences of a name by class, and keeps the places that answers list.

use codecompass_syntax::facts::RefKind;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::error::Result;
use crate::model::VersionId;
use crate::query::navigate::Navigator;
use crate::query::navigate::name_search::{NamedFile, Occurrence};
use crate::query::navigate::use_sites::{UseClass, UseSite};
use crate::resolve::{FileView, ResolutionEvidence};

/// Targets of other uses that are named; all are counted.
const MAX_TARGETS: usize = 5;

/// The occurrences of a symbol's name in the files of its family of languages, by class. The
/// classes add up to the occurrences.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Accounting {
    /// The name that was searched for.
    pub name: String,
    /// The number of places that have the name as a whole word.
    pub occurrences: usize,
    /// Proven uses of the symbol.
    pub proven: usize,
    /// Taken for the symbol by evidence.
    pub likely: usize,
    /// Not resolved, and maybe the symbol.
    pub possible: usize,
    /// Resolved to something else, or the name of another definition.
    pub other: usize,
    /// In comments and literal texts.
    pub text: usize,
    /// The names of the symbol's own definitions.
    pub definitions: usize,
    /// The definitions that other occurrences mean, most frequent first: qualified names with
    /// numbers.
    pub targets: Vec<(String, usize)>,
    /// Uses of the symbol that are written in another way and so are no occurrences: by an alias,
    /// or of a constructor by the name of its type.
    pub renamed: usize,
    /// Files whose occurrences were not counted, since they cannot be read, are too large, or have
    /// too many without facts.
    pub unread: Vec<String>,
    /// The first lines of possible uses.
    pub possible_lines: Vec<(String, u32)>,
    /// The first lines in comments and literal texts.
    pub text_lines: Vec<(String, u32)>,
}

/// The occurrences of a name, classified.
#[derive(Clone)]
pub(crate) struct Account {
    pub(crate) accounting: Accounting,
    /// The possible uses, and other declarations of the symbol, in the order of paths and places.
    pub(crate) sites: Vec<UseSite>,
}

/// The class of one occurrence.
pub(super) enum OccurrenceClass {
    /// The name of a definition, with the number of the symbol that it is.
    Own(usize),
    Use(UseClass),
    Possible(Option<u32>),
    /// A value that is written with the name (`:name`), and may be called by it.
    Mention,
    Other(Option<String>),
    Text,
}

/// Lines of a class of occurrences that an account names.
const MAX_LINES: usize = 5;

/// Adds the line of an occurrence if it is new and there is room.
fn add_line(lines: &mut Vec<(String, u32)>, path: &str, line: u32) {
    let is_new = lines.last().is_none_or(|(last, at)| (last.as_str(), *at) != (path, line));
    if is_new && lines.len() <= MAX_LINES {
        lines.push((path.to_string(), line));
    }
}

/// The account while it is made.
pub(super) struct Tally {
    name: String,
    /// The number of uses, by whatever name.
    resolved: usize,
    /// File and line of the definitions that are not listed among the declarations.
    main: Vec<(VersionId, u32)>,
    pub(super) accounting: Accounting,
    sites: Vec<UseSite>,
    targets: FxHashMap<String, usize>,
    /// The number of occurrences that are known uses.
    uses: usize,
    /// Numbers of the sites that are values written with the name.
    mentions: FxHashSet<usize>,
    /// The places in texts, if they are asked for.
    pub(super) texts: Option<Vec<TextPlace>>,
}

/// A place in a comment or literal text: path, line and column.
pub(crate) type TextPlace = (String, u32, u32);

impl Tally {
    pub(super) fn new(name: &str, main: Vec<(VersionId, u32)>, resolved: usize) -> Tally {
        let accounting = Accounting { name: name.to_string(), ..Accounting::default() };
        Tally {
            name: name.to_string(),
            resolved,
            texts: None,
            main,
            accounting,
            sites: Vec::new(),
            targets: FxHashMap::default(),
            uses: 0,
            mentions: FxHashSet::default(),
        }
    }

    /// Counts one occurrence, and keeps the place of a declaration or possible use.
    pub(super) fn add(
        &mut self,
        navigator: &Navigator<'_>,
        file: &NamedFile<'_>,
        view: Option<&FileView>,
        at: Occurrence,
        class: OccurrenceClass,
    ) -> Result<()> {
        let accounting = &mut self.accounting;
        accounting.occurrences += 1;
        match class {
            OccurrenceClass::Own(definition) => {
                accounting.definitions += 1;
                if !file.version.is_some_and(|version| self.main.contains(&(version, at.line))) {
                    let site = navigator.possible_site(file, view, None, at, &self.name)?;
                    let (class, evidence) = (UseClass::Static, ResolutionEvidence::Scope);
                    let (is_declaration, enclosing) = (true, None);
                    self.sites.push(UseSite { class, evidence, is_declaration, enclosing, definition, ..site });
                }
            }
            OccurrenceClass::Use(class) => {
                self.uses += 1;
                match class {
                    UseClass::Static => accounting.proven += 1,
                    UseClass::Likely | UseClass::Possible => accounting.likely += 1,
                }
            }
            OccurrenceClass::Other(target) => {
                accounting.other += 1;
                if let Some(target) = target {
                    *self.targets.entry(target).or_default() += 1;
                }
            }
            OccurrenceClass::Text => {
                accounting.text += 1;
                add_line(&mut accounting.text_lines, file.path, at.line);
                self.texts.iter_mut().for_each(|texts| texts.push((file.path.to_string(), at.line, at.column)));
            }
            OccurrenceClass::Possible(number) => {
                accounting.possible += 1;
                self.sites.push(navigator.possible_site(file, view, number, at, &self.name)?);
            }
            OccurrenceClass::Mention => {
                accounting.possible += 1;
                self.mentions.insert(self.sites.len());
                self.sites.push(navigator.possible_site(file, view, None, at, &self.name)?);
            }
        }
        Ok(())
    }

    /// Counts values that are written with the name among texts, where the symbol is used by its
    /// name.
    pub(super) fn drop_mentions(&mut self) {
        let is_called = |site: &UseSite| site.class == UseClass::Possible && site.kind == Some(RefKind::Call);
        if self.uses == 0 && !self.sites.iter().any(is_called) {
            return;
        }
        let mentions = std::mem::take(&mut self.mentions);
        let sites = std::mem::take(&mut self.sites).into_iter().enumerate();
        for (number, site) in sites {
            if mentions.contains(&number) {
                self.accounting.possible -= 1;
                self.accounting.text += 1;
                add_line(&mut self.accounting.text_lines, &site.path, site.line);
                self.texts.iter_mut().for_each(|texts| texts.push((site.path.clone(), site.line, site.column)));
            } else {
                self.sites.push(site);
            }
        }
    }

    /// Completes the account.
    pub(super) fn finish(mut self) -> Account {
        for site in self.sites.iter().filter(|site| site.class == UseClass::Possible) {
            add_line(&mut self.accounting.possible_lines, &site.path, site.line);
        }
        let mut targets: Vec<(String, usize)> = self.targets.into_iter().collect();
        targets.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        targets.truncate(MAX_TARGETS);
        let renamed = self.resolved.saturating_sub(self.uses);
        Account { accounting: Accounting { targets, renamed, ..self.accounting }, sites: self.sites }
    }
}
