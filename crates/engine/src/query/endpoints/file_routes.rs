//! Files that are routes by their path.

use std::collections::HashMap;

use codecompass_syntax::routes::{FileRule, Framework, FrameworkSettings, normal_path};

use crate::error::Result;
use crate::query::endpoints::answer::{ANY_METHOD, Endpoint, EndpointHandler};
use crate::query::endpoints::route_files::RouteFiles;
use crate::query::navigate::Navigator;
use crate::resolve::{Confidence, language_of};
use crate::store::Snapshot;

const VERBS: [&str; 7] = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];

/// Returns the endpoints of files that a framework routes by their path.
pub(super) fn endpoints(
    navigator: &Navigator<'_>,
    framework: &'static Framework,
    files: &RouteFiles,
) -> Result<Vec<Endpoint>> {
    let settings = framework.settings();
    let snapshot = navigator.snapshot();
    let mut packages = Packages::new(snapshot, framework, files);
    let mut found = Vec::new();
    for (path, version) in snapshot.files() {
        let language = language_of(snapshot, *version)?;
        if language.is_none_or(|language| !settings.languages.iter().any(|name| name == language.name)) {
            continue;
        }
        let Some((rule, below)) = settings.file.iter().find_map(|rule| Some((rule, route_of(rule, path)?))) else {
            continue;
        };
        if !packages.has_framework(root_of(rule, path))? {
            continue;
        }
        let whole = normal_path(&below, &settings.params, true);
        let role = snapshot.file_info(*version)?.role;
        let outline = snapshot.outline(*version)?;
        let mut add = |method: &str, name: &str, line: u32| {
            let place = Some((path.clone(), line));
            found.push(Endpoint {
                method: method.to_string(),
                path: whole.clone(),
                handler: Some(EndpointHandler { name: name.to_string(), place }),
                declared_path: path.clone(),
                declared_line: line,
                role,
                framework: framework.name,
                confidence: Confidence::Static,
            });
        };
        if rule.verb_functions {
            for definition in outline.definitions.iter().filter(|one| one.parent.is_none()) {
                if VERBS.contains(&definition.name.as_str()) && definition.modifiers.contains("export") {
                    add(&definition.name, &definition.name, definition.name_line);
                }
            }
            continue;
        }
        let exported = outline.definitions.iter().find(|one| one.parent.is_none() && one.modifiers.contains("default"));
        let method = if rule.page { "GET" } else { ANY_METHOD };
        match exported {
            Some(exported) => add(method, &exported.name, exported.name_line),
            None => add(method, "(default export)", 1),
        }
    }
    Ok(found)
}

/// The folders whose files a framework routes.
struct Packages<'a> {
    snapshot: &'a Snapshot,
    settings: &'static FrameworkSettings,
    /// The files that import it.
    importing: Vec<&'a str>,
    known: HashMap<String, bool>,
}

impl<'a> Packages<'a> {
    fn new(snapshot: &'a Snapshot, framework: &'static Framework, files: &RouteFiles) -> Packages<'a> {
        let importing = files.facts(framework).filter(|(_, facts)| facts.imports_framework);
        let importing = importing.filter_map(|(version, _)| snapshot.path_of(version)).collect();
        Packages { snapshot, settings: framework.settings(), importing, known: HashMap::new() }
    }

    /// Returns whether a file below the folder imports the framework, or the manifest of the folder
    /// names it. Other frameworks have folders of the same name.
    fn has_framework(&mut self, root: &str) -> Result<bool> {
        if let Some(known) = self.known.get(root) {
            return Ok(*known);
        }
        let prefix = if root.is_empty() { String::new() } else { format!("{root}/") };
        let mut has = self.importing.iter().any(|path| path.starts_with(&prefix));
        let is_source = prefix == "src/" || prefix.ends_with("/src/");
        let package = if is_source { prefix.trim_end_matches("src/") } else { &prefix };
        let manifest = self.snapshot.version_at(&format!("{package}{}", self.settings.manifest));
        if let Some(manifest) = manifest.filter(|_| !has) {
            let outline = self.snapshot.outline(manifest)?;
            has = outline.definitions.iter().any(|key| key.name == self.settings.dependency);
        }
        self.known.insert(root.to_string(), has);
        Ok(has)
    }
}

/// Returns the folder that holds the folder of routes.
fn root_of<'p>(rule: &FileRule, path: &'p str) -> &'p str {
    if path.starts_with(&format!("{}/", rule.below)) {
        ""
    } else {
        path.split_once(&format!("/{}/", rule.below)).map_or("", |(root, _)| root)
    }
}

/// Returns the route of a file that a rule is about.
fn route_of(rule: &FileRule, path: &str) -> Option<String> {
    let below = match path.strip_prefix(&format!("{}/", rule.below)) {
        Some(below) => below,
        None => path.split_once(&format!("/{}/", rule.below)).map(|(_, below)| below)?,
    };
    let below = below.strip_prefix(rule.only.as_str())?;
    let (folder, name) = below.rsplit_once('/').unwrap_or(("", below));
    let stem = name.split('.').next().unwrap_or(name);
    if name.matches('.').count() != 1 || stem.starts_with('_') || name.ends_with(".d.ts") {
        return None;
    }
    let before = rule.only.trim_end_matches('/');
    let before = if before.is_empty() { String::new() } else { format!("/{before}") };
    let folder = if folder.is_empty() { String::new() } else { format!("/{folder}") };
    match (rule.stem.as_str(), stem) {
        (wanted, stem) if wanted == stem => Some(format!("{before}{folder}")),
        ("", "index") => Some(format!("{before}{folder}")),
        ("", stem) => Some(format!("{before}{folder}/{stem}")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_files() {
        let route = FileRule { below: "app".into(), stem: "route".into(), ..FileRule::default() };
        assert_eq!(route_of(&route, "app/api/users/[id]/route.ts").as_deref(), Some("/api/users/[id]"));
        assert_eq!(route_of(&route, "src/app/route.ts").as_deref(), Some(""));
        assert_eq!(route_of(&route, "src/app/page.tsx"), None);
        let pages = FileRule { below: "pages".into(), only: "api/".into(), ..FileRule::default() };
        assert_eq!(route_of(&pages, "pages/api/users/index.ts").as_deref(), Some("/api/users"));
        assert_eq!(route_of(&pages, "pages/api/a.b.ts"), None);
        assert_eq!(route_of(&pages, "pages/about.tsx"), None);
    }
}
