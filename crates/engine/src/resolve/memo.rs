//! Everything that a resolver found about one state of a view. A process that answers many
//! questions hands it from one resolver to the next.

use std::cell::{OnceCell, RefCell};
use std::hash::Hash;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::cache::Recent;
use crate::model::VersionId;
use crate::resolve::entity::{MacroCall, Symbol};
use crate::resolve::file::{FileOutline, FileView, GlobalImport};
use crate::resolve::names::modules::layout::Modules;
use crate::resolve::names::qualified_names::QualifiedNames;
use crate::resolve::value::{ParameterType, Value};

/// Limits in bytes of three caches: decoded names that files use, decoded definitions of files, and
/// lists of the files that files include.
const USES_BYTES: usize = 256 << 20;
const OUTLINE_BYTES: usize = 128 << 20;
const INCLUDED_BYTES: usize = 16 << 20;
/// Decoded files of more bytes than this are not kept between questions.
const KEPT_FILE_BYTES: usize = 96 << 20;
/// More entries than this are not kept between questions.
const KEPT_ENTRIES: usize = 200_000;

/// Findings about a name and something else.
pub(super) struct ByName<K, V>(RefCell<FxHashMap<String, FxHashMap<K, V>>>);

impl<K, V> Default for ByName<K, V> {
    fn default() -> ByName<K, V> {
        ByName(RefCell::default())
    }
}

impl<K: Hash + Eq, V: Clone> ByName<K, V> {
    pub(super) fn get<Q: Hash + Eq + ?Sized>(&self, name: &str, key: &Q) -> Option<V>
    where
        K: std::borrow::Borrow<Q>,
    {
        self.0.borrow().get(name)?.get(key).cloned()
    }

    pub(super) fn insert(&self, name: &str, key: K, value: V) {
        let mut by_name = self.0.borrow_mut();
        match by_name.get_mut(name) {
            Some(known) => known.insert(key, value),
            None => by_name.entry(name.to_string()).or_default().insert(key, value),
        };
    }

    fn len(&self) -> usize {
        self.0.borrow().values().map(FxHashMap::len).sum()
    }
}

/// Definitions of one name that may be members of types around which they do not stand.
#[derive(Default)]
pub(super) struct Apart {
    /// Those that may be members of any type.
    pub anywhere: Vec<Symbol>,
    /// Those that may be members of types with one name, by that name.
    pub by_container: FxHashMap<String, Vec<Symbol>>,
}

/// The proof that a reference means something outside of the repository.
#[derive(Clone, Debug)]
pub(super) enum Outside {
    Unproven,
    Proven,
    /// A member of these types; what overrides a member of one of them may be meant as well.
    MemberOf(Arc<[Arc<str>]>),
}

