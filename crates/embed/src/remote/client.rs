//! One kind of call: JSON to a provider, JSON back, within a time and a size, tried again where
//! that may help.
//!
//! Nothing of what is sent ends up in an error, and neither does anything of the answer: a server
//! may quote what it was asked. Redirects are not followed and no proxy is used, so key and code go
//! to the configured host or nowhere.

use std::io::{ErrorKind, Read};
use std::thread;
use std::time::{Duration, Instant};

use serde::Serialize;
use serde::de::DeserializeOwned;
use ureq::http::{HeaderValue, Response, StatusCode, header};
use ureq::{Agent, Body};

use super::address::Address;
use crate::{EmbedError, IsCancelled, Secret};

/// The longest time that a call may be given, repeats included.
const MAX_TIMEOUT: Duration = Duration::from_secs(600);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// The longest wait between two tries, even if the server asks for more.
const MAX_WAIT: Duration = Duration::from_secs(30);
/// The time between two looks at whether the caller has given up.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// The user's settings for calls.
pub(super) struct Options<'a> {
    pub(super) base_url: Option<&'a str>,
    /// The provider's own address, used if the user has no other; it needs a key.
    pub(super) default_url: &'a str,
    pub(super) key: Option<&'a Secret>,
    pub(super) timeout: Duration,
    pub(super) retries: u32,
    pub(super) backoff: Duration,
    /// Calls at a time; so many connections are kept open.
    pub(super) concurrency: usize,
    /// A header that says who pays, for providers that want one.
    pub(super) account: Option<(&'static str, &'a str)>,
}

/// One call.
pub(super) struct Call<'a> {
    /// Begins with a slash.
    pub(super) path: &'a str,
    /// The largest answer that is read, in bytes.
    pub(super) limit: usize,
    /// All tries end before it.
    pub(super) deadline: Instant,
    /// No further try is made once this is so.
    pub(super) is_cancelled: IsCancelled<'a>,
}

/// A connection to a provider.
pub(super) struct Client {
    agent: Agent,
    address: Address,
    authorization: Option<HeaderValue>,
    account: Option<(&'static str, HeaderValue)>,
    timeout: Duration,
    retries: u32,
    backoff: Duration,
}

/// The error of a failed try. If `is_passing`, another try may succeed.
struct Failure {
    error: EmbedError,
    is_passing: bool,
    /// The time that the server asks to wait before the next try.
    wait: Option<Duration>,
}

impl Client {
    /// Looks at the options; connects to nothing.
    pub(super) fn new(options: &Options<'_>) -> Result<Client, EmbedError> {
        let address = Address::new(options.base_url.unwrap_or(options.default_url))?;
        if options.base_url.is_none() && options.key.is_none() {
            return Err(EmbedError::Settings(format!("{} needs a key", address.host)));
        }
        if options.timeout.is_zero() || options.timeout > MAX_TIMEOUT {
            return Err(EmbedError::Settings("its time-out must be above zero and at most ten minutes".into()));
        }
        let unusable = |_| EmbedError::Settings("its project has characters that no project has".into());
        let account = options.account.map(|(name, value)| Ok((name, HeaderValue::from_str(value).map_err(unusable)?)));
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .proxy(None)
            .timeout_connect(Some(CONNECT_TIMEOUT))
            .max_idle_connections(options.concurrency)
            .max_idle_connections_per_host(options.concurrency)
            .user_agent(concat!("codecompass/", env!("CARGO_PKG_VERSION")))
            .build();
        Ok(Client {
            agent: config.new_agent(),
            address,
            authorization: options.key.map(bearer).transpose()?,
            account: account.transpose()?,
            timeout: options.timeout,
            retries: options.retries,
            backoff: options.backoff,
        })
    }

    /// Returns the deadline of a call that begins now.
    pub(super) fn deadline(&self) -> Instant {
        Instant::now() + self.timeout
    }

    /// Sends `body` and reads the answer.
    pub(super) fn post<A: DeserializeOwned>(&self, call: &Call<'_>, body: &impl Serialize) -> Result<A, EmbedError> {
        let answer = self.repeat(call, |url| {
            let mut response = self.send(url, body, call.deadline)?;
            self.read(response.body_mut(), call.limit)
        })?;
        // The parser's own message may quote the answer.
        serde_json::from_slice(&answer).map_err(|_| EmbedError::Malformed("it is not the expected JSON".into()))
    }

    /// Sends `body` and returns the answer to be read while it comes, up to the limit.
    pub(super) fn open(&self, call: &Call<'_>, body: &impl Serialize) -> Result<impl Read, EmbedError> {
        let response = self.repeat(call, |url| self.send(url, body, call.deadline))?;
        Ok(response.into_body().into_reader().take(call.limit as u64))
    }

    /// Returns the error that stands for a failure while an answer is read.
    pub(super) fn read_error(&self, error: std::io::Error) -> EmbedError {
        self.failure(error.into()).error
    }

