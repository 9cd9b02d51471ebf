//! The routes of the page: reads addresses, runs pages in the threads of calls, and sends assets.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, RawQuery, State};
use axum::http::{StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use codecompass_app::error::{AppError, Code};
use codecompass_app::uri;

use super::asker::{Asker, PageRequest, Reply};
use super::links::{AddressTarget, Subject};
use super::{assets, layout, pages};
use crate::mcp::{Host, PageCall, status};

/// Returns the routes of the page.
pub fn routes(host: Arc<Host>) -> Router {
    Router::new()
        .route("/", get(enter))
        .route("/ui", get(enter))
        .route("/r/{*rest}", get(page))
        .with_state(host)
        .route("/login", get(login))
        .route("/assets/{tag}/{name}", get(asset))
}

/// Leads to the first page of the first repository.
async fn enter(State(host): State<Arc<Host>>) -> Response {
    match repositories(&host).first() {
        Some((name, _)) => redirect(&Subject { repository: name.clone(), reference: None }.home()),
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

/// The names of the repositories that are served, with their roots.
fn repositories(host: &Host) -> Vec<(String, std::path::PathBuf)> {
    let mut named: Vec<(String, std::path::PathBuf)> = Vec::new();
    for workspace in host.open_workspaces() {
        let root = workspace.root;
        if named.iter().any(|(_, known)| *known == root) {
            continue;
        }
        let name = root.file_name().map_or_else(|| "root".into(), |name| name.to_string_lossy().into_owned());
        let same = named.iter().filter(|(known, _)| known.split('~').next() == Some(&name)).count();
        let name = if same > 0 { format!("{name}~{}", same + 1) } else { name };
        named.push((name, root));
    }
    named
}

/// Answers with a page.
async fn page(State(host): State<Arc<Host>>, uri: Uri) -> Response {
    let known = repositories(&host);
    let parsed = Subject::parse(uri.path());
    let found = parsed.and_then(|(subject, target)| {
        let root = known.iter().find(|(name, _)| *name == subject.repository)?.1.clone();
        Some((subject, target, root))
    });
    let Some((subject, target, root)) = found else { return unknown_address(&known) };
    let address = uri.path_and_query().map_or(uri.path(), |whole| whole.as_str()).to_string();
    let request = PageRequest {
        subject,
        root,
        repositories: known.into_iter().map(|(name, _)| name).collect(),
        address,
        query: uri::pairs(uri.query().unwrap_or_default()),
    };
    answer(host, request, target).await
}

async fn answer(host: Arc<Host>, request: PageRequest, target: AddressTarget) -> Response {
    let page = match pages::find(&target) {
        Some(page) => page,
        None => {
            let error = AppError::new(Code::InvalidInput, "there is no such page", "choose one from the list of pages");
            return failed(&request, &error);
        }
    };
    let call = PageCall {
        name: page.log_name,
        root: request.root.clone(),
        reference: request.subject.reference.clone(),
        needs_index: page.needs_index,
    };
    let asked = request.clone();
    let made = host.page(call, move |context, server| {
        let asker = Asker { request: &asked, context, server };
        (page.make)(&asker, &target)
    });
    match made.await {
        Ok(Reply::Page(page)) => send(StatusCode::OK, layout::whole(&request, page)),
        Ok(Reply::Redirect(address)) => redirect(&address),
        Err(error) => failed(&request, &error),
    }
}

fn failed(request: &PageRequest, error: &AppError) -> Response {
    send(status(error), layout::whole(request, layout::error(error, Some(&request.subject))))
}

fn unknown_address(known: &[(String, std::path::PathBuf)]) -> Response {
    let body = layout::bare("Not found", |html| {
        html.markup("<h1>Not found</h1><p>This server has no repository of that name. It has:</p>");
        html.element("ul", &[], |html| {
            for (name, _) in known {
                let home = Subject { repository: name.clone(), reference: None }.home();
                html.element("li", &[], |html| _ = html.link(&home, name));
            }
        });
    });
    send(StatusCode::NOT_FOUND, body)
}

async fn login(RawQuery(query): RawQuery) -> Response {
    send(StatusCode::OK, layout::login(query.as_deref() == Some("wrong")))
}

fn send(status: StatusCode, page: String) -> Response {
    let head = [(header::CONTENT_TYPE, "text/html; charset=utf-8"), (header::CACHE_CONTROL, "no-store")];
    (status, head, page).into_response()
}

fn redirect(address: &str) -> Response {
    (StatusCode::SEE_OTHER, [(header::LOCATION, address)]).into_response()
}

/// Sends an asset. A page that another version of the program made gets what there is now, and asks
/// again.
async fn asset(Path((tag, name)): Path<(String, String)>) -> Response {
    let Some((kind, content)) = assets::find(&name) else { return StatusCode::NOT_FOUND.into_response() };
    let kept = if tag == assets::tag() { "public, max-age=31536000, immutable" } else { "no-store" };
    ([(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, kept)], content).into_response()
}
