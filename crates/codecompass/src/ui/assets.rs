//! The style, the scripts and the icon, as files of the repository that are part of the program.

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

/// Returns the tag of a content.
pub(super) fn tag(content: &str) -> String {
    format!("\"{}\"", &blake3::hash(content.as_bytes()).to_hex()[..16])
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