    /// Tries until it succeeds, or another try would not help.
    fn repeat<T>(&self, call: &Call<'_>, attempt: impl Fn(&str) -> Result<T, Failure>) -> Result<T, EmbedError> {
        let url = self.address.endpoint(call.path);
        let mut tries = 0;
        loop {
            match attempt(&url) {
                Ok(answer) => return Ok(answer),
                Err(failure) => {
                    let doubled = self.backoff.saturating_mul(2_u32.saturating_pow(tries));
                    let wait = failure.wait.unwrap_or(doubled).min(MAX_WAIT);
                    let has_time = wait < call.deadline.saturating_duration_since(Instant::now());
                    let may_repeat = failure.is_passing && tries < self.retries && has_time;
                    if !may_repeat || !pause(wait, call.is_cancelled) {
                        return Err(failure.error);
                    }
                    tries += 1;
                }
            }
        }
    }

    /// Sends `body` once.
    fn send(&self, url: &str, body: &impl Serialize, deadline: Instant) -> Result<Response<Body>, Failure> {
        let time_left = deadline.saturating_duration_since(Instant::now());
        if time_left.is_zero() {
            return Err(Failure::lasting(EmbedError::TimedOut { host: self.host() }));
        }
        let mut request = self.agent.post(url).config().timeout_global(Some(time_left)).build();
        if let Some(authorization) = &self.authorization {
            request = request.header(header::AUTHORIZATION, authorization);
        }
        if let Some((name, value)) = &self.account {
            request = request.header(*name, value);
        }
        let response = request.send_json(body).map_err(|error| self.failure(error))?;
        if response.status().is_success() {
            Ok(response)
        } else {
            Err(self.refusal(response.status(), response.headers().get(header::RETRY_AFTER)))
        }
    }

    /// Reads a body. The limit is for what comes out of the decompression.
    fn read(&self, body: &mut Body, limit: usize) -> Result<Vec<u8>, Failure> {
        let mut bytes = Vec::new();
        let mut reader = body.as_reader().take(limit as u64 + 1);
        reader.read_to_end(&mut bytes).map_err(|error| self.failure(error.into()))?;
        if bytes.len() > limit {
            return Err(Failure::lasting(EmbedError::Malformed("it is larger than it can be".into())));
        }
        Ok(bytes)
    }

    fn refusal(&self, status: StatusCode, retry_after: Option<&HeaderValue>) -> Failure {
        let (host, code) = (self.host(), status.as_u16());
        let error = match code {
            429 => EmbedError::RateLimited { host },
            408 | 500.. => EmbedError::Failed { host, status: code },
            _ => return Failure::lasting(EmbedError::Refused { host, status: code }),
        };
        // A date is possible, too, but clocks differ; our own delay does.
        let seconds = retry_after.and_then(|value| value.to_str().ok()?.trim().parse().ok());
        Failure { error, is_passing: true, wait: seconds.map(Duration::from_secs) }
    }

    fn failure(&self, error: ureq::Error) -> Failure {
        let unreachable = |reason| EmbedError::Unreachable { host: self.host(), reason };
        let passing = |error| Failure { error, is_passing: true, wait: None };
        match error {
            ureq::Error::Timeout(_) => passing(EmbedError::TimedOut { host: self.host() }),
            ureq::Error::HostNotFound => passing(unreachable("its name is not known")),
            ureq::Error::Io(error) => match error.kind() {
                ErrorKind::TimedOut | ErrorKind::WouldBlock => passing(EmbedError::TimedOut { host: self.host() }),
                ErrorKind::ConnectionRefused => passing(unreachable("nothing listens there")),
                // Certificates that are not trusted come as this.
                ErrorKind::InvalidData => Failure::lasting(unreachable("no secure connection")),
                _ => passing(unreachable("the connection broke")),
            },
            ureq::Error::Tls(_) | ureq::Error::Rustls(_) | ureq::Error::Pem(_) | ureq::Error::TlsRequired => {
                Failure::lasting(unreachable("no secure connection"))
            }
            ureq::Error::Protocol(_) | ureq::Error::LargeResponseHeader(..) | ureq::Error::Decompress(..) => {
                Failure::lasting(EmbedError::Malformed("it is not HTTP as it should be".into()))
            }
            _ => passing(unreachable("the connection failed")),
        }
    }

    /// Returns the host, for messages.
    pub(super) fn host(&self) -> String {
        self.address.host.clone()
    }
}

impl Failure {
    fn lasting(error: EmbedError) -> Failure {
        Failure { error, is_passing: false, wait: None }
    }
}

/// Waits; returns `false` as soon as the caller has given up.
fn pause(wait: Duration, is_cancelled: IsCancelled<'_>) -> bool {
    let end = Instant::now() + wait;
    while !is_cancelled() {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return true;
        }
        thread::sleep(left.min(LOOK_EVERY));
    }
    false
}

/// The header that carries the key, marked so that nothing prints it.
fn bearer(key: &Secret) -> Result<HeaderValue, EmbedError> {
    let unusable = || EmbedError::Settings("its key is empty or has characters that no key has".into());
    if key.reveal().is_empty() || !key.reveal().bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(unusable());
    }
    let mut value = HeaderValue::from_str(&format!("Bearer {}", key.reveal())).map_err(|_| unusable())?;
    value.set_sensitive(true);
    Ok(value)
}
