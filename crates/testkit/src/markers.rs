//! Names that are written into files once and never again, and when they were there: so that an
//! answer that comes while files change can be judged.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// The names written so far. A write takes a while, in which it is right to see the name and right
/// not to.
#[derive(Debug, Default)]
pub struct Markers {
    spans: Mutex<HashMap<String, Span>>,
}

#[derive(Debug)]
struct Span {
    coming: Instant,
    there: Option<Instant>,
    going: Option<Instant>,
    gone: Option<Instant>,
}

impl Markers {
    /// Runs `change`, which writes the name `new` and removes the name `old`.
    pub fn change<T>(&self, new: Option<&str>, old: Option<&str>, change: impl FnOnce() -> T) -> T {
        let begin = Instant::now();
        let mut spans = self.spans();
        if let Some(new) = new {
            spans.insert(new.to_string(), Span { coming: begin, there: None, going: None, gone: None });
        }
        if let Some(span) = old.and_then(|old| spans.get_mut(old)) {
            span.going = Some(begin);
        }
        drop(spans);
        let outcome = change();
        let end = Instant::now();
        let mut spans = self.spans();
        if let Some(span) = new.and_then(|new| spans.get_mut(new)) {
            span.there = Some(end);
        }
        if let Some(span) = old.and_then(|old| spans.get_mut(old)) {
            span.gone = Some(end);
        }
        outcome
    }

    /// Returns whether an answer that found `name`, or did not, is right for the files at some
    /// moment between `asked` and `answered`.
    pub fn allows(&self, name: &str, is_found: bool, asked: Instant, answered: Instant) -> bool {
        match self.spans().get(name) {
            None => !is_found,
            Some(span) if is_found => span.coming <= answered && span.gone.is_none_or(|gone| gone > asked),
            Some(span) => {
                let was_there_all_the_while =
                    span.there.is_some_and(|there| there <= asked) && span.going.is_none_or(|going| going >= answered);
                !was_there_all_the_while
            }
        }
    }

    fn spans(&self) -> MutexGuard<'_, HashMap<String, Span>> {
        self.spans.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_judged_by_the_time_they_took() {
        let markers = Markers::default();
        let before = Instant::now();
        markers.change(Some("a"), None, || {});
        let between = Instant::now();
        assert!(markers.allows("a", true, between, Instant::now()));
        assert!(!markers.allows("a", false, between, Instant::now()));
        assert!(markers.allows("a", false, before, Instant::now()), "it may have looked before the write");
        assert!(!markers.allows("a", true, before, before));
        assert!(!markers.allows("b", true, before, Instant::now()) && markers.allows("b", false, before, before));
        markers.change(Some("b"), Some("a"), || {});
        let after = Instant::now();
        assert!(!markers.allows("a", true, after, after) && markers.allows("a", false, after, after));
        assert!(markers.allows("a", true, between, after) && markers.allows("a", false, between, after));
        assert!(markers.allows("b", true, after, after));
    }
}
