//! Members that a type has without declaring them: those that its doc comment tells, and those of
//! the type that a facade passes calls on to.

use std::sync::Arc;

use codecompass_syntax::facts::{ChainStep, Definition, TypeExpr};

use crate::error::Result;
use crate::resolve::Resolver;
use crate::resolve::entity::Symbol;
use crate::resolve::file::FileView;
use crate::resolve::value::Value;

/// A tag of a doc comment, with the words behind it.
struct Tag<'doc> {
    name: &'doc str,
    words: Vec<&'doc str>,
}

impl Resolver<'_> {
    /// Returns the values of a member that the doc comment of a type or of a supertype tells.
    pub(in crate::resolve) fn documented_member(&self, owner: Symbol, name: &str) -> Result<Vec<Value>> {
        let Some((file, definition)) = self.definition(owner)? else { return Ok(Vec::new()) };
        if !file.rules().doc_members {
            return Ok(Vec::new());
        }
        let mut pending: Vec<Symbol> = self.supertypes(owner)?.to_vec();
        let mut found = self.told_by(owner, &definition, name)?;
        pending.truncate(super::MAX_TYPES);
        for above in pending {
            if found.is_empty()
                && let Some((_, definition)) = self.definition(above)?
            {
                found = self.told_by(above, &definition, name)?;
            }
        }
        Ok(found)
    }

    /// Returns the values of a member that a doc comment tells.
    fn told_by(&self, owner: Symbol, definition: &Definition, name: &str) -> Result<Vec<Value>> {
        let tags = tags(definition);
        if tags.is_empty() {
            return Ok(Vec::new());
        }
        let Some(file) = self.file(owner.version)? else { return Ok(Vec::new()) };
        for Tag { name: tag, words } in tags {
            let is_static = words.first() == Some(&"static") && words.len() > 2;
            let words = if is_static { &words[1..] } else { &words[..] };
            let [written, member, ..] = words else { continue };
            let is_property = tag.starts_with("property") && member.trim_start_matches('$') == name;
            let is_method = tag == "method" && member.split('(').next() == Some(name);
            if !is_property && !is_method {
                continue;
            }
            let values = self.tag_type(&file, owner, written)?;
            if !values.is_empty() {
                return Ok(if is_method { vec![Value::Callable(Arc::new(values))] } else { values });
            }
        }
        Ok(Vec::new())
    }

    /// Returns the instances of a type as a doc comment writes it.
    fn tag_type(&self, file: &FileView, owner: Symbol, written: &str) -> Result<Vec<Value>> {
        let mut found = Vec::new();
        for part in written.split('|').map(|part| part.trim_start_matches('?')) {
            let plain = part.split('<').next().unwrap_or(part);
            let name = plain.trim_end_matches("[]");
            if name == "$this" {
                found.push(Value::instance(owner));
                continue;
            }
            let path: Vec<&str> = name.split('\\').filter(|part| !part.is_empty()).collect();
            let is_type = path.last().is_some_and(|last| last.starts_with(char::is_uppercase) || *last == "static");
            if !is_type {
                continue;
            }
            let values = self.type_values(file, Some(owner.ordinal), &TypeExpr::Named(path, Vec::new()), 1)?;
            let is_list = plain.len() > name.len();
            found.extend(if is_list { vec![Value::List(Arc::new(values))] } else { values });
        }
        Ok(found)
    }

    /// Types whose members a doc comment adds to a type.
    pub(super) fn mixed_in(&self, owner: Symbol, definition: &Definition) -> Result<Vec<Symbol>> {
        self.tagged_types(owner, definition, "mixin")
    }

    fn tagged_types(&self, owner: Symbol, definition: &Definition, tag: &str) -> Result<Vec<Symbol>> {
        let tags = tags(definition);
        if !tags.iter().any(|known| known.name == tag) {
            return Ok(Vec::new());
        }
        let Some(file) = self.file(owner.version)?.filter(|file| file.rules().doc_members) else {
            return Ok(Vec::new());
        };
        let mut found = Vec::new();
        for written in tags.iter().filter(|known| known.name == tag).filter_map(|tag| tag.words.first()) {
            let values = self.tag_type(&file, owner, written)?;
            found.extend(values.iter().filter_map(Value::type_symbol));
        }
        Ok(found)
    }

    /// Members of the type that a facade passes calls on to.
    pub(in crate::resolve) fn members_behind(&self, owner: Symbol, name: &str) -> Result<Vec<Symbol>> {
        let Some((file, definition)) = self.definition(owner)? else { return Ok(Vec::new()) };
        let mut found = Vec::new();
        for method in &file.rules().facade_methods {
            for accessor in self.own_members(owner, method)? {
                let mut types = self.returned_class(accessor)?;
                if types.is_empty() {
                    types = self.tagged_types(owner, &definition, "see")?;
                }
                for behind in types {
                    found.extend(self.members(behind, name)?);
                }
            }
        }
        Ok(found)
    }

    /// Returns the types that a function returns as values (`return Store::class`).
    fn returned_class(&self, function: Symbol) -> Result<Vec<Symbol>> {
        let Some((file, definition)) = self.opened(function)? else { return Ok(Vec::new()) };
        let Some(value) = definition.value else { return Ok(Vec::new()) };
        let mut chain = file.chain(value);
        let is_class = matches!(chain.steps.last(), Some(ChainStep::Member("class") | ChainStep::Segment("class")));
        if !is_class {
            return Ok(Vec::new());
        }
        chain.steps.pop();
        let values = self.value_of(&file, Some(function.ordinal), &chain, None)?;
        Ok(values.iter().filter_map(Value::type_symbol).collect())
    }
}

/// The tags of a definition's doc comment.
fn tags(definition: &Definition) -> Vec<Tag<'_>> {
    let lines = definition.doc.iter().flat_map(|doc| doc.lines());
    lines
        .filter_map(|line| {
            let mut words = line.trim().strip_prefix('@')?.split_whitespace();
            Some(Tag { name: words.next()?, words: words.collect() })
        })
        .collect()
}
