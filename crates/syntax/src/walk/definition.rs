//! Turns one query match into a [`Definition`]: its extent with wrappers and decorators, signature,
//! doc, visibility, modifiers, qualified name and role, by the rules of the language's
//! `language.toml`.

use std::borrow::Cow;
use std::ops::Range;

use super::Level;
use crate::doc;
use crate::extract::DefinitionMatch;
use crate::facts::{Definition, Kind, Modifiers, Span, SymbolRole, Visibility, decorator_names};
use crate::node_kinds::{ATTRIBUTE, COMMENT, DECORATOR, MODIFIER, NodeKinds, WRAPPER};
use crate::registry::Language;
use crate::settings::{ModuleSystem, Settings, glob_matches};
use crate::source_text::{body_hash, one_line};
use crate::tree::Node;

/// Signatures longer than this are cut.
const MAX_SIGNATURE_BYTES: usize = 320;
const MAX_DECORATOR_BYTES: usize = 160;
/// Namespaces nested deeper than this are not searched for a modifier that opens them.
const MAX_NAMESPACES: usize = 16;
const MAX_QUALIFIED_NAME_BYTES: usize = 480;
const MAX_NAME_BYTES: usize = 160;

/// The surroundings of a definition's node.
pub(super) struct DefinitionContext<'a, 'tree> {
    pub text: &'a str,
    pub language: &'static Language,
    pub node_kinds: &'a NodeKinds,
    /// The ancestors of the node, outermost first.
    pub levels: &'a [Level<'tree>],
    /// Comments and attributes right before the node.
    pub lead: &'a [Node<'tree>],
    pub package: Option<&'a str>,
    /// The visibility that the section around it gives.
    pub section: Option<Visibility>,
    pub definitions: &'a [Definition],
    pub parent: Option<u32>,
}

/// Builds the definition that `found` describes at `node`; `None` when it has no usable name.
pub(super) fn definition(
    context: &DefinitionContext<'_, '_>,
    node: Node<'_>,
    found: &DefinitionMatch<'_>,
) -> Option<Definition> {
    let DefinitionContext { text, language, node_kinds, .. } = *context;
    let settings = language.settings();
    let name = node_kinds.bare_name(found.name, text, settings);
    // Only a constructor can bear the name `_` and yet be meant.
    if name.is_empty() || (name == "_" && found.kind != Kind::Constructor) || name.contains('\n') {
        return None;
    }
    let wrapped = wrapped(context, node);
    let outer = wrapped.chain.first().copied().unwrap_or(node);
    let mut head = read_head(context, &wrapped.chain, found);
    head.add_modifiers(found, wrapped.is_exported);
    let parent = context.parent.map(|index| &context.definitions[index as usize]);
    let kind = head.kind(refined_kind(found.kind, name, parent, found.container.is_some(), settings));
    // A variant's fields and a constant's value are part of what its reader wants to see.
    let body = found.body.or_else(|| node.child_by_field_name("body").filter(|_| kind != Kind::Variant));
    let end_node = found.body_after(outer).unwrap_or(outer);
    let end = trimmed_end(text, end_node);
    let start = head.start.0;
    let signature_end = body.map_or(end, |body| start_with_comments(node_kinds, node, body).max(start)).min(end);

    let decorators = decorators(context, &mut head, &wrapped);
    let doc = documentation(context, &wrapped, body);
    head.add_said_modifiers(&decorators, doc.as_deref(), settings);
    let visibility = found.visibility.unwrap_or_else(|| visibility(context, name, kind, &head));
    let qualified_name = qualified_name(context, found, name, kind, parent);
    let role = found.role.unwrap_or_else(|| role(settings, kind, name, &qualified_name, &decorators));
    let lead_start = wrapped.lead.first().copied().filter(|first| first.start_byte() < outer.start_byte());
    let outer_start = lead_start.unwrap_or(outer);
    let name_position = found.name.start_position();
    let inside = if node_kinds.qualified_leaf(found.name) { found.name.byte_range().len() - name.len() } else { 0 };
    Some(Definition {
        name: short(name).into_owned(),
        qualified_name,
        kind,
        signature: signature(&without_names(text, start..signature_end.max(start), &found.beside), kind),
        doc,
        visibility,
        modifiers: head.modifiers,
        decorators,
        parent: context.parent,
        span: span(text, &head, end_node),
        outer_start_line: outer_start.start_position().row as u32 + 1,
        outer_start_byte: outer_start.start_byte() as u32,
        name_line: name_position.row as u32 + 1,
        name_column: (name_position.column + inside) as u32 + 1,
        body_hash: body_hash(&text[start..end]),
        role,
        parameters: None,
        declared_type: None,
        value: None,
        value_root: None,
    })
}

