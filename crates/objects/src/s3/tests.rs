//! Tests of the client against a server that lies.

use std::time::{Duration, Instant};

use codecompass_testkit::{FakeS3, Fault};

use crate::error::ObjectError;
use crate::s3::S3;
use crate::store::{Credentials, ObjectStore, PlaceOptions};

fn store(server: &FakeS3, has_keys: bool) -> S3 {
    let keys = Credentials { id: "id".into(), secret: "hidden".into(), token: None };
    let options = PlaceOptions {
        endpoint: Some(server.endpoint()),
        credentials: has_keys.then_some(keys),
        ..PlaceOptions::default()
    };
    S3::new("team/index", &options).unwrap()
}

fn soon() -> Instant {
    Instant::now() + Duration::from_secs(60)
}

#[test]
fn objects_are_written_once() {
    for lacks_conditions in [false, true] {
        let server = FakeS3::start();
        if lacks_conditions {
            server.lack_conditions();
        }
        let store = store(&server, true);
        assert_eq!(store.get("a/b", 10, soon()).unwrap(), None);
        assert!(store.put_new("a/b", b"first", soon()).unwrap());
        assert!(!store.put_new("a/b", b"second", soon()).unwrap());
        assert_eq!(store.get("a/b", 5, soon()).unwrap().unwrap(), b"first");
        assert!(matches!(store.get("a/b", 4, soon()), Err(ObjectError::Malformed { .. })));
        assert_eq!((store.size("a/b", soon()).unwrap(), store.size("a/x", soon()).unwrap()), (Some(5), None));
        assert_eq!(server.objects().keys().collect::<Vec<_>>(), ["index/a/b"]);
        assert!(server.requests().iter().all(|request| request.ends_with(" signed")));
    }
}

#[test]
fn listings_have_pages() {
    let server = FakeS3::start();
    let store = store(&server, false);
    for number in 0..8 {
        store.put_new(&format!("a/{number}"), b"x", soon()).unwrap();
    }
    store.put_new("b/0", b"x", soon()).unwrap();
    server.objects().insert("other/a/9".into(), Vec::new());
    server.objects().insert("index/a/strange name".into(), Vec::new());
    server.requests();
    let names: Vec<String> = store.list("a/", soon()).unwrap().into_iter().map(|object| object.name).collect();
    assert_eq!(names, ["a/0", "a/1", "a/2", "a/3", "a/4", "a/5", "a/6", "a/7"]);
    assert_eq!(server.requests(), ["GET /team", "GET /team", "GET /team"]);
}

#[test]
fn objects_are_removed() {
    let server = FakeS3::start();
    let store = store(&server, true);
    store.put_new("a/b", b"x", soon()).unwrap();
    assert_eq!(store.list("a/", soon()).unwrap()[0].modified, Some(1_577_836_800));
    server.requests();
    store.remove("a/b", soon()).unwrap();
    store.remove("a/b", soon()).unwrap();
    assert_eq!(server.requests(), ["DELETE /team/index/a/b signed", "DELETE /team/index/a/b signed"]);
    assert!(server.objects().is_empty());
    assert!(matches!(store.remove("../x", soon()), Err(ObjectError::Malformed { .. })));
    server.set_fault(Fault::Status(403));
    assert!(matches!(store.remove("a/b", soon()), Err(ObjectError::Refused { status: 403, .. })));
}

#[test]
fn troubles_are_told_apart() {
    let server = FakeS3::start();
    let store = store(&server, true);
    store.put_new("a", &[7; 1000], soon()).unwrap();
    let get = |fault| {
        server.set_fault(fault);
        server.requests();
        let error = store.get("a", 2000, Instant::now() + Duration::from_secs(2)).unwrap_err();
        assert!(!error.to_string().contains("hidden"));
        (error, server.requests().len())
    };
    let (error, tries) = get(Fault::Status(403));
    assert!(matches!(error, ObjectError::Refused { status: 403, .. }) && tries == 1, "{error} {tries}");
    let (error, tries) = get(Fault::Status(503));
    assert!(matches!(error, ObjectError::Failed { status: 503, .. }) && tries > 1, "{error} {tries}");
    let (error, tries) = get(Fault::Broken);
    assert!(matches!(error, ObjectError::Unreachable { .. } | ObjectError::Malformed { .. }), "{error}");
    assert!(tries > 1);
    let (error, _) = get(Fault::Slow(5_000));
    assert!(matches!(error, ObjectError::TimedOut { .. }), "{error}");
    // Wrong bytes are for the caller to notice.
    server.set_fault(Fault::WrongBytes);
    assert_ne!(store.get("a", 2000, soon()).unwrap().unwrap(), [7; 1000]);
}

#[test]
fn a_server_that_is_not_there_is_said_so() {
    let server = FakeS3::start();
    let store = store(&server, true);
    drop(server);
    // The listener ends with its next connection.
    let _ = store.list("a/", Instant::now() + Duration::from_secs(1));
    let error = store.list("a/", Instant::now() + Duration::from_secs(1)).unwrap_err();
    assert!(matches!(error, ObjectError::Unreachable { .. }), "{error}");
}
