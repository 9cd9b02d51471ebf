//! Endpoints and restrictions on them.

use crate::model::Role;
use crate::query::filter::PathPattern;
use crate::query::filter::project_scope::ProjectScope;
use crate::query::page::Listed;
use crate::resolve::Confidence;

/// The HTTP method of routes that answer all.
pub const ANY_METHOD: &str = "ANY";

/// Restrictions on endpoints. Empty fields restrict nothing.
#[derive(Clone, Debug, Default)]
pub struct EndpointOptions {
    /// The beginning of the path, or a pattern with `*`.
    pub path: Option<String>,
    /// HTTP methods.
    pub methods: Vec<String>,
    /// Names of frameworks.
    pub frameworks: Vec<String>,
    /// A part of the handler's name, or its place.
    pub handler: Option<String>,
    /// Patterns one of which the declaring file must match.
    pub files: Vec<PathPattern>,
    /// The projects one of which the declaring file must belong to.
    pub projects: Option<ProjectScope>,
    /// At most this many endpoints.
    pub limit: usize,
}

/// The code that answers an endpoint.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct EndpointHandler {
    /// Its name with its class, or what is written where nothing is known of it.
    pub name: String,
    /// Its file and line; `None` for what is not in the view.
    pub place: Option<(String, u32)>,
}

/// An HTTP method and path that a program answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint {
    /// The HTTP method in capitals; `ANY` for all.
    pub method: String,
    /// The path with parameters as `{name}` and unknown parts as `…`.
    pub path: String,
    /// The code that answers; `None` where nothing names it.
    pub handler: Option<EndpointHandler>,
    /// The file that declares it.
    pub declared_path: String,
    /// The line.
    pub declared_line: u32,
    /// The role of that file.
    pub role: Role,
    /// The name of the framework.
    pub framework: &'static str,
    /// The certainty of the path and of the router.
    pub confidence: Confidence,
}

/// A framework that files of the view import.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DetectedFramework {
    /// Its name.
    pub name: &'static str,
    /// The name people use.
    pub display_name: String,
    /// The number of files that import it.
    pub files: usize,
    /// The number of endpoints.
    pub endpoints: usize,
}

/// All endpoints of a view.
#[derive(Clone, Debug, Default)]
pub(crate) struct EndpointList {
    /// In the order of declaring files and lines.
    pub endpoints: Vec<Endpoint>,
    /// By the number of endpoints, most first.
    pub frameworks: Vec<DetectedFramework>,
    /// Places of routes whose path is computed: they are left out.
    pub computed: Vec<(String, u32)>,
}

/// Endpoints of a view.
#[derive(Clone, Debug)]
pub struct EndpointsAnswer {
    /// Those asked for.
    pub endpoints: Listed<Endpoint>,
    /// The number of all endpoints.
    pub all: usize,
    /// The number of those listed and not listed whose path has unknown parts.
    pub unknown_parts: usize,
    /// Frameworks that were found.
    pub frameworks: Vec<DetectedFramework>,
    /// Places of routes whose path is computed.
    pub computed: Vec<(String, u32)>,
}