/// Returns the place from a head to the end of a node.
fn span(text: &str, head: &Head, end_node: Node<'_>) -> Span {
    let end = trimmed_end(text, end_node);
    let lines_cut = text[end..end_node.end_byte()].matches('\n').count() as u32;
    Span {
        start_byte: head.start.0 as u32,
        end_byte: end as u32,
        start_line: head.start.1,
        end_line: end_node.end_position().row as u32 + 1 - lines_cut,
    }
}

/// Lists the decorators in a head and the attributes before it.
fn decorators(context: &DefinitionContext<'_, '_>, head: &mut Head, wrapped: &Wrapped<'_, '_>) -> Vec<String> {
    let DefinitionContext { text, language, node_kinds, .. } = *context;
    let marks = &language.settings().docs.attributes;
    let documents = |attribute: &&str| marks.iter().any(|mark| attribute.starts_with(mark.as_str()));
    let attributes = wrapped.lead.iter().filter(|node| node_kinds.of(node) & ATTRIBUTE != 0);
    let attributes = attributes.map(|node| &text[node.byte_range()]).filter(|attribute| !documents(attribute));
    let mut decorators = std::mem::take(&mut head.decorators);
    decorators.extend(attributes.map(|attribute| one_line(attribute, MAX_DECORATOR_BYTES)));
    decorators
}

/// Returns the doc text of a definition.
fn documentation(
    context: &DefinitionContext<'_, '_>,
    wrapped: &Wrapped<'_, '_>,
    body: Option<Node<'_>>,
) -> Option<String> {
    let DefinitionContext { text, language, node_kinds, .. } = *context;
    let settings = language.settings();
    if settings.docs.docstrings {
        return body.and_then(first_string).and_then(|string| doc::docstring(&text[string.byte_range()]));
    }
    let is_comment = |node: &Node<'_>| node_kinds.of(node) & COMMENT != 0;
    let of = |lead| doc::leading_doc(text, lead, is_comment, &settings.docs);
    of(wrapped.lead)
        .or_else(|| of(wrapped.group_lead))
        .or_else(|| body.and_then(|body| inner_doc(text, body, settings)))
}

/// Makes what follows a definition, up to `byte`, part of it.
pub(super) fn extend_to(text: &str, definition: &mut Definition, byte: usize) {
    let span = &mut definition.span;
    let whole = text[span.start_byte as usize..byte].trim_end();
    span.end_byte = span.start_byte + whole.len() as u32;
    span.end_line = span.start_line + whole.bytes().filter(|byte| *byte == b'\n').count() as u32;
    definition.body_hash = body_hash(whole);
}

/// A definition's node with its wrappers.
struct Wrapped<'a, 'tree> {
    /// The node and the wrappers around it that are its own, outermost first.
    chain: Vec<Node<'tree>>,
    /// Comments and attributes right before them.
    lead: &'a [Node<'tree>],
    /// The same before the declaration that it shares with others (`const ( A = 1; B = 2 )`).
    group_lead: &'a [Node<'tree>],
    /// That declaration is exported as a whole.
    is_exported: bool,
}

