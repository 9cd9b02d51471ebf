//! A transformer model from a folder of the user's: better vectors than the static model's, at a
//! hundredth of its speed.
//!
//! `folder` reads what the folder says about itself, `presets` adds what is known of common models,
//! `tokens` cuts texts into the model's tokens, `batch` puts texts of like length together,
//! `network` runs the ONNX file, `pooling` makes one vector of a vector per token. Nothing is
//! downloaded, and nothing but the folder is read.

mod batch;
mod folder;
mod identity;
mod network;
mod pooling;
mod presets;
mod skeleton;
mod tokens;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use self::batch::Batch;
use self::folder::{Folder, Settings};
use self::network::Network;
use self::tokens::Tokens;
use crate::{Document, EmbedError, Embedder, normalise};

/// The number of a path's last names that stand before the text of a document.
const PATH_NAMES: usize = 3;

/// Options for running a model; the model and its settings are in its folder.
#[derive(Clone, Copy, Debug)]
pub struct TransformerOptions {
    /// Texts that go through the model together, at most.
    pub batch_size: usize,
    /// Threads that compute; zero is what the machine has.
    pub threads: usize,
    /// Texts are cut here though a model could take more, unless its folder says otherwise: time
    /// and memory grow faster than the text.
    pub max_tokens: usize,
}

impl Default for TransformerOptions {
    fn default() -> TransformerOptions {
        TransformerOptions { batch_size: 32, threads: 0, max_tokens: 512 }
    }
}

/// A transformer model, ready to run.
///
/// The vector of a text depends on the text alone, to the last bit, not on what else is embedded
/// with it. Texts of like length share a run, so give [`Embedder::embed_documents`] many at once.
pub struct TransformerModel {
    id: String,
    dimensions: usize,
    settings: Settings,
    tokens: Tokens,
    network: Network,
    batch_size: usize,
}

impl TransformerModel {
    /// Reads the model in `folder` and runs it once, so that a model that cannot work is refused
    /// here.
    pub fn open(folder: &Path, options: TransformerOptions) -> Result<TransformerModel, EmbedError> {
        guarded(|| TransformerModel::read(folder, options)).map_err(EmbedError::Model)
    }

    fn read(folder: &Path, options: TransformerOptions) -> Result<TransformerModel, String> {
        let Folder { model, tokenizer, settings } = folder::read(folder, options.max_tokens.max(1))?;
        skeleton::check(&model)?;
        let tokens = Tokens::read(&tokenizer, &settings)?;
        let network = Network::read(&model, &settings, options.threads)?;
        let id = identity::id(folder, &model, &tokenizer, &settings)?;
        let batch_size = options.batch_size.max(1);
        let mut opened = TransformerModel { id, dimensions: 0, settings, tokens, network, batch_size };
        let probe = opened.embed(&["probe"])?;
        opened.dimensions = probe.first().map_or(0, Vec::len);
        if opened.dimensions == 0 {
            return Err(format!("{} gives vectors without numbers", model.display()));
        }
        Ok(opened)
    }

    /// The vectors of texts with their prefixes, in order.
    fn embed(&self, texts: &[impl AsRef<str>]) -> Result<Vec<Vec<f32>>, String> {
        let tokens = texts.iter().map(|text| self.tokens.of(text.as_ref())).collect::<Result<Vec<_>, _>>()?;
        let mut vectors = vec![vec![0.0; self.dimensions]; texts.len()];
        for Batch { width, members } in batch::plan(&tokens, self.settings.max_tokens, self.batch_size) {
            let rows: Vec<&[i32]> = members.iter().map(|member| tokens[*member].as_slice()).collect();
            let pooled = self.network.run(&rows, width, self.tokens.padding())?;
            for (member, mut vector) in members.into_iter().zip(pooled) {
                if !vector.iter().all(|x| x.is_finite()) {
                    return Err("the model gives numbers that are not finite; its weights seem damaged".into());
                }
                if self.dimensions != 0 && vector.len() != self.dimensions {
                    return Err(format!("a vector has {} numbers instead of {}", vector.len(), self.dimensions));
                }
                normalise(&mut vector);
                vectors[member] = vector;
            }
        }
        Ok(vectors)
    }

    fn document_text(&self, document: &Document<'_>) -> String {
        if document.path.is_empty() && document.text.trim().is_empty() {
            return String::new();
        }
        let names = document.path.rmatch_indices('/').nth(PATH_NAMES - 1);
        let path = names.map_or(document.path, |(at, _)| &document.path[at + 1..]);
        let end_of_path = if path.is_empty() { "" } else { "\n" };
        format!("{}{path}{end_of_path}{}", self.settings.document_prefix, document.text)
    }

    fn query_text(&self, query: &str) -> String {
        if query.trim().is_empty() { String::new() } else { format!("{}{query}", self.settings.query_prefix) }
    }
}

impl Embedder for TransformerModel {
    fn id(&self) -> &str {
        &self.id
    }

    fn dimensions(&self) -> usize {
        self.dimensions
    }

    fn is_fast(&self) -> bool {
        false
    }

    fn embed_documents(&self, documents: &[Document<'_>]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let texts: Vec<String> = documents.iter().map(|document| self.document_text(document)).collect();
        guarded(|| self.embed(&texts)).map_err(EmbedError::Model)
    }

    fn embed_query(&self, query: &str) -> Result<Vec<f32>, EmbedError> {
        let text = self.query_text(query);
        let mut vectors = guarded(|| self.embed(&[text])).map_err(EmbedError::Model)?;
        Ok(vectors.pop().unwrap_or_default())
    }
}

/// Makes an error of a panic. The libraries that read and run models return errors for nearly all
/// damage, but rten panics at a transposition that does not fit, and tokenizers at a token without
/// a number. Nothing half-done survives: what is being opened is dropped, and a run changes
/// nothing. The panic's own message still goes to stderr.
fn guarded<T>(work: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let why = panic.downcast_ref::<String>().map(String::as_str);
        let why = why.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no reason was given");
        Err(format!("its files are damaged, or of a kind that is not supported ({why})"))
    })
}
