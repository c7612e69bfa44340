//! A person who uses the platform: sends calls, remembers the ids that they answer, and measures each call.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use reqwest::{Client, Method, RequestBuilder};
use serde_json::{Value, json};
use tests::process::{Result, client};
use tests::served::ServedLocal;
use tokio::time::sleep;

use crate::samples::Samples;

/// How often a state is read until it is there.
const READS: usize = 1_000;
const BETWEEN_READS: Duration = Duration::from_millis(20);
const SHOWN_CHARS: usize = 300;

/// What all people know.
#[derive(Clone)]
pub struct Platform {
    pub base: String,
    /// A system that workflows call.
    pub receiver: String,
    operator_key: String,
    pause: Duration,
    samples: Samples,
}

pub struct Visitor {
    pub platform: Platform,
    pub name: String,
    token: String,
    key: String,
    client: Client,
    /// The values of the parameters in the paths of routes.
    parameters: BTreeMap<&'static str, String>,
}

impl Platform {
    pub fn new(served: &ServedLocal, receiver: String, pause_ms: u64, samples: Samples) -> Self {
        let (base, operator_key) = (served.base(), served.credentials.operator.api_key.clone());
        Self { base, receiver, operator_key, pause: Duration::from_millis(pause_ms), samples }
    }

    pub fn failed(&self, error: &str) {
        self.samples.failed(error);
    }
}

impl Visitor {
    pub fn new(platform: &Platform, token: &str, name: &str) -> Result<Self> {
        let (platform, parameters) = (platform.clone(), BTreeMap::new());
        // Until there is a key, the gateway also takes the token.
        let (token, key) = (token.to_owned(), token.to_owned());
        Ok(Self { platform, name: name.to_owned(), token, key, client: client()?, parameters })
    }

    /// Creates the API key with which this person calls the gateway.
    pub async fn with_key(mut self) -> Result<Self> {
        let created = self.post("/gateway/v1/me/api-keys", json!({"name": self.name})).await?;
        self.key = text(&created["secret"])?;
        Ok(self)
    }

    pub fn set(&mut self, parameter: &'static str, value: &Value) -> Result<()> {
        self.parameters.insert(parameter, text(value)?);
        Ok(())
    }

    pub fn parameter(&self, name: &str) -> &str {
        self.parameters.get(name).map_or("", String::as_str)
    }

    pub async fn get(&self, route: &'static str) -> Result<Value> {
        self.send(Method::GET, route, |request| request).await
    }

    pub async fn post(&self, route: &'static str, body: Value) -> Result<Value> {
        self.send(Method::POST, route, |request| request.json(&body)).await
    }

    pub async fn put(&self, route: &'static str, body: Value) -> Result<Value> {
        self.send(Method::PUT, route, |request| request.json(&body)).await
    }

    pub async fn patch(&self, route: &'static str, body: Value) -> Result<Value> {
        self.send(Method::PATCH, route, |request| request.json(&body)).await
    }

    pub async fn delete(&self, route: &'static str) -> Result<Value> {
        self.send(Method::DELETE, route, |request| request).await
    }

    /// Reads until the answer is as expected.
    pub async fn until(&self, route: &'static str, is_so: impl Fn(&Value) -> bool) -> Result<Value> {
        let mut seen = Value::Null;
        for _ in 0..READS {
            seen = self.get(route).await?;
            if is_so(&seen) {
                return Ok(seen);
            }
            sleep(BETWEEN_READS).await;
        }
        Err(format!("GET {route} never answers as expected: {seen}").into())
    }

    /// Sends a call, which must succeed. A body that is not JSON, as that of a stream, is a text.
    pub async fn send(
        &self,
        method: Method,
        route: &'static str,
        complete: impl Fn(RequestBuilder) -> RequestBuilder,
    ) -> Result<Value> {
        let mut path = route.to_owned();
        for (name, value) in &self.parameters {
            path = path.replace(&format!("{{{name}}}"), value);
        }
        let request = self.client.request(method.clone(), format!("{}{path}", self.platform.base));
        let request = complete(request.bearer_auth(self.credential(route)));
        let sent = Instant::now();
        let response = request.send().await.map_err(|error| format!("{method} {path}: {error}"))?;
        let status = response.status();
        let content = response.text().await.map_err(|error| format!("{method} {path}: {error}"))?;
        let took = sent.elapsed();
        if !status.is_success() {
            let shown: String = content.chars().take(SHOWN_CHARS).collect();
            return Err(format!("{method} {path}: {status}: {shown}").into());
        }
        self.platform.samples.answered(&method, route, took);
        sleep(self.platform.pause).await;
        Ok(serde_json::from_str(&content).unwrap_or(Value::String(content)))
    }

    fn credential(&self, route: &str) -> &str {
        match route {
            _ if route.contains("/admin/") => &self.platform.operator_key,
            _ if route.starts_with("/gateway/") => &self.key,
            _ if route.starts_with("/hooks/") => self.parameter("hook_token"),
            _ => &self.token,
        }
    }
}

pub fn text(value: &Value) -> Result<String> {
    Ok(value.as_str().ok_or_else(|| format!("{value} is no text"))?.to_owned())
}
