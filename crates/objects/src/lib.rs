//! Immutable objects under names, in a folder or in a bucket, and signatures over what is in them.
//!
//! An object is written once, whole or not at all, and never changed. Names are plain: letters,
//! digits, `.`, `-` and `_`, with `/` between parts. What an object holds is for its reader to
//! check: a store may lie, and callers here compare checksums of all that they read. Nothing is
//! sent anywhere but to the configured host, and no error holds a key or a server's words.

mod error;
mod folder;
mod s3;
mod signature;
mod store;

pub use crate::error::ObjectError;
use crate::folder::Folder;
use crate::s3::S3;
pub use crate::signature::{PublicKey, SigningKey};
pub use crate::store::{Credentials, ListedObject, Metered, ObjectStore, PlaceOptions, is_name};

/// Opens the place that a URL names. Nothing is read or sent yet.
pub fn open(options: &PlaceOptions) -> Result<Box<dyn ObjectStore>, ObjectError> {
    let url = options.url.trim();
    if let Some(path) = url.strip_prefix("file://") {
        return Ok(Box::new(Folder::new(path)?));
    }
    if let Some(place) = url.strip_prefix("s3://") {
        return Ok(Box::new(S3::new(place, options)?));
    }
    Err(ObjectError::Settings("its URL must begin with file:// or s3://".into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_places_are_refused() {
        for url in ["", "/srv", "http://host/x", "s3:/b", "file:/srv", "file://host/srv", "s3://", "s3://b/../c"] {
            let opened = open(&PlaceOptions { url: url.into(), ..PlaceOptions::default() });
            assert!(matches!(opened, Err(ObjectError::Settings(_))), "{url}");
        }
    }
}
