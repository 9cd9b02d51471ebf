//! Overload resolution: chooses between definitions of one name by the number of arguments of a
//! call, and by their types where these are kept.
//!
//! Only what certainly cannot be called so is left out, and only if something else can be: default
//! values by other means, decorators and code that does not compile must not make an answer empty.

use codecompass_syntax::facts::{Definition, Kind, RefKind, Reference};

use crate::error::Result;
use crate::resolve::Resolver;
use crate::resolve::entity::{Confidence, Resolution, ResolutionEvidence, Symbol};
use crate::resolve::file::{FileOutline, FileView};
use crate::resolve::members::MAX_TYPES;
use crate::resolve::members::arity::{Arity, Given, are_alike, parameter_keys};
use crate::resolve::types::type_arity::{type_parameter_count, type_parameter_names};

impl Resolver<'_> {
    /// Returns the number of arguments that a definition takes, if it is known.
    pub(crate) fn arity(&self, symbol: Symbol) -> Result<Option<Arity>> {
        Ok(self.definition(symbol)?.and_then(|(file, definition)| Arity::of(&definition, file.language)))
    }

    /// Returns whether two definitions of one name may be one symbol: overloads that are functions
    /// of their own are not.
    pub(crate) fn may_be_one(&self, file: &FileOutline, one: &Definition, other: &Definition) -> bool {
        if !file.rules().overloads_apart || !one.kind.is_callable() {
            return true;
        }
        let parameters = |definition| Arity::of(definition, file.language).map(|arity| arity.parameters);
        parameters(one).zip(parameters(other)).is_none_or(|(one, other)| one == other)
            && are_alike(&parameter_keys(one, file.language), &parameter_keys(other, file.language))
    }

    /// Of several candidates those that can be called as a reference does; all if it is not clear
    /// that one can.
    pub(crate) fn admitting(
        &self,
        file: &FileView,
        reference: &Reference,
        candidates: Vec<Symbol>,
    ) -> Result<Vec<Symbol>> {
        let candidates = self.of_type_arguments(reference, candidates)?;
        let given = given(file, reference).filter(|_| candidates.len() > 1);
        let Some(given) = given else { return Ok(candidates) };
        let mut kept = Vec::with_capacity(candidates.len());
        let mut is_clear = false;
        for candidate in &candidates {
            let admits = self.arity(*candidate)?.map(|arity| arity.admits(given));
            is_clear |= admits == Some(true);
            if admits != Some(false) {
                kept.push(*candidate);
            }
        }
        Ok(if is_clear { kept } else { candidates })
    }

    /// Of functions of one name those that take as many type arguments as are written in a call; if
    /// none is written, those that need none.
    fn of_type_arguments(&self, reference: &Reference, candidates: Vec<Symbol>) -> Result<Vec<Symbol>> {
        let Some(count) = reference.type_arguments().filter(|_| candidates.len() > 1) else {
            return Ok(candidates);
        };
        let mut kept = Vec::new();
        for candidate in &candidates {
            let Some((home, function)) = self.definition(*candidate)? else { continue };
            let parameters = type_parameter_count(&function);
            // Type arguments that are not written are those that the arguments show.
            let is_left_out = || !home.rules().types_by_arity || shows_type_parameters(&function);
            if parameters == count || count == 0 && is_left_out() {
                kept.push(*candidate);
            }
        }
        Ok(if kept.is_empty() { candidates } else { kept })
    }

    /// Removes from `found` the overloads that the reference does not call.
    pub(crate) fn of_arity(&self, file: &FileView, reference: &Reference, found: Resolution) -> Result<Resolution> {
        let Some(given) = given(file, reference) else { return self.of_unknown_arity(file, reference, found) };
        let Resolution::Found { targets, confidence, evidence } = found else { return Ok(found) };
        let targets = if self.inherits_overloads(file, &targets, reference)? {
            self.with_inherited(targets, file.name(reference.name), given)?
        } else {
            targets
        };
        let targets = self.admitting(file, reference, targets)?;
        let (targets, is_decided) = self.of_argument_types(file, reference, targets)?;
        if !is_decided {
            let is_sure = confidence == Confidence::Static;
            return Ok(if is_sure {
                Resolution::Overloaded { targets, evidence }
            } else {
                Resolution::Ambiguous(targets)
            });
        }
        let of_type = matches!(evidence, ResolutionEvidence::EnclosingType | ResolutionEvidence::ReceiverType);
        if of_type && file.rules().overloads_apart {
            let inherited = self.inherited_overloads(&targets, file.name(reference.name), given)?;
            if !inherited.is_empty() {
                return Ok(Resolution::found(inherited, confidence, evidence));
            }
        }
        if let [only] = targets[..]
            && self.is_refused(file, only, given)?
        {
            return Ok(Resolution::Unknown);
        }
        Ok(Resolution::Found { targets, confidence, evidence })
    }

    /// Leaves it open which overload a call means that gives any number of arguments.
    fn of_unknown_arity(&self, file: &FileView, reference: &Reference, found: Resolution) -> Result<Resolution> {
        let values = self.property_above(file, reference, &found)?;
        let Resolution::Found { targets, confidence: Confidence::Static, evidence } = &found else { return Ok(found) };
        if !values.is_empty() {
            return Ok(Resolution::found(values, Confidence::Static, *evidence));
        }
        let is_open = reference.kind == RefKind::Call
            && file.rules().overloads_apart
            && targets.len() > 1
            && !self.have_one_signature(targets)?;
        Ok(if is_open { Resolution::Overloaded { targets: targets.clone(), evidence: *evidence } } else { found })
    }

    /// Returns whether the overloads of supertypes are called as well, those of the type itself do
    /// not hide them, and there may be any.
    fn inherits_overloads(&self, file: &FileView, targets: &[Symbol], reference: &Reference) -> Result<bool> {
        let rules = file.rules();
        if !file.language.types_arguments() || !rules.overloads_apart || rules.overloads_hide || targets.is_empty() {
            return Ok(false);
        }
        for target in targets {
            let Some((home, definition)) = self.definition(*target)? else { return Ok(false) };
            let around = definition.parent.and_then(|parent| home.definitions().get(parent as usize));
            if definition.kind != Kind::Method || around.is_none_or(|around| !around.kind.is_type()) {
                return Ok(false);
            }
        }
        Ok(self.named(file.name(reference.name))?.len() > targets.len())
    }

    /// Returns whether a call certainly does not call a function: it takes another number of
    /// arguments, and nothing else decides how many may be given.
    fn is_refused(&self, file: &FileView, target: Symbol, given: Given<'_>) -> Result<bool> {
        let rules = file.rules();
        if !rules.exact_arguments || !rules.overloads_apart {
            return Ok(false);
        }
        let Some((home, definition)) = self.definition(target)? else { return Ok(false) };
        // What overrides a function has the default values of that one.
        let is_own = !definition.kind.is_type() && !definition.modifiers.contains("override");
        let is_alike = home.language.name == file.language.name;
        let arity = Arity::of(&definition, home.language).filter(|_| is_own && is_alike);
        Ok(arity.is_some_and(|arity| !arity.admits(given)))
    }

    /// Adds the overloads of all supertypes that a call may mean, without overridden ones.
    fn with_inherited(&self, members: Vec<Symbol>, name: &str, given: Given<'_>) -> Result<Vec<Symbol>> {
        let mut found = members;
        let admits = |member| Ok(self.arity(member)?.is_some_and(|arity| arity.admits(given)));
        for member in self.members_above(&found, name, false, &admits)? {
            if !found.contains(&member) && !self.is_overridden(member, &found)? {
                found.push(member);
            }
        }
        Ok(found)
    }

    /// Overloads of the nearest supertypes that a call means when it certainly means none of
    /// `members`.
    fn inherited_overloads(&self, members: &[Symbol], name: &str, given: Given<'_>) -> Result<Vec<Symbol>> {
        for member in members {
            if self.arity(*member)?.is_none_or(|arity| arity.admits(given)) {
                return Ok(Vec::new());
            }
        }
        self.members_above(members, name, true, &|member| {
            Ok(self.arity(member)?.is_some_and(|arity| arity.admits(given)))
        })
    }

    /// Returns the property of a supertype that is read where only functions of the type itself
    /// were found: where labels belong to the names of functions, a property may have the rest of
    /// one.
    fn property_above(&self, file: &FileView, reference: &Reference, found: &Resolution) -> Result<Vec<Symbol>> {
        let Resolution::Found { targets, .. } = found else { return Ok(Vec::new()) };
        if !file.rules().labels_overload || !matches!(reference.kind, RefKind::Read | RefKind::Write) {
            return Ok(Vec::new());
        }
        let kind =
            |symbol| -> Result<Option<Kind>> { Ok(self.definition(symbol)?.map(|(_, definition)| definition.kind)) };
        for target in targets {
            if kind(*target)? != Some(Kind::Method) {
                return Ok(Vec::new());
            }
        }
        let is_value = |member| Ok(kind(member)?.is_some_and(|kind| kind.is_value() || kind == Kind::Property));
        self.members_above(targets, file.name(reference.name), true, &is_value)
    }

    /// Members of the types above those of `members` that are wanted: of the nearest types that
    /// have any, or of all.
    fn members_above(
        &self,
        members: &[Symbol],
        name: &str,
        nearest: bool,
        is_wanted: &dyn Fn(Symbol) -> Result<bool>,
    ) -> Result<Vec<Symbol>> {
        let mut level = Vec::new();
        for member in members {
            level.extend(self.owners(*member)?.iter().copied());
        }
        let mut seen = level.clone();
        let mut found = Vec::new();
        while !level.is_empty() && seen.len() < MAX_TYPES && self.inference.step().is_some() {
            let mut above = Vec::new();
            for owner in &level {
                above.extend(self.supertypes(*owner)?.iter().copied().filter(|above| !seen.contains(above)));
            }
            above.sort_unstable();
            above.dedup();
            seen.extend(&above);
            for owner in &above {
                for member in self.own_members(*owner, name)? {
                    if is_wanted(member)? {
                        found.push(member);
                    }
                }
            }
            if nearest && !found.is_empty() {
                break;
            }
            level = above;
        }
        Ok(found)
    }
}

/// Returns whether the parameters of a function name all of its type parameters.
fn shows_type_parameters(function: &Definition) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let written = || function.parameters.iter().flatten().filter_map(|parameter| parameter.declared.as_ref());
    let names = type_parameter_names(function);
    names.iter().all(|name| written().any(|it| it.text.split(|c| !is_word(c)).any(|word| word == *name)))
}

fn given<'a>(file: &'a FileView, reference: &Reference) -> Option<Given<'a>> {
    Given::by(file, reference, reference.receiver.map(|receiver| file.chain(receiver)).as_ref())
}
