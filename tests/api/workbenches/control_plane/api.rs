//! Calls of the API server as its administrator.

use std::path::Path;

use http::{Method, Request};
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Client, Config, Error};
use serde_json::Value;

const JSON: &str = "application/json";
const STRATEGIC_MERGE_PATCH: &str = "application/strategic-merge-patch+json";

#[derive(Clone)]
pub struct Api(Client);

impl Api {
    pub async fn connect(kubeconfig: &Path) -> Self {
        let kubeconfig = Kubeconfig::read_from(kubeconfig).unwrap();
        let config = Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await.unwrap();
        Self(Client::try_from(config).unwrap())
    }

    pub async fn get(&self, path: &str) -> Option<Value> {
        self.send(Method::GET, path, JSON, Value::Null).await
    }

    pub async fn list(&self, path: &str) -> Vec<Value> {
        self.get(path).await.unwrap()["items"].as_array().unwrap().clone()
    }

    /// Creates an object, unless it exists.
    pub async fn create(&self, path: &str, object: Value) {
        self.send(Method::POST, path, JSON, object).await;
    }

    pub async fn patch(&self, path: &str, patch: Value) {
        self.send(Method::PATCH, path, STRATEGIC_MERGE_PATCH, patch).await;
    }

    pub async fn delete(&self, path: &str, options: Value) {
        self.send(Method::DELETE, path, JSON, options).await;
    }

    /// None if the object is missing, exists already, or was changed concurrently.
    async fn send(&self, method: Method, path: &str, content_type: &str, body: Value) -> Option<Value> {
        let body = if body.is_null() { Vec::new() } else { body.to_string().into_bytes() };
        let request = Request::builder().method(method.clone()).uri(path).header("content-type", content_type);
        match self.0.request(request.body(body).unwrap()).await {
            Ok(found) => Some(found),
            Err(Error::Api(status)) if matches!(status.code, 404 | 409) => None,
            Err(error) => panic!("{method} {path}: {error:?}"),
        }
    }
}
