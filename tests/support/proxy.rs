//! Proxies between the functions and the embedded services. Tests hold, refuse or repeat calls with them.

use std::net::SocketAddr;

use axum::Router;
use axum::body::Body;
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use http_body_util::Full;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use local::services::Endpoints;

pub type StartProxy = Box<dyn FnOnce(Endpoints) -> Endpoints + Send>;

/// The service that a proxy forwards to.
pub struct Upstream {
    address: SocketAddr,
    client: Client<HttpConnector, Full<Bytes>>,
}

impl Upstream {
    pub async fn send(&self, parts: &Parts, body: Bytes) -> Response {
        let path = parts.uri.path_and_query().map_or("/", |path| path.as_str());
        let mut forwarded =
            http::Request::builder().method(&parts.method).uri(format!("http://{}{path}", self.address));
        // The Host header is forwarded too: the signature covers it.
        for (name, value) in &parts.headers {
            forwarded = forwarded.header(name, value);
        }
        let answered = self.client.request(forwarded.body(Full::new(body)).unwrap()).await.unwrap();
        answered.map(Body::new).into_response()
    }
}

/// Starts a proxy in front of a service, and returns its address. `router` builds it from the service behind it.
pub fn start_in_front(service: SocketAddr, router: impl FnOnce(Upstream) -> Router) -> SocketAddr {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let address = listener.local_addr().unwrap();
    let client = Client::builder(TokioExecutor::new()).build_http();
    let router = router(Upstream { address: service, client });
    tokio::spawn(async move {
        let listener = tokio::net::TcpListener::from_std(listener).unwrap();
        axum::serve(listener, router).await.unwrap();
    });
    address
}

/// Starts a proxy in front of DynamoDB only.
pub fn in_front_of_dynamodb(router: impl FnOnce(Upstream) -> Router + Send + 'static) -> StartProxy {
    Box::new(move |services| Endpoints { dynamodb: start_in_front(services.dynamodb, router), ..services })
}
