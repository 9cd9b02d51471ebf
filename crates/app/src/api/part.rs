//! Parts of answers: what can be left out of them by detail level, and what gives way to a token
//! budget.

use std::collections::BTreeMap;

use codecompass_engine::query::estimate_tokens;
use serde_json::Value;

use crate::choices::Detail;
use crate::remedy::{Advice, Audience};

/// The number of items, or of lines, that were left out to fit a token budget, by place in the
/// answer.
pub type LeftOut = BTreeMap<String, usize>;

/// The fields of a part that can lose something, by their names in JSON.
pub type Fields<'a> = Vec<(&'static str, &'a mut dyn Part)>;

/// The parts of each result that a caller does not want to see.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reduction {
    /// Leave out everything but places and names.
    pub location_only: bool,
    /// Leave out sources, docs and score explanations.
    pub compact: bool,
}

impl Reduction {
    pub fn new(detail: Option<Detail>, compact: bool) -> Reduction {
        Reduction { location_only: detail == Some(Detail::Location), compact }
    }
}

/// A part of an answer. [`parts!`](crate::api::part::parts) implements it for structs.
pub trait Part {
    /// Returns the part as it is sent.
    fn json(&self) -> Value;

    /// Returns the fields that hold texts, lists, or structs with such; numbers and short words
    /// need not be named.
    fn fields(&mut self) -> Fields<'_> {
        Vec::new()
    }

    /// Drops the fields of this part itself that `reduction` does not want.
    fn drop_detail(&mut self, _reduction: Reduction) {}

    /// Drops what `reduction` does not want, here and inside.
    fn reduce(&mut self, reduction: Reduction) {
        self.drop_detail(reduction);
        self.fields().into_iter().for_each(|(_, field)| field.reduce(reduction));
    }

    /// Words all advice for a reader.
    fn address(&mut self, audience: Audience) {
        self.fields().into_iter().for_each(|(_, field)| field.address(audience));
    }

    /// Cuts the part to about `room` tokens and notes what that costs. `place` is where it stands
    /// in the answer.
    fn shrink(&mut self, room: usize, place: &str, left_out: &mut LeftOut) {
        shrink_fields(self, Self::json, room, place, left_out);
    }
}

/// Returns an upper estimate of the tokens of a value as text.
pub fn tokens(value: &Value) -> usize {
    estimate_tokens(&value.to_string())
}

/// Cuts the largest field first, then the next, until the fields fit.
pub fn shrink_fields<P: Part + ?Sized>(
    part: &mut P,
    json: impl Fn(&P) -> Value,
    room: usize,
    place: &str,
    left_out: &mut LeftOut,
) {
    if tokens(&json(part)) <= room {
        return;
    }
    let mut shrinking = Shrinking { room, place, given: Vec::new() };
    while shrinking.shrink_largest(&json(part), part.fields(), left_out) {}
}

/// The cuts of one part. Apart from [`shrink_fields`], which is compiled for each kind of part.
struct Shrinking<'a> {
    room: usize,
    place: &'a str,
    /// The fields that were cut.
    given: Vec<&'static str>,
}

impl Shrinking<'_> {
    /// Cuts the largest field that was not cut yet; false when all fit, or none is left.
    fn shrink_largest(&mut self, part: &Value, mut fields: Fields<'_>, left_out: &mut LeftOut) -> bool {
        let Value::Object(object) = part else { return false };
        let costs: BTreeMap<&str, usize> = object.iter().map(|(name, field)| (name.as_str(), tokens(field))).collect();
        let all: usize = costs.iter().map(|(name, cost)| cost + estimate_tokens(name)).sum();
        let Some(excess) = all.checked_sub(self.room).filter(|excess| *excess > 0) else { return false };
        fields.retain(|(name, _)| costs.contains_key(name) && !self.given.contains(name));
        fields.sort_by_key(|(name, _)| *name);
        let largest = fields.into_iter().max_by_key(|(name, _)| costs.get(name).copied());
        let Some((name, field)) = largest else { return false };
        let target = costs.get(name).copied().unwrap_or(0).saturating_sub(excess);
        let inner = if self.place.is_empty() { name.to_string() } else { format!("{}.{name}", self.place) };
        self.given.push(name);
        field.shrink(target, &inner, left_out);
        true
    }
}

