//! From uses to definitions and back, up and down hierarchies, along calls and imports: small
//! programs and exact answers.

#[path = "uses/callbacks.rs"]
mod callbacks;
mod calls;
mod check;
mod deps;
mod find;
mod goto_definition;
mod hierarchy;
#[path = "uses/hubs.rs"]
mod hubs;
mod impact;
mod locate;
mod occurrences;
#[path = "uses/outside_types.rs"]
mod outside_types;
#[path = "uses/members_taken.rs"]
mod members_taken;
#[path = "uses/modules.rs"]
mod modules;
mod parts;
mod places;
mod references;
mod related;
#[path = "uses/raises.rs"]
mod raises;
#[path = "uses/sides.rs"]
mod sides;
#[path = "uses/standard_modules.rs"]
mod standard_modules;
mod trace;
#[path = "uses/values.rs"]
mod values;
#[path = "uses/variables.rs"]
mod variables;
#[path = "uses/constructors.rs"]
mod constructors;
