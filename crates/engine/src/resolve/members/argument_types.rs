//! Overload resolution by the types of arguments, in languages that keep them.
//!
//! An overload is chosen if it is better than every other one: for each argument that tells them
//! apart its parameter has the very type, or a type that the argument can be of where that of the
//! other is one it cannot be of. What is not known chooses nothing.

use std::sync::Arc;

use codecompass_syntax::facts::{
    CallArgument, ChainRoot, ChainStep, Definition, Kind, Parameter, ParameterKind, Reference, TypeExpr,
};
use codecompass_syntax::{ConversionRules, ResolveRules};

use crate::error::Result;
use crate::resolve::Resolver;
use crate::resolve::entity::Symbol;
use crate::resolve::file::FileView;
use crate::resolve::members::MAX_TYPES;
use crate::resolve::members::arity::{ParameterKey, are_alike, names_type, parameter_keys};
use crate::resolve::value::{ParameterType, Value};

/// Types in lists of types are compared this far.
const MAX_DEPTH: usize = 4;
/// More overloads of one name are not compared.
const MAX_OVERLOADS: usize = 40;

/// The fit of an argument to a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fit {
    /// It is of another type.
    Misfit,
    Unknown,
    /// It is of this type if a test before the call says so.
    Below,
    /// It is of another type that may be converted.
    Converted,
    /// A box whose value can be given, widened to the type of this number.
    Unboxed(usize),
    /// Everything fits.
    Any,
    /// The type of the parameter is above that of the argument.
    Above(Option<Symbol>),
    /// The box of the value.
    Boxed,
    /// The argument is a number that is widened to the type of this number.
    Widened(usize),
    /// A type parameter that becomes the very type.
    Parameter,
    Exact,
}

/// An overload with its parameters, and how well each argument of a call fits.
struct Overload {
    symbol: Symbol,
    parameters: Vec<Parameter>,
    fits: Vec<Fit>,
    /// The last argument stands behind the list.
    has_block: bool,
}

impl Overload {
    /// Returns the number of the parameter that an argument is given for; `None` if that is not
    /// certain.
    fn parameter_at(&self, position: usize) -> Option<usize> {
        let last = self.parameters.len().checked_sub(1)?;
        if self.has_block && position + 1 == self.fits.len() {
            return Some(last);
        }
        let variadic = self.parameters.iter().position(|it| it.kind == ParameterKind::Variadic);
        match variadic {
            Some(variadic) if position >= variadic => (variadic == last).then_some(last),
            _ => (position <= last).then_some(position),
        }
    }

    /// Returns the type as it is written that an argument is given for, and whether any number is.
    fn written(&self, position: usize) -> Option<(&str, bool)> {
        let parameter = &self.parameters[self.parameter_at(position)?];
        let written = parameter.declared.as_ref().map_or("", |declared| declared.text.as_str());
        Some((written, parameter.kind == ParameterKind::Variadic))
    }

    /// Returns whether it takes any number of arguments.
    fn is_variadic(&self) -> bool {
        self.parameters.iter().any(|it| it.kind == ParameterKind::Variadic)
    }

    fn is_like(&self, other: &Overload) -> bool {
        self.is_variadic() == other.is_variadic()
            && self.parameters.len() == other.parameters.len()
            && (0..self.fits.len()).all(|position| self.written(position) == other.written(position))
    }

    /// Returns whether it is called rather than another one that takes the same types: it takes no
    /// more than the arguments given.
    fn is_closer(&self, other: &Overload) -> bool {
        let is_full = |one: &Overload| one.parameters.len() == one.fits.len();
        match (self.is_variadic(), other.is_variadic()) {
            (false, true) => true,
            (false, false) => is_full(self) && !is_full(other),
            _ => false,
        }
    }
}

