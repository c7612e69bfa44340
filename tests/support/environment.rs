//! A second Lambda environment of the functions: separate memory, the same tables.

use axum::Router;
use axum::body::Body;
use axum::http::{Method, Request};
use http_body_util::BodyExt;
use serde_json::Value;
use tower::ServiceExt;

use crate::TestApp;

pub struct Environment(Vec<(&'static str, Router)>);

impl TestApp {
    pub fn another_environment(&self) -> Environment {
        let context = self.platform.new_environment_context();
        // The first prefix that matches serves the path.
        Environment(vec![
            ("/gateway/v1/billing/admin", admin::router(&context).unwrap()),
            ("/gateway/v1/admin", admin::router(&context).unwrap()),
            ("/gateway/v1/billing", billing::router(&context).unwrap()),
            ("/gateway/v1/models", catalog::router(&context).unwrap()),
            ("/gateway/v1/me", account::router(&context).unwrap()),
            ("/hooks/v1", hooks::router(&context).unwrap()),
            ("/builder/v1", agents::router(&context).unwrap()),
        ])
    }
}

impl Environment {
    /// Sends a request. Returns the status and, for an error, its code.
    pub async fn ask(&self, token: &str, method: Method, path: &str, body: Option<&Value>) -> (u16, String) {
        let (_, router) = self.0.iter().find(|(prefix, _)| path.starts_with(prefix)).unwrap();
        let request = Request::builder().method(method).uri(path).header("authorization", format!("Bearer {token}"));
        let request = match body {
            Some(body) => request.header("content-type", "application/json").body(Body::from(body.to_string())),
            None => request.body(Body::empty()),
        };
        let response = router.clone().oneshot(request.unwrap()).await.unwrap();
        let status = response.status().as_u16();
        let bytes = response.into_body().collect().await.unwrap().to_bytes();
        let json: Value = serde_json::from_slice(&bytes).unwrap_or_default();
        (status, json["error"]["code"].as_str().unwrap_or_default().to_owned())
    }
}
