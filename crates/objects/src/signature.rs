//! Signatures with Ed25519. Keys are in the forms that OpenSSL writes.

use ring::signature::{ED25519, Ed25519KeyPair, KeyPair, UnparsedPublicKey};

use crate::error::ObjectError;

/// The bytes before the key in a public key as OpenSSL writes it (RFC 8410).
const PUBLIC_PREFIX: [u8; 12] = [0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00];

/// A key that signs.
pub struct SigningKey(Ed25519KeyPair);

/// A key that checks signatures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PublicKey([u8; 32]);

impl SigningKey {
    /// Reads a private key in PEM (PKCS #8), as `openssl genpkey -algorithm ed25519` writes it.
    pub fn from_pem(text: &str) -> Result<SigningKey, ObjectError> {
        let body = text
            .split_once("-----BEGIN PRIVATE KEY-----")
            .and_then(|(_, rest)| rest.split_once("-----END PRIVATE KEY-----"))
            .ok_or(ObjectError::Key("it is not a private key in PEM"))?
            .0;
        let bytes = decode_base64(body).ok_or(ObjectError::Key("it is not a private key in PEM"))?;
        let pair = Ed25519KeyPair::from_pkcs8_maybe_unchecked(&bytes);
        Ok(SigningKey(pair.map_err(|_| ObjectError::Key("it is not a key of Ed25519"))?))
    }

    /// Returns the key that checks what this one signs.
    pub fn public(&self) -> PublicKey {
        let mut bytes = [0; 32];
        bytes.copy_from_slice(self.0.public_key().as_ref());
        PublicKey(bytes)
    }

    /// Signs a message.
    pub fn sign(&self, message: &[u8]) -> [u8; 64] {
        let mut bytes = [0; 64];
        bytes.copy_from_slice(self.0.sign(message).as_ref());
        bytes
    }
}

impl PublicKey {
    /// Reads a public key in base64: the line between the dashes of `openssl pkey -pubout`, or the
    /// 32 bytes alone.
    pub fn parse(text: &str) -> Result<PublicKey, ObjectError> {
        let refused = ObjectError::Key("it is not a public key of Ed25519 in base64");
        let Some(bytes) = decode_base64(text) else { return Err(refused) };
        let key = bytes.strip_prefix(&PUBLIC_PREFIX).unwrap_or(&bytes);
        <[u8; 32]>::try_from(key).map(PublicKey).map_err(|_| refused)
    }

    /// Returns the key that has these bytes.
    pub fn from_bytes(bytes: [u8; 32]) -> PublicKey {
        PublicKey(bytes)
    }

    /// Returns the bytes of the key.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Returns whether this key's owner signed a message.
    pub fn has_signed(&self, message: &[u8], signature: &[u8]) -> bool {
        UnparsedPublicKey::new(&ED25519, self.0).verify(message, signature).is_ok()
    }
}

/// Decodes base64, in which white space counts for nothing.
fn decode_base64(text: &str) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    let (mut bits, mut count) = (0_u32, 0);
    let mut is_over = false;
    for byte in text.bytes().filter(|byte| !byte.is_ascii_whitespace()) {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            b'=' => {
                is_over = true;
                continue;
            }
            _ => return None,
        };
        if is_over {
            return None;
        }
        bits = (bits << 6) | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            out.push((bits >> count) as u8);
            bits &= (1 << count) - 1;
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    // The example of RFC 8410.
    const PRIVATE: &str = "-----BEGIN PRIVATE KEY-----\n\
        MC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC\n\
        -----END PRIVATE KEY-----\n";
    const PUBLIC: &str = "MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=";

    #[test]
    fn keys_of_openssl_sign() {
        let key = SigningKey::from_pem(PRIVATE).unwrap();
        let public = PublicKey::parse(PUBLIC).unwrap();
        assert_eq!(key.public(), public);
        let signature = key.sign(b"state");
        assert!(public.has_signed(b"state", &signature));
        assert!(!public.has_signed(b"stale", &signature));
        assert!(!PublicKey::from_bytes([7; 32]).has_signed(b"state", &signature));
    }

    #[test]
    fn other_texts_are_no_keys() {
        for text in ["", "abc", "AAAA", "not a key!", "-----BEGIN PRIVATE KEY-----"] {
            assert!(PublicKey::parse(text).is_err(), "{text}");
            assert!(SigningKey::from_pem(text).is_err(), "{text}");
        }
        let empty = "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----";
        assert!(SigningKey::from_pem(empty).is_err());
    }
}
