//! The roles of node kinds, by the lists in `language.toml`: comments, wrappers, names and so on.

use rustc_hash::FxHashMap;
use tree_sitter::Node;

use crate::settings::Settings;

/// The roles of node kinds, as flags by kind id.
pub(crate) struct NodeKinds {
    flags: Vec<u32>,
    /// The object and member fields of kinds with [`MEMBER`].
    pub(crate) members: FxHashMap<u16, (u16, u16)>,
    /// The fields that lead inwards, of kinds with [`DECLARATOR`]; 0 means the first named child.
    declarators: FxHashMap<u16, u16>,
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

/// Names wrapped deeper than this are not looked for.
const MAX_DECLARATORS: usize = 64;

impl NodeKinds {
    pub(crate) fn new(grammar: &tree_sitter::Language, settings: &Settings) -> NodeKinds {
        let mut flags = vec![0; grammar.node_kind_count()];
        let mut members = FxHashMap::default();
        let mut declarators = FxHashMap::default();
        for (id, flags) in flags.iter_mut().enumerate() {
            let id = id as u16;
            let Some(kind) = grammar.node_kind_for_id(id) else { continue };
            if !grammar.node_kind_is_named(id) {
                continue;
            }
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
            ];
            for (list, flag) in lists {
                if list.iter().any(|name| name == kind) {
                    *flags |= flag;
                }
            }
            if holds_text(kind) || *flags & COMMENT != 0 {
                *flags |= TEXT;
            }
            match settings.identifiers.get(kind).map(String::as_str) {
                Some("type") => *flags |= IDENTIFIER | TYPE_IDENTIFIER,
                Some(_) => *flags |= IDENTIFIER,
                None => {}
            }
            if let Some(field) = settings.declarators.get(kind) {
                *flags |= DECLARATOR;
                declarators.insert(id, grammar.field_id_for_name(field).map_or(0, |id| id.get()));
            }
            for rule in settings.members.iter().filter(|rule| rule.node == kind) {
                let field = |name: &str| grammar.field_id_for_name(name).map(|id| id.get());
                if let (Some(object), Some(member)) = (field(&rule.object), field(&rule.member)) {
                    *flags |= MEMBER;
                    members.insert(id, (object, member));
                }
            }
        }
        NodeKinds { flags, members, declarators }
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
        self.flags.get(usize::from(node.kind_id())).copied().unwrap_or(0)
    }
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