impl Resolver<'_> {
    /// Of overloads that take as many arguments as a call gives, returns those that the types of
    /// the arguments leave.
    pub(crate) fn left_by_arguments(
        &self,
        file: &FileView,
        call: &Reference,
        candidates: Vec<Symbol>,
    ) -> Result<Vec<Symbol>> {
        self.inference.begin();
        Ok(self.of_argument_types(file, call, candidates)?.0)
    }

    /// The same, and whether those that are left have the same parameters. In languages that keep
    /// no types of arguments, all are left.
    pub(in crate::resolve) fn of_argument_types(
        &self,
        file: &FileView,
        call: &Reference,
        candidates: Vec<Symbol>,
    ) -> Result<(Vec<Symbol>, bool)> {
        let count = call.call_arguments().filter(|_| file.rules().overloads_apart && candidates.len() > 1);
        let Some(count) = count.map(usize::from) else { return Ok((candidates, true)) };
        let overloads = if file.language.types_arguments() { self.overloads(file, call, &candidates)? } else { None };
        let Some(mut overloads) = overloads else {
            let is_one = self.have_one_signature(&candidates)?;
            return Ok((candidates, is_one));
        };
        if overloads.iter().all(|other| other.is_like(&overloads[0])) {
            return Ok((candidates, true));
        }
        if overloads.len() > MAX_OVERLOADS {
            return Ok((candidates, false));
        }
        let (done, is_whole) = self.inference.noting_cuts(|| self.find_fits(file, call, count, &mut overloads));
        done?;
        if !is_whole {
            return Ok((candidates, false));
        }
        let rules = &file.rules().conversions;
        let mut kept: Vec<&Overload> = Vec::new();
        for overload in &overloads {
            let mut is_beaten = false;
            for other in overloads.iter().filter(|other| other.symbol != overload.symbol) {
                is_beaten = is_beaten || self.is_better(rules, other, overload)?;
            }
            if !is_beaten {
                kept.push(overload);
            }
        }
        let Some(first) = kept.first() else { return Ok((candidates, false)) };
        let is_decided = kept.iter().all(|other| other.is_like(first));
        Ok((kept.into_iter().map(|overload| overload.symbol).collect(), is_decided))
    }

    /// Finds how well the arguments of a call fit, where they tell overloads apart.
    fn find_fits(&self, file: &FileView, call: &Reference, count: usize, overloads: &mut [Overload]) -> Result<()> {
        for argument in file.arguments_of(call) {
            let is_block = argument.position == CallArgument::LAST;
            let position = if is_block { count.saturating_sub(1) } else { usize::from(argument.position) };
            if position >= count || overloads.iter().all(|it| it.written(position) == overloads[0].written(position)) {
                continue;
            }
            let chain = file.chain(argument.value);
            let typed = || self.typed_values(file, call.enclosing, &chain, argument.root, 0);
            let (values, is_guess) = self.inference.noting_guesses(typed);
            let values = values?;
            let [value, others @ ..] = &values[..] else { continue };
            if is_guess || !others.iter().all(|other| is_alike(value, other)) {
                continue;
            }
            let is_call = chain.steps.iter().any(|step| matches!(step, ChainStep::Call));
            let may_be_tested = matches!(chain.root, ChainRoot::Name(_)) && !is_call;
            for overload in overloads.iter_mut() {
                let fit = self.fit_of(value, overload, position)?;
                overload.fits[position] = if fit == Fit::Below && !may_be_tested { Fit::Misfit } else { fit };
            }
        }
        Ok(())
    }

    /// Returns whether nothing in their parameters tells functions apart.
    pub(crate) fn have_one_signature(&self, candidates: &[Symbol]) -> Result<bool> {
        let mut first: Option<Vec<ParameterKey>> = None;
        for symbol in candidates {
            let Some((home, definition)) = self.definition(*symbol)? else { continue };
            let keys = parameter_keys(&definition, home.language);
            match &first {
                Some(first) if !are_alike(first, &keys) => return Ok(false),
                Some(_) => {}
                None => first = Some(keys),
            }
        }
        Ok(true)
    }

    /// Returns definitions with their parameters; `None` if one has none that can be compared.
    fn overloads(&self, file: &FileView, call: &Reference, candidates: &[Symbol]) -> Result<Option<Vec<Overload>>> {
        let receiver = call.receiver.map(|receiver| file.chain(receiver));
        let count = call.call_arguments().map_or(0, usize::from);
        let has_block = file.arguments_of(call).iter().any(|argument| argument.position == CallArgument::LAST);
        let mut overloads = Vec::with_capacity(candidates.len());
        for symbol in candidates {
            let Some((home, definition)) = self.definition(*symbol)? else { return Ok(None) };
            let Some(mut parameters) = definition.parameters.clone() else { return Ok(None) };
            // The instance of an extension stands before the name, which may look like a type's.
            let is_extension = parameters.first().is_some_and(|first| first.kind == ParameterKind::Receiver);
            let is_apart = receiver.as_ref().is_some_and(|it| !names_type(it)) || parameters.len() == count + 1;
            if is_extension && is_apart {
                parameters.remove(0);
            }
            let is_plain = |it: &Parameter| {
                matches!(it.kind, ParameterKind::Required | ParameterKind::Optional | ParameterKind::Variadic)
            };
            if home.language.name != file.language.name || !parameters.iter().all(is_plain) {
                return Ok(None);
            }
            overloads.push(Overload { symbol: *symbol, parameters, fits: vec![Fit::Unknown; count], has_block });
        }
        Ok(Some(overloads))
    }

    /// Returns whether one of some methods has the parameters of another.
    pub(super) fn is_overridden(&self, member: Symbol, by: &[Symbol]) -> Result<bool> {
        for other in by {
            if self.have_one_signature(&[member, *other])? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns whether an overload is chosen rather than another one.
    fn is_better(&self, rules: &ConversionRules, one: &Overload, other: &Overload) -> Result<bool> {
        let differs = |position: &usize| one.written(*position) != other.written(*position);
        // A list of any length is made where nothing else fits.
        if !rules.boxes.is_empty() && one.is_variadic() != other.is_variadic() {
            let plain = if one.is_variadic() { other } else { one };
            let fits = || (0..plain.fits.len()).filter(differs).map(|position| plain.fits[position]);
            if fits().any(|fit| fit == Fit::Unknown) {
                return Ok(false);
            }
            return Ok(fits().any(|fit| fit == Fit::Misfit) == one.is_variadic());
        }
        let mut is_better = false;
        for position in (0..one.fits.len()).filter(differs) {
            is_better |= match (one.fits[position], other.fits[position]) {
                (Fit::Exact, Fit::Exact) if one.is_variadic() == other.is_variadic() => return Ok(false),
                (Fit::Exact, Fit::Exact) => continue,
                (Fit::Exact, Fit::Below) => return Ok(false),
                (Fit::Exact, _) => true,
                (Fit::Misfit, _) => return Ok(false),
                (_, Fit::Misfit) => true,
                (Fit::Parameter, Fit::Converted | Fit::Any | Fit::Above(_)) => true,
                (Fit::Widened(one), Fit::Widened(other)) if one < other => true,
                (Fit::Widened(_), Fit::Any | Fit::Above(_) | Fit::Boxed) => true,
                (Fit::Boxed, Fit::Any | Fit::Above(_)) => true,
                (Fit::Above(_), Fit::Any | Fit::Unboxed(_)) | (Fit::Any, Fit::Unboxed(_)) => true,
                (Fit::Unboxed(one), Fit::Unboxed(other)) if one < other => true,
                (Fit::Above(Some(below)), Fit::Above(Some(above))) if below == above => continue,
                (Fit::Above(Some(below)), Fit::Above(Some(above))) if self.is_subtype(below, above)? => true,
                _ => return Ok(false),
            };
        }
        Ok(is_better || one.is_closer(other))
    }

    /// Returns how well a value fits the parameter at a position.
    fn fit_of(&self, value: &Value, overload: &Overload, position: usize) -> Result<Fit> {
        let Some(number) = overload.parameter_at(position) else { return Ok(Fit::Unknown) };
        let is_variadic = overload.parameters[number].kind == ParameterKind::Variadic;
        let wanted = self.wanted(overload.symbol, &overload.parameters[number], number)?;
        let is_list = matches!(value, Value::List(_));
        Ok(match &*wanted {
            // A list may be given as a whole.
            _ if is_variadic && is_list => Fit::Unknown,
            ParameterType::Unknown => Fit::Unknown,
            ParameterType::Parameter | ParameterType::Parameters => {
                let Some(home) = self.outline(overload.symbol.version)? else { return Ok(Fit::Unknown) };
                match (&*wanted, value) {
                    (ParameterType::Parameter, _) if home.rules().conversions.exact_parameters => Fit::Parameter,
                    (ParameterType::Parameter, _) => Fit::Any,
                    (_, Value::List(_)) => Fit::Above(None),
                    _ => Fit::Unknown,
                }
            }
            ParameterType::Type(wanted) => {
                let Some(home) = self.outline(overload.symbol.version)? else { return Ok(Fit::Unknown) };
                self.fit(home.rules(), value, wanted, 0)?
            }
        })
    }

    /// Returns the type of a parameter, which is asked for with every call.
    fn wanted(&self, function: Symbol, parameter: &Parameter, number: usize) -> Result<Arc<ParameterType>> {
        let key = (function, number);
        if let Some(known) = self.memo.wanted.borrow().get(&key) {
            return Ok(Arc::clone(known));
        }
        let (found, is_whole) = self.inference.noting_cuts(|| self.find_wanted(function, parameter));
        let found = Arc::new(found?);
        if is_whole {
            self.memo.wanted.borrow_mut().insert(key, Arc::clone(&found));
        }
        Ok(found)
    }

    fn find_wanted(&self, function: Symbol, parameter: &Parameter) -> Result<ParameterType> {
        let (Some((home, definition)), Some(declared)) = (self.opened(function)?, &parameter.declared) else {
            return Ok(ParameterType::Unknown);
        };
        let mut written = declared.expression();
        if parameter.kind == ParameterKind::Variadic
            && let TypeExpr::List(inner) = written
        {
            written = *inner;
        }
        let (inner, is_list) = match &written {
            TypeExpr::List(inner) => (&**inner, true),
            written => (written, false),
        };
        if let Some(name) = inner.as_name()
            && let Some(binding) = self.type_parameter(&home, Some(function.ordinal), name)
        {
            let binding = home.binding(binding);
            let is_own = binding.is_some_and(|it| it.enclosing == Some(function.ordinal) && it.declared.is_none());
            // A bound may stand behind the parameters (`where T : Base`).
            let is_bound = definition.signature.contains(&format!("where {name}"));
            return Ok(match (is_own && !is_bound, is_list) {
                (false, _) => ParameterType::Unknown,
                (true, false) => ParameterType::Parameter,
                (true, true) => ParameterType::Parameters,
            });
        }
        let found = self.declared_values(&home, Some(function.ordinal), &written)?;
        Ok(match <[Value; 1]>::try_from(found) {
            Ok([value]) => ParameterType::Type(value),
            Err(_) => ParameterType::Unknown,
        })
    }

    /// Returns how well a value fits a type, by the rules of the language that declares it.
    fn fit(&self, language: &ResolveRules, value: &Value, wanted: &Value, depth: usize) -> Result<Fit> {
        let rules = &language.conversions;
        let is_dynamic = |name: &str| language.dynamic_types.iter().any(|known| known == name);
        let is_root = |name: &str| language.root_types.iter().any(|root| root == name);
        if let Value::Foreign(name, _) = value
            && is_dynamic(name)
        {
            return Ok(Fit::Unknown);
        }
        if let Value::Foreign(name, _) = wanted
            && (is_root(name) || is_dynamic(name))
        {
            let is_same = matches!(value, Value::Foreign(own, _) if is_root(own));
            return Ok(if is_same { Fit::Exact } else { Fit::Any });
        }
        Ok(match (value, wanted) {
            (Value::Instance(own, arguments), Value::Instance(wanted, others)) => {
                if own == wanted || self.all_parts(*own)?.contains(wanted) {
                    let is_one = arguments.is_empty() || others.is_empty() || arguments == others;
                    if is_one { Fit::Exact } else { Fit::Unknown }
                } else if self.is_subtype(*own, *wanted)? {
                    Fit::Above(Some(*wanted))
                } else if rules.smart_casts && (self.is_subtype(*wanted, *own)? || self.is_open_type(*own)?) {
                    Fit::Below
                } else if self.converts(rules, *own)? || self.converts(rules, *wanted)? {
                    Fit::Converted
                } else {
                    Fit::Misfit
                }
            }
            (Value::Instance(own, _), Value::Foreign(wanted, _)) => {
                if self.names_above(vec![*own])?.iter().any(|above| **above == **wanted) {
                    Fit::Above(None)
                } else if self.converts(rules, *own)? {
                    Fit::Converted
                } else if rules.smart_casts && self.is_open_type(*own)? {
                    Fit::Below
                } else if rules.is_final(rules.plain(wanted)) {
                    Fit::Misfit
                } else if self.has_external_supertypes(*own)? || self.is_enumeration(*own)? {
                    Fit::Unknown
                } else {
                    Fit::Misfit
                }
            }
            (Value::Foreign(own, _), Value::Instance(wanted, _)) => {
                if rules.smart_casts && is_root(own) {
                    Fit::Below
                } else if !rules.is_final(rules.plain(own)) && !language.transparent.iter().any(|it| **it == **own) {
                    // It may be code that is generated, or that was checked to be of the type.
                    if rules.closed { Fit::Unknown } else { Fit::Converted }
                } else if self.converts(rules, *wanted)? {
                    Fit::Converted
                } else {
                    Fit::Misfit
                }
            }
            (Value::List(_), Value::Instance(wanted, _)) | (Value::Instance(wanted, _), Value::List(_)) => {
                if self.converts(rules, *wanted)? { Fit::Converted } else { Fit::Misfit }
            }
            (Value::Foreign(own, _), Value::Foreign(wanted, _)) => fit_of_names(rules, own, wanted, &is_root),
            (Value::Foreign(own, _), Value::List(_)) if rules.is_final(rules.plain(own)) => Fit::Misfit,
            (Value::List(own), Value::List(wanted)) if depth < MAX_DEPTH => match (own.first(), wanted.first()) {
                (Some(own), Some(wanted)) => match self.fit(language, own, wanted, depth + 1)? {
                    Fit::Above(_) | Fit::Any if !is_plain(rules, own) => Fit::Above(None),
                    Fit::Exact => Fit::Exact,
                    Fit::Unknown | Fit::Converted => Fit::Unknown,
                    _ => Fit::Misfit,
                },
                _ => Fit::Unknown,
            },
            (Value::List(_) | Value::Callable(_), Value::Foreign(wanted, _)) if rules.is_final(rules.plain(wanted)) => {
                Fit::Misfit
            }
            (Value::Callable(_), Value::List(_)) => Fit::Misfit,
            (Value::Foreign(own, _), Value::Callable(_)) if rules.is_final(rules.plain(own)) => Fit::Misfit,
            (Value::Callable(_), Value::Callable(_)) => Fit::Above(None),
            _ => Fit::Unknown,
        })
    }

    /// Returns whether a type has supertypes that nothing writes.
    fn is_enumeration(&self, symbol: Symbol) -> Result<bool> {
        Ok(self.definition(symbol)?.is_some_and(|(_, definition)| definition.kind == Kind::Enum))
    }

    /// Returns whether an instance of a type may be one of a type below it.
    fn is_open_type(&self, symbol: Symbol) -> Result<bool> {
        Ok(self.definition(symbol)?.is_some_and(|(_, definition)| {
            let is_open = |word: &&str| definition.modifiers.contains(word);
            definition.kind == Kind::Interface || ["open", "abstract", "sealed"].iter().any(is_open)
        }))
    }

    /// Returns whether a type, or one above it, says how its values are converted.
    fn converts(&self, rules: &ConversionRules, symbol: Symbol) -> Result<bool> {
        if rules.operator.is_empty() {
            return Ok(false);
        }
        if let Some(known) = self.memo.converts.borrow().get(&symbol) {
            return Ok(*known);
        }
        let (found, is_whole) = self.inference.noting_cuts(|| self.finds_conversion(rules, symbol));
        let found = found?;
        if is_whole {
            self.memo.converts.borrow_mut().insert(symbol, found);
        }
        Ok(found)
    }

    fn finds_conversion(&self, rules: &ConversionRules, symbol: Symbol) -> Result<bool> {
        let mut types = vec![symbol];
        let mut at = 0;
        while let Some(owner) = types.get(at).copied().filter(|_| at < MAX_TYPES) {
            for part in self.all_parts(owner)?.iter() {
                let Some(file) = self.outline(part.version)? else { continue };
                let is_conversion =
                    |it: &Definition| it.parent == Some(part.ordinal) && it.signature.contains(rules.operator.as_str());
                if file.definitions().iter().any(is_conversion) {
                    return Ok(true);
                }
            }
            for above in self.supertypes(owner)?.iter() {
                if !types.contains(above) {
                    types.push(*above);
                }
            }
            at += 1;
        }
        Ok(false)
    }
}

/// Returns whether a value is one that is boxed.
fn is_plain(rules: &ConversionRules, value: &Value) -> bool {
    matches!(value, Value::Foreign(name, _) if rules.boxes.contains_key(&**name))
}

/// Returns whether two values are of one type, whatever its arguments are.
fn is_alike(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Instance(one, _), Value::Instance(other, _)) => one == other,
        (Value::Foreign(one, _), Value::Foreign(other, _)) => one == other,
        (one, other) => one == other,
    }
}

