//! The builder API as the tools call it: requests to the routers of its functions in this process, with the authorization of the
//! caller. So authorization, validation, errors, limits, revisions and idempotency are those of the API.

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::header::{ACCEPT_LANGUAGE, AUTHORIZATION, CONTENT_TYPE, IF_MATCH};
use axum::http::{HeaderMap, HeaderName, Method, Request};
use domain::{Error, Result};
use form_urlencoded::{Serializer, byte_serialize};
use platform::Context;
use serde_json::{Value, json};
use tower::ServiceExt;
use web::idempotency::IDEMPOTENCY_KEY;
use web::layers::X_REQUEST_ID;

use crate::refusal::Refusal;

/// No answer of these functions is longer: a graph has at most 2 MiB, and a trace 2 MB of values.
const MAX_ANSWER_BYTES: usize = 16 * 1024 * 1024;
/// The headers of the caller that count for the API. Cookies do not: a page of another site could send them.
const CALLER_HEADERS: [HeaderName; 3] = [AUTHORIZATION, ACCEPT_LANGUAGE, X_REQUEST_ID];

/// The function that serves a route.
#[derive(Clone, Copy)]
pub enum Function {
    Agents,
    Channels,
    Previews,
    Runs,
    Workflows,
}

/// The routers of the functions.
pub struct Api {
    agents: Router,
    channels: Router,
    previews: Router,
    runs: Router,
    workflows: Router,
}

impl Api {
    pub fn new(context: &Context) -> Result<Self> {
        Ok(Self {
            agents: agents::router(context)?,
            channels: channels::router(context)?,
            previews: previews::router(context)?,
            runs: runs::router(context)?,
            workflows: workflows::router(context)?,
        })
    }

    fn router_of(&self, function: Function) -> Router {
        match function {
            Function::Agents => &self.agents,
            Function::Channels => &self.channels,
            Function::Previews => &self.previews,
            Function::Runs => &self.runs,
            Function::Workflows => &self.workflows,
        }
        .clone()
    }
}

/// The API for one caller.
#[derive(Clone, Copy)]
pub struct Session<'a> {
    api: &'a Api,
    headers: &'a HeaderMap,
}

/// A request to a route of the builder.
pub struct ApiRequest {
    function: Function,
    method: Method,
    path: String,
    /// With percent-encoding.
    query: String,
    if_match: Option<u64>,
    idempotency_key: Option<String>,
    body: Option<Value>,
}

impl ApiRequest {
    /// `path` has the segments after `/builder/v1`.
    pub fn get(function: Function, path: &[&str]) -> Self {
        Self::new(function, Method::GET, path)
    }

    pub fn post(function: Function, path: &[&str]) -> Self {
        Self::new(function, Method::POST, path)
    }

    pub fn patch(function: Function, path: &[&str]) -> Self {
        Self::new(function, Method::PATCH, path)
    }

    fn new(function: Function, method: Method, path: &[&str]) -> Self {
        let mut url = "/builder/v1".to_owned();
        for segment in path {
            url.push('/');
            url.extend(byte_serialize(segment.as_bytes()));
        }
        let query = String::new();
        Self { function, method, path: url, query, if_match: None, idempotency_key: None, body: None }
    }

    /// Adds query parameters from the arguments of a tool, which have the same names.
    #[must_use]
    pub fn query(self, arguments: &Value, names: &[&str]) -> Self {
        let mut query = Serializer::new(String::new());
        for name in names {
            match &arguments[*name] {
                Value::Null => {}
                Value::String(text) => drop(query.append_pair(name, text)),
                other => drop(query.append_pair(name, &other.to_string())),
            }
        }
        Self { query: query.finish(), ..self }
    }

    #[must_use]
    pub fn body(self, body: Value) -> Self {
        Self { body: Some(body), ..self }
    }

    /// Sends the arguments of a tool as the fields of the body, which have the same names.
    #[must_use]
    pub fn fields(self, arguments: &Value, names: &[&str]) -> Self {
        let given = names.iter().filter(|name| arguments.get(**name).is_some());
        let fields = given.map(|name| ((*name).to_owned(), arguments[*name].clone())).collect();
        self.body(Value::Object(fields))
    }

    /// The change applies only to this revision.
    #[must_use]
    pub fn if_match(self, revision: Option<u64>) -> Self {
        Self { if_match: revision, ..self }
    }

    #[must_use]
    pub fn idempotency_key(self, key: Option<&str>) -> Self {
        Self { idempotency_key: key.map(str::to_owned), ..self }
    }
}

impl<'a> Session<'a> {
    pub fn new(api: &'a Api, headers: &'a HeaderMap) -> Self {
        Self { api, headers }
    }

    /// Sends a request. Returns the body of a successful answer.
    pub async fn send(self, request: ApiRequest) -> Result<Value, Refusal> {
        let ApiRequest { function, method, path, query, if_match, idempotency_key, body } = request;
        let url = if query.is_empty() { path } else { format!("{path}?{query}") };
        let mut request = Request::builder().method(method).uri(url);
        for name in CALLER_HEADERS {
            for value in self.headers.get_all(&name) {
                request = request.header(&name, value);
            }
        }
        if let Some(revision) = if_match {
            request = request.header(IF_MATCH, format!("\"{revision}\""));
        }
        if let Some(key) = idempotency_key {
            request = request.header(IDEMPOTENCY_KEY, key);
        }
        let request = match body {
            Some(body) => request.header(CONTENT_TYPE, "application/json").body(Body::from(body.to_string())),
            None => request.body(Body::empty()),
        };
        let request =
            request.map_err(|_| Refusal::invalid("arguments", "a text cannot be sent in a header; shorten it"))?;
        // A router never fails: errors are responses.
        let response = self.api.router_of(function).oneshot(request).await.unwrap_or_else(|never| match never {});
        let status = response.status();
        let body = to_bytes(response.into_body(), MAX_ANSWER_BYTES).await.map_err(Error::internal)?;
        let answer = serde_json::from_slice(&body).unwrap_or_else(|_| json!({}));
        if status.is_success() { Ok(answer) } else { Err(Refusal::of_answer(status, answer)) }
    }

    /// Sends a request for one resource. Returns its `data`.
    pub async fn load(self, request: ApiRequest) -> Result<Value, Refusal> {
        Ok(self.send(request).await?["data"].take())
    }
}
