//! The way of a browser past the token: a form takes it once, and a cookie has it from then on.
//! Only pages and the JSON interface take the cookie, and the browser sends it from no other site.

use std::sync::Arc;

use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use codecompass_app::uri;

use super::guard::Guard;

/// The name of the cookie.
const COOKIE: &str = "codecompass_token";
/// A longer form is none of ours.
const MOST_BYTES: usize = 4096;

/// Returns whether the cookie has the token.
pub(super) fn has_cookie(guard: &Guard, headers: &HeaderMap) -> bool {
    let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let values = cookies.flat_map(|value| value.split(';')).filter_map(|part| part.trim().split_once('='));
    let mut own = values.filter(|(name, _)| *name == COOKIE).filter_map(|(_, value)| uri::decode(value));
    own.any(|token| guard.is_token(&token))
}

/// Takes the form.
pub(super) async fn log_in(State(guard): State<Arc<Guard>>, request: Request<Body>) -> Response {
    let body = to_bytes(request.into_body(), MOST_BYTES).await.unwrap_or_default();
    let text = String::from_utf8_lossy(&body);
    let pairs = uri::pairs(&text);
    let token = pairs.iter().find(|(name, _)| name == "token").map_or("", |(_, value)| value.trim());
    if !guard.is_token(token) {
        return (StatusCode::SEE_OTHER, [(header::LOCATION, "/login?wrong")]).into_response();
    }
    let cookie = format!("{COOKIE}={}; Path=/; HttpOnly; SameSite=Strict", uri::encode(token));
    (StatusCode::SEE_OTHER, [(header::LOCATION, "/".to_string()), (header::SET_COOKIE, cookie)]).into_response()
}