/// Returns how well a value of one type from outside of the repository fits another.
fn fit_of_names(rules: &ConversionRules, own: &str, wanted: &str, is_root: &dyn Fn(&str) -> bool) -> Fit {
    let (own, wanted) = (rules.plain(own), rules.plain(wanted));
    let widened = |own: &str| rules.widened.get(own).and_then(|to| to.iter().position(|to| to == wanted));
    let is_above = |own: &str| rules.finals.get(own).is_some_and(|above| above.iter().any(|above| above == wanted));
    let is_number = |name: &str| rules.numbers.iter().any(|number| number == name);
    if own == wanted {
        return Fit::Exact;
    }
    match (rules.boxes.get(own), rules.boxes.get(wanted)) {
        (Some(_), Some(_)) => widened(own).map_or(Fit::Misfit, Fit::Widened),
        (Some(boxed), None) if boxed == wanted => Fit::Boxed,
        (Some(boxed), None) if is_above(boxed) => Fit::Above(None),
        (Some(_), None) => Fit::Misfit,
        (None, Some(boxed)) if boxed == own => Fit::Unboxed(0),
        (None, Some(_)) => {
            let plain = rules.boxes.iter().find(|(_, boxed)| *boxed == own);
            plain.and_then(|(plain, _)| widened(plain)).map_or(Fit::Misfit, |number| Fit::Unboxed(number + 1))
        }
        (None, None) => match (rules.is_final(own), rules.is_final(wanted)) {
            (true, true) if is_number(own) && is_number(wanted) => Fit::Unknown,
            (true, true) => Fit::Misfit,
            (true, false) if is_above(own) => Fit::Above(None),
            (true, false) | (false, true) if rules.closed => Fit::Misfit,
            (true, false) => Fit::Converted,
            (false, _) if rules.smart_casts && is_root(own) => Fit::Below,
            (false, true) if rules.smart_casts => Fit::Unknown,
            (false, true) => Fit::Converted,
            (false, false) if is_root(own) && rules.closed => Fit::Misfit,
            (false, false) => Fit::Unknown,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_of_libraries() {
        let fit = |language: &str, own: &str, wanted: &str| {
            let rules = codecompass_syntax::language_named(language).expect("a language").resolve_rules();
            fit_of_names(&rules.conversions, own, wanted, &|name| rules.root_types.iter().any(|root| root == name))
        };
        for (language, own, wanted, expected) in [
            ("java", "String", "String", Fit::Exact),
            ("java", "int", "Integer", Fit::Boxed),
            ("java", "int", "Long", Fit::Misfit),
            ("java", "int", "long", Fit::Widened(0)),
            ("java", "byte", "long", Fit::Widened(2)),
            ("java", "char", "int", Fit::Widened(0)),
            ("java", "Integer", "int", Fit::Unboxed(0)),
            ("java", "Integer", "long", Fit::Unboxed(1)),
            ("java", "Integer", "Long", Fit::Misfit),
            ("java", "int", "Number", Fit::Above(None)),
            ("java", "boolean", "Number", Fit::Misfit),
            ("java", "long", "int", Fit::Misfit),
            ("java", "int", "char", Fit::Misfit),
            ("java", "String", "CharSequence", Fit::Above(None)),
            ("java", "String", "Reader", Fit::Misfit),
            ("java", "StringReader", "String", Fit::Misfit),
            ("java", "StringReader", "Reader", Fit::Unknown),
            ("java", "Class", "Type", Fit::Above(None)),
            ("java", "Object", "Date", Fit::Misfit),
            ("kotlin", "Int", "Long", Fit::Unknown),
            ("kotlin", "String", "Int", Fit::Misfit),
            ("kotlin", "Any", "String", Fit::Below),
            ("csharp", "int", "Int32", Fit::Exact),
            ("csharp", "int", "decimal", Fit::Unknown),
            ("csharp", "string", "int", Fit::Misfit),
            ("csharp", "string", "XName", Fit::Converted),
            ("csharp", "RedisValue", "string", Fit::Converted),
        ] {
            assert_eq!(fit(language, own, wanted), expected, "{language}: {own} for {wanted}");
        }
    }
}
