//! A public key in the user's settings: what it did not sign is refused.

use std::fs;

use super::{clone_of, configure, folder_remote, json, refused, said};
use crate::{PROGRAM, workspace};

// The example of RFC 8410.
const PRIVATE: &str = "-----BEGIN PRIVATE KEY-----\n\
    MC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC\n\
    -----END PRIVATE KEY-----\n";
const PUBLIC: &str = "MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=";
const OTHER: &str = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";

#[test]
fn unsigned_states_are_refused() {
    let origin = workspace();
    let folder = folder_remote(&origin);
    let key = origin.beside("key.pem");
    fs::write(&key, PRIVATE).unwrap();
    json(&origin, &["state", "push"]);

    let clone = clone_of(&origin);
    let settings = |public: &str| format!("url = \"file://{}\"\npublic_key = \"{public}\"", folder.display());
    configure(&clone, &settings(PUBLIC));
    let (code, message) = refused(&clone, &["state", "pull"]);
    assert_eq!(code, "remote_unavailable");
    assert!(message.ends_with("a state is not signed, and your settings have a public key"), "{message}");
    // The first use falls back to an index of its own, with one line.
    let answer = clone.run(PROGRAM, &["search", "orders"]);
    assert_eq!((answer.code, said(&answer).len()), (Some(0), 1), "{}", answer.stderr);
    assert!(said(&answer)[0].ends_with("; the index is made here"), "{}", answer.stderr);

    // A signed one is found behind those that are not.
    let (signed, _) = json(&origin, &["state", "push", "--key-file", key.to_str().unwrap()]);
    assert_eq!((&signed["pushed"], &signed["signed"]), (&true.into(), &true.into()));
    origin.write("more.py", "def more(): pass\n");
    json(&origin, &["state", "push"]);
    let (pulled, _) = json(&clone, &["state", "pull", "--force"]);
    assert_eq!(pulled["state"], signed["state"]);
    configure(&clone, &settings(OTHER));
    let (_, message) = refused(&clone, &["state", "pull", "--force"]);
    assert!(message.ends_with("a state is not signed, and your settings have a public key"), "{message}");
    configure(&clone, &settings("no key"));
    assert!(refused(&clone, &["state", "pull", "--force"]).1.contains("not a public key"));
}

#[test]
fn a_file_that_is_no_key_signs_nothing() {
    let origin = workspace();
    folder_remote(&origin);
    let file = origin.beside("no-key");
    fs::write(&file, "no key").unwrap();
    for place in [file, origin.beside("missing")] {
        let (code, message) = refused(&origin, &["state", "push", "--key-file", place.to_str().unwrap()]);
        assert_eq!(code, "invalid_input");
        assert!(message.starts_with("cannot use "), "{message}");
    }
}
