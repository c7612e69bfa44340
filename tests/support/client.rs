//! An HTTP client of the platform, with or without a bearer token.

use reqwest::{Method, RequestBuilder};
use serde_json::Value;

#[derive(Clone)]
pub struct Person {
    http: reqwest::Client,
    base_url: String,
    pub token: Option<String>,
}

#[derive(Clone, Debug)]
pub struct Answer {
    /// `201 Created`
    pub status: String,
    pub headers: reqwest::header::HeaderMap,
    pub text: String,
    /// Null when the body is not JSON.
    pub json: Value,
}

impl Answer {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }

    pub fn code(&self) -> &str {
        self.json["error"]["code"].as_str().unwrap_or_default()
    }

    pub fn id(&self) -> &str {
        self.json["data"]["id"].as_str().unwrap_or_default()
    }

    /// The value of one field in each entry of a list.
    pub fn column(&self, field: &str) -> Vec<&str> {
        let entries = self.json["data"].as_array().map(Vec::as_slice).unwrap_or_default();
        entries.iter().map(|entry| entry[field].as_str().unwrap_or_default()).collect()
    }
}

impl Person {
    pub fn new(base_url: &str, token: Option<String>) -> Self {
        let http = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).no_proxy().build();
        Self { http: http.expect("the HTTP client can be built"), base_url: base_url.to_owned(), token }
    }

    /// A client with another token, on the same connections.
    #[must_use]
    pub fn with_token(&self, token: &str) -> Self {
        Self { token: Some(token.to_owned()), ..self.clone() }
    }

    pub fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let request = self.http.request(method, format!("{}{path}", self.base_url));
        match &self.token {
            Some(token) => request.bearer_auth(token),
            None => request,
        }
    }

    pub async fn get(&self, path: &str) -> Answer {
        send(self.request(Method::GET, path)).await
    }

    pub async fn post(&self, path: &str) -> Answer {
        send(self.request(Method::POST, path)).await
    }

    pub async fn delete(&self, path: &str) -> Answer {
        send(self.request(Method::DELETE, path)).await
    }

    pub async fn post_json(&self, path: &str, body: Value) -> Answer {
        send(self.request(Method::POST, path).json(&body)).await
    }

    pub async fn put(&self, path: &str, body: Value) -> Answer {
        send(self.request(Method::PUT, path).json(&body)).await
    }

    pub async fn patch(&self, path: &str, body: Value) -> Answer {
        send(self.request(Method::PATCH, path).json(&body)).await
    }
}

/// The status and the code of an error.
pub fn refusal(answer: &Answer) -> (&str, &str) {
    (answer.status.split(' ').next().unwrap_or_default(), answer.code())
}

pub async fn send(request: RequestBuilder) -> Answer {
    try_send(request).await.expect("the platform answers")
}

/// Sends a request to a platform that may be killed before it answers.
pub async fn try_send(request: RequestBuilder) -> reqwest::Result<Answer> {
    let response = request.send().await?;
    let (status, headers) = (response.status().to_string(), response.headers().clone());
    let text = response.text().await?;
    let json = serde_json::from_str(&text).unwrap_or_default();
    Ok(Answer { status, headers, text, json })
}
