//! Circles in a graph of named nodes.

use std::collections::{BTreeMap, BTreeSet};

/// Returns the strongly connected components with more than one node, each sorted, the largest
/// first.
pub(crate) fn circles<'a>(edges: impl IntoIterator<Item = (&'a str, &'a str)>) -> Vec<BTreeSet<&'a str>> {
    let mut graph: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (from, to) in edges {
        graph.entry(from).or_default().push(to);
        graph.entry(to).or_default();
    }
    let mut search = Search { graph: &graph, numbers: BTreeMap::new(), stack: Vec::new(), circles: Vec::new() };
    for node in graph.keys() {
        if !search.numbers.contains_key(node) {
            search.visit(node);
        }
    }
    let mut circles = search.circles;
    circles.sort_by_key(|circle| std::cmp::Reverse(circle.len()));
    circles
}

/// Tarjan's algorithm.
struct Search<'g, 'a> {
    graph: &'g BTreeMap<&'a str, Vec<&'a str>>,
    /// The order of discovery.
    numbers: BTreeMap<&'a str, usize>,
    stack: Vec<&'a str>,
    circles: Vec<BTreeSet<&'a str>>,
}

impl<'a> Search<'_, 'a> {
    /// Returns the lowest number that is reached from `node` within its component.
    fn visit(&mut self, node: &'a str) -> usize {
        let number = self.numbers.len();
        let (depth, mut lowest) = (self.stack.len(), number);
        self.numbers.insert(node, number);
        self.stack.push(node);
        for next in self.graph.get(node).into_iter().flatten() {
            match self.numbers.get(next) {
                None => lowest = lowest.min(self.visit(next)),
                Some(known) if self.stack.contains(next) => lowest = lowest.min(*known),
                Some(_) => {}
            }
        }
        if lowest == number {
            let circle: BTreeSet<&str> = self.stack.drain(depth..).collect();
            if circle.len() > 1 {
                self.circles.push(circle);
            }
        }
        lowest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn circles_are_found_and_chains_are_not() {
        let found = circles([("a", "b"), ("b", "c"), ("c", "a"), ("c", "d"), ("e", "f"), ("f", "e"), ("d", "g")]);
        let found: Vec<Vec<&str>> = found.iter().map(|circle| circle.iter().copied().collect()).collect();
        assert_eq!(found, [vec!["a", "b", "c"], vec!["e", "f"]]);
        assert!(circles([("a", "b"), ("b", "c"), ("a", "c")]).is_empty());
    }
}
