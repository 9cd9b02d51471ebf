//! The number of arguments that definitions take and calls give.
//!
//! It decides which overload is called, so it is unknown wherever parameters or arguments are not
//! certain.

use codecompass_syntax::facts::{ChainExpr, Definition, Kind, ParameterKind, Reference};
use codecompass_syntax::{Language, ModuleSystem, ResolveRules};

use crate::resolve::file::FileView;

/// The number of arguments that a call gives, and their labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Given<'a> {
    pub arguments: u8,
    /// The first of them may be the instance: a type may stand before the name.
    pub may_hold_instance: bool,
    /// The labels of those in the list (`_:with:`), in languages where they belong to the name.
    labels: Option<&'a str>,
}

impl<'a> Given<'a> {
    /// Returns what a reference gives, with what stands before its name; `None` if that is not
    /// known.
    pub(crate) fn by(file: &'a FileView, reference: &Reference, receiver: Option<&ChainExpr<'_>>) -> Option<Given<'a>> {
        Given::unlabelled(reference, receiver).map(|given| Given { labels: file.labels_of(reference), ..given })
    }

    /// Returns what a call of a value gives, whose arguments have no labels.
    pub(crate) fn unlabelled(reference: &Reference, receiver: Option<&ChainExpr<'_>>) -> Option<Given<'a>> {
        let may_hold_instance = receiver.is_none_or(names_type);
        reference.call_arguments().map(|arguments| Given { arguments, may_hold_instance, labels: None })
    }

    /// Returns whether the labels of the arguments are known, and belong to the name.
    pub(crate) fn has_labels(&self) -> bool {
        self.labels.is_some()
    }
}

/// Returns whether what stands before a name may be a type.
pub(crate) fn names_type(receiver: &ChainExpr<'_>) -> bool {
    receiver.last_name().is_some_and(|last| last.starts_with(char::is_uppercase))
}

/// A parameter as overloads are told apart by it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ParameterKey {
    /// The label of its argument, in languages where labels belong to the name.
    label: String,
    /// The type as it is written, without the namespaces that a definition may leave out.
    written: String,
    is_variadic: bool,
}

impl ParameterKey {
    /// Returns whether it tells nothing apart.
    fn is_plain(&self) -> bool {
        self.label.is_empty() && self.written.is_empty() && !self.is_variadic
    }
}

/// Returns whether the parameters of two functions do not tell them apart.
pub(super) fn are_alike(one: &[ParameterKey], other: &[ParameterKey]) -> bool {
    one == other || one.iter().chain(other).all(ParameterKey::is_plain)
}

/// Returns what tells a function apart from others of its name.
pub(super) fn parameter_keys(function: &Definition, language: &Language) -> Vec<ParameterKey> {
    let rules = language.resolve_rules();
    let is_defined_apart = rules.modules == ModuleSystem::Includes;
    let mut labels = if rules.labels_overload { labels_of(function) } else { Vec::new() }.into_iter();
    let parameters = function.parameters.iter().flatten();
    let keys = parameters.map(|parameter| {
        let written = parameter.declared.as_ref().map_or("", |declared| declared.text.as_str());
        ParameterKey {
            label: labels.next().unwrap_or_default(),
            written: if is_defined_apart { without_namespaces(written) } else { written.to_string() },
            is_variadic: parameter.kind == ParameterKind::Variadic,
        }
    });
    let mut keys: Vec<ParameterKey> = keys.collect();
    // Where labels tell functions apart, so do results and what is demanded of type parameters.
    if rules.labels_overload {
        let demanded = function.signature.split_once(" where ").map_or("", |(_, demanded)| demanded);
        let result = function.declared_type.as_ref().map_or("", |declared| declared.text.as_str());
        keys.push(ParameterKey { label: demanded.to_string(), written: result.to_string(), is_variadic: false });
    }
    keys
}

