//! Scores that explain themselves: a score is the sum of named parts, to the last digit.

/// One part of a score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Part {
    /// What it rewards, or, when negative, what it holds against the hit.
    pub name: &'static str,
    /// Its share of the score, rounded to four digits.
    pub value: f64,
}

/// The parts of a score in the order they were added.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Explanation {
    /// Non-zero parts only.
    pub parts: Vec<Part>,
}

impl Explanation {
    /// Adds a part; values are rounded first, so that the sum of what is shown is the score.
    pub(crate) fn add(&mut self, name: &'static str, value: f64) {
        let value = round(value);
        if value != 0.0 {
            self.parts.push(Part { name, value });
        }
    }

    /// Takes away a share of what has been added so far.
    pub(crate) fn discount(&mut self, name: &'static str, share: f64) {
        self.add(name, -self.score() * share);
    }

    /// The sum of the parts.
    pub fn score(&self) -> f64 {
        round(self.parts.iter().map(|part| part.value).sum())
    }
}

fn round(value: f64) -> f64 {
    (value * 10_000.0).round() / 10_000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_add_up_to_the_score() {
        let mut explanation = Explanation::default();
        explanation.add("a", 1.0 / 3.0);
        explanation.add("nothing", 0.00001);
        explanation.add("b", 2.0 / 3.0);
        explanation.discount("c", 0.25);
        let sum: f64 = explanation.parts.iter().map(|part| part.value).sum();
        assert_eq!(explanation.score(), round(sum));
        assert_eq!(explanation.parts.len(), 3);
    }
}
