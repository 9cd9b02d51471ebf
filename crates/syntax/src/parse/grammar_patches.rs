//! Text that a grammar does not know, shown to it as something of the same length that it does know
//! (`grammar_patches` in `language.toml`). Every byte keeps its place; names and signatures keep the real text.

use std::borrow::Cow;

use regex::Regex;

use crate::settings::GrammarPatch;

/// The patches of one language, compiled.
pub(crate) struct GrammarPatches(Vec<(Regex, Vec<String>)>);

impl GrammarPatches {
    pub(crate) fn new(patches: &[GrammarPatch]) -> Result<GrammarPatches, String> {
        let compile = |patch: &GrammarPatch| match Regex::new(&patch.find) {
            Ok(find) => Ok((find, patch.groups.clone())),
            Err(error) => Err(error.to_string()),
        };
        patches.iter().map(compile).collect::<Result<_, _>>().map(GrammarPatches)
    }

    /// Returns `text` as the parser is to see it.
    pub(crate) fn apply<'text>(&self, text: &'text str) -> Cow<'text, str> {
        let mut patched = Cow::Borrowed(text);
        for (find, groups) in &self.0 {
            let mut next = 0;
            while let Some(found) = (next <= text.len()).then(|| find.captures_at(text, next)).flatten() {
                let whole = found.get_match();
                // The text behind the last group is only looked at.
                let groups_end = found.iter().skip(1).flatten().map(|group| group.end()).max();
                next = text.ceil_char_boundary(groups_end.unwrap_or(whole.end()).max(whole.start() + 1));
                for (number, group) in found.iter().skip(1).enumerate() {
                    let Some(group) = group else { continue };
                    let Some(replacement) = groups.get(number).or(groups.last()) else { continue };
                    if let Some(replacement) = of_same_length(group.as_str(), replacement) {
                        patched.to_mut().replace_range(group.range(), &replacement);
                    }
                }
            }
        }
        patched
    }
}

/// Repeats a single character for all bytes of `text` but line ends; a longer replacement must have its length.
fn of_same_length(text: &str, replacement: &str) -> Option<String> {
    let mut characters = replacement.chars();
    match (characters.next()?, characters.next()) {
        (one, None) if one.is_ascii() => {
            let shown = |byte: u8| if matches!(byte, b'\n' | b'\r') { char::from(byte) } else { one };
            Some(text.bytes().map(shown).collect())
        }
        _ => (replacement.len() == text.len()).then(|| replacement.to_string()),
    }
}