/// Returns the labels in the list of a signature: the first word of each parameter.
fn labels_of(function: &Definition) -> Vec<String> {
    let (mut labels, mut word) = (Vec::new(), String::new());
    let (mut depth, mut is_start, mut before) = (0_usize, false, ' ');
    for c in function.signature.chars().skip_while(|c| *c != '(') {
        match c {
            '(' | '[' | '{' | '<' => {
                depth += 1;
                is_start |= depth == 1;
            }
            ')' | ']' | '}' if depth <= 1 => break,
            '>' if before == '-' => {}
            ')' | ']' | '}' | '>' => depth = depth.saturating_sub(1),
            ',' if depth == 1 => is_start = true,
            _ if !is_start => {}
            c if c != ':' && !c.is_whitespace() => word.push(c),
            _ if word.is_empty() => {}
            _ => {
                labels.push(std::mem::take(&mut word));
                is_start = false;
            }
        }
        before = c;
    }
    labels
}

/// Returns the text of a type without what stands before a `::`, and without spaces.
fn without_namespaces(written: &str) -> String {
    let mut text = String::with_capacity(written.len());
    let mut parts = written.split("::").peekable();
    while let Some(part) = parts.next() {
        let kept = if parts.peek().is_some() {
            part.trim_end_matches(|c: char| c.is_alphanumeric() || c == '_')
        } else {
            part
        };
        text.extend(kept.chars().filter(|c| !c.is_whitespace()));
    }
    text
}

/// The number of arguments that a definition takes, and their labels.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Arity {
    /// The number of its parameters, without its own instance and keywords.
    pub parameters: usize,
    least: usize,
    /// There is no upper limit.
    is_variadic: bool,
    /// Its own instance is among the parameters, and may be given as an argument
    /// (`Type::method(value, 1)`).
    with_instance: bool,
    /// The label of each parameter, and how often an argument is given for it; empty if labels do
    /// not matter or are not known.
    labels: Vec<(String, ParameterKind)>,
}

impl Arity {
    /// Returns the arity of a function, or of making an instance of a type whose head has
    /// parameters; `None` if it cannot be told.
    pub(crate) fn of(definition: &Definition, language: &Language) -> Option<Arity> {
        let rules = language.resolve_rules();
        let has_arity = match definition.kind {
            Kind::Property => false,
            kind if kind.is_type() => rules.overloads_apart,
            kind => kind.is_callable(),
        };
        if !language.counts_arguments() || !has_arity || may_be_changed(definition, rules) {
            return None;
        }
        let parameters = definition.parameters.as_deref()?;
        let is_method = matches!(definition.kind, Kind::Method | Kind::Constructor);
        // The first parameter is the instance, but under a name that says nothing.
        let is_unclear = |kind: ParameterKind| kind != ParameterKind::Receiver;
        if is_method && rules.first_parameter_is_self && parameters.first().is_some_and(|it| is_unclear(it.kind)) {
            return None;
        }
        let mut arity = Arity::default();
        if rules.labels_overload {
            let labels = labels_of(definition);
            let kinds = parameters.iter().map(|parameter| parameter.kind);
            arity.labels =
                if labels.len() == kinds.len() { labels.into_iter().zip(kinds).collect() } else { Vec::new() };
        }
        for parameter in parameters {
            match parameter.kind {
                ParameterKind::Receiver => arity.with_instance = true,
                ParameterKind::Keyword => {}
                ParameterKind::Implicit => return None,
                ParameterKind::Variadic => {
                    arity.parameters += 1;
                    arity.is_variadic = true;
                }
                ParameterKind::Optional => arity.parameters += 1,
                ParameterKind::Required => {
                    arity.parameters += 1;
                    arity.least += 1;
                }
            }
        }
        Some(arity)
    }

    /// Returns whether it can be called with so many arguments of such labels.
    pub(crate) fn admits(&self, given: Given<'_>) -> bool {
        if given.labels.is_some_and(|labels| !self.admits_labels(labels)) {
            return false;
        }
        let fits = |count: usize| self.least <= count && (self.is_variadic || count <= self.parameters);
        let count = usize::from(given.arguments);
        fits(count) || self.with_instance && given.may_hold_instance && count > 0 && fits(count - 1)
    }

