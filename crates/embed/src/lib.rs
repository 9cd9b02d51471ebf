//! Turns code and questions into vectors that are near each other when they mean the same.
//!
//! An [`Embedder`] makes vectors; [`StaticModel`] is the one that ships inside the binary.
//! [`remote`] has external providers, which send code to a server; none is ever used unless the
//! caller builds it. Nothing here knows of stores or variables: texts in, vectors out. Only the
//! feature `transformer` reads files, those of a model folder.

mod error;
pub mod remote;
mod static_model;
mod tokenizer;
#[cfg(feature = "transformer")]
mod transformer;

pub use error::EmbedError;
pub use remote::Secret;
pub use static_model::StaticModel;
#[cfg(feature = "transformer")]
pub use transformer::{TransformerModel, TransformerOptions};

/// A piece of code, and where it stands: the path says as much about it as its text.
#[derive(Clone, Copy, Debug)]
pub struct Document<'a> {
    /// Relative to the root, with `/`.
    pub path: &'a str,
    /// The code as written.
    pub text: &'a str,
}

/// Asks whether the caller has given up; called from several threads.
pub type IsCancelled<'a> = &'a (dyn Fn() -> bool + Sync);

/// The vectors of documents, as far as they could be made.
#[derive(Debug)]
pub struct Embedded {
    /// One place for each document, in order.
    pub vectors: Vec<Option<Vec<f32>>>,
    /// The first reason why some are missing.
    pub problem: Option<EmbedError>,
}

/// Something that makes vectors. Vectors have length one, or are all zeros when there is nothing to
/// go by; those of documents and of queries are compared by their dot product.
pub trait Embedder: Send + Sync {
    /// Names what makes the vectors, version included. Vectors of different makers must not be
    /// compared.
    fn id(&self) -> &str;

    /// Returns the number of dimensions of a vector.
    fn dimensions(&self) -> usize;

    /// Returns whether a document costs so little that indexing need not care.
    fn is_fast(&self) -> bool;

    /// One vector for each document, in order.
    fn embed_documents(&self, documents: &[Document<'_>]) -> Result<Vec<Vec<f32>>, EmbedError>;

    /// Returns the number of documents that one call makes good use of.
    fn at_once(&self) -> usize {
        128
    }

    /// Makes as many of the vectors as it can. A failure costs only the documents it concerns.
    /// Nothing new is begun once `is_cancelled`.
    fn embed_possible(&self, documents: &[Document<'_>], is_cancelled: IsCancelled<'_>) -> Embedded {
        let none = || documents.iter().map(|_| None).collect();
        if is_cancelled() {
            Embedded { vectors: none(), problem: None }
        } else {
            match self.embed_documents(documents) {
                Ok(vectors) => Embedded { vectors: vectors.into_iter().map(Some).collect(), problem: None },
                Err(error) => Embedded { vectors: none(), problem: Some(error) },
            }
        }
    }

    /// The vector of a question.
    fn embed_query(&self, query: &str) -> Result<Vec<f32>, EmbedError>;
}

/// Scales a vector to length one; one of zeros stays.
fn normalise(vector: &mut [f32]) {
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt().max(1e-9);
    for x in vector {
        *x /= length;
    }
}
