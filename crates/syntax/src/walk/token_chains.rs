//! Chains in rows of words that the grammar leaves as they are: the arguments of macros.
//!
//! Nothing but brackets has structure there, so a chain is read word by word, from its end.

use super::Walk;
use super::chains::{ChainReader, MAX_STEPS};
use crate::facts::{Chain, ChainRoot, ChainStep};
use crate::tree::Node;

/// Type arguments with more words are not passed over.
const MAX_ARGUMENTS: usize = 64;

impl<'tree> Walk<'_, 'tree> {
    /// Reads the chain at the end of a row of words, the last of which is the mark before a member;
    /// `None` if it is none.
    pub(super) fn token_chain(&mut self, row: &[Node<'tree>]) -> Option<Chain> {
        let mut reader = ChainReader::default();
        let mut rest = row;
        while let Some((mark, before)) = rest.split_last().filter(|(mark, _)| is_mark(mark)) {
            if reader.steps.len() > MAX_STEPS {
                break;
            }
            rest = self.token_steps(before, &mut reader);
            // In `&mut ::a::b`, the word before the mark is no part of the path.
            let is_path = mark.kind() == "::" && rest.len() == before.len();
            let is_apart = rest.last().is_none_or(|word| word.end_byte() < mark.start_byte() || !self.may_end(word));
            if is_path && is_apart {
                return Some(reader.finish(ChainRoot::Global));
            }
            let Some((word, before)) = rest.split_last() else { break };
            if word.kind().starts_with('>') {
                let root = self.token_bound(rest, &mut reader);
                return Some(reader.finish(root));
            }
            if word.named_child_count() > 0 {
                return Some(self.chain_in_row(*word, reader));
            }
            if !before.last().is_some_and(is_mark) {
                let root = self.read_word(word.byte_range(), &mut reader);
                return Some(reader.finish(root));
            }
            // `x.0.1` holds one number.
            for part in self.text[word.byte_range()].rsplit('.') {
                let name = self.names.intern(part);
                reader.steps.push(self.step_at(word.start_byte(), name));
            }
            rest = before;
        }
        row.last().is_some_and(is_mark).then(|| reader.finish(ChainRoot::Unknown))
    }

    /// Returns whether a word may be the end of an expression.
    fn may_end(&self, word: &Node<'tree>) -> bool {
        word.is_named() || word.kind().starts_with('>') || self.text[word.byte_range()].starts_with(char::is_alphabetic)
    }

    /// Reads the expression at the start of a row of words.
    fn chain_in_row(&mut self, node: Node<'tree>, mut reader: ChainReader<'tree>) -> Chain {
        let mut chain = self.chain(node);
        reader.steps.reverse();
        chain.steps.append(&mut reader.steps);
        chain
    }

    /// Reads calls, indexes and marks at the end of a row of words; returns what stands before
    /// them.
    fn token_steps<'row>(&self, mut row: &'row [Node<'tree>], reader: &mut ChainReader<'tree>) -> &'row [Node<'tree>] {
        while let Some((last, before)) = row.split_last() {
            let is_macro = before.last().is_some_and(|mark| mark.kind() == "!");
            let is_bracket = !last.is_leaf();
            match self.text.as_bytes().get(last.start_byte()) {
                Some(b'(' | b'[' | b'{') if is_bracket && is_macro => {
                    reader.steps.push(ChainStep::MacroCall);
                    row = &before[..before.len() - 1];
                }
                Some(b'(') if is_bracket => {
                    reader.steps.push(ChainStep::Call);
                    row = before;
                }
                Some(b'[') if is_bracket => {
                    reader.steps.push(ChainStep::Index);
                    row = before;
                }
                Some(b'?') => row = before,
                Some(b'>') => match opening(row).and_then(|at| arguments_start(row, at)) {
                    Some(start) => row = &row[..start],
                    None => break,
                },
                _ => break,
            }
        }
        row
    }

    /// Reads `<T as Trait>` at the end of a row of words, which is the trait, or `<Type as Trait>`,
    /// which is the type.
    fn token_bound(&mut self, row: &[Node<'tree>], reader: &mut ChainReader<'tree>) -> ChainRoot {
        let Some(opening) = opening(row) else { return ChainRoot::Unknown };
        let inside = &row[opening + 1..row.len() - 1];
        let (written, bound) = match inside.iter().position(|word| word.kind() == "as") {
            Some(at) => (&inside[..at], &inside[at + 1..]),
            None => (inside, inside),
        };
        let [first, ..] = written else { return ChainRoot::Unknown };
        let path = if written.len() == 1 && self.is_parameter(*first) { bound } else { written };
        self.token_path(path, reader)
    }

    /// Reads the path at the start of a row of words.
    fn token_path(&mut self, row: &[Node<'tree>], reader: &mut ChainReader<'tree>) -> ChainRoot {
        let is_global = row.first().is_some_and(is_mark);
        let mut words = Vec::new();
        for pair in row[usize::from(is_global)..].chunks(2) {
            words.push(pair[0]);
            if pair.get(1).is_none_or(|mark| !is_mark(mark)) {
                break;
            }
        }
        let (first, rest) = match (is_global, words.split_first()) {
            (true, _) => (None, words.as_slice()),
            (false, Some((first, rest))) => (Some(*first), rest),
            (false, None) => return ChainRoot::Unknown,
        };
        for word in rest.iter().rev() {
            let name = self.names.intern(&self.text[word.byte_range()]);
            reader.steps.push(ChainStep::Segment(name));
        }
        first.map_or(ChainRoot::Global, |first| self.read_word(first.byte_range(), reader))
    }
}

fn is_mark(word: &Node<'_>) -> bool {
    matches!(word.kind(), "." | "::")
}

/// Returns the place of the `<` that belongs to the `>` at the end of a row of words.
fn opening(row: &[Node<'_>]) -> Option<usize> {
    let mut depth = 0usize;
    for (at, word) in row.iter().enumerate().rev().take(MAX_ARGUMENTS) {
        match word.kind() {
            ">" => depth += 1,
            ">>" => depth += 2,
            "<" => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

/// Returns where the type arguments start that open at a place, with the mark before them; `None`
/// if they are those of nothing, as in `<T as Trait>`.
fn arguments_start(row: &[Node<'_>], opening: usize) -> Option<usize> {
    let before = opening.checked_sub(1)?;
    match row[before].kind() {
        "::" => Some(before),
        _ => (row[before].is_named() && row[before].end_byte() == row[opening].start_byte()).then_some(opening),
    }
}
