//! Damaged texts, the same on every run. Shared by `tests/robustness.rs` and the examples.

/// The number of stretches of a text that are damaged, and their length.
#[derive(Clone, Copy)]
pub(crate) struct Damage {
    pub(crate) most_stretches: usize,
    pub(crate) longest: usize,
}

/// Texts that are put in place of a stretch.
const PIECES: [&str; 18] =
    ["", "(", ")", "{", "}", "\"", "'", "`", "\n", "\r\n", "\t", "é", "\u{0}", "\u{feff}", "/*", "#", "<<", "  \n  "];

impl Damage {
    /// Deletes, doubles or replaces a few stretches.
    pub(crate) fn of(self, text: &str, random: &mut Random) -> String {
        let mut damaged = text.to_string();
        for _ in 0..1 + random.below(self.most_stretches) {
            let start = damaged.floor_char_boundary(random.below(damaged.len() + 1));
            let end = damaged.ceil_char_boundary((start + random.below(self.longest)).min(damaged.len()));
            let piece = match random.below(3) {
                0 => damaged[start..end].repeat(2),
                _ => PIECES[random.below(PIECES.len())].to_string(),
            };
            damaged.replace_range(start..end, &piece);
        }
        damaged
    }
}

/// A small generator of the same numbers on every run.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit.max(1)
    }
}
