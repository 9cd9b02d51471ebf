//! The roles of node kinds, by the lists in `language.toml`: comments, wrappers, names and so on.

use std::collections::HashMap;

use rustc_hash::FxHashMap;

use crate::settings::{ExpressionRules, Settings};
use crate::tree::Node;

/// The roles of node kinds, as flags by kind id.
pub(crate) struct NodeKinds {
    flags: Vec<u32>,
    /// The object and member fields of kinds with [`MEMBER`].
    pub(crate) members: FxHashMap<u16, (u16, u16)>,
    /// The fields that lead inwards, of kinds with [`DECLARATOR`]; 0 means the first named child.
    declarators: FxHashMap<u16, u16>,
    /// By kind id, the role in an expression and the field that it goes on with; 0 means the first
    /// named child.
    expressions: Vec<Option<(ExpressionRole, u16)>>,
}

/// The role of a node in an expression; the keys of `[expressions]` say what each means.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum ExpressionRole {
    Member,
    Call,
    Index,
    Macro,
    New,
    Braces,
    Cast,
    Generic,
    Asked,
    Await,
    Same,
    Single,
    Last,
    Either,
    Unary,
    Around,
    Bound,
    Group,
    Path,
    Name,
    String,
    Number,
    List,
    Map,
    Unknown,
}

pub(crate) const COMMENT: u32 = 1;
pub(crate) const WRAPPER: u32 = 2;
pub(crate) const ATTRIBUTE: u32 = 4;
pub(crate) const DECORATOR: u32 = 8;
pub(crate) const MODIFIER: u32 = 16;
pub(crate) const IDENTIFIER: u32 = 32;
pub(crate) const TYPE_IDENTIFIER: u32 = 64;
pub(crate) const MEMBER: u32 = 128;
pub(crate) const COMPONENT: u32 = 256;
pub(crate) const TYPE_NODE: u32 = 512;
pub(crate) const SCOPE: u32 = 1024;
pub(crate) const BLOCK: u32 = 2048;
pub(crate) const TOKENS: u32 = 4096;
const DECLARATOR: u32 = 8192;
const QUALIFIED: u32 = 16384;
pub(crate) const GROUP: u32 = 32768;
pub(crate) const BLOCK_SCOPE: u32 = 65536;
pub(crate) const ARGUMENTS: u32 = 1 << 17;
pub(crate) const AROUND_ARGUMENTS: u32 = 1 << 18;
pub(crate) const ANY_ARGUMENTS: u32 = 1 << 19;
pub(crate) const LAST_ARGUMENT: u32 = 1 << 20;
pub(crate) const SEVERAL_ALONE: u32 = 1 << 21;
pub(crate) const TEXT: u32 = 1 << 22;
pub(crate) const QUOTED_TYPE: u32 = 1 << 23;
/// A name only where a query says so.
pub(crate) const CLAIMED: u32 = 1 << 24;

/// Names wrapped deeper than this are not looked for.
const MAX_DECLARATORS: usize = 64;

impl NodeKinds {
    pub(crate) fn new(grammar: &tree_sitter::Language, settings: &Settings) -> NodeKinds {
        let mut flags = vec![0; grammar.node_kind_count()];
        let mut members = FxHashMap::default();
        let mut declarators = FxHashMap::default();
        let mut expressions = vec![None; grammar.node_kind_count()];
        for (id, flags) in flags.iter_mut().enumerate() {
            let id = id as u16;
            let Some(kind) = grammar.node_kind_for_id(id) else { continue };
            if !grammar.node_kind_is_named(id) {
                *flags = if settings.quoted_names.iter().any(|name| name == kind) { CLAIMED } else { 0 };
                continue;
            }
            *flags = listed_flags(settings, kind);
            if let Some(field) = settings.declarators.get(kind) {
                *flags |= DECLARATOR;
                declarators.insert(id, grammar.field_id_for_name(field).map_or(0, |id| id.get()));
            }
            for rule in settings.members.iter().filter(|rule| rule.node == kind) {
                let field = |name: &str| grammar.field_id_for_name(name).map(|id| id.get());
                if let (Some(object), Some(member)) = (field(&rule.object), field(&rule.member)) {
                    *flags |= MEMBER;
                    members.insert(id, (object, member));
                    expressions[usize::from(id)] = Some((ExpressionRole::Member, 0));
                }
            }
            if let Some((role, field)) = expression_role(&settings.expressions, kind) {
                let field = grammar.field_id_for_name(field).map_or(0, |id| id.get());
                expressions[usize::from(id)] = Some((role, field));
            }
        }
        NodeKinds { flags, members, declarators, expressions }
    }

