//! A syntax tree as a list of its nodes in source order.
//!
//! Patterns and the walk go over a tree many times, up and down. In the parser's own tree, each
//! step costs a search: a parent is found from the root, a child through nodes that are not shown.
//! Here a step is an index. The list is filled in one pass, and a node's descendants follow it.

use std::ops::Range;

use rustc_hash::FxHashMap;
use tree_sitter::{Language, Point, Tree};

/// The kinds and fields of a grammar.
pub(crate) struct GrammarNames {
    kinds: Vec<String>,
    is_named: Vec<bool>,
    fields: FxHashMap<String, u16>,
}

/// The kind of nodes where the grammar lost its way.
const ERROR: u16 = u16::MAX;

impl GrammarNames {
    pub(crate) fn new(grammar: &Language) -> GrammarNames {
        let kinds = 0..grammar.node_kind_count() as u16;
        let name = |field: u16| grammar.field_name_for_id(field).map(|name| (name.to_string(), field));
        GrammarNames {
            kinds: kinds.clone().map(|kind| grammar.node_kind_for_id(kind).unwrap_or_default().to_string()).collect(),
            is_named: kinds.map(|kind| grammar.node_kind_is_named(kind)).collect(),
            fields: (1..=grammar.field_count() as u16).filter_map(name).collect(),
        }
    }
}

/// The nodes of one text, in source order.
pub(crate) struct SyntaxTree {
    names: &'static GrammarNames,
    nodes: Vec<NodeData>,
    /// The first byte of each line.
    lines: Vec<u32>,
}

struct NodeData {
    start: u32,
    end: u32,
    parent: u32,
    /// The number of the first node behind its descendants.
    after: u32,
    depth: u32,
    kind: u16,
    /// The field of the parent that it is in; 0: none.
    field: u16,
    flags: u8,
}

const EXTRA: u8 = 1;
const MISSING: u8 = 2;
const HAS_ERROR: u8 = 4;

/// The parent of a root.
const NOTHING: u32 = u32::MAX;

impl SyntaxTree {
    /// Lists the nodes of the trees of a text.
    pub(crate) fn new(trees: &[Tree], text: &str, names: &'static GrammarNames) -> SyntaxTree {
        let count = trees.iter().map(|tree| tree.root_node().descendant_count()).sum();
        let mut nodes = Vec::with_capacity(count);
        for tree in trees {
            add(tree, &mut nodes);
        }
        let breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let lines = std::iter::once(0).chain(breaks.map(|(at, _)| at as u32 + 1)).collect();
        SyntaxTree { names, nodes, lines }
    }

    /// All nodes in source order, each before its descendants.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = Node<'_>> {
        (0..self.nodes.len() as u32).map(|at| Node { tree: self, at })
    }

    fn point(&self, byte: u32) -> Point {
        let row = self.lines.partition_point(|first| *first <= byte) - 1;
        Point::new(row, (byte - self.lines[row]) as usize)
    }
}

/// Adds the nodes of a tree to a list.
fn add(tree: &Tree, nodes: &mut Vec<NodeData>) {
    let may_have_errors = tree.root_node().has_error();
    let mut cursor = tree.walk();
    let (mut parent, mut depth) = (NOTHING, 0);
    loop {
        let node = cursor.node();
        let at = nodes.len() as u32;
        let flag = |is_set: bool, flag: u8| if is_set { flag } else { 0 };
        let mut flags = flag(node.is_extra(), EXTRA);
        if may_have_errors {
            flags |= flag(node.is_missing(), MISSING) | flag(node.has_error(), HAS_ERROR);
        }
        nodes.push(NodeData {
            start: node.start_byte() as u32,
            end: node.end_byte() as u32,
            parent,
            after: at + 1,
            depth,
            kind: node.kind_id(),
            field: cursor.field_id().map_or(0, |field| field.get()),
            flags,
        });
        if cursor.goto_first_child() {
            (parent, depth) = (at, depth + 1);
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return;
            }
            let after = nodes.len() as u32;
            let left = &mut nodes[parent as usize];
            left.after = after;
            (parent, depth) = (left.parent, depth - 1);
        }
    }
}

/// A node of a [`SyntaxTree`]. Its methods are those of tree-sitter's nodes.
#[derive(Clone, Copy)]
pub(crate) struct Node<'tree> {
    tree: &'tree SyntaxTree,
    at: u32,
}

