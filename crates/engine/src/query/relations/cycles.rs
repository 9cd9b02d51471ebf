//! Cycles in a directed graph of numbered nodes: which nodes lie on one, and the shortest through
//! each.

use std::collections::VecDeque;

/// The sets of nodes that can all reach each other and have more than one member; members in rising
/// order, sets in the order of their first members.
pub(crate) fn knots(graph: &[Vec<usize>]) -> Vec<Vec<usize>> {
    // Nodes in the order in which a depth-first search leaves them, then sets by a search of the
    // turned graph.
    let mut left = Vec::with_capacity(graph.len());
    let mut seen = vec![false; graph.len()];
    for start in 0..graph.len() {
        if std::mem::replace(&mut seen[start], true) {
            continue;
        }
        let mut stack = vec![(start, 0)];
        while let Some((node, next)) = stack.last_mut() {
            match graph[*node].get(*next) {
                Some(&to) => {
                    *next += 1;
                    if !std::mem::replace(&mut seen[to], true) {
                        stack.push((to, 0));
                    }
                }
                None => {
                    left.push(*node);
                    stack.pop();
                }
            }
        }
    }
    let mut turned = vec![Vec::new(); graph.len()];
    for (from, targets) in graph.iter().enumerate() {
        targets.iter().for_each(|to| turned[*to].push(from));
    }
    let mut taken = vec![false; graph.len()];
    let mut knots = Vec::new();
    for start in left.into_iter().rev() {
        if std::mem::replace(&mut taken[start], true) {
            continue;
        }
        let mut knot = vec![start];
        let mut at = 0;
        while let Some(&node) = knot.get(at) {
            at += 1;
            for &from in &turned[node] {
                if !std::mem::replace(&mut taken[from], true) {
                    knot.push(from);
                }
            }
        }
        if knot.len() > 1 {
            knot.sort_unstable();
            knots.push(knot);
        }
    }
    knots.sort();
    knots
}

/// The shortest cycle through a node that stays among `members`, starting with the node; of
/// several, the one whose nodes have the lowest numbers.
pub(crate) fn shortest_through(graph: &[Vec<usize>], node: usize, members: &[usize]) -> Option<Vec<usize>> {
    let mut from: Vec<Option<usize>> = vec![None; graph.len()];
    let mut pending = VecDeque::from([node]);
    while let Some(at) = pending.pop_front() {
        for &to in &graph[at] {
            if to == node {
                let back = std::iter::successors(Some(at), |at| if *at == node { None } else { from[*at] });
                let mut cycle: Vec<usize> = back.collect();
                cycle.reverse();
                return (cycle.len() > 1).then_some(cycle);
            }
            if from[to].is_none() && members.binary_search(&to).is_ok() {
                from[to] = Some(at);
                pending.push_back(to);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cycles() {
        // 0 -> 1 -> 2 -> 0, 2 -> 3 -> 2, 4 -> 0, 5 -> 6 -> 5, 7 alone
        let graph = vec![vec![1], vec![2], vec![0, 3], vec![2], vec![0], vec![6], vec![5], vec![7]];
        assert_eq!(knots(&graph), [vec![0, 1, 2, 3], vec![5, 6]]);
        assert_eq!(shortest_through(&graph, 0, &[0, 1, 2, 3]), Some(vec![0, 1, 2]));
        assert_eq!(shortest_through(&graph, 3, &[0, 1, 2, 3]), Some(vec![3, 2]));
        assert_eq!(shortest_through(&graph, 4, &[0, 1, 2, 3]), None);
        assert_eq!(shortest_through(&graph, 7, &[7]), None);
        let long: Vec<Vec<usize>> = (0..100_000).map(|n| vec![(n + 1) % 100_000]).collect();
        assert_eq!(knots(&long).len(), 1);
    }
}
