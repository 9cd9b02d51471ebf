//! The lines of a result to show when not all of them fit: its head, the lines that match the
//! question, and the lines around them. For types and files the heads of their members count, too.

use std::collections::HashMap;
use std::rc::Rc;

use rustc_hash::FxHashSet;

use crate::query::context::answer::{Code, Piece};
use crate::query::hit::{Hit, HitKind};
use crate::query::rank::features::Question;
use crate::tokenize;

/// The lines of one result, the most telling known.
pub(crate) struct Body {
    lines: Rc<Vec<String>>,
    /// With doc comment and decorators.
    outer_start: u32,
    start: u32,
    end: u32,
    /// Numbers of the lines from `start` to `end`, the most telling first.
    by_value: Vec<u32>,
}

/// A line is worth this share of what its neighbour is worth, so that code is shown in stretches.
const NEIGHBOUR: f64 = 0.75;

/// Gaps of so many lines are filled: the mark for them would cost as much.
const SMALL_GAP: u32 = 1;

impl Body {
    pub(crate) fn new(
        lines: Rc<Vec<String>>,
        hit: &Hit,
        outer_start: u32,
        members: &[u32],
        question: &Question,
    ) -> Body {
        let last = u32::try_from(lines.len()).unwrap_or(u32::MAX).max(1);
        let start = hit.line_start.clamp(1, last);
        let end = hit.line_end.clamp(start, last);
        let mut body = Body { lines, outer_start: outer_start.clamp(1, start), start, end, by_value: Vec::new() };
        body.by_value = body.ranked(hit, members, question);
        body
    }

    /// All lines, with what belongs to them above when `with_outer`.
    pub(crate) fn whole(&self, with_outer: bool) -> Code {
        let first = if with_outer { self.outer_start } else { self.start };
        self.code((first..=self.end).collect(), 0)
    }

    /// The lines of the whole result, doc comment and all.
    pub(crate) fn span(&self) -> std::ops::RangeInclusive<u32> {
        self.outer_start..=self.end
    }

    /// As many of the most telling lines as `fits` accepts, without those that others show or that
    /// are left to them; `None` when these are too few to tell anything.
    pub(crate) fn best(
        &self,
        shown: &FxHashSet<u32>,
        left_to_others: &FxHashSet<u32>,
        fits: &dyn Fn(&Code) -> bool,
    ) -> Option<Code> {
        let is_hidden = |line: &u32| shown.contains(line) || left_to_others.contains(line);
        let open: Vec<u32> = self.by_value.iter().copied().filter(|line| !is_hidden(line)).collect();
        let not_shown = self.telling().filter(|line| !shown.contains(line)).count();
        let of = |count: usize| {
            let mut numbers = open[..count].to_vec();
            numbers.sort_unstable();
            let mut filled: Vec<u32> = Vec::with_capacity(numbers.len());
            for number in numbers {
                let after = filled.last().map_or(number, |last| last + 1);
                if number - after <= SMALL_GAP {
                    filled.extend((after..number).filter(|line| !is_hidden(line)));
                }
                filled.push(number);
            }
            self.trim(&mut filled);
            let left_out = not_shown - filled.iter().filter(|line| !self.is_empty(**line)).count();
            self.code(filled, left_out)
        };
        let (mut least, mut most) = (0, open.len());
        while least < most {
            let middle = (least + most).div_ceil(2);
            if fits(&of(middle)) { least = middle } else { most = middle - 1 }
        }
        let is_of_use = least == open.len() || least > 2;
        (least > 0 && is_of_use).then(|| of(least))
    }

    /// Numbers of its lines that are not empty.
    pub(crate) fn telling(&self) -> impl Iterator<Item = u32> {
        (self.start..=self.end).filter(|line| !self.is_empty(*line))
    }

    fn is_empty(&self, line: u32) -> bool {
        self.lines.get((line as usize).saturating_sub(1)).is_none_or(|line| line.trim().is_empty())
    }

