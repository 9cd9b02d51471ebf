//! Random secrets and names, and signatures of messages.

use crate::catalogue::{ClusterError, Result};

/// Returns a secret of 32 random bytes, in hexadecimal digits.
pub(crate) fn random_secret() -> Result<String> {
    use ring::rand::SecureRandom as _;
    let mut bytes = [0; 32];
    let random = ring::rand::SystemRandom::new();
    random.fill(&mut bytes).map_err(|_| ClusterError::Settings("the system has no random numbers".into()))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Returns a name that no other process makes; `count` tells those of one process apart.
pub(crate) fn random_name(count: u64) -> String {
    match random_secret() {
        Ok(secret) => secret[..16].to_string(),
        Err(_) => format!("{}-{count}", std::process::id()),
    }
}

/// Returns whether `signature`, in hexadecimal digits, is that of a message by HMAC-SHA256.
pub(crate) fn is_signed(secret: &str, message: &[u8], signature: &str) -> bool {
    let digit = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    let Some(bytes) = signature.as_bytes().chunks(2).map(digit).collect::<Option<Vec<u8>>>() else { return false };
    let key = ring::hmac::Key::new(ring::hmac::HMAC_SHA256, secret.as_bytes());
    ring::hmac::verify(&key, message, &bytes).is_ok()
}