fn wrapped<'a, 'tree>(context: &DefinitionContext<'a, 'tree>, node: Node<'tree>) -> Wrapped<'a, 'tree> {
    let mut wrapped = Wrapped { chain: vec![node], lead: context.lead, group_lead: &[], is_exported: false };
    let mut in_group = false;
    for level in context.levels.iter().rev() {
        if context.node_kinds.of(&level.node) & WRAPPER == 0 {
            break;
        }
        in_group = in_group || is_group(level.node, wrapped.chain[0]);
        if in_group {
            wrapped.is_exported |= level.node.child(0).is_some_and(|first| first.kind() == "export");
            if !level.lead.is_empty() {
                wrapped.group_lead = &level.lead;
            }
            continue;
        }
        wrapped.chain.insert(0, level.node);
        if !level.lead.is_empty() {
            wrapped.lead = &level.lead;
        }
    }
    wrapped
}

/// Returns true when `wrapper` holds, or could hold, several of the kind of `inner`.
fn is_group(wrapper: Node<'_>, inner: Node<'_>) -> bool {
    let mut children = wrapper.children();
    children.any(|child| child.kind() == "(" || (child.kind_id() == inner.kind_id() && child.id() != inner.id()))
}

/// The part of a definition before its name.
struct Head {
    /// Byte and line of the first word after decorators.
    start: (usize, u32),
    decorators: Vec<String>,
    modifiers: Modifiers,
    words: Vec<String>,
}

impl Head {
    /// Adds the modifiers that the query and a wrapper give.
    fn add_modifiers(&mut self, found: &DefinitionMatch<'_>, is_exported: bool) {
        self.modifiers.0 |= found.modifiers.0;
        if is_exported {
            self.modifiers.insert("export");
        }
    }

    /// Adds the modifiers that decorators and the doc stand for.
    fn add_said_modifiers(&mut self, decorators: &[String], doc: Option<&str>, settings: &Settings) {
        for decorator in decorators {
            let is_meant = |pattern: &str| {
                decorator_names(decorator).chain([decorator.as_str()]).any(|it| glob_matches(pattern, it))
            };
            let meant = settings.modifier_decorators.iter().filter(|(pattern, _)| is_meant(pattern));
            meant.for_each(|(_, word)| _ = self.modifiers.insert(word));
        }
        let Some(doc) = doc.filter(|_| !settings.modifier_docs.is_empty()) else { return };
        for (tag, word) in &settings.modifier_docs {
            if doc.lines().any(|line| line.trim_start().starts_with(tag.as_str())) {
                self.modifiers.insert(word);
            }
        }
    }

    /// Returns the kind of a definition with this head: a method that reads or writes is a
    /// property.
    fn kind(&self, kind: Kind) -> Kind {
        let is_accessor = self.words.iter().any(|word| word == "get" || word == "set");
        if kind == Kind::Method && is_accessor { Kind::Property } else { kind }
    }

    fn read_words(&mut self, words: &str, settings: &Settings) {
        if let Some(word) = settings.modifier_marks.get(words) {
            self.modifiers.insert(word);
        }
        self.words.push(words.to_string());
        let is_list = words.contains(char::is_whitespace) && !words.contains('(');
        for word in words.split_whitespace() {
            let _is_modifier = self.modifiers.insert(word);
            if is_list {
                self.words.push(word.to_string());
            }
        }
    }
}

/// Returns true for a list of modifiers that are nodes of their own.
fn has_parts(node_kinds: &NodeKinds, modifiers: Node<'_>) -> bool {
    modifiers.named_children().any(|part| node_kinds.of(&part) & (DECORATOR | MODIFIER) != 0)
}

