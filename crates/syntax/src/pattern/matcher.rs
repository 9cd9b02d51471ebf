//! Matches patterns against a tree: one walk over the nodes, trying at each those filed under its kind.

use std::time::Instant;

use regex::Regex;
use tree_sitter::{Node, Tree, TreeCursor};

use super::{Condition, NodePattern, Pattern, PatternSet, Predicate, Test};

/// The captures of one match: capture number and node, in the order of the pattern.
pub(crate) type Captures<'tree> = [(u16, Node<'tree>)];

/// The deadline passed.
pub(crate) struct TimedOut;

/// A node and how deep it lies below the root.
pub(crate) struct Visited<'tree> {
    pub node: Node<'tree>,
    pub depth: u32,
}

impl PatternSet {
    /// Calls `sink` with the pattern number and captures of every match in the tree, nodes in source order. Returns all
    /// nodes in that order: going through a list again is far quicker than walking the tree again.
    pub(crate) fn matches<'tree>(
        &self,
        tree: &'tree Tree,
        text: &str,
        deadline: Instant,
        sink: &mut dyn FnMut(usize, &Captures<'tree>),
    ) -> Result<Vec<Visited<'tree>>, TimedOut> {
        let mut matcher = Matcher { captures: Vec::new(), attempts: 0, deadline, timed_out: false };
        let mut cursor = tree.walk();
        let mut children = tree.walk();
        let mut kids = Kids(Vec::new());
        let mut visited = Vec::with_capacity(tree.root_node().descendant_count());
        let mut depth = 0;
        loop {
            let node = cursor.node();
            visited.push(Visited { node, depth });
            let of_kind = self.by_kind.get(usize::from(node.kind_id())).filter(|_| !node.is_error());
            let candidates = of_kind.unwrap_or(&self.for_errors);
            if !candidates.is_empty() {
                kids.fill(node, &mut children);
                for number in candidates {
                    let pattern = &self.patterns[*number as usize];
                    matcher.pattern(pattern, node, &kids, &mut |captures| {
                        if pattern.predicates.iter().all(|predicate| holds(predicate, captures, text)) {
                            sink(*number as usize, captures);
                        }
                    });
                }
            }
            matcher.tick();
            if matcher.timed_out {
                return Err(TimedOut);
            }
            if cursor.goto_first_child() {
                depth += 1;
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return Ok(visited);
                }
                depth -= 1;
            }
        }
    }
}

/// The children of a node with their fields.
struct Kids<'tree>(Vec<(Node<'tree>, Option<u16>)>);

impl<'tree> Kids<'tree> {
    fn fill(&mut self, node: Node<'tree>, cursor: &mut TreeCursor<'tree>) {
        self.0.clear();
        cursor.reset(node);
        if cursor.goto_first_child() {
            loop {
                self.0.push((cursor.node(), cursor.field_id().map(|id| id.get())));
                if !cursor.goto_next_sibling() {
                    break;
                }
            }
        }
    }
}

struct Matcher<'tree> {
    captures: Vec<(u16, Node<'tree>)>,
    attempts: u32,
    deadline: Instant,
    timed_out: bool,
}

/// The continuation of a partial match; nesting is bounded by the pattern, not by the tree.
type Next<'a, 'tree> = &'a mut dyn FnMut(&mut Matcher<'tree>);

impl<'tree> Matcher<'tree> {
    fn pattern(
        &mut self,
        pattern: &Pattern,
        node: Node<'tree>,
        kids: &Kids<'tree>,
        sink: &mut dyn FnMut(&Captures<'tree>),
    ) {
        for root in &pattern.roots {
            if root.accepts(&node) {
                self.node(root, node, Some(kids), &mut |matcher| sink(&matcher.captures));
            }
        }
    }

    fn node(&mut self, pattern: &NodePattern, node: Node<'tree>, kids: Option<&Kids<'tree>>, next: Next<'_, 'tree>) {
        if pattern.absent_fields.iter().any(|field| node.child_by_field_id(*field).is_some()) {
            return;
        }
        let depth = self.captures.len();
        self.captures.extend(pattern.captures.iter().map(|capture| (*capture, node)));
        if pattern.steps.is_empty() {
            next(self);
        } else {
            match kids {
                Some(kids) => self.steps(pattern, 0, &kids.0, next),
                None => {
                    let mut kids = Kids(Vec::with_capacity(node.child_count() as usize));
                    kids.fill(node, &mut node.walk());
                    self.steps(pattern, 0, &kids.0, next);
                }
            }
        }
        self.captures.truncate(depth);
    }

    /// Matches the steps of `pattern` from number `at` on with the children that are left.
    fn steps(&mut self, pattern: &NodePattern, at: usize, kids: &[(Node<'tree>, Option<u16>)], next: Next<'_, 'tree>) {
        let Some(step) = pattern.steps.get(at) else {
            if !(pattern.closed && kids.iter().any(|(kid, _)| counts(kid))) {
                next(self);
            }
            return;
        };
        let mut matched = false;
        for (position, (kid, field)) in kids.iter().enumerate() {
            self.tick();
            if self.timed_out {
                return;
            }
            if step.field.is_none() || step.field == *field {
                for alternative in step.alternatives.iter().filter(|alternative| alternative.accepts(kid)) {
                    self.node(alternative, *kid, None, &mut |matcher| {
                        matched = true;
                        matcher.steps(pattern, at + 1, &kids[position + 1..], next);
                    });
                }
            }
            if step.anchored && counts(kid) {
                break;
            }
        }
        if step.optional && !matched {
            self.steps(pattern, at + 1, kids, next);
        }
    }

    fn tick(&mut self) {
        self.attempts = self.attempts.wrapping_add(1);
        if self.attempts.is_multiple_of(4096) && Instant::now() > self.deadline {
            self.timed_out = true;
        }
    }
}

/// Returns whether an anchor sees the node.
fn counts(node: &Node<'_>) -> bool {
    node.is_named() && !node.is_extra()
}

impl NodePattern {
    fn accepts(&self, node: &Node<'_>) -> bool {
        match &self.test {
            Test::Kinds(kinds) => kinds.contains(&node.kind_id()),
            Test::Named => node.is_named() && !node.is_error(),
            Test::Any => true,
            Test::Error => node.is_error(),
        }
    }
}

fn holds(predicate: &Predicate, captures: &Captures<'_>, text: &str) -> bool {
    let texts = |wanted: u16| {
        captures.iter().filter(move |(number, _)| *number == wanted).map(|(_, node)| &text[node.byte_range()])
    };
    texts(predicate.capture).all(|text| {
        let held = match &predicate.condition {
            Condition::AnyOf(values) => values.iter().any(|value| value == text),
            Condition::Same(other) => texts(*other).all(|other| other == text),
            Condition::Matches(source, compiled) => {
                compiled.get_or_init(|| Regex::new(source).ok()).as_ref().is_some_and(|regex| regex.is_match(text))
            }
        };
        held != predicate.negated
    })
}
