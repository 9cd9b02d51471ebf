//! Objects in a bucket of a server that speaks S3, over HTTP.
//!
//! Only four requests are used: GET, HEAD and PUT of an object, and ListObjectsV2. Requests are
//! signed with version 4 of Amazon's signatures. Redirects are not followed and no proxy is used,
//! so keys and data go to the configured host or nowhere; plain `http` is for this machine alone.

mod address;
mod listing;
mod signing;

use std::io::{ErrorKind, Read};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use ureq::Agent;
use ureq::http::{Method, Request, Response, StatusCode, header};

use self::address::Address;
use self::listing::Listing;
use self::signing::{Signer, sha256_hex};
use crate::error::ObjectError;
use crate::store::{ListedObject, ObjectStore, PlaceOptions, is_name};

/// The longest answer to a listing.
const MAX_LISTING: u64 = 16 << 20;
/// The most pages of a listing.
const MAX_PAGES: usize = 1000;
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// The number of times that a request is repeated, and the wait before the first repeat.
const RETRIES: u32 = 3;
const BACKOFF: Duration = Duration::from_millis(200);
/// The longest time for a single request.
const MAX_REQUEST: Duration = Duration::from_secs(300);

/// A bucket, or what is below a prefix in it.
pub(crate) struct S3 {
    agent: Agent,
    address: Address,
    signer: Option<Signer>,
    place: String,
}

/// One request.
struct Call<'a> {
    method: Method,
    /// Below the address.
    path: String,
    /// Pairs by name, not encoded.
    query: Vec<(&'static str, String)>,
    body: &'a [u8],
    /// True if the object must not exist yet.
    is_new: bool,
    /// The largest answer.
    limit: u64,
}

/// The error of a failed try. If `is_passing`, another try may succeed.
struct Failure {
    error: ObjectError,
    is_passing: bool,
}

impl S3 {
    /// Takes what follows `s3://`.
    pub(crate) fn new(place: &str, options: &PlaceOptions) -> Result<S3, ObjectError> {
        let region = options.region.as_deref().unwrap_or("us-east-1");
        let address = Address::new(place, options.endpoint.as_deref(), region, options.path_style)?;
        let concurrency = options.concurrency.max(1);
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .proxy(None)
            .accept_encoding("identity")
            .timeout_connect(Some(options.connect_timeout.unwrap_or(CONNECT_TIMEOUT)))
            .max_idle_connections(concurrency)
            .max_idle_connections_per_host(concurrency)
            .user_agent(concat!("codecompass/", env!("CARGO_PKG_VERSION")))
            .build();
        let signer = options.credentials.as_ref().map(|keys| Signer::new(keys.clone(), region));
        let place = format!("s3://{}", place.trim_end_matches('/'));
        Ok(S3 { agent: config.new_agent(), address, signer: signer.transpose()?, place })
    }