    /// Returns the role of a node in an expression.
    pub(crate) fn expression_role(&self, node: &Node<'_>) -> Option<ExpressionRole> {
        self.expressions.get(usize::from(node.kind_id())).copied().flatten().map(|(role, _)| role)
    }

    /// Returns the field that an expression goes on with.
    pub(crate) fn expression_field(&self, node: &Node<'_>) -> Option<u16> {
        let rule = self.expressions.get(usize::from(node.kind_id())).copied().flatten();
        rule.map(|(_, field)| field).filter(|field| *field != 0)
    }

    /// Returns the object and the name of a member.
    pub(crate) fn member_parts<'tree>(&self, node: Node<'tree>) -> (Option<Node<'tree>>, Option<Node<'tree>>) {
        if let Some((object, member)) = self.members.get(&node.kind_id()) {
            return (node.child_by_field_id(*object), node.child_by_field_id(*member));
        }
        let field = self.expression_field(&node).and_then(|field| node.child_by_field_id(field));
        let last = node.named_child_count().checked_sub(1).and_then(|last| node.named_child(last));
        let object = node.named_child(0);
        let member = field.or(last).filter(|member| object.is_some_and(|object| object.id() != member.id()));
        (object, member)
    }

    /// The name inside `node`, a declarator, and where the name of its container starts if it is
    /// qualified.
    pub(crate) fn innermost<'tree>(&self, mut node: Node<'tree>) -> (Node<'tree>, Option<usize>) {
        let mut container = None;
        for _ in 0..MAX_DECLARATORS {
            let flags = self.of(&node);
            if flags & DECLARATOR == 0 {
                break;
            }
            if flags & QUALIFIED != 0 {
                container = container.or(Some(node.start_byte()));
            }
            let inner = match self.declarators.get(&node.kind_id()) {
                Some(0) | None => node.named_child(0),
                Some(field) => node.child_by_field_id(*field),
            };
            match inner {
                Some(inner) => node = inner,
                None => break,
            }
        }
        (node, container)
    }

    /// True for a name that holds its container's (`Store.Index` as one word).
    pub(crate) fn qualified_leaf(&self, node: Node<'_>) -> bool {
        self.of(&node) & (QUALIFIED | DECLARATOR) == QUALIFIED
    }

    /// The name at `node` without the marks around it and without its container's.
    pub(crate) fn bare_name<'text>(&self, node: Node<'_>, text: &'text str, settings: &Settings) -> &'text str {
        let mut name = &text[node.byte_range()];
        if let Some(stop) = settings.name_stops.get(node.kind()).and_then(|mark| name.find(mark.as_str())) {
            name = name[..stop].trim_end();
        }
        let name = settings.trim_name(name);
        let parts = name.rsplit_once(settings.separator.as_str()).filter(|_| self.qualified_leaf(node));
        parts.map_or(name, |(_, last)| last)
    }

    /// Returns the flags of a node's kind.
    pub(crate) fn of(&self, node: &Node<'_>) -> u32 {
        self.of_kind(node.kind_id())
    }

    /// Returns the flags of a kind.
    pub(crate) fn of_kind(&self, kind: u16) -> u32 {
        self.flags.get(usize::from(kind)).copied().unwrap_or(0)
    }
}

