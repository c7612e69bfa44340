//! A client of the running platform's API.

use std::time::Duration;

use bytes::Bytes;
use http::{Method, Request};
use http_body_util::{BodyExt, Full};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use serde_json::Value;

use crate::failure::Failure;
use crate::started_command;

/// Model calls may take long.
const PATIENCE: Duration = Duration::from_secs(120);

pub struct Api {
    base_url: String,
    key: String,
    client: Client<HttpConnector, Full<Bytes>>,
}

pub struct Answer {
    pub status: u16,
    pub body: Value,
}

impl Answer {
    pub fn message(&self) -> String {
        let message = self.body["error"]["message"].as_str();
        message.map_or_else(|| format!("the platform answered with status {}", self.status), str::to_owned)
    }
}

impl Api {
    pub fn new(base_url: &str, key: &str) -> Self {
        let client = Client::builder(TokioExecutor::new()).build_http();
        Self { base_url: base_url.to_owned(), key: key.to_owned(), client }
    }

    pub async fn get(&self, path: &str) -> Result<Value, Failure> {
        self.succeed("GET", path, None).await
    }

    pub async fn post(&self, path: &str, body: &Value) -> Result<Value, Failure> {
        self.succeed("POST", path, Some(body)).await
    }

    async fn succeed(&self, method: &str, path: &str, body: Option<&Value>) -> Result<Value, Failure> {
        let answer = self.call(method, path, body).await?;
        if answer.status < 300 { Ok(answer.body) } else { Err(Failure::Other(answer.message())) }
    }

    pub async fn call(&self, method: &str, path: &str, body: Option<&Value>) -> Result<Answer, Failure> {
        let failed = |cause: &dyn std::fmt::Display| Failure::Other(format!("{method} {path}: {cause}"));
        let request = Request::builder()
            .method(method.parse::<Method>().map_err(|cause| failed(&cause))?)
            .uri(format!("{}{path}", self.base_url))
            .header("authorization", format!("Bearer {}", self.key))
            .header("content-type", "application/json")
            .body(Full::new(Bytes::from(body.map(Value::to_string).unwrap_or_default())))
            .map_err(|cause| failed(&cause))?;
        let call = async {
            let answer = self.client.request(request).await.map_err(|_| self.not_running())?;
            let status = answer.status().as_u16();
            let body = answer.into_body().collect().await.map_err(|cause| failed(&cause))?.to_bytes();
            Ok(Answer { status, body: serde_json::from_slice(&body).unwrap_or_default() })
        };
        let answer = tokio::time::timeout(PATIENCE, call).await;
        answer.map_err(|_| failed(&"the platform did not answer in time; repeat the command"))?
    }

    fn not_running(&self) -> Failure {
        let (url, command) = (&self.base_url, started_command());
        let command = command.trim_end_matches(" --");
        Failure::Other(format!(
            "the platform does not answer at {url}; start it with `{command}` in another terminal, then repeat this command"
        ))
    }
}
