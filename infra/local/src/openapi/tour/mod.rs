//! Recorded tours of the areas: their requests and responses are the examples of the OpenAPI documents.

mod builder;
mod conversations;
mod gateway;
mod workbenches;

use std::collections::BTreeMap;
use std::time::Duration;

use axum::Router;
use bytes::Bytes;
use domain::identity::Role;
use http::header::CONTENT_TYPE;
use http::{Method, Request};
use http_body_util::{BodyExt, Full};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use serde_json::Value;

use super::examples::{Exchange, Normalizer};
use crate::issuer::Subject;
use crate::services::{address, listen};
use crate::{DataDir, Failure, Options, Platform};

/// How many entries of a list an example shows.
const MAX_LIST_EXAMPLES: usize = 2;
/// The maximum size of a body: one that holds a text of this size is refused.
const TOO_LARGE: usize = 4 * 1024 * 1024;
const JSON: (&str, &str) = ("content-type", "application/json");

/// An HTTP client that follows a tour and records its exchanges.
struct TourClient {
    platform: Platform,
    client: Client<HttpConnector, Full<Bytes>>,
    /// An access token or an API key.
    token: String,
    normalizer: Normalizer,
    /// The values of path parameters.
    path_parameters: BTreeMap<&'static str, String>,
    exchanges: Vec<Exchange>,
}

/// Records the examples of the document of agents and workflows.
pub async fn record_builder() -> Result<Vec<Exchange>, Failure> {
    let mut ada = TourClient::start().await?;
    ada.record_builder().await?;
    ada.end().await
}

/// Records the examples of the document of the gateway.
pub async fn record_gateway() -> Result<Vec<Exchange>, Failure> {
    let mut ada = TourClient::start().await?;
    ada.record_gateway().await?;
    ada.end().await
}

/// Records the examples of the document of workbenches.
pub async fn record_workbenches() -> Result<Vec<Exchange>, Failure> {
    let mut ada = TourClient::start().await?;
    ada.record_workbenches().await?;
    ada.end().await
}

impl TourClient {
    /// Starts a platform that runs only for this tour.
    async fn start() -> Result<Self, Failure> {
        let data = DataDir::temporary()?;
        let platform = Platform::start(Options::new(data)).await?;
        let subject = Subject { user: "ada".to_owned(), org: "acme".to_owned(), role: Role::Member };
        let token = platform.issuer.token(&subject, Duration::from_secs(600));
        let normalizer = Normalizer::new(&platform.base_url);
        let client = Client::builder(TokioExecutor::new()).build_http();
        Ok(Self { platform, client, token, normalizer, path_parameters: BTreeMap::new(), exchanges: Vec::new() })
    }

    async fn end(self) -> Result<Vec<Exchange>, Failure> {
        self.platform.stop().await?;
        Ok(self.exchanges)
    }

    /// Starts a mock of another system, which answers every call, and returns its origin.
    async fn start_mock_system(&mut self) -> Result<String, Failure> {
        let listener = listen(0).await?;
        let origin = format!("http://{}", address(&listener)?);
        tokio::spawn(async move { axum::serve(listener, Router::new().fallback(async || "")).await });
        self.normalizer.rename(origin.clone(), "https://api.example.com");
        Ok(origin)
    }

    /// Sends later requests with this token, and returns the previous token.
    fn switch_token(&mut self, token: &str) -> String {
        std::mem::replace(&mut self.token, token.to_owned())
    }

    /// Sets a path parameter of later requests.
    fn set_parameter(&mut self, parameter: &'static str, value: &Value) {
        self.path_parameters.insert(parameter, value.as_str().unwrap_or_default().to_owned());
    }

    async fn get(&mut self, path: &'static str) -> Result<Value, Failure> {
        self.send("GET", path, None).await
    }

    /// Sends a request, records the exchange, and returns the body of the response unchanged.
    async fn send(&mut self, method: &'static str, path: &'static str, body: Option<Value>) -> Result<Value, Failure> {
        self.send_with_headers(method, path, body, &[JSON]).await
    }

    async fn send_with_headers(
        &mut self,
        method: &'static str,
        path: &'static str,
        body: Option<Value>,
        headers: &[(&str, &str)],
    ) -> Result<Value, Failure> {
        // The document describes the path without its query.
        let described = path.split_once('?').map_or(path, |(path, _)| path);
        let failed = |cause: &dyn std::fmt::Display| Failure::Other(format!("{method} {path}: {cause}"));
        let mut url = format!("{}{path}", self.platform.base_url);
        for (parameter, value) in &self.path_parameters {
            url = url.replace(&format!("{{{parameter}}}"), value);
        }
        let request = Request::builder()
            .method(method.parse::<Method>().map_err(|cause| failed(&cause))?)
            .uri(&url)
            .header("authorization", format!("Bearer {}", self.token));
        let request = headers
            .iter()
            .fold(request, |request, (name, value)| request.header(*name, *value))
            .body(Full::new(Bytes::from(body.as_ref().map(Value::to_string).unwrap_or_default())))
            .map_err(|cause| failed(&cause))?;
        let answer = self.client.request(request).await.map_err(|cause| failed(&cause))?;
        let status = answer.status().as_u16();
        let content_type = answer.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
        let is_stream = content_type.is_some_and(|value| value.starts_with("text/event-stream"));
        let text = answer.into_body().collect().await.map_err(|cause| failed(&cause))?.to_bytes();
        let answer: Option<Value> = serde_json::from_slice(&text).ok();

        let request = body.map(|body| self.normalizer.normalize(&body));
        let mut shown = answer.as_ref().map(|answer| self.normalizer.normalize(answer));
        if let Some(Value::Array(list)) = shown.as_mut().and_then(|shown| shown.get_mut("data")) {
            list.truncate(MAX_LIST_EXAMPLES);
        }
        if is_stream {
            shown = Some(Value::String(self.normalize_events(&String::from_utf8_lossy(&text))));
        }
        let url = self.normalizer.normalize_text(&url);
        let headers = headers.iter().filter(|header| **header != JSON);
        let headers =
            headers.map(|(name, value)| ((*name).to_owned(), Normalizer::normalize_header(name, value))).collect();
        let path = described;
        self.exchanges.push(Exchange { method, path, url, headers, request, status, answer: shown, title: None });
        Ok(answer.unwrap_or_default())
    }

    /// Gives the last exchange a title, because its operation has several examples.
    fn set_title(&mut self, title: &'static str) {
        if let Some(exchange) = self.exchanges.last_mut() {
            exchange.title = Some(title);
        }
    }

    fn normalize_events(&mut self, text: &str) -> String {
        let event =
            |event: &str| match event.split_once("data: ").map(|(name, data)| (name, serde_json::from_str(data))) {
                Some((name, Ok(data))) => format!("{name}data: {}\n\n", self.normalizer.normalize(&data)),
                _ => format!("{event}\n\n"),
            };
        text.split_terminator("\n\n").map(event).collect()
    }
}
