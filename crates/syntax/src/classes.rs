//! What node kinds mean to the walk, by the lists in `language.toml`: comments, wrappers, names and so on.

use rustc_hash::FxHashMap;
use tree_sitter::Node;

use crate::settings::Settings;

/// What a node kind means to the walk, by kind id.
pub(crate) struct NodeClasses {
    flags: Vec<u16>,
    /// The object and member fields of kinds with [`MEMBER`].
    pub(crate) members: FxHashMap<u16, (u16, u16)>,
}

pub(crate) const COMMENT: u16 = 1;
pub(crate) const WRAPPER: u16 = 2;
pub(crate) const ATTRIBUTE: u16 = 4;
pub(crate) const DECORATOR: u16 = 8;
pub(crate) const MODIFIER: u16 = 16;
pub(crate) const IDENTIFIER: u16 = 32;
pub(crate) const TYPE_IDENTIFIER: u16 = 64;
pub(crate) const MEMBER: u16 = 128;
pub(crate) const COMPONENT: u16 = 256;
pub(crate) const TYPE_NODE: u16 = 512;
pub(crate) const SCOPE: u16 = 1024;
pub(crate) const BLOCK: u16 = 2048;
pub(crate) const TOKENS: u16 = 4096;

impl NodeClasses {
    pub(crate) fn new(grammar: &tree_sitter::Language, settings: &Settings) -> NodeClasses {
        let mut flags = vec![0; grammar.node_kind_count()];
        let mut members = FxHashMap::default();
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
            ];
            for (list, flag) in lists {
                if list.iter().any(|name| name == kind) {
                    *flags |= flag;
                }
            }
            match settings.identifiers.get(kind).map(String::as_str) {
                Some("type") => *flags |= IDENTIFIER | TYPE_IDENTIFIER,
                Some(_) => *flags |= IDENTIFIER,
                None => {}
            }
            for rule in settings.members.iter().filter(|rule| rule.node == kind) {
                let field = |name: &str| grammar.field_id_for_name(name).map(|id| id.get());
                if let (Some(object), Some(member)) = (field(&rule.object), field(&rule.member)) {
                    *flags |= MEMBER;
                    members.insert(id, (object, member));
                }
            }
        }
        NodeClasses { flags, members }
    }

    pub(crate) fn of(&self, node: &Node<'_>) -> u16 {
        self.flags.get(usize::from(node.kind_id())).copied().unwrap_or(0)
    }
}
