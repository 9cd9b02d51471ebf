//! Counts of what the restrictions of a question leave out of its answer.

/// A restriction that leaves things out of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Restriction {
    /// Only some paths.
    Path,
    /// Not these paths.
    Exclude,
    /// Only some projects.
    Project,
    /// Only some languages.
    Language,
    /// Only some kinds of use.
    Kind,
    /// No tests, or nothing else.
    Tests,
    /// Nothing less certain.
    Confidence,
    /// Only some roles.
    Role,
}

impl Restriction {
    const ALL: [Restriction; 8] = [
        Restriction::Path,
        Restriction::Exclude,
        Restriction::Project,
        Restriction::Language,
        Restriction::Kind,
        Restriction::Tests,
        Restriction::Confidence,
        Restriction::Role,
    ];

    /// The word used in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Restriction::Path => "path",
            Restriction::Exclude => "exclude",
            Restriction::Project => "project",
            Restriction::Language => "language",
            Restriction::Kind => "kind",
            Restriction::Tests => "tests",
            Restriction::Confidence => "confidence",
            Restriction::Role => "role",
        }
    }
}

/// The number of things that each restriction leaves out. What several leave out counts for one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LeftOut([usize; Restriction::ALL.len()]);

impl LeftOut {
    pub(in crate::query) fn add(&mut self, restriction: Restriction, count: usize) {
        self.0[restriction as usize] += count;
    }

    /// Returns the number of all things left out.
    pub fn total(&self) -> usize {
        self.0.iter().sum()
    }

    /// Returns the restrictions that leave something out, with the numbers.
    pub fn counts(&self) -> impl Iterator<Item = (Restriction, usize)> {
        Restriction::ALL.into_iter().zip(self.0).filter(|(_, count)| *count > 0)
    }
}
