//! `/files/…`: forwards presigned downloads to the embedded S3. So the URLs of images and exports have the platform's own
//! address, also behind a proxy or a tunnel.

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use domain::Error;
use http::header::{CONTENT_SECURITY_POLICY, HOST, RANGE, X_CONTENT_TYPE_OPTIONS};
use http::{HeaderValue, Uri};

use crate::services::s3::EmbeddedS3;

/// The path under which the buckets are.
pub const PREFIX: &str = "/files";

#[derive(Clone)]
pub struct Files {
    pub s3: EmbeddedS3,
    /// The host of S3 that the URLs are signed for.
    pub signed_host: HeaderValue,
}

/// The router of downloads.
pub fn router(files: Files) -> Router {
    Router::new().route(&format!("{PREFIX}/{{*object}}"), get(download)).with_state(files)
}

/// S3 checks the signature, which is in the query.
async fn download(State(Files { s3, signed_host }): State<Files>, request: Request) -> Response {
    let (parts, _) = request.into_parts();
    let target = parts.uri.path_and_query().and_then(|target| target.as_str().strip_prefix(PREFIX)).unwrap_or_default();
    let Ok(uri) = target.parse::<Uri>() else {
        return web::builder::AREA.respond(&Error::NoRoute);
    };
    let mut forwarded = http::Request::new(s3s::Body::empty());
    *forwarded.method_mut() = parts.method;
    *forwarded.uri_mut() = uri;
    forwarded.headers_mut().insert(HOST, signed_host);
    // No other header of the caller reaches S3, above all none that could sign the request.
    if let Some(range) = parts.headers.get(RANGE) {
        forwarded.headers_mut().insert(RANGE, range.clone());
    }
    match s3.call(forwarded).await {
        Ok(answer) => {
            let mut response = answer.map(Body::new).into_response();
            // An object is never a page of the platform's origin.
            let headers = response.headers_mut();
            headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static("sandbox; default-src 'none'"));
            headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
            response
        }
        Err(cause) => web::builder::AREA.respond(&Error::internal(cause)),
    }
}
