//! Services that `.proto` files declare, from their facts.

use std::collections::BTreeMap;

use codecompass_syntax::facts::{Definition, Kind};

use crate::error::Result;
use crate::model::{Role, VersionId};
use crate::query::navigate::{Navigator, nearness, reading_rank};
use crate::query::services::answer::{Message, Rpc, Service, ServiceKind, UnreadFile};

/// The extension of files that declare services.
const EXTENSION: &str = ".proto";
/// Services and rpcs that are read.
const MAX_RPCS: usize = 100_000;

/// Returns the services of all `.proto` files; copies of one are one. A file that the grammar could
/// not read in full is reported.
pub(super) fn services(navigator: &Navigator<'_>, unread: &mut Vec<UnreadFile>) -> Result<Vec<Service>> {
    let snapshot = navigator.snapshot();
    let mut by_name: BTreeMap<(String, String), Service> = BTreeMap::new();
    let mut files: Vec<(u8, &str, VersionId, Role)> = Vec::new();
    for (path, version) in snapshot.files().iter().filter(|(path, _)| path.ends_with(EXTENSION)) {
        let role = snapshot.file_info(*version)?.role;
        files.push((reading_rank(role), path, *version, role));
    }
    files.sort();
    let mut read = 0;
    for (_, path, version, role) in files {
        let outline = snapshot.outline(version)?;
        if let Some(problem) = outline.problems.first() {
            let (line, reason) = (problem.line, problem.message.clone());
            unread.push(UnreadFile { path: path.to_string(), line, reason });
        }
        for (ordinal, definition) in outline.definitions.iter().enumerate() {
            if definition.kind != Kind::Interface || read >= MAX_RPCS {
                continue;
            }
            let before = definition.qualified_name.strip_suffix(definition.name.as_str()).unwrap_or("");
            let package = before.trim_end_matches('.').to_string();
            let mut rpcs = Vec::new();
            for rpc in outline.definitions.iter().filter(|rpc| rpc.parent == Some(ordinal as u32)) {
                if rpc.kind == Kind::Method {
                    rpcs.push(read_rpc(navigator, path, &package, rpc)?);
                }
            }
            read += 1 + rpcs.len();
            let key = (package.clone(), definition.name.clone());
            let place = (path.to_string(), definition.name_line);
            match by_name.get_mut(&key) {
                Some(known) => {
                    known.declared.push(place);
                    rpcs.retain(|rpc| !known.rpcs.iter().any(|one| one.name == rpc.name));
                    known.rpcs.append(&mut rpcs);
                }
                None => {
                    let (name, declared) = (definition.name.clone(), vec![place]);
                    let kind = ServiceKind::Grpc;
                    let implementations = Vec::new();
                    by_name.insert(key, Service { kind, package, name, declared, role, implementations, rpcs });
                }
            }
        }
    }
    Ok(by_name.into_values().collect())
}

fn read_rpc(navigator: &Navigator<'_>, path: &str, package: &str, rpc: &Definition) -> Result<Rpc> {
    let (request, response) = types(&rpc.signature);
    let message = |(name, is_stream): (String, bool)| -> Result<Message> {
        let place = message_place(navigator, path, package, &name)?;
        Ok(Message { name, is_stream, place })
    };
    Ok(Rpc {
        name: rpc.name.clone(),
        path: path.to_string(),
        line: rpc.name_line,
        request: message(request)?,
        response: message(response)?,
        ..Rpc::default()
    })
}

/// Returns the types of requests and responses of `rpc A(stream B) returns (C)`, and which of them
/// are streams. What is not there is empty.
fn types(signature: &str) -> ((String, bool), (String, bool)) {
    let mut parts = signature.split('(').skip(1).map(|part| part.split(')').next().unwrap_or("").trim());
    let mut next = || {
        let part = parts.next().unwrap_or("");
        match part.strip_prefix("stream").filter(|rest| rest.starts_with([' ', '.'])) {
            Some(rest) => (rest.trim().trim_start_matches('.').to_string(), true),
            None => (part.trim_start_matches('.').to_string(), false),
        }
    };
    (next(), next())
}

/// Finds the message that a name means in a package: in the innermost package around that has it,
/// and of copies the nearest.
fn message_place(navigator: &Navigator<'_>, path: &str, package: &str, written: &str) -> Result<Option<(String, u32)>> {
    let Some(last) = written.rsplit('.').next().filter(|last| !last.is_empty()) else { return Ok(None) };
    let mut best: Option<((usize, usize), (String, u32))> = None;
    for symbol in navigator.resolver.named(last)?.iter() {
        let Some((file, definition)) = navigator.resolver.definition(*symbol)? else { continue };
        if definition.kind != Kind::Struct || !file.path.ends_with(EXTENSION) {
            continue;
        }
        let Some(scope) = definition.qualified_name.strip_suffix(written) else { continue };
        let scope = scope.trim_end_matches('.');
        let is_around = scope.is_empty()
            || package.strip_prefix(scope).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
        if !is_around {
            continue;
        }
        let rank = (scope.len(), nearness(path, &file.path));
        if best.as_ref().is_none_or(|(known, _)| rank > *known) {
            best = Some((rank, (file.path.clone(), definition.name_line)));
        }
    }
    Ok(best.map(|(_, place)| place))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_of_signatures() {
        let plain = |name: &str| (name.to_string(), false);
        let stream = |name: &str| (name.to_string(), true);
        assert_eq!(types("rpc Place(Order) returns (PlaceReply)"), (plain("Order"), plain("PlaceReply")));
        assert_eq!(
            types("rpc Watch( stream shop.v1.Watch ) returns (stream .shop.v1.Order)"),
            (stream("shop.v1.Watch"), stream("shop.v1.Order"))
        );
        assert_eq!(types("rpc A(streamer) returns"), (plain("streamer"), plain("")));
        assert_eq!(types("rpc"), (plain(""), plain("")));
    }
}
