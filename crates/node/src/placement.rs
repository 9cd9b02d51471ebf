//! Placement: which nodes own a repository.
//!
//! Every node has a score for every repository, a hash of both (rendezvous hashing), and the nodes
//! with the best scores own it. All nodes come to the same result without talking to each other,
//! and when a node comes or goes, only the repositories move that it owns.

/// The number of owners of a repository.
pub(crate) const OWNERS: usize = 2;

/// Returns the owners of a repository among these nodes, the first one first.
pub(crate) fn owners<'n>(repository: i64, nodes: impl IntoIterator<Item = &'n str>) -> Vec<&'n str> {
    let mut scored: Vec<(u64, &str)> = nodes.into_iter().map(|node| (score(repository, node), node)).collect();
    scored.sort_unstable_by(|a, b| b.cmp(a));
    scored.into_iter().take(OWNERS).map(|(_, node)| node).collect()
}

fn score(repository: i64, node: &str) -> u64 {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&repository.to_le_bytes());
    hasher.update(node.as_bytes());
    let mut first = [0; 8];
    first.copy_from_slice(&hasher.finalize().as_bytes()[..8]);
    u64::from_le_bytes(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NODES: [&str; 5] = ["a", "b", "c", "d", "e"];

    #[test]
    fn repositories_are_spread_evenly() {
        let mut owned = [0; 5];
        for repository in 0..5000 {
            for owner in owners(repository, NODES) {
                owned[NODES.iter().position(|node| *node == owner).unwrap()] += 1;
            }
        }
        assert!(owned.iter().all(|count| (1850..2150).contains(count)), "{owned:?}");
    }

    #[test]
    fn only_what_a_node_owned_moves_when_it_goes() {
        for repository in 0..500 {
            let before = owners(repository, NODES);
            let after = owners(repository, NODES.into_iter().filter(|node| *node != "c"));
            let kept: Vec<&str> = before.iter().copied().filter(|node| *node != "c").collect();
            assert!(kept.iter().all(|node| after.contains(node)), "{before:?} {after:?}");
            assert_eq!(after.len(), 2);
        }
        assert_eq!(owners(7, ["only"]), ["only"]);
        assert!(owners(7, []).is_empty());
    }
}
