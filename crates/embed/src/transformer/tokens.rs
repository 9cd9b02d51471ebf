//! Cuts texts into the numbers that the model knows, by its `tokenizer.json`.

use std::path::Path;

use tokenizers::{Tokenizer, TruncationParams};

use super::folder::Settings;

/// The tokenizer of a model.
pub(super) struct Tokens {
    tokenizer: Tokenizer,
    padding: i32,
}

impl Tokens {
    pub(super) fn read(path: &Path, settings: &Settings) -> Result<Tokens, String> {
        let shown = path.display();
        let bytes = std::fs::read(path).map_err(|error| format!("{shown} cannot be read: {error}"))?;
        let mut tokenizer = Tokenizer::from_bytes(bytes).map_err(|error| {
            format!("{shown} is damaged, or for another version of the tokenizers library: {error}")
        })?;
        // The file's own padding has a fixed width as often as not, and its limit is seldom the
        // model's.
        let padding = tokenizer.get_padding().map(|padding| padding.pad_id).or(settings.padding).unwrap_or(0);
        tokenizer.with_padding(None);
        let limit = TruncationParams { max_length: settings.max_tokens, ..TruncationParams::default() };
        tokenizer
            .with_truncation(Some(limit))
            .map_err(|error| format!("texts cannot be cut at {} tokens: {error}", settings.max_tokens))?;
        Ok(Tokens { tokenizer, padding: number(padding)? })
    }

    /// The tokens of a text with the marks around it that the model wants; none if the text is
    /// empty.
    pub(super) fn of(&self, text: &str) -> Result<Vec<i32>, String> {
        if text.is_empty() {
            return Ok(Vec::new());
        }
        let encoded = self.tokenizer.encode_fast(text, true);
        let encoded = encoded.map_err(|error| format!("the tokenizer cannot cut a text: {error}"))?;
        encoded.get_ids().iter().map(|id| number(*id)).collect()
    }

    /// The token that fills rows up.
    pub(super) fn padding(&self) -> i32 {
        self.padding
    }
}

fn number(id: u32) -> Result<i32, String> {
    i32::try_from(id).map_err(|_| format!("tokenizer.json has a token with the number {id}, which is too large"))
}
