//! Errors of models and providers.

/// The reason why there is no vector, or no score. Messages name hosts and statuses, never keys,
/// questions or code.
#[derive(Debug, thiserror::Error)]
pub enum EmbedError {
    /// The model's files are missing, damaged or of another kind.
    #[error("the model cannot be used: {0}")]
    Model(String),

    /// The settings of a provider cannot work; nothing was sent.
    #[error("the provider cannot be used: {0}")]
    Settings(String),

    /// There is no connection to the provider.
    #[error("{host} cannot be reached: {reason}")]
    Unreachable {
        /// With the port, where one is given.
        host: String,
        /// A description of the failure.
        reason: &'static str,
    },

    /// The provider did not answer in time.
    #[error("{host} did not answer in time")]
    TimedOut {
        /// With the port, where one is given.
        host: String,
    },

    /// The provider wants no more requests for now, or the account has no quota left.
    #[error("{host} takes no more requests for now (rate limit or quota)")]
    RateLimited {
        /// With the port, where one is given.
        host: String,
    },

    /// The provider does not take the request: 401 and 403 are about the key, 3xx about the
    /// address, the rest mostly about the model and its dimensions.
    #[error("{host} {}", refusal(*status))]
    Refused {
        /// With the port, where one is given.
        host: String,
        /// As HTTP has it.
        status: u16,
    },

    /// The provider has a problem of its own.
    #[error("{host} failed with status {status}")]
    Failed {
        /// With the port, where one is given.
        host: String,
        /// As HTTP has it.
        status: u16,
    },

    /// The provider answered something else than what was asked for.
    #[error("the provider's answer cannot be used: {0}")]
    Malformed(String),
}

fn refusal(status: u16) -> String {
    match status {
        401 | 403 => format!("refused the key (status {status})"),
        300..=399 => format!("points to another address, which is not followed (status {status})"),
        404 => "does not know the address or the model (status 404)".into(),
        _ => format!("refused the request (status {status})"),
    }
}
