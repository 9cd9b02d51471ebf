//! `services`, `list_services`: gRPC and GraphQL services with the code that answers and calls
//! them, and OpenAPI specifications compared with the endpoints of the code.

use clap::Args;
use codecompass_engine::model::Role;
use codecompass_engine::query::{
    self, Message, Navigator, Operation, PathPattern, Rpc, Service, ServiceImplementation, ServiceKind, ServiceOptions,
    ServiceSite, Specification, SpecificationsAnswer, UnreadFile,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::endpoints::{EndpointView, RoutePlaceView};
use crate::api::arguments::{Bounded, DetailArgs, PageArgs, RefArgs, one};
use crate::api::fan_out::Spread;
use crate::api::metadata::{Metadata, NoExtra};
use crate::api::page::Page;
use crate::api::part::{answer_fields, parts, shared_arguments};
use crate::api::{Answer, Request};
use crate::error::AppError;
use crate::session::{CallContext, Session};

const DEFAULT_LIMIT: Bounded<1, 10_000> = Bounded::new(50);
/// The kind of specifications.
const OPENAPI: &str = "openapi";
/// Calls of one rpc that an answer names.
const MAX_CLIENTS: usize = 50;
/// Operations of one specification, and endpoints without one, that an answer names.
const MAX_OPERATIONS: usize = 200;
/// Files with faults that an answer names.
const MAX_UNREAD: usize = 20;

#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct ServicesRequest {
    /// Only services and rpcs whose name has this text; `Service/Method` is one rpc.
    #[arg(value_name = "NAME")]
    #[schemars(description = "Part of the name, or Service/Method.")]
    pub name: Option<String>,
    /// Only this kind: grpc, graphql or openapi; may be given several times.
    #[arg(long, value_name = "KIND")]
    #[serde(default, deserialize_with = "one")]
    #[schemars(with = "Option<String>", description = "grpc, graphql or openapi.")]
    pub kind: Vec<String>,
    /// Only services that files below this folder, or matching this glob, declare; may be given
    /// several times.
    #[arg(long, value_name = "PATH")]
    #[serde(default, deserialize_with = "one")]
    #[schemars(with = "Option<String>", description = "Folder or glob of the declaring files.")]
    pub path: Vec<String>,
    /// At most this many services.
    #[arg(long, short = 'n', default_value_t = DEFAULT_LIMIT)]
    #[serde(default = "default_limit")]
    #[schemars(description = "")]
    pub limit: Bounded<1, 10_000>,
    #[command(flatten)]
    #[serde(flatten)]
    pub at: RefArgs,
    #[command(flatten)]
    #[serde(flatten)]
    pub page: PageArgs,
    #[arg(skip)]
    #[serde(flatten)]
    pub detail: DetailArgs,
}

fn default_limit() -> Bounded<1, 10_000> {
    DEFAULT_LIMIT
}

#[derive(Clone, Debug, Serialize)]
pub struct ServicesAnswer {
    pub services: Vec<ServiceView>,
    /// OpenAPI specifications, compared with the endpoints of the code.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub specifications: Vec<SpecificationView>,
    /// Endpoints of the code that no specification has: the first of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub undocumented: Vec<EndpointView>,
    pub totals: ServiceTotals,
    /// Files that could not be read in full: the first of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unread: Vec<UnreadView>,
    pub metadata: Metadata,
}
parts!(ServicesAnswer { services, specifications, undocumented, unread });

/// Counts of everything, of which an answer lists one page.
#[derive(Clone, Debug, Serialize)]
pub struct ServiceTotals {
    /// Services of the view.
    pub all: usize,
    /// Those that the restrictions leave.
    pub found: usize,
    /// Rpcs, or fields, of these.
    pub rpcs: usize,
    /// Those of them that code of the view answers.
    pub implemented: usize,
    /// Those of them that code of the view calls.
    pub called: usize,
    /// Files that could not be read in full.
    pub unread: usize,
    /// OpenAPI specifications.
    pub specifications: usize,
    /// Endpoints of the code that no specification has.
    pub undocumented: usize,
}

/// An OpenAPI specification.
#[derive(Clone, Debug, Serialize)]
pub struct SpecificationView {
    pub path: String,
    pub version: String,
    /// The role of the file, unless it is source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<&'static str>,
    pub operations: usize,
    /// Operations that an endpoint of the code answers.
    pub matched: usize,
    /// Those of them that only an endpoint with an unknown prefix fits.
    pub likely: usize,
    /// Base paths that it names.
    pub bases: Vec<String>,
    /// The prefix that was found in the code and is not in the specification.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub prefix: String,
    /// Operations that are not in the code: the first of them.
    pub missing: Vec<OperationView>,
    pub missing_total: usize,
}
parts!(SpecificationView { path, version, bases, prefix, missing });