    fn object(&self, method: Method, name: &str) -> Result<Call<'static>, ObjectError> {
        if !is_name(name) {
            return Err(ObjectError::Malformed { place: self.place.clone(), reason: "a name is not plain" });
        }
        let path = self.address.object(name);
        Ok(Call { method, path, query: Vec::new(), body: &[], is_new: false, limit: 0 })
    }

    /// Tries until it succeeds, or another try would not help.
    fn repeat(&self, call: &Call<'_>, until: Instant) -> Result<Answer, ObjectError> {
        let mut tries = 0;
        loop {
            match self.send(call, until) {
                Ok(answer) => return Ok(answer),
                Err(failure) => {
                    let wait = BACKOFF.saturating_mul(2_u32.saturating_pow(tries));
                    let has_time = wait < until.saturating_duration_since(Instant::now());
                    if !failure.is_passing || tries >= RETRIES || !has_time {
                        return Err(failure.error);
                    }
                    thread::sleep(wait);
                    tries += 1;
                }
            }
        }
    }

    /// Sends a request once.
    fn send(&self, call: &Call<'_>, until: Instant) -> Result<Answer, Failure> {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(Failure::lasting(ObjectError::TimedOut { place: self.address.host.clone() }));
        }
        let query = signing::query(&call.query);
        let url = if query.is_empty() {
            format!("{}{}", self.address.base, call.path)
        } else {
            format!("{}{}?{query}", self.address.base, call.path)
        };
        let mut request = Request::builder().method(call.method.clone()).uri(&url);
        let hash = sha256_hex(call.body);
        let mut headers = vec![("x-amz-content-sha256", hash)];
        if call.is_new {
            headers.push(("if-none-match", "*".to_string()));
        }
        if let Some(signer) = &self.signer {
            let parts = signing::Parts { method: call.method.as_str(), host: &self.address.host, path: &call.path };
            headers.extend(signer.headers(&parts, &query, &headers, SystemTime::now()));
        }
        for (name, value) in headers {
            request = request.header(name, value);
        }
        let limit = Some(left.min(MAX_REQUEST));
        let invalid =
            |_| Failure::lasting(ObjectError::Settings("its URL or keys have characters that none has".into()));
        let response = if call.method == Method::PUT {
            let request = request.body(call.body).map_err(invalid)?;
            self.agent.run(self.agent.configure_request(request).timeout_global(limit).build())
        } else {
            let request = request.body(()).map_err(invalid)?;
            self.agent.run(self.agent.configure_request(request).timeout_global(limit).build())
        };
        self.read(response.map_err(|error| self.failure(&error))?, call)
    }

    fn read(&self, mut response: Response<ureq::Body>, call: &Call<'_>) -> Result<Answer, Failure> {
        let status = response.status();
        let length = response.headers().get(header::CONTENT_LENGTH);
        let length = length.and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
        match status {
            StatusCode::NOT_FOUND if call.query.is_empty() && call.method != Method::PUT => return Ok(Answer::Missing),
            StatusCode::PRECONDITION_FAILED if call.is_new => return Ok(Answer::Exists),
            StatusCode::NOT_IMPLEMENTED if call.is_new => return Ok(Answer::NoConditions),
            status if !status.is_success() => return Err(self.refusal(status)),
            _ => {}
        }
        if [Method::HEAD, Method::PUT, Method::DELETE].contains(&call.method) {
            return Ok(Answer::Done(length.unwrap_or(0)));
        }
        let malformed = |reason| ObjectError::Malformed { place: self.address.host.clone(), reason };
        if length.is_some_and(|length| length > call.limit) {
            return Err(Failure::lasting(malformed("an object is too large")));
        }
        let mut bytes = Vec::with_capacity(length.unwrap_or(0).min(call.limit) as usize);
        let mut reader = response.body_mut().as_reader().take(call.limit + 1);
        reader.read_to_end(&mut bytes).map_err(|error| self.failure(&error.into()))?;
        if bytes.len() as u64 > call.limit {
            return Err(Failure::lasting(malformed("an object is too large")));
        }
        if length.is_some_and(|length| length != bytes.len() as u64) {
            return Err(Failure::passing(malformed("it is cut short")));
        }
        Ok(Answer::Bytes(bytes))
    }

    fn refusal(&self, status: StatusCode) -> Failure {
        let (host, status) = (self.address.host.clone(), status.as_u16());
        match status {
            // 409: another writer is about to write the same object.
            408 | 409 | 429 | 500.. => Failure::passing(ObjectError::Failed { host, status }),
            _ => Failure::lasting(ObjectError::Refused { host, status }),
        }
    }

    fn failure(&self, error: &ureq::Error) -> Failure {
        let host = || self.address.host.clone();
        let unreachable = |reason| ObjectError::Unreachable { host: host(), reason };
        match error {
            ureq::Error::Timeout(_) => Failure::lasting(ObjectError::TimedOut { place: host() }),
            ureq::Error::HostNotFound => Failure::lasting(unreachable("its name is not known")),
            ureq::Error::Io(error) => match error.kind() {
                ErrorKind::TimedOut | ErrorKind::WouldBlock => {
                    Failure::lasting(ObjectError::TimedOut { place: host() })
                }
                ErrorKind::ConnectionRefused => Failure::lasting(unreachable("nothing listens there")),
                // Certificates that are not trusted come as this.
                ErrorKind::InvalidData => Failure::lasting(unreachable("no secure connection")),
                _ => Failure::passing(unreachable("the connection broke")),
            },
            ureq::Error::Tls(_) | ureq::Error::Rustls(_) | ureq::Error::Pem(_) | ureq::Error::TlsRequired => {
                Failure::lasting(unreachable("no secure connection"))
            }
            ureq::Error::Protocol(_) | ureq::Error::LargeResponseHeader(..) | ureq::Error::Decompress(..) => {
                let reason = "it is not HTTP as it should be";
                Failure::passing(ObjectError::Malformed { place: host(), reason })
            }
            _ => Failure::passing(unreachable("the connection failed")),
        }
    }

    fn unexpected(&self) -> ObjectError {
        ObjectError::Malformed { place: self.address.host.clone(), reason: "it fits no request" }
    }
}

