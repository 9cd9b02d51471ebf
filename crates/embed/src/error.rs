//! Why there is no vector.

/// Why there is no vector.
#[derive(Debug, thiserror::Error)]
pub enum EmbedError {
    /// The model's files are missing, damaged or of another kind.
    #[error("the model cannot be used: {0}")]
    Model(String),
}