/// An operation of a specification.
#[derive(Clone, Debug, Serialize)]
pub struct OperationView {
    pub method: String,
    pub path: String,
    pub line: u32,
}
parts!(OperationView { method, path });

impl From<Specification> for SpecificationView {
    fn from(one: Specification) -> SpecificationView {
        let operation = |one: Operation| OperationView { method: one.method, path: one.path, line: one.line };
        SpecificationView {
            path: one.path,
            version: one.version,
            // Files of data are nothing special here.
            role: role_word(one.role).filter(|_| one.role != Role::Config),
            operations: one.operations,
            matched: one.matched,
            likely: one.likely,
            bases: one.bases,
            prefix: one.prefix,
            missing_total: one.missing.len(),
            missing: one.missing.into_iter().take(MAX_OPERATIONS).map(operation).collect(),
        }
    }
}

/// A file that could not be read in full.
#[derive(Clone, Debug, Serialize)]
pub struct UnreadView {
    pub path: String,
    pub line: u32,
    pub reason: String,
}
parts!(UnreadView { path, reason });

/// A service.
#[derive(Clone, Debug, Serialize)]
pub struct ServiceView {
    pub kind: &'static str,
    pub package: String,
    pub name: String,
    /// Copies of one declaration are one service.
    pub declared: Vec<RoutePlaceView>,
    /// The role of the first declaring file, unless it is source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<&'static str>,
    pub implementations: Vec<ServiceImplementationView>,
    pub methods: Vec<RpcView>,
}
parts!(ServiceView { package, name, declared, implementations, methods });

/// A type or object that implements a service.
#[derive(Clone, Debug, Serialize)]
pub struct ServiceImplementationView {
    #[serde(flatten)]
    pub site: ServiceSiteView,
    /// The place that registers it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub registered: Option<RoutePlaceView>,
    /// The number of rpcs that it has no method for.
    pub missing: usize,
}
parts!(ServiceImplementationView { registered });

/// An rpc, or a field of a root type.
#[derive(Clone, Debug, Serialize)]
pub struct RpcView {
    pub name: String,
    pub path: String,
    pub line: u32,
    pub request: MessageView,
    pub response: MessageView,
    /// Empty where nothing of the view answers it.
    pub implementations: Vec<ServiceSiteView>,
    pub clients: Vec<ServiceSiteView>,
    /// The number of calls, listed or not.
    pub clients_total: usize,
}
parts!(RpcView { name, path, request, response, implementations, clients });

/// The type of a request or response.
#[derive(Clone, Debug, Serialize)]
pub struct MessageView {
    #[serde(rename = "type")]
    pub name: String,
    pub stream: bool,
    /// The place of its definition, if it is in the view.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
}
parts!(MessageView { name, path });

/// Code that answers or calls an rpc.
#[derive(Clone, Debug, Serialize)]
pub struct ServiceSiteView {
    pub name: String,
    pub path: String,
    pub line: u32,
    pub language: &'static str,
    pub confidence: &'static str,
    /// The role of the file, unless it is source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<&'static str>,
}
parts!(ServiceSiteView { name, path });

fn role_word(role: Role) -> Option<&'static str> {
    (role != Role::Source).then(|| role.as_str())
}

impl From<ServiceSite> for ServiceSiteView {
    fn from(site: ServiceSite) -> ServiceSiteView {
        ServiceSiteView {
            name: site.name,
            path: site.path,
            line: site.line,
            language: site.language,
            confidence: site.confidence.as_str(),
            role: role_word(site.role),
        }
    }
}

impl From<Message> for MessageView {
    fn from(message: Message) -> MessageView {
        let (path, line) = message.place.unzip();
        MessageView { name: message.name, stream: message.is_stream, path, line }
    }
}

impl From<Rpc> for RpcView {
    fn from(rpc: Rpc) -> RpcView {
        RpcView {
            name: rpc.name,
            path: rpc.path,
            line: rpc.line,
            request: rpc.request.into(),
            response: rpc.response.into(),
            implementations: rpc.implementations.into_iter().map(ServiceSiteView::from).collect(),
            clients_total: rpc.clients.len(),
            clients: rpc.clients.into_iter().take(MAX_CLIENTS).map(ServiceSiteView::from).collect(),
        }
    }
}

