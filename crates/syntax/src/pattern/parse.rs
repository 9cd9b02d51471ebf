//! Reads query files: S-expressions to [`Pattern`]s, with every kind and field looked up in the grammar.

use std::sync::OnceLock;

use tree_sitter::Language;

use super::{Condition, NodePattern, Pattern, Predicate, Property, Step, Test};

/// All patterns of `source` and the names of their captures.
pub(super) fn parse(grammar: &Language, source: &str) -> Result<(Vec<Pattern>, Vec<String>), String> {
    let mut reader = QueryReader { grammar, rest: source, source, captures: Vec::new() };
    let mut patterns = Vec::new();
    reader.skip_space();
    while !reader.rest.is_empty() {
        let pattern = reader.pattern().map_err(|error| format!("line {}: {error}", reader.line()))?;
        patterns.push(pattern);
        reader.skip_space();
    }
    Ok((patterns, reader.captures))
}

struct QueryReader<'a> {
    grammar: &'a Language,
    source: &'a str,
    rest: &'a str,
    captures: Vec<String>,
}

impl<'a> QueryReader<'a> {
    fn line(&self) -> usize {
        self.source[..self.source.len() - self.rest.len()].matches('\n').count() + 1
    }

    fn skip_space(&mut self) {
        loop {
            self.rest = self.rest.trim_start();
            match self.rest.strip_prefix(';') {
                Some(comment) => self.rest = comment.split_once('\n').map_or("", |(_, rest)| rest),
                None => return,
            }
        }
    }

