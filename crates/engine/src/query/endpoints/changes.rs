//! Endpoints that differ between two views.

use std::collections::BTreeMap;

use crate::config::IndexConfig;
use crate::error::Result;
use crate::query::diff::{ChangeKind, Side};
use crate::query::endpoints::answer::{Endpoint, EndpointOptions};
use crate::query::endpoints::endpoints;
use crate::query::navigate::Navigator;

/// An endpoint that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndpointChange {
    /// Added, deleted, or modified where another handler answers.
    pub kind: ChangeKind,
    /// As it was.
    pub before: Option<Endpoint>,
    /// As it is.
    pub after: Option<Endpoint>,
}

/// Compares the endpoints of two views: by HTTP method and path, in the order of paths.
pub fn endpoint_changes(
    before: Side<'_>,
    after: Side<'_>,
    config: &IndexConfig,
    options: &EndpointOptions,
) -> Result<Vec<EndpointChange>> {
    let of = |side: Side<'_>| -> Result<BTreeMap<(String, String), Endpoint>> {
        let options = EndpointOptions { limit: usize::MAX, ..options.clone() };
        let found = endpoints(&Navigator::new(side.snapshot), side.source, config, &options)?.endpoints.items;
        let mut by_route = BTreeMap::new();
        for endpoint in found {
            by_route.entry((endpoint.path.clone(), endpoint.method.clone())).or_insert(endpoint);
        }
        Ok(by_route)
    };
    let (mut old, new) = (of(before)?, of(after)?);
    let mut changes = BTreeMap::new();
    for (key, endpoint) in new {
        match old.remove(&key) {
            None => {
                changes.insert(key, EndpointChange { kind: ChangeKind::Added, before: None, after: Some(endpoint) });
            }
            Some(was) if answers_differ(&was, &endpoint) => {
                let kind = ChangeKind::Modified;
                changes.insert(key, EndpointChange { kind, before: Some(was), after: Some(endpoint) });
            }
            Some(_) => {}
        }
    }
    for (key, endpoint) in old {
        changes.insert(key, EndpointChange { kind: ChangeKind::Deleted, before: Some(endpoint), after: None });
    }
    Ok(changes.into_values().collect())
}

/// Returns whether another handler answers: moves of the same one do not count.
fn answers_differ(before: &Endpoint, after: &Endpoint) -> bool {
    let handler = |endpoint: &Endpoint| {
        endpoint
            .handler
            .as_ref()
            .map(|handler| (handler.name.clone(), handler.place.as_ref().map(|(path, _)| path.clone())))
    };
    handler(before) != handler(after)
}