impl<T: Part> Part for Vec<T> {
    fn json(&self) -> Value {
        self.iter().map(T::json).collect()
    }

    fn reduce(&mut self, reduction: Reduction) {
        self.iter_mut().for_each(|item| item.reduce(reduction));
    }

    fn address(&mut self, audience: Audience) {
        self.iter_mut().for_each(|item| item.address(audience));
    }

    /// Drops the last items, which are the least.
    fn shrink(&mut self, room: usize, place: &str, left_out: &mut LeftOut) {
        if tokens(&self.json()) <= room {
            return;
        }
        let before = self.len();
        let (mut kept, mut spent) = (0, 0);
        for item in self.iter() {
            let cost = tokens(&item.json()) + 1;
            if spent + cost > room {
                break;
            }
            (kept, spent) = (kept + 1, spent + cost);
        }
        // An item that is too large by itself may lose something inside instead.
        if kept == 0
            && let Some(first) = self.first_mut()
        {
            first.shrink(room, place, left_out);
            kept = usize::from(tokens(&first.json()) <= room);
        }
        self.truncate(kept);
        if before > kept {
            *left_out.entry(place.to_string()).or_default() += before - kept;
        }
    }
}

impl<T: Part> Part for Option<T> {
    fn json(&self) -> Value {
        self.as_ref().map_or(Value::Null, T::json)
    }

    fn fields(&mut self) -> Fields<'_> {
        self.as_mut().map_or_else(Vec::new, T::fields)
    }

    fn reduce(&mut self, reduction: Reduction) {
        self.iter_mut().for_each(|part| part.reduce(reduction));
    }

    fn address(&mut self, audience: Audience) {
        self.iter_mut().for_each(|part| part.address(audience));
    }

    fn shrink(&mut self, room: usize, place: &str, left_out: &mut LeftOut) {
        self.iter_mut().for_each(|part| part.shrink(room, place, left_out));
    }
}

impl Part for String {
    fn json(&self) -> Value {
        Value::from(self.as_str())
    }

    /// Keeps the first lines, or the beginning of the only one.
    fn shrink(&mut self, room: usize, place: &str, left_out: &mut LeftOut) {
        /// A shorter text is a word or a name, which was asked for.
        const MIN_BYTES: usize = 200;
        if self.len() < MIN_BYTES || tokens(&self.json()) <= room {
            return;
        }
        let lines: Vec<&str> = self.split_inclusive('\n').collect();
        let (mut kept, mut spent) = (0, 2);
        for line in &lines {
            // As JSON, where quotes and tabs take more.
            spent += tokens(&Value::from(*line));
            if spent > room {
                break;
            }
            kept += 1;
        }
        let dropped = lines.len() - kept;
        let short = match (kept, lines.first()) {
            (0, Some(first)) => first[..first.floor_char_boundary(room.min(MIN_BYTES))].to_string(),
            _ => lines[..kept].concat(),
        };
        if dropped > 0 {
            *left_out.entry(format!("{place} lines")).or_default() += dropped;
            *self = short;
        }
    }
}

impl Part for Advice {
    fn json(&self) -> Value {
        Value::from(self.text())
    }

    fn address(&mut self, audience: Audience) {
        Advice::address(self, audience);
    }
}

/// A list that `offset` skips items of, or a text that it skips lines of.
pub trait Pageable {
    /// Returns the number of items or lines.
    fn count(&self) -> usize;
    /// Returns the tokens of each.
    fn costs(&self) -> Vec<usize>;
    /// Keeps the first `count`.
    fn keep(&mut self, count: usize);
    /// Returns whether lines are counted.
    fn is_text(&self) -> bool;
}

impl<T: Part> Pageable for Vec<T> {
    fn count(&self) -> usize {
        self.len()
    }