fn read_head(context: &DefinitionContext<'_, '_>, chain: &[Node<'_>], found: &DefinitionMatch<'_>) -> Head {
    let outer = chain[0];
    let mut reader = HeadReader {
        context,
        head: Head {
            start: (outer.start_byte(), outer.start_position().row as u32 + 1),
            decorators: Vec::new(),
            modifiers: Modifiers::default(),
            words: Vec::new(),
        },
        after_decorator: false,
    };
    for node in chain {
        for child in node.children() {
            if child.start_byte() >= found.name.start_byte() || chain.iter().any(|link| link.id() == child.id()) {
                reader.start_at(child);
                break;
            }
            reader.read(child);
        }
    }
    reader.head
}

struct HeadReader<'a, 'tree> {
    context: &'a DefinitionContext<'a, 'tree>,
    head: Head,
    after_decorator: bool,
}

impl HeadReader<'_, '_> {
    /// Makes a node that follows decorators the start of the declaration.
    fn start_at(&mut self, node: Node<'_>) {
        if std::mem::take(&mut self.after_decorator) {
            self.head.start = (node.start_byte(), node.start_position().row as u32 + 1);
        }
    }

    fn decorator(&mut self, node: Node<'_>) {
        self.head.decorators.push(one_line(&self.context.text[node.byte_range()], MAX_DECORATOR_BYTES));
        self.after_decorator = true;
    }

    fn words(&mut self, node: Node<'_>) {
        self.head.read_words(&self.context.text[node.byte_range()], self.context.language.settings());
    }

    fn read(&mut self, child: Node<'_>) {
        let node_kinds = self.context.node_kinds;
        let flags = node_kinds.of(&child);
        if flags & DECORATOR != 0 {
            return self.decorator(child);
        }
        if flags & COMMENT != 0 {
            return;
        }
        // A list of modifiers may hold decorators too.
        if flags & MODIFIER != 0 && has_parts(node_kinds, child) {
            for part in child.children() {
                if node_kinds.of(&part) & DECORATOR != 0 {
                    self.decorator(part);
                } else {
                    self.start_at(part);
                    self.words(part);
                }
            }
            return;
        }
        self.start_at(child);
        if !child.is_named() || flags & MODIFIER != 0 {
            self.words(child);
        }
    }
}

fn refined_kind(kind: Kind, name: &str, parent: Option<&Definition>, has_container: bool, settings: &Settings) -> Kind {
    let in_type = has_container || parent.is_some_and(|parent| holds_members(parent, settings));
    match kind {
        Kind::Function | Kind::Method if in_type && settings.constructors.iter().any(|c| c == name) => {
            Kind::Constructor
        }
        Kind::Function if in_type => Kind::Method,
        // The grammar lost its way before it.
        Kind::Method if parent.is_none() && !has_container && settings.resolve.modules == ModuleSystem::Includes => {
            Kind::Function
        }
        Kind::Variable if parent.is_some_and(|parent| parent.kind == Kind::Enum) => Kind::Variant,
        Kind::Variable if in_type => Kind::Field,
        Kind::Variable if settings.upper_case_constants && is_upper_case(name) => Kind::Constant,
        kind => kind,
    }
}

fn holds_members(parent: &Definition, settings: &Settings) -> bool {
    parent.kind.is_type() || (settings.modules_hold_members && parent.kind == Kind::Module)
}

fn is_upper_case(name: &str) -> bool {
    // One letter says nothing: `T` is as likely a type variable.
    name.chars().nth(1).is_some() && name.chars().any(char::is_alphabetic) && !name.chars().any(char::is_lowercase)
}

fn visibility(context: &DefinitionContext<'_, '_>, name: &str, kind: Kind, head: &Head) -> Visibility {
    let rules = &context.language.settings().visibility;
    let around = |index: Option<u32>| index.map(|index| &context.definitions[index as usize]);
    let parent = around(context.parent);
    let known = |word: &str| Visibility::from_name(word).unwrap_or(Visibility::Public);
    let keyword = |word: &String| {
        let first = word.split_whitespace().next()?;
        rules.keywords.get(word.as_str()).or_else(|| rules.keywords.get(first))
    };
    let mut said: Vec<&String> = head.words.iter().filter(|word| keyword(word).is_some()).collect();
    if said.len() > 1 {
        said.sort_unstable();
        said.dedup();
        let together = said.iter().map(|word| word.as_str()).collect::<Vec<_>>().join(" ");
        if let Some(word) = rules.keywords.get(&together) {
            return known(word);
        }
    }
    if let Some(word) = head.words.iter().find_map(keyword) {
        return known(word);
    }
    if let Some(section) = context.section.filter(|_| kind != Kind::Impl) {
        return section;
    }
    if head.modifiers.words().any(|word| word == "export") {
        return Visibility::Public;
    }
    let affix = rules.always_public_affix.as_deref();
    if affix.is_some_and(|affix| name.len() > 2 * affix.len() && name.starts_with(affix) && name.ends_with(affix)) {
        return Visibility::Public;
    }
    let prefix = rules.prefixes.iter().filter(|(prefix, _)| name.starts_with(prefix.as_str()));
    if let Some((_, word)) = prefix.max_by_key(|(prefix, _)| prefix.len()) {
        return known(word);
    }
    if rules.by_case {
        let capital = name.chars().next().is_some_and(char::is_uppercase);
        return if capital { Visibility::Public } else { Visibility::Private };
    }
    if let Some(parent) = parent.filter(|parent| rules.inherit_from.iter().any(|k| k == parent.kind.as_str())) {
        return parent.visibility;
    }
    if let Some(open) = &rules.open_modifier {
        let mut outwards = std::iter::successors(parent, |parent| around(parent.parent)).take(MAX_NAMESPACES);
        if outwards.any(|outer| outer.modifiers.words().any(|word| word == open)) {
            return Visibility::Public;
        }
    }
    if let Some(word) = parent.and_then(|parent| rules.members_of.get(parent.kind.as_str())) {
        return known(word);
    }
    let is_member = parent.is_some_and(|parent| parent.kind.is_type()) && kind != Kind::Impl;
    match &rules.member_default {
        Some(word) if is_member => known(word),
        _ => known(&rules.default),
    }
}

fn qualified_name(
    context: &DefinitionContext<'_, '_>,
    found: &DefinitionMatch<'_>,
    name: &str,
    kind: Kind,
    parent: Option<&Definition>,
) -> String {
    let settings = context.language.settings();
    let separator = &settings.separator;
    let name_at = |range: &std::ops::Range<usize>| container_name(&context.text[range.clone()], settings);
    let container = found.container.as_ref().map(name_at);
    let (word, place) = &found.qualifiers;
    let qualifier = place.as_ref().map(name_at);
    let mut parts: Vec<&str> = Vec::new();
    match parent {
        Some(parent) => parts.push(&parent.qualified_name),
        None => parts.extend(context.package),
    }
    parts.extend(word);
    parts.extend(qualifier.as_deref());
    // An `impl` block bears its type's name already.
    parts.extend(container.as_deref());
    let is_member = container.is_some() || parent.is_some_and(|parent| holds_members(parent, settings));
    let of_kind = || settings.member_separators.get(kind.as_str()).filter(|_| is_member).map(String::as_str);
    let last_separator = found.separator.or_else(of_kind).unwrap_or(separator);
    let mut joined = parts.join(separator);
    if !joined.is_empty() {
        joined.push_str(last_separator);
    }
    joined.push_str(&short(name));
    // Deep nesting must not make names, together, grow with the square of the file: the innermost
    // parts stay.
    if joined.len() > MAX_QUALIFIED_NAME_BYTES {
        joined.drain(..joined.ceil_char_boundary(joined.len() - MAX_QUALIFIED_NAME_BYTES));
    }
    joined
}

/// Returns a name without what is beyond any use: headings may be as long as a paragraph.
fn short(name: &str) -> Cow<'_, str> {
    if name.len() <= MAX_NAME_BYTES {
        return name.into();
    }
    let head = &name[..name.floor_char_boundary(MAX_NAME_BYTES)];
    let words = head.rsplit_once(char::is_whitespace).map_or(head, |(words, _)| words);
    format!("{}…", words.trim_end()).into()
}