/// The answer of a server.
enum Answer {
    /// The content of an object or a listing.
    Bytes(Vec<u8>),
    /// There is no such object.
    Missing,
    /// There is one already.
    Exists,
    /// The server cannot tell whether there is one.
    NoConditions,
    /// It is done; the length that the answer states.
    Done(u64),
}

impl Failure {
    fn lasting(error: ObjectError) -> Failure {
        Failure { error, is_passing: false }
    }

    fn passing(error: ObjectError) -> Failure {
        Failure { error, is_passing: true }
    }
}

impl ObjectStore for S3 {
    fn get(&self, name: &str, limit: u64, until: Instant) -> Result<Option<Vec<u8>>, ObjectError> {
        let call = Call { limit, ..self.object(Method::GET, name)? };
        match self.repeat(&call, until)? {
            Answer::Bytes(bytes) => Ok(Some(bytes)),
            Answer::Missing => Ok(None),
            _ => Err(self.unexpected()),
        }
    }

    fn put_new(&self, name: &str, bytes: &[u8], until: Instant) -> Result<bool, ObjectError> {
        let call = Call { body: bytes, is_new: true, ..self.object(Method::PUT, name)? };
        match self.repeat(&call, until)? {
            Answer::Done(_) => Ok(true),
            Answer::Exists => Ok(false),
            Answer::NoConditions if self.size(name, until)?.is_some() => Ok(false),
            Answer::NoConditions => match self.repeat(&Call { is_new: false, ..call }, until)? {
                Answer::Done(_) => Ok(true),
                _ => Err(self.unexpected()),
            },
            _ => Err(self.unexpected()),
        }
    }

    fn size(&self, name: &str, until: Instant) -> Result<Option<u64>, ObjectError> {
        match self.repeat(&self.object(Method::HEAD, name)?, until)? {
            Answer::Done(length) => Ok(Some(length)),
            Answer::Missing => Ok(None),
            _ => Err(self.unexpected()),
        }
    }

    fn list(&self, prefix: &str, until: Instant) -> Result<Vec<ListedObject>, ObjectError> {
        let malformed = |reason| ObjectError::Malformed { place: self.address.host.clone(), reason };
        let mut found = Vec::new();
        let mut token: Option<String> = None;
        for _ in 0..MAX_PAGES {
            let mut query = vec![("list-type", "2".to_string()), ("prefix", self.address.key(prefix))];
            // By name, as the signature wants them.
            query.extend(token.take().map(|token| ("continuation-token", token)));
            query.sort_unstable();
            let path = self.address.bucket();
            let call = Call { method: Method::GET, path, query, body: &[], is_new: false, limit: MAX_LISTING };
            let Answer::Bytes(text) = self.repeat(&call, until)? else { return Err(self.unexpected()) };
            let listing = std::str::from_utf8(&text).ok().and_then(Listing::parse);
            let listing = listing.ok_or_else(|| malformed("it is not a listing"))?;
            for object in listing.objects {
                let name = self.address.name(&object.name).map(str::to_string);
                let name = name.filter(|name| is_name(name) && name.starts_with(prefix));
                found.extend(name.map(|name| ListedObject { name: name.to_string(), ..object }));
            }
            match listing.next {
                None => {
                    found.sort_by(|a: &ListedObject, b| a.name.cmp(&b.name));
                    return Ok(found);
                }
                next => token = next,
            }
        }
        Err(malformed("its listing does not end"))
    }

    fn remove(&self, name: &str, until: Instant) -> Result<(), ObjectError> {
        match self.repeat(&self.object(Method::DELETE, name)?, until)? {
            Answer::Done(_) | Answer::Missing => Ok(()),
            _ => Err(self.unexpected()),
        }
    }

    fn place(&self) -> &str {
        &self.place
    }
}

#[cfg(test)]
mod tests;
