//! Scala: `import` and `export` clauses.

use crate::facts::Import;
use crate::tree::Node;

/// Flattens an import clause (`import a.b.{C, D => E}, f.g._`) into one import per name.
pub(crate) fn import_clause(clause: Node<'_>, text: &str) -> Vec<Import> {
    let mut imports = Vec::new();
    let mut path: Vec<&str> = Vec::new();
    let mut is_done = false;
    for child in clause.children() {
        match child.kind() {
            "," => {
                imports.extend(whole(&path).filter(|_| !is_done));
                (path, is_done) = (Vec::new(), false);
            }
            "namespace_selectors" => {
                imports.extend(child.children().filter_map(|part| selected(&path, part, text)));
                is_done = true;
            }
            "identifier" | "operator_identifier" if !is_done => path.push(&text[child.byte_range()]),
            _ => {
                let import = selected(&path, child, text);
                is_done |= import.is_some();
                imports.extend(import);
            }
        }
    }
    imports.extend(whole(&path).filter(|_| !is_done));
    imports.dedup();
    imports
}

/// The import of what a whole path names.
fn whole(path: &[&str]) -> Option<Import> {
    let (name, module) = path.split_last()?;
    Some(match module {
        [] => Import { module: name.to_string(), ..Import::default() },
        _ => Import { module: module.join("."), name: Some(name.to_string()), ..Import::default() },
    })
}

/// The import that one selector makes; a name that is hidden (`C => _`) is none.
fn selected(path: &[&str], selector: Node<'_>, text: &str) -> Option<Import> {
    let part = |field: &str| selector.child_by_field_name(field).map(|part| text[part.byte_range()].to_string());
    let module = path.join(".");
    match selector.kind() {
        "identifier" | "operator_identifier" => {
            Some(Import { module, name: Some(text[selector.byte_range()].to_string()), ..Import::default() })
        }
        "namespace_wildcard" | "given" => Some(Import { module, name: Some("*".into()), ..Import::default() }),
        "arrow_renamed_identifier" | "as_renamed_identifier" => {
            let (name, alias) = (part("name")?, part("alias").filter(|alias| alias != "_")?);
            Some(match path {
                [] => Import { module: name, alias: Some(alias), ..Import::default() },
                _ => Import { module, name: Some(name), alias: Some(alias), ..Import::default() },
            })
        }
        _ => None,
    }
}