impl<'tree> Node<'tree> {
    fn data(self) -> &'tree NodeData {
        &self.tree.nodes[self.at as usize]
    }

    /// The number of the node in its text.
    pub(crate) fn id(self) -> usize {
        self.at as usize
    }

    pub(crate) fn kind_id(self) -> u16 {
        self.data().kind
    }

    pub(crate) fn kind(self) -> &'static str {
        self.tree.names.kinds.get(usize::from(self.kind_id())).map_or("ERROR", String::as_str)
    }

    pub(crate) fn is_named(self) -> bool {
        self.tree.names.is_named.get(usize::from(self.kind_id())).copied().unwrap_or(true)
    }

    pub(crate) fn is_error(self) -> bool {
        self.kind_id() == ERROR
    }

    pub(crate) fn is_missing(self) -> bool {
        self.data().flags & MISSING != 0
    }

    pub(crate) fn is_extra(self) -> bool {
        self.data().flags & EXTRA != 0
    }

    pub(crate) fn has_error(self) -> bool {
        self.data().flags & HAS_ERROR != 0
    }

    pub(crate) fn start_byte(self) -> usize {
        self.data().start as usize
    }

    pub(crate) fn end_byte(self) -> usize {
        self.data().end as usize
    }

    pub(crate) fn byte_range(self) -> Range<usize> {
        self.start_byte()..self.end_byte()
    }

    pub(crate) fn start_position(self) -> Point {
        self.tree.point(self.data().start)
    }

    pub(crate) fn end_position(self) -> Point {
        self.tree.point(self.data().end)
    }

    /// The number of its ancestors.
    pub(crate) fn depth(self) -> u32 {
        self.data().depth
    }

    pub(crate) fn parent(self) -> Option<Node<'tree>> {
        let parent = self.data().parent;
        (parent != NOTHING).then_some(Node { at: parent, ..self })
    }

    pub(crate) fn is_leaf(self) -> bool {
        self.data().after == self.at + 1
    }

    pub(crate) fn children(self) -> Children<'tree> {
        Children { tree: self.tree, next: self.at + 1, end: self.data().after }
    }

    pub(crate) fn named_children(self) -> impl Iterator<Item = Node<'tree>> + use<'tree> {
        self.children().filter(|child| child.is_named())
    }

    pub(crate) fn child(self, number: usize) -> Option<Node<'tree>> {
        self.children().nth(number)
    }

    pub(crate) fn named_child(self, number: usize) -> Option<Node<'tree>> {
        self.named_children().nth(number)
    }

    pub(crate) fn named_child_count(self) -> usize {
        self.named_children().count()
    }

    /// The field of the parent that it is in.
    pub(crate) fn field_id(self) -> Option<u16> {
        Some(self.data().field).filter(|field| *field != 0)
    }

    pub(crate) fn child_by_field_id(self, field: u16) -> Option<Node<'tree>> {
        self.children().find(|child| child.data().field == field)
    }

    pub(crate) fn child_by_field_name(self, name: &str) -> Option<Node<'tree>> {
        self.child_by_field_id(*self.tree.names.fields.get(name)?)
    }

    pub(crate) fn children_by_field_name(self, name: &str) -> impl Iterator<Item = Node<'tree>> + use<'tree> {
        let field = self.tree.names.fields.get(name).copied();
        self.children().filter(move |child| child.field_id().is_some() && child.field_id() == field)
    }

    pub(crate) fn next_sibling(self) -> Option<Node<'tree>> {
        let next = self.data().after;
        (next < self.parent()?.data().after).then_some(Node { at: next, ..self })
    }

    pub(crate) fn next_named_sibling(self) -> Option<Node<'tree>> {
        std::iter::successors(self.next_sibling(), |next| next.next_sibling()).find(|next| next.is_named())
    }

    pub(crate) fn prev_sibling(self) -> Option<Node<'tree>> {
        self.parent()?.children().take_while(|sibling| sibling.at < self.at).last()
    }
}

/// Nodes of one text are compared.
impl PartialEq for Node<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.at == other.at
    }
}

/// The children of a node.
pub(crate) struct Children<'tree> {
    tree: &'tree SyntaxTree,
    next: u32,
    end: u32,
}

impl<'tree> Iterator for Children<'tree> {
    type Item = Node<'tree>;

    fn next(&mut self) -> Option<Node<'tree>> {
        let child = Node { tree: self.tree, at: self.next };
        (self.next < self.end).then(|| {
            self.next = child.data().after;
            child
        })
    }
}
