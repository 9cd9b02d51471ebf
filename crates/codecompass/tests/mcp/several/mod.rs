//! Several questions in one call.

mod calls;
mod places;
