//! Fallbacks for names whose meaning is not proven: the type that fits every use of a variable, the
//! only candidate, or several candidates of which none is better.

use codecompass_syntax::ModuleSystem;
use codecompass_syntax::facts::{ChainExpr, ChainStep, Kind, RefKind, Reference};

use crate::error::Result;
use crate::resolve::Resolver;
use crate::resolve::entity::{Confidence, Entity, Resolution, ResolutionEvidence, Symbol};
use crate::resolve::file::FileView;
use crate::resolve::members::arity::{Given, names_type};
use crate::resolve::members::sides::side_asked;
use crate::resolve::value::Value;
use crate::resolve::visibility::{is_beyond_values, is_member_of_value};

/// More candidates than this say nothing.
const MAX_CANDIDATES: usize = 24;

impl Resolver<'_> {
    /// Resolves a reference to the member `name` of `values`.
    pub(super) fn resolve_member(
        &self,
        file: &FileView,
        reference: &Reference,
        name: &str,
        receiver: &ChainExpr<'_>,
        values: &[Value],
    ) -> Result<Resolution> {
        let mut entities: Vec<Entity> = Vec::new();
        let mut evidence = ResolutionEvidence::ReceiverType;
        let mut is_external = false;
        let mut is_known = false;
        let mut confidence = Confidence::Static;
        for value in values {
            match value {
                Value::Module(module) => {
                    evidence = ResolutionEvidence::ModuleMember;
                    let found = self.in_module(module, name, file.language, 0)?;
                    is_known = true;
                    is_external |= found.contains(&Entity::External);
                    entities.extend(found.into_iter().filter(|entity| *entity != Entity::External));
                }
                Value::Type(owner) | Value::Instance(owner, _) => {
                    is_known = true;
                    let mut members = self.members(*owner, name)?;
                    if members.is_empty() {
                        members = self.members_behind(*owner, name)?;
                        confidence = if members.is_empty() { confidence } else { Confidence::Heuristic };
                    }
                    is_external |= members.is_empty() && self.has_external_supertypes(*owner)?;
                    if let Some(side) = side_asked(file, reference, receiver, value) {
                        let (kept, is_there) = self.on_side(members, side)?;
                        members = kept;
                        if !is_there && file.rules().sides_apart {
                            confidence = Confidence::Heuristic;
                        }
                    }
                    entities.extend(members.into_iter().map(Entity::Symbol));
                }
                Value::Foreign(head, _) => {
                    is_external = true;
                    let members = self.foreign_members(file.language, head, name)?;
                    let members = self.seen_extensions(file, reference, members)?;
                    entities.extend(members.into_iter().map(Entity::Symbol));
                }
                Value::External | Value::List(_) | Value::Tuple(_) => is_external = true,
                Value::Function(..) | Value::Callable(_) => {}
            }
        }
        if file.rules().instance_words.iter().any(|word| Some(word.as_str()) == receiver.as_name()) {
            evidence = ResolutionEvidence::EnclosingType;
        }
        if !entities.is_empty() {
            entities.sort();
            entities.dedup();
            let entities = self.fitting(self.of_written_arity(file, reference, entities)?, reference.kind)?;
            return Ok(Resolution::of(entities, confidence, evidence));
        }
        if let Some(found) = self.member_of_function(file, name, values)? {
            return Ok(found);
        }
        if is_external || is_known {
            let added = self.guess_added(file, reference, name, values)?;
            if matches!(added, Resolution::Found { .. }) {
                return Ok(added);
            }
            // What a function outside gives may be of this repository.
            let is_open = values.iter().all(|value| *value == Value::External)
                && matches!(receiver.steps.last(), Some(ChainStep::Call));
            if is_open && let Some(only) = self.only_definition(file, reference, receiver)? {
                return Ok(only);
            }
            let is_outside = is_external && added == Resolution::Unknown;
            return Ok(if is_outside { Resolution::External } else { added });
        }
        match self.guess_member(file, reference, name, receiver)? {
            found @ Resolution::Found { .. } => Ok(found),
            guessed => Ok(self.only_definition(file, reference, receiver)?.unwrap_or(guessed)),
        }
    }

    /// Resolves a member of a function, which has no others but those that are added to all types.
    fn member_of_function(&self, file: &FileView, name: &str, values: &[Value]) -> Result<Option<Resolution>> {
        if !values.iter().any(|value| matches!(value, Value::Function(..))) {
            return Ok(None);
        }
        let added = self.added_to_all(file, name)?;
        let found = Resolution::found(added, Confidence::Heuristic, ResolutionEvidence::ReceiverType);
        Ok(Some(found).filter(|found| *found != Resolution::Unknown))
    }

    /// Resolves a member of something that does not declare it to one that is added to every type,
    /// or to an extension of that name.
    fn guess_added(&self, file: &FileView, reference: &Reference, name: &str, values: &[Value]) -> Result<Resolution> {
        let added = self.added_to_all(file, name)?;
        if !added.is_empty() {
            return Ok(if is_telling(name) {
                Resolution::found(added, Confidence::Heuristic, ResolutionEvidence::UniqueName)
            } else {
                Resolution::Ambiguous(added)
            });
        }
        let candidates = self.possible_extensions(file, reference, values)?;
        let all = candidates.iter().map(|(symbol, _)| *symbol).collect();
        let admitting = self.admitting(file, reference, all)?;
        let given = Given::by(file, reference, reference.receiver.map(|receiver| file.chain(receiver)).as_ref());
        let mut likely = Vec::new();
        for (symbol, _) in candidates.iter().filter(|(symbol, is_likely)| *is_likely && admitting.contains(symbol)) {
            if given.zip(self.arity(*symbol)?).is_none_or(|(given, arity)| arity.admits(given)) {
                likely.push(*symbol);
            }
        }
        let Some(first) = likely.first() else {
            return Ok(if admitting.is_empty() { Resolution::Unknown } else { Resolution::Ambiguous(admitting) });
        };
        let owners = self.owners(*first)?;
        for other in &likely {
            if *self.owners(*other)? != *owners {
                return Ok(Resolution::Ambiguous(likely));
            }
        }
        Ok(Resolution::found(likely, Confidence::Heuristic, ResolutionEvidence::UniqueName))
    }

    fn guess_member(
        &self,
        file: &FileView,
        reference: &Reference,
        name: &str,
        receiver: &ChainExpr<'_>,
    ) -> Result<Resolution> {
        if self.is_in_outside_crate(file, reference)? {
            return Ok(Resolution::External);
        }
        let Some(mut candidates) = self.member_candidates(file, reference, name)? else {
            return Ok(Resolution::Unknown);
        };
        if candidates.is_empty() {
            return Ok(Resolution::Unknown);
        }
        let by_arity = self.retain_admitting(file, reference, receiver, &mut candidates)?;
        let roots = self.without_overriding(&candidates)?;
        let is_common = file.rules().common_methods.iter().any(|common| common == name);
        let used = self.members_used(file, reference, receiver);
        if used.len() > 1 || is_common || roots.len() > 1 {
            let chosen = self.chosen_by_use(&roots, &used, receiver)?;
            if !chosen.is_empty() {
                return Ok(Resolution::found(chosen, Confidence::Heuristic, ResolutionEvidence::MembersUsed));
            }
        }
        let mut symbols: Vec<Symbol> = roots.iter().map(|(symbol, _)| *symbol).collect();
        symbols.sort_unstable();
        symbols.dedup();
        let mut owners: Vec<Symbol> = roots.iter().map(|(_, owner)| *owner).collect();
        owners.sort_unstable();
        owners.dedup();
        if let [owner] = owners[..]
            && !is_common
        {
            if by_arity {
                return Ok(Resolution::found(symbols, Confidence::Heuristic, ResolutionEvidence::Arity));
            }
            if self.may_be_instance(file, reference, receiver, owner)? {
                return Ok(Resolution::found(symbols, Confidence::Heuristic, ResolutionEvidence::UniqueName));
            }
        }
        Ok(Resolution::Ambiguous(symbols))
    }

    /// Returns whether a reference that is only guessed to mean another definition may as well mean
    /// `symbol`: nothing that the guess rests on speaks against it.
    pub(crate) fn may_mean(&self, file: &FileView, reference: &Reference, symbol: Symbol) -> Result<bool> {
        self.inference.begin();
        let Some((_, definition)) = self.definition(symbol)? else { return Ok(false) };
        let is_type = matches!(reference.kind, RefKind::Type | RefKind::Inherit);
        if is_type && !definition.kind.is_type() {
            return Ok(false);
        }
        let owners = self.owners(symbol)?;
        let Some(receiver) = reference.receiver else {
            return Ok(owners.is_empty() || file.rules().implicit_members);
        };
        let used = self.members_used(file, reference, &file.chain(receiver));
        for owner in owners.iter() {
            let mut has_all = true;
            for other in &used {
                has_all = has_all && !self.members(*owner, other)?.is_empty();
            }
            if has_all {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns whether something besides the name of its member speaks for an unknown receiver
    /// being of a type: both stand in one file, the receiver is called as the type is, or it is the
    /// result of calls that began with an instance of it.
    fn may_be_instance(
        &self,
        file: &FileView,
        reference: &Reference,
        receiver: &ChainExpr<'_>,
        owner: Symbol,
    ) -> Result<bool> {
        // A type that is not known here is another one.
        if owner.version == file.version && !names_type(receiver) {
            return Ok(true);
        }
        let Some((_, definition)) = self.definition(owner)? else { return Ok(false) };
        if receiver.last_name().is_some_and(|last| is_called_as(last, &definition.name)) {
            return Ok(true);
        }
        let mut before = receiver.clone();
        let mut is_call = false;
        while let Some(step) = before.steps.pop() {
            let is_next = matches!(step, ChainStep::Call | ChainStep::TypeArguments(_))
                || is_call && matches!(step, ChainStep::Member(_));
            if !is_next {
                break;
            }
            is_call = step == ChainStep::Call || is_call && matches!(step, ChainStep::TypeArguments(_));
            for value in self.value_of(file, reference.enclosing, &before, reference.root)? {
                if let Some(known) = value.type_symbol()
                    && self.is_subtype(known, owner)?
                {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Returns the members of a name that can be used in this way, each with its type; `None` if
    /// there are too many.
    fn member_candidates(
        &self,
        file: &FileView,
        reference: &Reference,
        name: &str,
    ) -> Result<Option<Vec<(Symbol, Symbol)>>> {
        let mut candidates: Vec<(Symbol, Symbol)> = Vec::new();
        let is_of_value = is_member_of_value(file, reference);
        for symbol in self.named(name)?.iter() {
            let Some((other, definition)) = self.definition(*symbol)? else { continue };
            let fits = match reference.kind {
                RefKind::Call => definition.kind.is_callable() || definition.kind.is_value(),
                RefKind::Type | RefKind::Inherit => definition.kind.is_type(),
                _ => !definition.kind.is_type(),
            };
            if other.language.group() != file.language.group() || !fits || definition.kind == Kind::Impl {
                continue;
            }
            if is_of_value && is_beyond_values(&other, &definition) || self.is_test_elsewhere(file, &other) {
                continue;
            }
            candidates.extend(self.owners(*symbol)?.iter().map(|owner| (*symbol, *owner)));
            if candidates.len() > MAX_CANDIDATES {
                return Ok(None);
            }
        }
        // A method may be passed on without a call.
        if !matches!(reference.kind, RefKind::Read | RefKind::Write | RefKind::Address) {
            let entities = candidates.iter().map(|(symbol, _)| Entity::Symbol(*symbol)).collect();
            let fitting = self.fitting(entities, reference.kind)?;
            candidates.retain(|(symbol, _)| fitting.contains(&Entity::Symbol(*symbol)));
        }
        Ok(Some(candidates))
    }

    /// Keeps the candidates that take as many arguments as are given; returns true if that leaves
    /// out a type.
    fn retain_admitting(
        &self,
        file: &FileView,
        reference: &Reference,
        receiver: &ChainExpr<'_>,
        candidates: &mut Vec<(Symbol, Symbol)>,
    ) -> Result<bool> {
        let symbols = candidates.iter().map(|(symbol, _)| *symbol).collect();
        let admitting = self.admitting(file, reference, symbols)?;
        let of_others: Vec<Symbol> =
            candidates.iter().filter(|(symbol, _)| !admitting.contains(symbol)).map(|(_, owner)| *owner).collect();
        // Other types may have the member, too, only not with so many parameters.
        let is_left = |other: &Symbol| candidates.iter().any(|(it, owner)| owner == other && admitting.contains(it));
        let by_arity = of_others.iter().any(|other| !is_left(other));
        // A type that is not known here is another one, whatever the numbers say.
        let by_arity = by_arity && !names_type(receiver);
        if by_arity || of_others.iter().all(is_left) {
            candidates.retain(|(symbol, _)| admitting.contains(symbol));
        }
        Ok(by_arity)
    }

    /// Of a member and those that override it, keeps the first: it is meant when nothing else is
    /// known.
    pub(super) fn without_overriding(&self, candidates: &[(Symbol, Symbol)]) -> Result<Vec<(Symbol, Symbol)>> {
        let mut roots = Vec::new();
        for (symbol, owner) in candidates {
            let above = self.type_and_above(*owner)?;
            if !candidates.iter().any(|(_, other)| other != owner && above.contains(other)) {
                roots.push((*symbol, *owner));
            }
        }
        Ok(roots)
    }

    /// Returns the members of types that have all members used of a variable, if there is only one
    /// such type or the variable is named after it.
    fn chosen_by_use(
        &self,
        candidates: &[(Symbol, Symbol)],
        used: &[String],
        receiver: &ChainExpr<'_>,
    ) -> Result<Vec<Symbol>> {
        let mut fitting = Vec::new();
        for (symbol, owner) in candidates {
            let mut has_all = !used.is_empty();
            for other in used {
                has_all = has_all && !self.members(*owner, other)?.is_empty();
            }
            if has_all {
                fitting.push((*symbol, *owner));
            }
        }
        let liked = match receiver.as_name() {
            Some(variable) => self.named_alike(variable, &fitting)?,
            None => Vec::new(),
        };
        let chosen = if used.len() > 1 && fitting.len() == 1 { fitting } else { liked };
        Ok(chosen.into_iter().map(|(symbol, _)| symbol).collect())
    }

    /// Of members and their types those whose type a variable is called after (`req: Request`, `c:
    /// Context`). Among several such types one must be named in far more files than the others.
    fn named_alike(&self, variable: &str, candidates: &[(Symbol, Symbol)]) -> Result<Vec<(Symbol, Symbol)>> {
        const FAR_MORE: usize = 3;
        let mut alike: Vec<(usize, (Symbol, Symbol))> = Vec::new();
        for (symbol, owner) in candidates {
            let Some((_, definition)) = self.definition(*owner)? else { continue };
            if is_short_for(variable, &definition.name) {
                let files = self.snapshot.versions_with_word(&definition.name)?.map_or(0, |versions| versions.len());
                alike.push((files, (*symbol, *owner)));
            }
        }
        alike.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        let Some((most, (_, owner))) = alike.first().copied() else { return Ok(Vec::new()) };
        let second = alike.iter().find(|(_, (_, other))| *other != owner).map_or(0, |(files, _)| *files);
        let chosen = alike.into_iter().map(|(_, pair)| pair).filter(|(_, other)| *other == owner);
        Ok(if most >= second * FAR_MORE { chosen.collect() } else { Vec::new() })
    }

    /// The names of all members that the file uses of the variable a receiver is.
    fn members_used(&self, file: &FileView, reference: &Reference, receiver: &ChainExpr<'_>) -> Vec<String> {
        let Some(root) = reference.root else { return Vec::new() };
        let is_variable = file.binding(root).is_some_and(|binding| Some(file.name(binding.name)) == receiver.as_name());
        if !is_variable {
            return Vec::new();
        }
        let same = file
            .uses
            .references
            .iter()
            .filter(|other| other.root == Some(root) && other.receiver == reference.receiver);
        let mut names: Vec<String> = same.map(|other| file.name(other.name).to_string()).collect();
        names.sort();
        names.dedup();
        names
    }

    /// Of several definitions those whose files share most of their path with a file, when they are
    /// all in one file.
    fn in_nearest_file(&self, file: &FileView, candidates: Vec<Symbol>) -> Vec<Symbol> {
        let shared = |symbol: &Symbol| {
            let path = self.snapshot.path_of(symbol.version).unwrap_or("");
            path.split('/').zip(file.path.split('/')).take_while(|(a, b)| a == b).count()
        };
        let Some(most) = candidates.iter().map(shared).max() else { return candidates };
        let near: Vec<Symbol> = candidates.iter().filter(|symbol| shared(symbol) == most).copied().collect();
        let is_one = near.iter().all(|symbol| symbol.version == near[0].version);
        if is_one { near.into_iter().take(1).collect() } else { candidates }
    }

    /// A bare name that no scope and no import explains.
    pub(super) fn guess_bare(&self, file: &FileView, reference: &Reference, name: &str) -> Result<Resolution> {
        let rules = file.rules();
        let is_macro = rules.modules == ModuleSystem::Crates && reference.kind == RefKind::Call;
        if !rules.shares_names && !is_macro {
            return Ok(Resolution::External);
        }
        let mut candidates = Vec::new();
        for symbol in self.named(name)?.iter() {
            let Some((other, definition)) = self.definition(*symbol)? else { continue };
            let fits = match reference.kind {
                RefKind::Call => definition.kind.is_callable() || definition.kind.is_type(),
                RefKind::Type | RefKind::Inherit => definition.kind.is_type() || definition.kind == Kind::Module,
                _ => true,
            };
            let fits = fits && (!is_macro || definition.kind == Kind::Macro) && definition.kind != Kind::Impl;
            let fits = fits && (is_macro || self.is_seen_from(file, *symbol, &definition));
            if other.language.group() == file.language.group() && fits {
                candidates.push(*symbol);
            }
        }
        if is_macro {
            candidates = self.in_nearest_file(file, candidates);
        }
        let all = self.one_symbol(candidates.clone())?.len();
        let candidates = self.admitting(file, reference, candidates)?;
        let candidates = self.one_symbol(candidates)?;
        let evidence = if all > 1 { ResolutionEvidence::Arity } else { ResolutionEvidence::UniqueName };
        match candidates.len() {
            0 => Ok(Resolution::External),
            1 => Ok(Resolution::found(candidates, Confidence::Heuristic, evidence)),
            _ => Ok(Resolution::Ambiguous(candidates)),
        }
    }
}

/// Returns whether a name is of several words, so that it is hardly another's by chance.
pub(super) fn is_telling(name: &str) -> bool {
    crate::tokenize::parts(name).len() > 1
}

/// Returns whether a variable or field is named after a type: by its name, the start of it or of
/// one of its words, or by its last word.
fn is_called_as(variable: &str, kind: &str) -> bool {
    let plain = variable.trim_end_matches(|c: char| c.is_ascii_digit()).replace('_', "");
    let last = |name: &str| crate::tokenize::parts(name).pop();
    is_short_for(&plain, kind) || last(variable).is_some_and(|word| word.len() > 2 && last(kind) == Some(word))
}

/// Returns whether a variable's name is how programmers shorten a type's: the start of it, or of
/// one of its later words.
fn is_short_for(variable: &str, kind: &str) -> bool {
    let variable = variable.trim_start_matches(['_', '$']).to_lowercase();
    let words = crate::tokenize::parts(kind);
    let starts = |word: &String| variable.len() > 1 && word.starts_with(&variable);
    !variable.is_empty()
        && (kind.to_lowercase().starts_with(&variable)
            || words.iter().any(starts)
            // `ctx` for Context, `cfg` for Config.
            || variable.len() > 2 && words.len() == 1 && is_skeleton(&variable, &words[0]))
}

/// Returns whether the letters of `short` appear in `word` in order, the first ones being the same.
fn is_skeleton(short: &str, word: &str) -> bool {
    let mut letters = word.chars();
    short.chars().next() == word.chars().next() && short.chars().all(|letter| letters.any(|other| other == letter))
}