    fn costs(&self) -> Vec<usize> {
        self.iter().map(|item| tokens(&item.json()) + 1).collect()
    }

    fn keep(&mut self, count: usize) {
        self.truncate(count);
    }

    fn is_text(&self) -> bool {
        false
    }
}

impl Pageable for String {
    fn count(&self) -> usize {
        self.split_inclusive('\n').count()
    }

    fn costs(&self) -> Vec<usize> {
        self.split_inclusive('\n').map(|line| tokens(&Value::from(line))).collect()
    }

    fn keep(&mut self, count: usize) {
        *self = self.split_inclusive('\n').take(count).collect();
    }

    fn is_text(&self) -> bool {
        true
    }
}

/// A pageable list of an answer.
pub struct Paged<'a> {
    /// The path of the list in the answer, such as `summary.added_symbols`.
    pub place: &'static str,
    /// Absent where this answer does not have it.
    pub list: Option<&'a mut dyn Pageable>,
    /// True if one offset means the same for all items. It does not where `offset` skips items of
    /// each of several groups.
    pub is_one_group: bool,
}

impl<'a> Paged<'a> {
    pub fn new(place: &'static str, list: &'a mut dyn Pageable) -> Paged<'a> {
        Paged { place, list: Some(list), is_one_group: true }
    }

    /// Makes one of a list that not every answer has.
    pub fn optional<T: Pageable>(place: &'static str, list: Option<&'a mut T>) -> Paged<'a> {
        Paged { place, list: list.map(|list| list as &mut dyn Pageable), is_one_group: true }
    }
}

/// Implements [`Part`] for a serializable struct, given the fields that can
/// lose something. Fields of flattened structs follow after `..`, and a closure behind drops what a
/// detail level leaves out.
#[macro_export]
macro_rules! parts {
    ($type:ty { $($field:ident),* $(,)? $(..$flat:ident),* } $(, |$part:ident, $reduction:ident| $drop:block)?) => {
        impl $crate::api::part::Part for $type {
            fn json(&self) -> serde_json::Value {
                serde_json::to_value(self).unwrap_or_default()
            }

            fn fields(&mut self) -> $crate::api::part::Fields<'_> {
                let fields: $crate::api::part::Fields<'_> = vec![$((stringify!($field), &mut self.$field)),*];
                $(
                    let flat = $crate::api::part::Part::fields(&mut self.$flat);
                    let fields: $crate::api::part::Fields<'_> = fields.into_iter().chain(flat).collect();
                )*
                fields
            }

            fn drop_detail(&mut self, reduction: $crate::api::part::Reduction) {
                let _ = reduction;
                $($crate::api::part::Part::drop_detail(&mut self.$flat, reduction);)*
                $(
                    let ($part, $reduction) = (self, reduction);
                    $drop
                )?
            }
        }
    };
}
pub use parts;

/// Writes the part of an `impl Answer` that names fields: the type of the metadata, and the lists
/// that `offset` skips items of.
macro_rules! answer_fields {
    ($extra:ty $(, pages: $($list:ident),+)?) => {
        type Extra = $extra;

        fn metadata(&mut self) -> &mut $crate::api::metadata::Metadata<$extra> {
            &mut self.metadata
        }

        $(fn pages(&mut self) -> Vec<$crate::api::part::Paged<'_>> {
            vec![$($crate::api::part::Paged::new(stringify!($list), &mut self.$list)),+]
        })?
    };
}
pub(crate) use answer_fields;

/// Writes the part of an `impl Request` that reads arguments which most questions have: `at`, the
/// ref, and `detail`, the detail level.
macro_rules! shared_arguments {
    (at, detail) => {
        $crate::api::part::shared_arguments!(at);
        $crate::api::part::shared_arguments!(detail);
    };
    (at) => {
        fn reference(&self) -> Option<&str> {
            self.at.name()
        }
    };
    (detail) => {
        fn reduction(&self) -> $crate::api::part::Reduction {
            self.detail.reduction()
        }
    };
}
pub(crate) use shared_arguments;