impl From<Service> for ServiceView {
    fn from(service: Service) -> ServiceView {
        let place = |(path, line)| RoutePlaceView { path, line };
        let implementation = |one: ServiceImplementation| ServiceImplementationView {
            site: one.site.into(),
            registered: one.registered.map(place),
            missing: one.missing,
        };
        ServiceView {
            kind: service.kind.as_str(),
            package: service.package,
            name: service.name,
            declared: service.declared.into_iter().map(place).collect(),
            role: role_word(service.role),
            implementations: service.implementations.into_iter().map(implementation).collect(),
            methods: service.rpcs.into_iter().map(RpcView::from).collect(),
        }
    }
}

impl Answer for ServicesAnswer {
    answer_fields!(NoExtra, pages: services);

    fn is_found(&self) -> bool {
        self.totals.found > 0 || self.totals.specifications > 0
    }
}

impl ServicesRequest {
    /// Returns the stretch of the list that is shown.
    pub fn page(&self) -> Page {
        Page::new(self.page, self.limit.len())
    }

    fn kinds(&self) -> Result<Vec<Option<ServiceKind>>, AppError> {
        self.kind.iter().map(|word| kind(word)).collect()
    }

    fn options(&self, limit: usize) -> Result<ServiceOptions, AppError> {
        if self.name.as_deref().is_some_and(|name| name.trim().is_empty()) {
            return Err(AppError::invalid("the name is empty", "leave it out to list all services"));
        }
        Ok(ServiceOptions {
            name: self.name.clone(),
            kinds: self.kinds()?.into_iter().flatten().collect(),
            files: self.path.iter().map(|pattern| PathPattern::new(pattern)).collect::<Result<_, _>>()?,
            limit,
        })
    }
}

/// Returns the kind of service that a word means; `None` for specifications.
fn kind(word: &str) -> Result<Option<ServiceKind>, AppError> {
    let all = [Some(ServiceKind::Grpc), Some(ServiceKind::Graphql), None];
    let is_it = |kind: &Option<ServiceKind>| kind.map_or(OPENAPI, ServiceKind::as_str).eq_ignore_ascii_case(word);
    all.into_iter()
        .find(is_it)
        .ok_or_else(|| AppError::invalid(format!("`{word}` is no kind of service"), "use grpc, graphql or openapi"))
}

impl Request for ServicesRequest {
    type Answer = ServicesAnswer;
    shared_arguments!(at, detail);

    fn spread(&self) -> Spread {
        Spread::Each
    }

    fn answer(&self, context: &CallContext) -> Result<ServicesAnswer, AppError> {
        let page = self.page();
        let options = self.options(page.end())?;
        let session = Session::open_at(context, self.at.name())?;
        let config = &session.engine.config().index;
        let kinds = self.kinds()?;
        let wants_specifications =
            kinds.contains(&None) || kinds.is_empty() && self.name.is_none() && page.offset() == 0;
        let wants_services = kinds.is_empty() || kinds.iter().any(Option::is_some);
        let (mut found, compared) = session.ask(|snapshot| {
            let (navigator, source) = (Navigator::new(snapshot), session.engine.source());
            let compared = if wants_specifications {
                query::specifications(&navigator, source, config, &options.files)?
            } else {
                SpecificationsAnswer::default()
            };
            let found = if wants_services {
                query::services(&navigator, source, config, &options)?
            } else {
                query::ServicesAnswer::default()
            };
            Ok((found, compared))
        })?;
        found.unread.extend(compared.unread);
        let total = found.services.total;
        page.skip_listed(&mut found.services);
        let mut metadata = Metadata::new(&session);
        metadata.count(total, found.services.items.len());
        page.mark(&mut metadata, &[total]);
        let unread = |file: UnreadFile| UnreadView { path: file.path, line: file.line, reason: file.reason };
        Ok(ServicesAnswer {
            totals: ServiceTotals {
                all: found.all,
                found: total,
                rpcs: found.rpcs,
                implemented: found.implemented,
                called: found.called,
                unread: found.unread.len(),
                specifications: compared.specifications.len(),
                undocumented: compared.undocumented.len(),
            },
            specifications: compared.specifications.into_iter().map(SpecificationView::from).collect(),
            undocumented: compared.undocumented.into_iter().take(MAX_OPERATIONS).map(EndpointView::from).collect(),
            services: found.services.items.into_iter().map(ServiceView::from).collect(),
            unread: found.unread.into_iter().take(MAX_UNREAD).map(unread).collect(),
            metadata,
        })
    }
}
