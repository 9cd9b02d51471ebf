//! Services, their rpcs or fields, and restrictions on them.

use crate::model::Role;
use crate::query::filter::PathPattern;
use crate::query::page::Listed;
use crate::resolve::{Confidence, Symbol};

/// Kinds of interface definitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ServiceKind {
    /// A gRPC service of a `.proto` file.
    Grpc,
    /// A root type of a GraphQL schema.
    Graphql,
}

impl ServiceKind {
    /// The word used in JSON and filters.
    pub fn as_str(self) -> &'static str {
        match self {
            ServiceKind::Grpc => "grpc",
            ServiceKind::Graphql => "graphql",
        }
    }
}

/// Restrictions on services. Empty fields restrict nothing.
#[derive(Clone, Debug, Default)]
pub struct ServiceOptions {
    /// A part of the name of a service or rpc, or `Service/Method`.
    pub name: Option<String>,
    /// Kinds.
    pub kinds: Vec<ServiceKind>,
    /// Patterns one of which a declaring file must match.
    pub files: Vec<PathPattern>,
    /// At most this many services.
    pub limit: usize,
}

/// The type of a request or response.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Message {
    /// As it is written.
    pub name: String,
    /// True if there are any number of them.
    pub is_stream: bool,
    /// The file and line that define it; `None` if no file of the view does.
    pub place: Option<(String, u32)>,
}

/// Code that answers or calls an rpc.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServiceSite {
    /// The name of the method, or of the code around a call.
    pub name: String,
    /// Its file.
    pub path: String,
    /// The line of the name, or of the call.
    pub line: u32,
    /// The name of its language.
    pub language: &'static str,
    /// The role of the file.
    pub role: Role,
    /// The certainty that it is of this service.
    pub confidence: Confidence,
    /// The method, or the code around a call.
    pub(crate) symbol: Option<Symbol>,
}

/// A type, or an object, that answers the rpcs of a service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServiceImplementation {
    /// The type itself.
    pub site: ServiceSite,
    /// The place that registers it; `None` where none is found.
    pub registered: Option<(String, u32)>,
    /// The number of rpcs that it has no method for.
    pub missing: usize,
}

/// An rpc, or a field of a root type.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rpc {
    /// Its name.
    pub name: String,
    /// The file that declares it.
    pub path: String,
    /// The line.
    pub line: u32,
    /// The type of requests; of a field its arguments.
    pub request: Message,
    /// The type of responses.
    pub response: Message,
    /// Methods that answer it.
    pub implementations: Vec<ServiceSite>,
    /// Calls on stubs.
    pub clients: Vec<ServiceSite>,
}

/// A service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Service {
    /// Its kind.
    pub kind: ServiceKind,
    /// Its package; empty if it has none.
    pub package: String,
    /// Its name.
    pub name: String,
    /// The files and lines that declare it: copies are one service.
    pub declared: Vec<(String, u32)>,
    /// The role of the first of them.
    pub role: Role,
    /// Types that implement it.
    pub implementations: Vec<ServiceImplementation>,
    /// In source order.
    pub rpcs: Vec<Rpc>,
}

impl Service {
    /// Returns the name with the package.
    pub fn full_name(&self) -> String {
        if self.package.is_empty() { self.name.clone() } else { format!("{}.{}", self.package, self.name) }
    }
}

/// A file that cannot be read as what its name or beginning says.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct UnreadFile {
    /// Its path.
    pub path: String,
    /// The line of the first fault.
    pub line: u32,
    /// The fault.
    pub reason: String,
}

/// All services of a view.
#[derive(Clone, Debug, Default)]
pub(crate) struct ServiceList {
    /// In the order of declaring files and lines.
    pub services: Vec<Service>,
    /// Files with faults.
    pub unread: Vec<UnreadFile>,
}

/// Services of a view.
#[derive(Clone, Debug, Default)]
pub struct ServicesAnswer {
    /// Those asked for.
    pub services: Listed<Service>,
    /// The number of all services.
    pub all: usize,
    /// Rpcs of those asked for, listed or not.
    pub rpcs: usize,
    /// Those of them that code of the view answers.
    pub implemented: usize,
    /// Those of them that code of the view calls.
    pub called: usize,
    /// Files with faults.
    pub unread: Vec<UnreadFile>,
}