/// Returns the name of a container as it stands before a member, without type arguments, marks and
/// spaces.
fn container_name(text: &str, settings: &Settings) -> String {
    let mut depth = 0usize;
    let mut name = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            _ if depth == 0 && !c.is_whitespace() => name.push(c),
            _ => {}
        }
    }
    let separator = settings.separator.as_str();
    let name = name.trim_start_matches(separator).trim_end_matches(separator);
    if !name.contains(['"', '`', '\'']) && settings.name_trim.is_empty() {
        return name.to_string();
    }
    name.split(separator).map(|part| settings.trim_name(part)).collect::<Vec<_>>().join(separator)
}

fn role(settings: &Settings, kind: Kind, name: &str, qualified_name: &str, decorators: &[String]) -> SymbolRole {
    if kind.is_value() {
        return SymbolRole::Plain;
    }
    let rules = &settings.roles;
    let any = |patterns: &[String], text: &str| patterns.iter().any(|pattern| glob_matches(pattern, text));
    let decorator_is = |patterns: &[String]| {
        decorators.iter().any(|decorator| {
            let inner = decorator.trim_start_matches(['#', '[', '@']).trim_end_matches(']');
            let path = inner.split(['(', ' ']).next().unwrap_or(inner);
            any(patterns, path)
        })
    };
    if any(&rules.test_names, name) || decorator_is(&rules.test_decorators) {
        SymbolRole::Test
    } else if any(&rules.entry_names, qualified_name) {
        SymbolRole::EntryPoint
    } else if decorator_is(&rules.handler_decorators) {
        SymbolRole::Handler
    } else {
        SymbolRole::Plain
    }
}

