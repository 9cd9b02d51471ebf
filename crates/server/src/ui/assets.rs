//! The style, the scripts and the icon, as files of the repository that are part of the program.

use std::sync::LazyLock;

/// Name, type and content of each.
const ASSETS: [(&str, &str, &str); 9] = [
    ("style.css", "text/css; charset=utf-8", include_str!("assets/style.css")),
    ("icon.svg", "image/svg+xml", include_str!("assets/icon.svg")),
    ("app.js", SCRIPT, include_str!("assets/app.js")),
    ("search.js", SCRIPT, include_str!("assets/search.js")),
    ("hover.js", SCRIPT, include_str!("assets/hover.js")),
    ("keys.js", SCRIPT, include_str!("assets/keys.js")),
    ("graph.js", SCRIPT, include_str!("assets/graph.js")),
    ("live.js", SCRIPT, include_str!("assets/live.js")),
    ("file.js", SCRIPT, include_str!("assets/file.js")),
];

const SCRIPT: &str = "text/javascript; charset=utf-8";

/// Returns the type and the content of an asset.
pub(super) fn find(name: &str) -> Option<(&'static str, &'static str)> {
    ASSETS.iter().find(|(known, ..)| *known == name).map(|(_, kind, content)| (*kind, *content))
}

/// Names the contents of all assets. It is a part of their addresses, so that a browser may keep
/// them: another program has other addresses.
static TAG: LazyLock<String> = LazyLock::new(|| {
    let mut hasher = blake3::Hasher::new();
    for (name, _, content) in ASSETS {
        hasher.update(name.as_bytes()).update(content.as_bytes());
    }
    hasher.finalize().to_hex()[..16].to_string()
});

/// Returns the tag of the assets.
pub(super) fn tag() -> &'static str {
    &TAG
}

/// Returns the address of an asset.
pub(super) fn address(name: &str) -> String {
    format!("/assets/{}/{name}", tag())
}

/// Returns the names of the scripts that the first one imports.
pub(super) fn imported() -> impl Iterator<Item = &'static str> {
    ASSETS.iter().filter(|(name, kind, _)| *kind == SCRIPT && *name != "app.js").map(|(name, ..)| *name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_are_small_and_load_nothing_from_elsewhere() {
        let all: usize = ASSETS.iter().map(|(_, _, content)| content.len()).sum();
        assert!(all <= 150_000, "{all} bytes");
        for (name, _, content) in ASSETS {
            let content = content.replace("http://www.w3.org/2000/svg", "");
            assert!(!content.contains("http:") && !content.contains("https:"), "{name}");
            assert!(!content.contains("eval(") && !content.contains("innerHTML"), "{name}");
        }
    }
}