    /// Takes away empty lines beside gaps.
    fn trim(&self, numbers: &mut Vec<u32>) {
        let mut kept: Vec<u32> = Vec::with_capacity(numbers.len());
        for (at, number) in numbers.iter().copied().enumerate() {
            let follows = kept.last().is_some_and(|last| last + 1 == number);
            // The stretch of empty lines that starts here must lead to a line that is not empty.
            let leads_on =
                numbers[at..].iter().zip(number..).find(|(line, next)| **line != *next || !self.is_empty(**line));
            let leads_on = leads_on.is_some_and(|(line, next)| *line == next);
            if !self.is_empty(number) || (follows && leads_on) {
                kept.push(number);
            }
        }
        *numbers = kept;
    }

    fn code(&self, numbers: Vec<u32>, left_out: usize) -> Code {
        let mut pieces: Vec<Piece> = Vec::new();
        let mut next = None;
        for number in numbers {
            let Some(line) = self.lines.get(number as usize - 1) else { continue };
            match pieces.last_mut().filter(|_| next == Some(number)) {
                Some(piece) => piece.lines.push(line.clone()),
                None => pieces.push(Piece { first_line: number, lines: vec![line.clone()] }),
            }
            next = Some(number + 1);
        }
        Code { pieces, left_out }
    }

    fn ranked(&self, hit: &Hit, members: &[u32], question: &Question) -> Vec<u32> {
        let body =
            &self.lines[(self.start as usize - 1).min(self.lines.len())..(self.end as usize).min(self.lines.len())];
        let held: Vec<Vec<usize>> = body.iter().map(|line| terms_in(line, question)).collect();
        let mut holders: HashMap<usize, u32> = HashMap::new();
        held.iter().flatten().for_each(|term| *holders.entry(*term).or_default() += 1);
        // A word that stands in every line tells nothing about one of them.
        let weight = |term: &usize| 1.0 / f64::from(holders.get(term).copied().unwrap_or(1)).sqrt();
        let mut values: Vec<f64> = held.iter().map(|terms| terms.iter().map(weight).sum()).collect();
        let top = values.iter().copied().fold(0.0, f64::max).max(1.0);
        let mut raise = |line: u32, by: f64| {
            let at = line.checked_sub(self.start).map(|at| at as usize);
            if let Some(value) = at.and_then(|at| values.get_mut(at)) {
                *value += by;
            }
        };
        members.iter().for_each(|line| raise(*line, 0.5));
        if hit.best_line > hit.line_start {
            raise(hit.best_line, top);
        }
        if matches!(hit.kind, HitKind::Symbol(_)) {
            raise(hit.name_line, top);
        }
        // What nothing speaks for is read from the top.
        let count = values.len().max(1) as f64;
        values.iter_mut().enumerate().for_each(|(at, value)| *value += 0.01 * (1.0 - at as f64 / count));
        for at in 1..values.len() {
            values[at] = values[at].max(values[at - 1] * NEIGHBOUR);
        }
        for at in (1..values.len()).rev() {
            values[at - 1] = values[at - 1].max(values[at] * NEIGHBOUR);
        }
        if matches!(hit.kind, HitKind::Symbol(_)) {
            // The head comes first, whatever else is shown.
            let head = (hit.name_line.saturating_sub(self.start) as usize).min(3);
            values.iter_mut().take(head + 1).for_each(|value| *value = f64::INFINITY);
        }
        let mut numbers: Vec<u32> = (self.start..=self.end).take(values.len()).collect();
        let value = |line: u32| values.get((line - self.start) as usize).copied().unwrap_or(0.0);
        numbers.sort_by(|a, b| value(*b).total_cmp(&value(*a)).then_with(|| a.cmp(b)));
        numbers
    }
}

/// Returns the positions of the question's terms that a line has.
fn terms_in(line: &str, question: &Question) -> Vec<usize> {
    let mut found = Vec::new();
    tokenize::tokenize(line, &mut |term| {
        if let Some(at) = question.terms.iter().position(|(known, _)| known == term)
            && !found.contains(&at)
        {
            found.push(at);
        }
    });
    found
}