    fn eat(&mut self, mark: char) -> bool {
        self.skip_space();
        match self.rest.strip_prefix(mark) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn expect(&mut self, mark: char) -> Result<(), String> {
        if self.eat(mark) {
            return Ok(());
        }
        Err(format!("expected `{mark}`, found `{}`", self.rest.chars().take(12).collect::<String>()))
    }

    fn word(&mut self) -> &'a str {
        self.take_while(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'))
    }

    fn take_while(&mut self, belongs: impl Fn(char) -> bool) -> &'a str {
        self.skip_space();
        let end = self.rest.find(|c: char| !belongs(c)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word
    }

    fn string(&mut self) -> Result<String, String> {
        self.expect('"')?;
        let mut text = String::new();
        let mut chars = self.rest.char_indices();
        while let Some((at, c)) = chars.next() {
            match c {
                '"' => {
                    self.rest = &self.rest[at + 1..];
                    return Ok(text);
                }
                '\\' => match chars.next() {
                    Some((_, 'n')) => text.push('\n'),
                    Some((_, 't')) => text.push('\t'),
                    Some((_, other)) => text.push(other),
                    None => break,
                },
                other => text.push(other),
            }
        }
        Err("unterminated string".into())
    }

    /// A top-level pattern: one node or alternation, perhaps in parentheses together with its predicates.
    fn pattern(&mut self) -> Result<Pattern, String> {
        let mut pattern = Pattern { roots: Vec::new(), predicates: Vec::new(), properties: Vec::new() };
        self.skip_space();
        let grouped =
            self.rest.strip_prefix('(').is_some_and(|rest| rest.trim_start().starts_with(['(', '[', '"', ';']));
        if !grouped {
            pattern.roots = self.alternatives(&mut pattern.predicates, &mut pattern.properties)?;
            return Ok(pattern);
        }
        self.expect('(')?;
        loop {
            self.skip_space();
            if self.eat(')') {
                return Ok(pattern);
            }
            if self.rest.starts_with("(#") {
                self.predicate(&mut pattern.predicates, &mut pattern.properties)?;
            } else if pattern.roots.is_empty() {
                pattern.roots = self.alternatives(&mut pattern.predicates, &mut pattern.properties)?;
            } else {
                return Err("sequences of siblings are not supported".into());
            }
        }
    }

    /// A node, an anonymous node, a wildcard or an alternation, with the captures behind it.
    fn alternatives(
        &mut self,
        predicates: &mut Vec<Predicate>,
        properties: &mut Vec<Property>,
    ) -> Result<Vec<NodePattern>, String> {
        self.skip_space();
        let mut alternatives = Vec::new();
        if self.eat('[') {
            while !self.eat(']') {
                alternatives.extend(self.alternatives(predicates, properties)?);
            }
        } else if self.rest.starts_with('"') {
            let text = self.string()?;
            alternatives.push(leaf(Test::Kinds(self.kinds(&text, false)?)));
        } else if self.rest.starts_with('(') {
            alternatives.push(self.node(predicates, properties)?);
        } else if self.word() == "_" {
            alternatives.push(leaf(Test::Any));
        } else {
            return Err(format!("unexpected `{}`", self.rest.chars().take(12).collect::<String>()));
        }
        // A quantifier may stand before the captures; steps look for it, too.
        while self.eat('@') {
            let name = self.word().to_string();
            let number = self.capture(&name);
            alternatives.iter_mut().for_each(|node| node.captures.push(number));
        }
        Ok(alternatives)
    }

    fn node(&mut self, predicates: &mut Vec<Predicate>, properties: &mut Vec<Property>) -> Result<NodePattern, String> {
        self.expect('(')?;
        let kind = self.word();
        let mut node = leaf(match kind {
            "_" => Test::Named,
            "ERROR" => Test::Error,
            kind => Test::Kinds(self.kinds(kind, true)?),
        });
        let mut anchored = false;
        loop {
            self.skip_space();
            if self.eat(')') {
                node.closed = anchored;
                return Ok(node);
            }
            if self.eat('.') {
                anchored = true;
            } else if self.eat('!') {
                let field = self.word();
                node.absent_fields.push(self.field(field)?);
            } else if self.rest.starts_with("(#") {
                self.predicate(predicates, properties)?;
            } else {
                let field = self.field_name()?;
                let mut alternatives = self.alternatives(predicates, properties)?;
                let optional = self.eat('?');
                if self.rest.starts_with(['*', '+']) {
                    return Err("`*` and `+` are not supported".into());
                }
                while self.eat('@') {
                    let name = self.word().to_string();
                    let number = self.capture(&name);
                    alternatives.iter_mut().for_each(|node| node.captures.push(number));
                }
                node.steps.push(Step { anchored, optional, field, alternatives });
                anchored = false;
            }
        }
    }

    /// `name:` before a child, if there is one.
    fn field_name(&mut self) -> Result<Option<u16>, String> {
        let end = self.rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(self.rest.len());
        if end == 0 || !self.rest[end..].starts_with(':') {
            return Ok(None);
        }
        let name = &self.rest[..end];
        self.rest = &self.rest[end + 1..];
        self.field(name).map(Some)
    }

    fn field(&self, name: &str) -> Result<u16, String> {
        let id = self.grammar.field_id_for_name(name).ok_or_else(|| format!("no field `{name}`"))?;
        Ok(id.get())
    }

    /// All ids of a kind: aliases give one name several.
    fn kinds(&self, name: &str, named: bool) -> Result<Vec<u16>, String> {
        let ids: Vec<u16> = (0..self.grammar.node_kind_count() as u16)
            .filter(|id| {
                self.grammar.node_kind_for_id(*id) == Some(name)
                    && self.grammar.node_kind_is_named(*id) == named
                    && self.grammar.node_kind_is_visible(*id)
            })
            .collect();
        if ids.is_empty() { Err(format!("no node `{name}`")) } else { Ok(ids) }
    }

    fn capture(&mut self, name: &str) -> u16 {
        let known = self.captures.iter().position(|known| known == name);
        known.unwrap_or_else(|| {
            self.captures.push(name.to_string());
            self.captures.len() - 1
        }) as u16
    }

    fn predicate(&mut self, predicates: &mut Vec<Predicate>, properties: &mut Vec<Property>) -> Result<(), String> {
        self.expect('(')?;
        let name = self.take_while(|c| c.is_alphanumeric() || matches!(c, '#' | '-' | '?' | '!'));
        if name == "#set!" {
            let key = self.word().to_string();
            self.skip_space();
            let value = match self.rest.chars().next() {
                Some(')') => None,
                Some('"') => Some(self.string()?),
                _ => Some(self.word().to_string()),
            };
            properties.push(Property { key, value });
            return self.expect(')');
        }
        self.expect('@')?;
        let first = self.word().to_string();
        let capture = self.capture(&first);
        let (positive, negated) = match name.strip_prefix("#not-") {
            Some(positive) => (positive, true),
            None => (name.trim_start_matches('#'), false),
        };
        let condition = match positive {
            "eq?" if self.eat('@') => {
                let other = self.word().to_string();
                Condition::Same(self.capture(&other))
            }
            "eq?" => Condition::AnyOf(vec![self.string()?]),
            "match?" => Condition::Matches(self.string()?, OnceLock::new()),
            "any-of?" => {
                let mut texts = Vec::new();
                self.skip_space();
                while !self.rest.starts_with(')') {
                    texts.push(self.string()?);
                    self.skip_space();
                }
                Condition::AnyOf(texts)
            }
            _ => return Err(format!("unknown predicate `{name}`")),
        };
        predicates.push(Predicate { capture, condition, negated });
        self.expect(')')
    }
}

fn leaf(test: Test) -> NodePattern {
    NodePattern { test, captures: Vec::new(), absent_fields: Vec::new(), steps: Vec::new(), closed: false }
}
