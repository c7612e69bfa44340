//! `/files/…`: forwards presigned downloads to the embedded S3. So the URLs of images and exports have the platform's own
//! address, also behind a proxy or a tunnel, and not a port that changes with each start.

use std::net::SocketAddr;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use domain::Error;
use http::header::{CONTENT_SECURITY_POLICY, RANGE, X_CONTENT_TYPE_OPTIONS};
use http::{HeaderValue, Uri};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;

/// The path under which the buckets are.
pub const PREFIX: &str = "/files";

#[derive(Clone)]
struct Files {
    s3: SocketAddr,
    client: Client<HttpConnector, Body>,
}

/// The router of downloads from the S3 at this address.
pub fn router(s3: SocketAddr) -> Router {
    let client = Client::builder(TokioExecutor::new()).build_http();
    Router::new().route(&format!("{PREFIX}/{{*object}}"), get(download)).with_state(Files { s3, client })
}

/// S3 checks the signature, which is in the query and covers its own host.
async fn download(State(Files { s3, client }): State<Files>, request: Request) -> Response {
    let (parts, _) = request.into_parts();
    let target = parts.uri.path_and_query().and_then(|target| target.as_str().strip_prefix(PREFIX)).unwrap_or_default();
    let Ok(uri) = format!("http://{s3}{target}").parse::<Uri>() else {
        return web::builder::AREA.respond(&Error::NoRoute);
    };
    let mut forwarded = Request::new(Body::empty());
    *forwarded.method_mut() = parts.method;
    *forwarded.uri_mut() = uri;
    // No other header of the caller reaches S3, above all none that could sign the request.
    if let Some(range) = parts.headers.get(RANGE) {
        forwarded.headers_mut().insert(RANGE, range.clone());
    }
    match client.request(forwarded).await {
        Ok(answer) => {
            let mut response = answer.into_response();
            // An object is never a page of the platform's origin.
            let headers = response.headers_mut();
            headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static("sandbox; default-src 'none'"));
            headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
            response
        }
        Err(cause) => web::builder::AREA.respond(&Error::busy(cause)),
    }
}