/// Returns the flags that the lists of a language give a kind.
fn listed_flags(settings: &Settings, kind: &str) -> u32 {
    let lists = [
        (&settings.comments, COMMENT),
        (&settings.wrappers, WRAPPER),
        (&settings.attributes, ATTRIBUTE),
        (&settings.decorators, DECORATOR),
        (&settings.modifier_nodes, MODIFIER),
        (&settings.component_markers, COMPONENT),
        (&settings.type_nodes, TYPE_NODE),
        (&settings.scopes, SCOPE),
        (&settings.blocks, BLOCK),
        (&settings.token_nodes, TOKENS),
        (&settings.qualified_nodes, QUALIFIED),
        (&settings.groups, GROUP),
        (&settings.block_scopes, BLOCK_SCOPE),
        (&settings.arguments.lists, ARGUMENTS),
        (&settings.arguments.wrappers, AROUND_ARGUMENTS),
        (&settings.arguments.spreads, ANY_ARGUMENTS),
        (&settings.arguments.blocks, LAST_ARGUMENT),
        (&settings.arguments.several_alone, SEVERAL_ALONE),
        (&settings.types.quoted, QUOTED_TYPE),
        (&settings.quoted_names, CLAIMED),
    ];
    let in_list = |list: &&Vec<String>| list.iter().any(|name| name == kind);
    let mut flags = lists.iter().filter(|(list, _)| in_list(list)).fold(0, |flags, (_, flag)| flags | flag);
    if holds_text(kind) || flags & COMMENT != 0 {
        flags |= TEXT;
    }
    flags
        | match settings.identifiers.get(kind).map(String::as_str) {
            Some("type") => IDENTIFIER | TYPE_IDENTIFIER,
            Some(_) => IDENTIFIER,
            None => 0,
        }
}

/// Returns the role that the rules give a kind, and the field that the expression goes on with.
fn expression_role<'rules>(rules: &'rules ExpressionRules, kind: &str) -> Option<(ExpressionRole, &'rules str)> {
    let of_table = |(table, role): (&'rules KindTable, _)| Some((role, table.get(kind)?.as_str()));
    let is_listed = |(list, _): &(&[String], _)| list.iter().any(|known| known == kind);
    let of_lists = || expression_lists(rules).into_iter().find(is_listed);
    expression_tables(rules).into_iter().find_map(of_table).or_else(|| of_lists().map(|(_, role)| (role, "")))
}

/// A table of node kinds and the fields that their expressions go on with.
type KindTable = HashMap<String, String>;

/// Returns the tables of node kinds in expressions, each with the role that it gives.
pub(crate) fn expression_tables(rules: &ExpressionRules) -> [(&KindTable, ExpressionRole); 16] {
    [
        (&rules.members, ExpressionRole::Member),
        (&rules.calls, ExpressionRole::Call),
        (&rules.indexes, ExpressionRole::Index),
        (&rules.macros, ExpressionRole::Macro),
        (&rules.instances, ExpressionRole::New),
        (&rules.braces, ExpressionRole::Braces),
        (&rules.casts, ExpressionRole::Cast),
        (&rules.generics, ExpressionRole::Generic),
        (&rules.asked, ExpressionRole::Asked),
        (&rules.awaits, ExpressionRole::Await),
        (&rules.same, ExpressionRole::Same),
        (&rules.either, ExpressionRole::Either),
        (&rules.unary, ExpressionRole::Unary),
        (&rules.around, ExpressionRole::Around),
        (&rules.bound, ExpressionRole::Bound),
        (&rules.groups, ExpressionRole::Group),
    ]
}

/// Returns the lists of node kinds in expressions, each with the role that it gives.
pub(crate) fn expression_lists(rules: &ExpressionRules) -> [(&[String], ExpressionRole); 9] {
    [
        (&rules.single, ExpressionRole::Single),
        (&rules.last, ExpressionRole::Last),
        (&rules.paths, ExpressionRole::Path),
        (&rules.names, ExpressionRole::Name),
        (&rules.strings, ExpressionRole::String),
        (&rules.numbers, ExpressionRole::Number),
        (&rules.lists, ExpressionRole::List),
        (&rules.maps, ExpressionRole::Map),
        (&rules.unknown, ExpressionRole::Unknown),
    ]
}

/// Returns whether nodes of a kind are comments or literal texts. Grammars agree on these words.
fn holds_text(kind: &str) -> bool {
    const WORDS: [&str; 4] = ["comment", "string", "heredoc", "regex"];
    const OTHERS: [&str; 15] = [
        "char",
        "char_literal",
        "character",
        "character_literal",
        "charlist",
        "jsx_text",
        "line_str_text",
        "multi_line_str_text",
        "quasiquote_body",
        "quoted_content",
        "rune_literal",
        "sigil",
        "template_literal",
        "text",
        "xml_text",
    ];
    const CODE: [&str; 5] = ["interpolation", "redirect", "bitstring", "keyword_", "_identifier"];
    OTHERS.contains(&kind)
        || WORDS.iter().any(|word| kind.contains(word)) && !CODE.iter().any(|word| kind.contains(word))
}
