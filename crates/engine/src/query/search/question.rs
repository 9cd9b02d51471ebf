//! The terms and names of a query in any form.

use crate::query::rank::features::Question;
use crate::query::search::intent::{Intent, route};
use crate::query::search::issue::reading;

/// Takes a query apart: of a long text, the terms that weigh most.
pub(crate) fn of(query: &str) -> Question {
    match route(query).intent {
        Intent::Issue => reading::question(query),
        _ => Question::new(query),
    }
}
