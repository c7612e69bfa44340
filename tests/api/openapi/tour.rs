//! Recorded tours of the areas: their requests and responses are the examples of the OpenAPI documents.

mod builder;
mod conversations;
mod gateway;
mod runs;
mod team;
mod workbenches;

use std::collections::BTreeMap;

use axum::Router;
use platform::config;
use reqwest::Method;
use serde_json::Value;
use tests::TestApp;
use tests::client::{Person, send};
use tokio::net::TcpListener;

use super::examples::{Exchange, Normalizer};

/// How many entries of a list an example shows.
const MAX_LIST_EXAMPLES: usize = 2;
/// The maximum size of a body: one that holds a text of this size is refused.
const TOO_LARGE: usize = 4 * 1024 * 1024;
const JSON: (&str, &str) = ("content-type", "application/json");

/// A client that follows a tour and records its exchanges.
struct TourClient {
    app: TestApp,
    person: Person,
    normalizer: Normalizer,
    /// The values of path parameters.
    path_parameters: BTreeMap<&'static str, String>,
    exchanges: Vec<Exchange>,
}

/// Records the examples of the document of agents and workflows.
pub async fn record_builder() -> Vec<Exchange> {
    let mut ada = TourClient::start().await;
    ada.record_builder().await;
    ada.record_team().await;
    ada.exchanges
}

/// Records the examples of the document of the gateway.
pub async fn record_gateway() -> Vec<Exchange> {
    let mut ada = TourClient::start().await;
    ada.record_gateway().await;
    ada.exchanges
}

/// Records the examples of the document of workbenches.
pub async fn record_workbenches() -> Vec<Exchange> {
    let mut ada = TourClient::start().await;
    ada.record_workbenches().await;
    ada.exchanges
}

impl TourClient {
    /// Starts a platform that runs only for this tour.
    async fn start() -> Self {
        // Streams that follow a log end soon, so that they can be examples.
        let stream_time = (config::STREAM_SECONDS.to_owned(), "1".to_owned());
        let app = TestApp::start_with_options(|options| options.settings.push(stream_time)).await;
        let person = app.person("ada");
        let normalizer = Normalizer::new(&app.platform.base_url);
        Self { app, person, normalizer, path_parameters: BTreeMap::new(), exchanges: Vec::new() }
    }

    /// Starts a mock of another system, which answers every call, and returns its origin.
    async fn start_mock_system(&mut self) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let origin = format!("http://{}", listener.local_addr().unwrap());
        tokio::spawn(async move { axum::serve(listener, Router::new().fallback(async || "")).await });
        self.normalizer.rename(origin.clone(), "https://api.example.com");
        origin
    }

    /// Sends later requests with this token, and returns the previous token.
    fn switch_token(&mut self, token: &str) -> String {
        self.person.token.replace(token.to_owned()).unwrap_or_default()
    }

    /// Sets a path parameter of later requests.
    fn set_parameter(&mut self, parameter: &'static str, value: &Value) {
        self.path_parameters.insert(parameter, value.as_str().unwrap_or_default().to_owned());
    }

    async fn get(&mut self, path: &'static str) -> Value {
        self.send("GET", path, None).await
    }

    /// Sends a request, records the exchange, and returns the body of the response unchanged.
    async fn send(&mut self, method: &'static str, path: &'static str, body: Option<Value>) -> Value {
        self.send_with_headers(method, path, body, &[JSON]).await
    }

    async fn send_with_headers(
        &mut self,
        method: &'static str,
        path: &'static str,
        body: Option<Value>,
        headers: &[(&str, &str)],
    ) -> Value {
        let text = body.as_ref().map(Value::to_string).unwrap_or_default();
        self.send_text(method, path, (text, body, &[]), headers).await
    }

    /// Sends a form with a file.
    async fn send_form(
        &mut self,
        path: &'static str,
        form: &'static [(&'static str, &'static str)],
        content: &str,
        headers: &[(&'static str, &'static str)],
    ) -> Value {
        let part = |(name, value): &(&str, &str)| match value.strip_prefix('@') {
            Some(file) => format!("name=\"{name}\"; filename=\"{file}\"\r\n\r\n{content}"),
            None => format!("name=\"{name}\"\r\n\r\n{value}"),
        };
        let parts = form.iter().map(|field| format!("--edge\r\nContent-Disposition: form-data; {}\r\n", part(field)));
        let text = parts.collect::<String>() + "--edge--\r\n";
        // The samples choose their own boundary.
        let boundary = ("content-type", "multipart/form-data; boundary=edge");
        let headers: Vec<_> = headers.iter().copied().chain([boundary]).collect();
        let answer = self.send_text("POST", path, (text, None, form), &headers).await;
        if let Some(exchange) = self.exchanges.last_mut() {
            exchange.headers.retain(|(name, _)| name != boundary.0);
        }
        answer
    }

    /// Sends a body as it is. `body` is its value if it is JSON, and `form` its parts if it is a form.
    async fn send_text(
        &mut self,
        method: &'static str,
        path: &'static str,
        (text, body, form): (String, Option<Value>, &'static [(&'static str, &'static str)]),
        headers: &[(&str, &str)],
    ) -> Value {
        let mut filled = path.to_owned();
        for (parameter, value) in &self.path_parameters {
            filled = filled.replace(&format!("{{{parameter}}}"), value);
        }
        let call = self.person.request(method.parse::<Method>().unwrap(), &filled);
        let call = headers.iter().fold(call, |call, (name, value)| call.header(*name, *value));
        let answer = send(call.body(text)).await;
        let request = body.map(|body| self.normalizer.normalize(&body));
        let is_stream = answer.header("content-type").is_some_and(|value| value.starts_with("text/event-stream"));
        let shown = if is_stream {
            Some(Value::String(self.normalize_events(&answer.text)))
        } else {
            let mut shown = serde_json::from_str(&answer.text).ok().map(|json| self.normalizer.normalize(&json));
            if let Some(Value::Array(list)) = shown.as_mut().and_then(|shown| shown.get_mut("data")) {
                list.truncate(MAX_LIST_EXAMPLES);
            }
            shown
        };
        let headers = headers.iter().filter(|header| **header != JSON);
        let headers =
            headers.map(|(name, value)| ((*name).to_owned(), Normalizer::normalize_header(name, value))).collect();
        self.exchanges.push(Exchange {
            method,
            // The document describes the path without its query.
            path: path.split_once('?').map_or(path, |(path, _)| path),
            url: self.normalizer.normalize_text(&format!("{}{filled}", self.app.platform.base_url)),
            headers,
            request,
            form,
            status: answer.status.split(' ').next().unwrap().parse().unwrap(),
            answer: shown,
            title: None,
        });
        answer.json
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
