//! The files that can see a definition, where the language leaves no doubt.

use codecompass_syntax::facts::{ChainRoot, ChainStep, Definition, Kind, RefKind, Reference, Visibility};
use codecompass_syntax::{ModuleSystem, PrivateScope};

use crate::error::Result;
use crate::model::VersionId;
use crate::resolve::Resolver;
use crate::resolve::entity::Symbol;
use crate::resolve::file::{FileOutline, FileView};
use crate::resolve::names::modules::layout::folder_of;

/// Trees of more files are not looked through for modules that stand elsewhere.
const MAX_FILES: usize = 200;

/// The files outside of which a definition cannot be named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SeenIn {
    /// One file.
    File(VersionId),
    /// One file; others may have it as a member of something that holds it.
    Carried(VersionId),
    /// The files right in a folder.
    Folder(String),
    /// A file and all below a folder.
    Tree(VersionId, String),
}

impl SeenIn {
    /// Returns whether a file can see the definition.
    pub(crate) fn includes(&self, version: Option<VersionId>, path: &str) -> bool {
        match self {
            SeenIn::File(home) => version == Some(*home),
            SeenIn::Carried(_) => true,
            SeenIn::Folder(folder) => folder_of(path) == folder,
            SeenIn::Tree(home, folder) => {
                let below = path.strip_prefix(folder.as_str()).is_some_and(|rest| rest.starts_with('/'));
                version == Some(*home) || below || folder.is_empty()
            }
        }
    }
}

impl SeenIn {
    /// Returns whether a reference cannot mean the definition, since it names no member.
    pub(crate) fn refuses(&self, file: &FileView, reference: &Reference) -> bool {
        matches!(self, SeenIn::Carried(home) if *home != file.version && reference.receiver.is_none())
    }
}

impl Resolver<'_> {
    /// Returns the files that can see a definition; `None` if all can, or it is not certain.
    pub(crate) fn seen_in(&self, symbol: Symbol) -> Result<Option<SeenIn>> {
        let Some((file, definition)) = self.definition(symbol)? else { return Ok(None) };
        let rules = file.rules();
        let has_word = |words: &[String]| {
            let mut signature = definition.signature.split(|c: char| !c.is_alphanumeric());
            words.is_empty() || signature.any(|word| words.iter().any(|private| private == word))
        };
        // The parts of a type see what is private in another.
        let is_partial = || file.outwards(definition.parent).any(|(_, around)| around.modifiers.contains("partial"));
        if definition.visibility != Visibility::Private || !has_word(&rules.private_words) || is_partial() {
            return Ok(None);
        }
        Ok(match rules.private_scope {
            PrivateScope::Unknown => None,
            PrivateScope::File if rules.modules == ModuleSystem::Files => self.seen_in_module(&file, &definition)?,
            // A type that takes the members of a trait in has the private ones, too.
            PrivateScope::File if is_in_trait(&file, &definition) => None,
            PrivateScope::File => Some(SeenIn::File(symbol.version)),
            PrivateScope::Folder => Some(SeenIn::Folder(folder_of(&file.path).to_string())),
            PrivateScope::Tree => self.seen_in_tree(&file, &definition)?,
        })
    }

    /// Returns where a name can be meant that its file, if that is a module, does not export. What
    /// is only called or a type there stays there; another value may be put into an object.
    fn seen_in_module(&self, file: &FileOutline, definition: &Definition) -> Result<Option<SeenIn>> {
        let around = definition.parent.and_then(|parent| file.definitions().get(parent as usize));
        if around.is_some_and(|around| around.kind.is_type()) {
            return Ok(Some(SeenIn::File(file.version)));
        }
        let is_exported = |one: &Definition| one.parent.is_none() && one.visibility == Visibility::Public;
        let is_module = !file.outline.imports.is_empty() || file.definitions().iter().any(is_exported);
        let Some(view) = self.file(file.version)?.filter(|_| is_module) else { return Ok(None) };
        let uses = view.references_named(&definition.name).into_iter();
        let uses: Vec<&Reference> = uses.filter_map(|number| view.uses.references.get(number as usize)).collect();
        // A member of that name that is written may make it known to all.
        if uses.iter().any(|one| one.kind == RefKind::Write && one.receiver.is_some()) {
            return Ok(None);
        }
        let is_passed = |one: &&Reference| !matches!(one.kind, RefKind::Call | RefKind::Type | RefKind::Inherit);
        let is_carried = uses.into_iter().any(|one| is_passed(&one));
        Ok(Some(if is_carried { SeenIn::Carried(file.version) } else { SeenIn::File(file.version) }))
    }

    /// Returns whether a file holds tests of a folder whose definitions another file cannot name.
    pub(super) fn is_test_elsewhere(&self, user: &FileOutline, home: &FileOutline) -> bool {
        let is_beside = user.holds_tests_of_folder() && folder_of(&user.path) == folder_of(&home.path);
        home.holds_tests_of_folder() && !is_beside
    }

    /// Returns where an item of a tree of modules can be named: in the module of its file, and
    /// those below.
    fn seen_in_tree(&self, file: &FileOutline, definition: &Definition) -> Result<Option<SeenIn>> {
        let mut around = file.outwards(definition.parent);
        // A macro may make what it makes public.
        let words = &file.rules().declaring_words;
        let is_written = |item: &Definition| {
            let mut signature = item.signature.split([' ', '(']);
            signature.any(|word| words.iter().any(|declaring| declaring == word))
        };
        let owner = definition.parent.map(|parent| &file.definitions()[parent as usize]);
        let is_clear = match definition.kind {
            Kind::Macro | Kind::Module | Kind::Impl | Kind::Variant => false,
            Kind::Field => owner.is_some_and(is_written),
            _ => is_written(definition),
        };
        if !is_clear || around.any(|(_, around)| around.kind == Kind::Macro) {
            return Ok(None);
        }
        let folder = self.modules()?.inner_folder(&file.path);
        let inside = format!("{folder}/");
        let below = self.snapshot.files().iter().filter(|(path, _)| path.starts_with(&inside)).map(|(_, below)| *below);
        let tree: Vec<VersionId> = below.chain([file.version]).take(MAX_FILES + 1).collect();
        if folder.is_empty() || tree.len() > MAX_FILES {
            return Ok(None);
        }
        for version in tree {
            if self.may_reach_out(version)? {
                return Ok(None);
            }
        }
        Ok(Some(SeenIn::Tree(file.version, folder)))
    }

    /// Returns whether modules below a file may stand in other places, or macros may change what
    /// its items are.
    fn may_reach_out(&self, version: VersionId) -> Result<bool> {
        let Some(file) = self.file(version)? else { return Ok(false) };
        let definitions = file.definitions();
        let is_elsewhere = |item: &Definition| item.decorators.iter().any(|decorator| decorator.contains("path"));
        let is_outside = |around: Option<u32>| {
            around.is_none_or(|around| matches!(definitions[around as usize].kind, Kind::Module | Kind::Impl))
        };
        let calls = file.uses.references.iter().filter(|reference| reference.kind == RefKind::Call);
        Ok(definitions.iter().any(|item| item.kind == Kind::Module && is_elsewhere(item))
            || calls.into_iter().any(|call| is_outside(call.enclosing)))
    }
}