/// Files that were read and facts that were found, by version, name and symbol.
pub(crate) struct ResolverMemo {
    /// Names of folders and files, made when first asked for.
    pub(super) path_names: OnceCell<FxHashSet<String>>,
    pub(super) files: RefCell<Recent<VersionId, Arc<FileView>>>,
    pub(super) outlines: RefCell<Recent<VersionId, Arc<FileOutline>>>,
    pub(super) modules: OnceCell<Modules>,
    pub(super) named: RefCell<FxHashMap<String, Arc<Vec<Symbol>>>>,
    pub(super) named_apart: RefCell<FxHashMap<String, Arc<Apart>>>,
    /// Qualified names of definitions, by their bare name and the language that splits them.
    pub(super) qualified: ByName<&'static str, Arc<QualifiedNames>>,
    /// Members of types by name, and whether that is a guess.
    pub(super) members: ByName<Symbol, (Arc<[Symbol]>, bool)>,
    /// Members that are added to types outside of the view, by the names of both and the group of
    /// languages.
    pub(super) foreign_members: ByName<String, Arc<[Symbol]>>,
    /// Members that are added to every type of a group of languages.
    pub(super) added_to_all: ByName<&'static str, Arc<[Symbol]>>,
    pub(super) blocks: RefCell<FxHashMap<String, Arc<Vec<Symbol>>>>,
    pub(super) owners: RefCell<FxHashMap<Symbol, Arc<Vec<Symbol>>>>,
    pub(super) forwarded: RefCell<FxHashMap<Symbol, Arc<Vec<Symbol>>>>,
    pub(super) supertypes: RefCell<FxHashMap<Symbol, Arc<Vec<Symbol>>>>,
    /// Types, and whether they name supertypes that are not in the view.
    pub(super) external_above: RefCell<FxHashMap<Symbol, bool>>,
    pub(super) results: RefCell<FxHashMap<Symbol, Arc<Vec<Value>>>>,
    /// Types of the parameters of overloads.
    pub(super) wanted: RefCell<FxHashMap<(Symbol, usize), Arc<ParameterType>>>,
    /// Types, and whether they say how their values are converted.
    pub(super) converts: RefCell<FxHashMap<Symbol, bool>>,
    /// References to something outside, by file and number.
    pub(super) outside: RefCell<FxHashMap<(VersionId, u32), Outside>>,
    pub(super) parts: RefCell<FxHashMap<Symbol, Arc<Vec<Symbol>>>>,
    /// By group of languages.
    pub(super) global_imports: RefCell<FxHashMap<&'static str, Arc<Vec<GlobalImport>>>>,
    pub(super) included: RefCell<Recent<VersionId, Arc<[VersionId]>>>,
    pub(super) includes: RefCell<FxHashMap<VersionId, Arc<[VersionId]>>>,
    /// Calls of macros with items in their rules.
    pub(super) macro_calls: RefCell<FxHashMap<VersionId, Arc<Vec<MacroCall>>>>,
    /// Names of packages by folder.
    pub(super) packages: RefCell<FxHashMap<String, Arc<Vec<String>>>>,
}

impl Default for ResolverMemo {
    fn default() -> ResolverMemo {
        ResolverMemo {
            path_names: OnceCell::new(),
            files: RefCell::new(Recent::new(USES_BYTES)),
            outlines: RefCell::new(Recent::new(OUTLINE_BYTES)),
            modules: OnceCell::new(),
            named: RefCell::default(),
            named_apart: RefCell::default(),
            qualified: ByName::default(),
            members: ByName::default(),
            foreign_members: ByName::default(),
            added_to_all: ByName::default(),
            blocks: RefCell::default(),
            owners: RefCell::default(),
            forwarded: RefCell::default(),
            supertypes: RefCell::default(),
            external_above: RefCell::default(),
            results: RefCell::default(),
            wanted: RefCell::default(),
            converts: RefCell::default(),
            outside: RefCell::default(),
            parts: RefCell::default(),
            global_imports: RefCell::default(),
            included: RefCell::new(Recent::new(INCLUDED_BYTES)),
            includes: RefCell::default(),
            macro_calls: RefCell::default(),
            packages: RefCell::default(),
        }
    }
}

impl ResolverMemo {
    /// Forgets what would take too much memory until the next question.
    pub(crate) fn trim(&mut self) {
        let bytes: usize = self.files.borrow().iter().map(|(_, _, bytes)| bytes).sum();
        if bytes > KEPT_FILE_BYTES {
            self.files = RefCell::new(Recent::new(USES_BYTES));
            self.outlines = RefCell::new(Recent::new(OUTLINE_BYTES));
        }
        let by_symbol = [&self.owners, &self.forwarded, &self.supertypes, &self.parts];
        let entries = by_symbol.iter().map(|it| it.borrow().len()).sum::<usize>()
            + self.named.borrow().len()
            + self.named_apart.borrow().len()
            + self.qualified.len()
            + self.members.len()
            + self.foreign_members.len()
            + self.added_to_all.len()
            + self.results.borrow().len()
            + self.wanted.borrow().len()
            + self.converts.borrow().len()
            + self.outside.borrow().len()
            + self.external_above.borrow().len()
            + self.includes.borrow().len();
        if entries > KEPT_ENTRIES {
            *self = ResolverMemo { modules: std::mem::take(&mut self.modules), ..ResolverMemo::default() };
        }
    }
}