/// Returns a part of the text without the names of other definitions in a list of arguments, and
/// without the commas behind them.
fn without_names<'text>(text: &'text str, part: Range<usize>, names: &[Range<usize>]) -> Cow<'text, str> {
    if names.is_empty() {
        return Cow::Borrowed(&text[part]);
    }
    let mut kept = String::new();
    let mut at = part.start;
    for name in names.iter().filter(|name| name.start >= part.start && name.end <= part.end) {
        kept.push_str(&text[at..name.start.max(at)]);
        let rest = &text[name.end..part.end];
        let behind = rest.trim_start();
        let next = behind.strip_prefix(',').map(str::trim_start);
        if next.is_none() {
            kept.truncate(kept.trim_end_matches([',', ' ', '\n']).len());
        }
        at = at.max(part.end - next.unwrap_or(behind).len());
    }
    kept.push_str(&text[at.min(part.end)..part.end]);
    Cow::Owned(kept)
}

/// Returns the declaration on one line, without the marks that open its body.
fn signature(declaration: &str, kind: Kind) -> String {
    let declaration = match kind {
        // The first line says what it is; the rest is data.
        Kind::Macro | Kind::Constant | Kind::Variable | Kind::Field | Kind::Key => {
            declaration.lines().next().unwrap_or("")
        }
        _ => declaration,
    };
    let line = one_line(declaration, MAX_SIGNATURE_BYTES);
    let line = line.trim_end_matches(['{', ':', ';', ',', ' ', '\\']);
    line.strip_suffix("=>").unwrap_or(line).trim_end_matches(['=', ' ']).to_string()
}

/// Returns where `body` starts, or the comments right before it do.
fn start_with_comments(node_kinds: &NodeKinds, node: Node<'_>, body: Node<'_>) -> usize {
    let mut comment = None;
    for child in node.children().take_while(|child| child.start_byte() < body.start_byte()) {
        let is_comment = node_kinds.of(&child) & COMMENT != 0;
        comment = if is_comment { comment.or(Some(child.start_byte())) } else { None };
    }
    comment.unwrap_or(body.start_byte())
}

fn trimmed_end(text: &str, node: Node<'_>) -> usize {
    let range = node.byte_range();
    range.start + text[range].trim_end().len()
}

/// Returns the text of an attribute at the start of `body` that documents what the body belongs to.
fn inner_doc(text: &str, body: Node<'_>, settings: &Settings) -> Option<String> {
    let marks = &settings.docs.inner_attributes;
    if marks.is_empty() {
        return None;
    }
    let children = body.named_children().take(8).map(|child| &text[child.byte_range()]);
    children.filter(|child| marks.iter().any(|mark| child.starts_with(mark.as_str()))).find_map(doc::docstring)
}

fn first_string<'tree>(body: Node<'tree>) -> Option<Node<'tree>> {
    let statement = body.named_children().find(|child| child.kind() != "comment")?;
    let string = if statement.kind() == "expression_statement" { statement.named_child(0)? } else { statement };
    (string.kind() == "string").then_some(string)
}
