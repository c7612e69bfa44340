//! HTTP handlers: one function for each route.

use std::time::Duration;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::http::header::{CACHE_CONTROL, HOST, HeaderMap, HeaderValue, LOCATION, REFERRER_POLICY, SET_COOKIE};
use axum::response::{IntoResponse, Response};
use domain::time::Time;
use domain::{Error, address};
use serde::Deserialize;
use web::base_url::BaseUrl;
use web::session_cookie::{SESSION_COOKIE, clear_session, find, is_loopback, set_cookie, set_session};
use web::{AllowedOrigin, Query, Result};

use crate::Stores;
use crate::assets::ASSETS;
use crate::error::SignInError;
use crate::pending::{self, PendingSignIn, cookie_path};

#[derive(Deserialize)]
pub struct LoginQuery {
    /// The fragment of the console's URL to return to, such as `#/workflows`.
    #[serde(rename = "return")]
    place: Option<String>,
}

/// `GET /console`: returns the page.
pub async fn show_console(headers: HeaderMap) -> Response {
    let [page, ..] = &ASSETS;
    page.respond(&headers)
}

/// `GET /console/`: redirects to the page. Its relative links work only without the slash.
pub async fn leave_folder() -> Response {
    (StatusCode::TEMPORARY_REDIRECT, [(LOCATION, "../console")]).into_response()
}

/// `GET /console/{file}`: returns a file of the page.
pub async fn show_file(Path(file): Path<String>, headers: HeaderMap) -> Result<Response> {
    let asset = ASSETS.iter().find(|asset| asset.name == file).ok_or(Error::NoRoute)?;
    Ok(asset.respond(&headers))
}

/// `GET /console/login`: leads to the issuer.
pub async fn log_in(
    State(stores): State<Stores>,
    Query(LoginQuery { place }): Query<LoginQuery>,
    base_url: BaseUrl,
    headers: HeaderMap,
) -> std::result::Result<Response, SignInError> {
    let base = base_url.require()?;
    let pending = PendingSignIn::new(place.as_deref(), Time::now());
    if is_loopback(&base_url) && !is_host_of(base, &headers) {
        // The cookies of this machine's other name would not reach the callback.
        return Ok(redirect(&login_url(base, &pending.place), []));
    }
    let url = stores.issuer.sign_in_url(&pending, &callback_url(base)).await?;
    let sealed = pending.seal(&stores.secrets).await?;
    let cookie = set_cookie(pending::COOKIE, &sealed, &cookie_path(&base_url), pending::VALID, &base_url)?;
    Ok(redirect(&url, [cookie]))
}

/// The answer of the issuer. It may have other parameters too.
#[derive(Deserialize)]
pub struct CallbackQuery {
    code: Option<String>,
    state: Option<String>,
    error: Option<String>,
    iss: Option<String>,
}

/// `GET /console/callback`: starts a session, and leads to the console.
pub async fn call_back(
    State(stores): State<Stores>,
    Query(CallbackQuery { code, state, error, iss }): Query<CallbackQuery>,
    base_url: BaseUrl,
    headers: HeaderMap,
) -> std::result::Result<Response, SignInError> {
    let (base, client) = (base_url.require()?, stores.issuer.client()?);
    let pending = match find(&headers, pending::COOKIE) {
        Some(cookie) => PendingSignIn::open(cookie, &stores.secrets, Time::now()).await,
        None => None,
    };
    let pending =
        pending.filter(|pending| state.as_deref() == Some(&pending.state) && stores.issuer.is_named(iss.as_deref()));
    let pending = pending.ok_or(SignInError::OtherSignIn)?;
    let code = match (code, error) {
        (Some(code), None) => code,
        (_, error) => return Err(SignInError::denied(&error.unwrap_or_default())),
    };
    let id_token = stores.issuer.exchange(&code, &pending.verifier, &callback_url(base)).await?;
    let caller = stores.auth.signed_in(&id_token, &client.id, &pending.nonce).await?;
    if let Some(before) = find(&headers, SESSION_COOKIE) {
        stores.auth.end_session(before).await?;
    }
    let session = stores.auth.start_session(&caller).await?;
    let cleared = set_cookie(pending::COOKIE, "", &cookie_path(&base_url), Duration::ZERO, &base_url)?;
    Ok(redirect(&format!("{base}/console{}", pending.place), [set_session(&session, &base_url)?, cleared]))
}

/// `POST /console/logout`: ends the session of the browser, if it has one.
pub async fn log_out(
    State(stores): State<Stores>,
    _: AllowedOrigin,
    base_url: BaseUrl,
    headers: HeaderMap,
) -> Result<impl IntoResponse> {
    if let Some(cookie) = find(&headers, SESSION_COOKIE) {
        stores.auth.end_session(cookie).await?;
    }
    Ok((StatusCode::NO_CONTENT, [(SET_COOKIE, clear_session(&base_url)?)]))
}

fn callback_url(base: &str) -> String {
    format!("{base}/console/callback")
}

fn login_url(base: &str, place: &str) -> String {
    let query = form_urlencoded::Serializer::new(String::new()).append_pair("return", place).finish();
    format!("{base}/console/login?{query}")
}

fn is_host_of(base: &str, headers: &HeaderMap) -> bool {
    let host = headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    address::origin(base).split_once("://").is_some_and(|(_, authority)| authority.eq_ignore_ascii_case(host))
}

fn redirect<const N: usize>(url: &str, cookies: [HeaderValue; N]) -> Response {
    let headers = [(LOCATION, url), (CACHE_CONTROL, "no-store"), (REFERRER_POLICY, "no-referrer")];
    let mut response = (StatusCode::SEE_OTHER, headers).into_response();
    for cookie in cookies {
        response.headers_mut().append(SET_COOKIE, cookie);
    }
    response
}
