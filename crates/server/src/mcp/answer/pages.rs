//! Cuts the lists of an answer so that its next page goes on where this one ends: all of them to
//! one length, since `offset` skips as many items of each.

use codecompass_app::api::any::AnyAnswer;
use codecompass_app::api::part::{LeftOut, Paged, tokens};

use crate::mcp::answer::fit_budget::body;

/// Cuts a list to `kept` items or lines, and notes how many that costs.
fn cut_to(paged: Paged<'_>, kept: usize, left_out: &mut LeftOut) {
    let Some(list) = paged.list else { return };
    let gone = list.count().saturating_sub(kept);
    if gone > 0 {
        list.keep(kept);
        *left_out.entry(key(paged.place, list.is_text())).or_default() += gone;
    }
}

/// Returns the name under which cuts of a list or text are noted.
fn key(place: &str, is_text: bool) -> String {
    if is_text { format!("{place} lines") } else { place.to_string() }
}

/// Cuts several lists to one length with which the answer fits, if there is such: otherwise the
/// longest would give all.
pub(super) fn even_out(answer: &mut dyn AnyAnswer, room: usize, left_out: &mut LeftOut) {
    if answer.pages().len() < 2 || tokens(&body(answer)) <= room {
        return;
    }
    let lists: Vec<Vec<usize>> =
        answer.pages().into_iter().filter_map(|paged| paged.list).map(|list| list.costs()).collect();
    let mut frame = answer.copied();
    frame.pages().into_iter().for_each(|paged| cut_to(paged, 0, &mut LeftOut::new()));
    let (mut length, mut spent) = (0, tokens(&body(&*frame)));
    while lists.iter().any(|costs| costs.len() > length) {
        spent += lists.iter().filter_map(|costs| costs.get(length)).sum::<usize>();
        if spent > room {
            break;
        }
        length += 1;
    }
    if length > 0 {
        answer.pages().into_iter().for_each(|paged| cut_to(paged, length, left_out));
    }
}

/// The continuation of an answer that was cut.
pub(super) enum Next {
    /// At the same place as for the whole answer: no list was cut.
    Same,
    /// Behind this many items, or lines, of each list.
    Behind(usize),
    /// The same, but the one item that is there was too large for itself and lost something inside.
    BehindPart(usize),
    /// No offset fits: of several lists some items would be given twice or not at all.
    Unclear,
}

/// Finds where the next page begins. All lists are cut to the same length, so that none of them
/// loses or repeats anything on the way to the next page.
pub(super) fn turn_page(answer: &mut dyn AnyAnswer, whole: &mut dyn AnyAnswer, left_out: &mut LeftOut) -> Next {
    let is_inside =
        |place: &str| left_out.keys().any(|cut| cut.strip_prefix(place).is_some_and(|it| it.starts_with('.')));
    let count = |paged: &Paged<'_>| paged.list.as_ref().map_or(0, |list| list.count());
    let (mut is_cut, mut is_part, mut kept) = (false, false, usize::MAX);
    for (before, after) in whole.pages().iter().zip(answer.pages()) {
        let place = before.place;
        is_part |= is_inside(place);
        if !left_out.contains_key(place) && !left_out.contains_key(&key(place, true)) && !is_inside(place) {
            continue;
        }
        is_cut = true;
        if !before.is_one_group {
            return Next::Unclear;
        }
        // Of a text whose first line does not fit, its beginning is left, which is no line.
        let gone = left_out.get(&key(place, true)).copied().unwrap_or(0);
        kept = kept.min(if gone > 0 { count(before).saturating_sub(gone) } else { count(&after) });
    }
    if !is_cut {
        return Next::Same;
    }
    if kept == 0 {
        return Next::Unclear;
    }
    answer.pages().into_iter().for_each(|paged| cut_to(paged, kept, left_out));
    if is_part { Next::BehindPart(kept) } else { Next::Behind(kept) }
}
