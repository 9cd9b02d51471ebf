//! Matches patterns against a tree: one walk over the nodes, trying at each those filed under its
//! kind.

use std::time::Instant;

use regex::Regex;

use super::{Condition, NodePattern, Pattern, PatternSet, Predicate, Test};
use crate::tree::{Node, SyntaxTree};

/// The captures of one match: capture number and node, in the order of the pattern.
pub(crate) type Captures<'tree> = [(u16, Node<'tree>)];

/// The deadline passed.
pub(crate) struct TimedOut;

impl PatternSet {
    /// Calls `sink` with the pattern number and captures of every match in the tree, nodes in
    /// source order.
    pub(crate) fn matches<'tree>(
        &self,
        tree: &'tree SyntaxTree,
        text: &str,
        deadline: Instant,
        sink: &mut dyn FnMut(usize, &Captures<'tree>),
    ) -> Result<(), TimedOut> {
        let mut matcher = Matcher { captures: Vec::new(), attempts: 0, deadline, timed_out: false };
        let mut kids = Vec::new();
        for node in tree.nodes() {
            let of_kind = self.by_kind.get(usize::from(node.kind_id())).filter(|_| !node.is_error());
            let candidates = of_kind.unwrap_or(&self.for_errors);
            if !candidates.is_empty() {
                kids.clear();
                kids.extend(node.children());
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
        }
        Ok(())
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
        kids: &[Node<'tree>],
        sink: &mut dyn FnMut(&Captures<'tree>),
    ) {
        for root in &pattern.roots {
            if root.accepts(node) {
                self.node(root, node, Some(kids), &mut |matcher| sink(&matcher.captures));
            }
        }
    }

    fn node(&mut self, pattern: &NodePattern, node: Node<'tree>, kids: Option<&[Node<'tree>]>, next: Next<'_, 'tree>) {
        if pattern.absent_fields.iter().any(|field| node.child_by_field_id(*field).is_some()) {
            return;
        }
        let depth = self.captures.len();
        self.captures.extend(pattern.captures.iter().map(|capture| (*capture, node)));
        if pattern.steps.is_empty() {
            next(self);
        } else {
            match kids {
                Some(kids) => self.steps(pattern, 0, kids, next),
                None => {
                    let kids: Vec<Node<'tree>> = node.children().collect();
                    self.steps(pattern, 0, &kids, next);
                }
            }
        }
        self.captures.truncate(depth);
    }

    /// Matches the steps of `pattern` from number `at` on with the children that are left.
    fn steps(&mut self, pattern: &NodePattern, at: usize, kids: &[Node<'tree>], next: Next<'_, 'tree>) {
        let Some(step) = pattern.steps.get(at) else {
            if !(pattern.closed && kids.iter().any(|kid| counts(*kid))) {
                next(self);
            }
            return;
        };
        let mut matched = false;
        for (position, kid) in kids.iter().copied().enumerate() {
            self.tick();
            if self.timed_out {
                return;
            }
            if step.field.is_none() || step.field == kid.field_id() {
                for alternative in step.alternatives.iter().filter(|alternative| alternative.accepts(kid)) {
                    self.node(alternative, kid, None, &mut |matcher| {
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
fn counts(node: Node<'_>) -> bool {
    node.is_named() && !node.is_extra()
}

impl NodePattern {
    fn accepts(&self, node: Node<'_>) -> bool {
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
