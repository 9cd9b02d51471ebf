//! Shares of a token budget that several answers have together.

/// Shares out `room` among parts that cost so many tokens: a part gets all that it needs if that is
/// no more than its share, and what it leaves goes to those that need more, which all get the same.
/// A part that would be cut to less than `least` gets nothing, the last of them first.
pub fn share_out(costs: &[usize], room: usize, least: usize) -> Vec<Option<usize>> {
    let mut given: Vec<usize> = (0..costs.len()).collect();
    let level = loop {
        let level = level(given.iter().map(|at| costs[*at]).collect(), room);
        match given.iter().rposition(|at| costs[*at] > level) {
            Some(last) if level < least => given.remove(last),
            _ => break level,
        };
    };
    let share = |at: usize| given.binary_search(&at).is_ok().then(|| costs[at].min(level));
    (0..costs.len()).map(share).collect()
}

/// Returns the most that a part may cost so that all of them fit.
fn level(mut costs: Vec<usize>, room: usize) -> usize {
    costs.sort_unstable();
    let (count, mut left) = (costs.len(), room);
    for (at, cost) in costs.into_iter().enumerate() {
        let share = left / (count - at);
        if cost > share {
            return share;
        }
        left -= cost;
    }
    usize::MAX
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_short_parts_leave_goes_to_the_long_ones() {
        let shares = |costs: &[usize], room| share_out(costs, room, 100);
        assert_eq!(shares(&[], 500), []);
        assert_eq!(shares(&[200, 300], 500), [Some(200), Some(300)]);
        assert_eq!(shares(&[50, 9000, 100], 1000), [Some(50), Some(850), Some(100)]);
        assert_eq!(shares(&[9000, 50, 9000], 1000), [Some(475), Some(50), Some(475)]);
        // The last long ones give way, short ones stay.
        assert_eq!(shares(&[9000, 9000, 9000, 30], 300), [Some(135), Some(135), None, Some(30)]);
        assert_eq!(shares(&[9000, 20], 90), [None, Some(20)]);
        assert_eq!(shares(&[9000], 90), [None]);
        assert_eq!(shares(&[60, 60], 90), [Some(60), None]);
    }
}