    /// Returns whether the parameters have the labels in this order; only what has a default value
    /// may be left out between them.
    fn admits_labels(&self, labels: &str) -> bool {
        let mut rest = self.labels.iter().peekable();
        let mut is_list = false;
        self.labels.is_empty()
            || labels.split_terminator(':').all(|label| {
                // A list of any length goes on without a label.
                if is_list && label == "_" {
                    return true;
                }
                let is_left_out = |kind| matches!(kind, ParameterKind::Optional | ParameterKind::Variadic);
                while rest.next_if(|(own, kind)| own != label && is_left_out(*kind)).is_some() {}
                let next = rest.next();
                is_list = next.is_some_and(|(_, kind)| *kind == ParameterKind::Variadic);
                next.is_some_and(|(own, _)| own == label)
            })
    }
}

/// Returns whether something else than the parameters says how a definition is called.
fn may_be_changed(definition: &Definition, rules: &ResolveRules) -> bool {
    !rules.overloads_apart && definition.decorators.iter().any(|decorator| decorator.starts_with('@'))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use codecompass_syntax::facts::ChainStep;
    use codecompass_syntax::{Parsed, language_named, parse};

    use super::*;

    /// `least..most` of the last definition called `name`, `+` for an instance among the
    /// parameters, `?` if it cannot be told.
    fn arity(language: &str, name: &str, text: &str) -> String {
        let language = language_named(language).unwrap();
        let Parsed::Facts(facts) = parse(text, Some(language), Duration::from_secs(10)) else { return String::new() };
        let definition = facts.definitions.iter().rfind(|definition| definition.name == name).unwrap();
        let Some(arity) = Arity::of(definition, language) else { return "?".into() };
        let most = if arity.is_variadic { "*".to_string() } else { arity.parameters.to_string() };
        format!("{}{}..{most}", if arity.with_instance { "+" } else { "" }, arity.least)
    }

    #[test]
    fn functions_methods_and_types() {
        for (language, name, text, expected) in [
            ("java", "get", "class A { <T> Map<K, V> get(Map<K, V> map, int... rest) {} }", "1..*"),
            ("csharp", "Find", "class A { T Find<T>(string n, int l = 3, params object[] rest) {} }", "1..*"),
            ("csharp", "Trim", "class A { static string Trim(this string text, char c = ',') {} }", "+0..1"),
            ("kotlin", "less", "fun less(a: Int, b: Boolean = a < 3, c: Boolean = a > 3) {}", "1..3"),
            ("kotlin", "Point", "class Point(val x: Int, val y: Int = 0) : Base(1)", "1..2"),
            ("cpp", "set", "void set(int (*f)(int, int), char *) {}", "2..2"),
            ("c", "main", "int main(void) {}", "0..0"),
            ("scala", "sum", "object A { def sum(first: Int, rest: Int*)(implicit n: N[Int]) = 1 }", "1..*"),
            ("scala", "at", "object A { def at(implicit clock: Clock) = 1 }", "?"),
            ("elixir", "list", "defmodule A do\n  def list, do: 1\nend", "0..0"),
            ("go", "Listen", "package a\nfunc (s *S) Listen(a, b int, f func(x, y int)) error {}", "3..3"),
            ("rust", "find", "impl A { fn find<'a>(&'a self, b: Box<dyn Fn(u8, u8) -> u8 + 'a>) {} }", "+1..1"),
            ("python", "run", "class A:\n  def run(self, a): pass", "+1..1"),
            ("python", "run", "class A:\n  def run(mcs, a): pass", "?"),
            ("python", "Point", "class Point(Base): pass", "?"),
            ("ruby", "save", "def save(a, b = 1, force:, quiet: false, &block) end", "1..2"),
            ("typescript", "on", "class A { on(this: E, kind: 'a,b', ...rest: any[]): void {} }", "+1..*"),
            ("java", "broken", "class A { void broken(int a, // the first\nint ; b { } }", "?"),
        ] {
            assert_eq!(arity(language, name, text), expected, "{text}");
        }
    }

    #[test]
    fn what_tells_overloads_apart() {
        let are_one = |language: &str, text: &str| {
            let language = language_named(language).unwrap();
            let Parsed::Facts(facts) = parse(text, Some(language), Duration::from_secs(10)) else { return false };
            let functions = facts.definitions.iter().filter(|definition| definition.name == "at");
            let keys: Vec<Vec<ParameterKey>> = functions.map(|function| parameter_keys(function, language)).collect();
            assert_eq!(keys.len(), 2, "{text}");
            are_alike(&keys[0], &keys[1])
        };
        for (language, text, expected) in [
            ("swift", "func at(after i: Int) {}\nfunc at(before i: Int) {}", false),
            ("swift", "func at(_ f: (Int) -> Void, to i: Int) {}\nfunc at(_ f: (Int) -> Void, by i: Int) {}", false),
            ("swift", "func at(_ m: Map<A, B>, to i: Int) {}\nfunc at(_ n: Map<A, B>, to j: Int) {}", true),
            ("swift", "func at(i: Int) -> Int { 1 }\nfunc at(i: Int) -> String { \"\" }", false),
            ("swift", "func at(i: Int) -> Int { 1 }\nfunc at(i: Int) -> Int { 2 }", true),
            ("scala", "object A { def at(a: Int) = 1; def at(b: String) = 2 }", false),
            ("cpp", "void at(const std::vector<std::string>& a);\nvoid at(const vector<string>& b) {}", true),
            ("cpp", "void at(int a);\nvoid at(const char* b) {}", false),
            ("java", "class A { void at(a.B b) {} void at(B b) {} }", false),
        ] {
            assert_eq!(are_one(language, text), expected, "{text}");
        }
    }

    #[test]
    fn calls_with_and_without_the_instance() {
        let arity = Arity { parameters: 2, least: 1, is_variadic: false, with_instance: true, labels: Vec::new() };
        let admits = |arguments, may_hold_instance| arity.admits(Given { arguments, may_hold_instance, labels: None });
        assert!(admits(1, false) && admits(2, false) && !admits(0, true) && !admits(3, false));
        assert!(admits(3, true) && !admits(4, true));
        let variadic = Arity { is_variadic: true, ..arity.clone() };
        assert!(variadic.admits(Given { arguments: 255, may_hold_instance: false, labels: None }));
    }

    #[test]
    fn labels_of_arguments() {
        let swift = language_named("swift").unwrap();
        for (signature, labels, expected) in [
            ("_ url: URL, with name: String", "_:with:", true),
            ("_ url: URL, with name: String", "_:by:", false),
            ("_ url: URL, with name: String", "with:_:", false),
            ("url: URL, retries: Int = f(1, 2), then: () -> Void", "url:then:", true),
            ("url: URL, retries: Int = 1, then: () -> Void", "url:", true),
            ("url: URL, retries: Int, then: () -> Void", "url:then:", false),
            ("_ first: Int, rest: Int..., by last: Int", "_:rest:_:_:by:", true),
            ("_ first: Int, rest: Int..., by last: Int", "_:by:", true),
            ("_ first: Int, rest: Int..., by last: Int", "_:_:by:", false),
            ("", "_:", false),
        ] {
            let text = format!("func at({signature}) {{}}");
            let Parsed::Facts(facts) = parse(&text, Some(swift), Duration::from_secs(10)) else { panic!("{text}") };
            let arity = Arity::of(&facts.definitions[0], swift).unwrap();
            assert_eq!(arity.admits_labels(labels) && !arity.labels.is_empty(), expected, "{text} {labels}");
        }
    }

    #[test]
    fn receivers_that_may_be_types() {
        let is_type = |path: &[&str]| names_type(&ChainExpr::of_path(path));
        assert!(is_type(&["Point"]) && is_type(&["geo", "Point"]) && is_type(&["a", "B"]));
        let mut call = ChainExpr::of_path(&["Point", "New"]);
        call.steps.push(ChainStep::Call);
        assert!(!is_type(&["point"]) && !names_type(&call) && !is_type(&[]));
    }
}