fn is_in_trait(file: &FileOutline, definition: &Definition) -> bool {
    let around = definition.parent.and_then(|parent| file.definitions().get(parent as usize));
    around.is_some_and(|around| around.kind == Kind::Trait)
}

/// Returns whether no value has a definition as a member: a static member of a class, or a function
/// of a module.
pub(crate) fn is_beyond_values(home: &FileOutline, definition: &Definition) -> bool {
    let around = definition.parent.and_then(|parent| home.definitions().get(parent as usize));
    match around.map(|around| around.kind) {
        None | Some(Kind::Module) => matches!(definition.kind, Kind::Function | Kind::Component),
        Some(around) => {
            let word = home.rules().extension_word.as_str();
            let extends = || !word.is_empty() && definition.signature.contains(&format!("({word} "));
            around.is_type() && definition.modifiers.contains("static") && !extends()
        }
    }
}

/// Returns whether a reference names a member of a value: of a local variable that no import binds,
/// or of a member of one or of the instance around. A capitalised name may be a class.
pub(crate) fn is_member_of_value(file: &FileView, reference: &Reference) -> bool {
    let rules = file.rules();
    let Some(receiver) = reference.receiver.filter(|_| rules.closed_values) else { return false };
    let receiver = file.chain(receiver);
    let (ChainRoot::Name(first), Some(last)) = (receiver.root, receiver.last_name()) else { return false };
    let is_plain = receiver.steps.iter().all(|step| matches!(step, ChainStep::Member(_)));
    let may_be_type =
        last.starts_with(char::is_uppercase) || file.language.names_constructor(last) || last == rules.default_export;
    let is_word = |words: &[String]| words.iter().any(|word| word == first);
    let is_instance = is_word(&rules.instance_words) && !receiver.steps.is_empty();
    let separator = file.language.separator();
    let is_imported =
        || file.outline.imports.iter().any(|import| FileOutline::bound_name(import, separator) == Some(first));
    is_plain && !may_be_type && (is_instance || reference.root.is_some() && !is_imported())
}
