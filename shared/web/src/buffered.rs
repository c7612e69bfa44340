//! Responses on Lambda that are sent whole. `streaming` sends those that are not.

use axum::Router;
use axum::response::Response;
use futures::future::BoxFuture;
use http::StatusCode;
use http::header::CONTENT_ENCODING;
use http_body_util::BodyExt;
pub use lambda_http::Error;
use lambda_http::lambda_runtime::Runtime;
use lambda_http::tower::ServiceExt;
use lambda_http::{Adapter, Body, IntoResponse, Request};

use platform::{Context, lambda};

/// Serves requests until Lambda ends the process.
pub async fn run(router: Router, context: &Context) -> Result<(), Error> {
    // `lambda_http::runtime` would require responses that threads can share.
    let service = ServiceExt::<Request>::map_response(router, Whole);
    lambda::run(Runtime::new(Adapter::from(service)), context).await
}

/// A response that is converted here. `lambda_http` also converts texts that are not UTF-8, which the platform never sends, and adds
/// the tables of all encodings to each function: 0.1 MB.
struct Whole(Response);

impl IntoResponse for Whole {
    fn into_response(self) -> BoxFuture<'static, http::Response<Body>> {
        let (mut head, body) = self.0.into_parts();
        Box::pin(async move {
            let body = match body.collect().await {
                Ok(body) => body.to_bytes(),
                Err(error) => {
                    tracing::error!(?error, "a response could not be read");
                    head.status = StatusCode::INTERNAL_SERVER_ERROR;
                    head.headers.clear();
                    Default::default()
                }
            };
            let is_encoded = head.headers.contains_key(CONTENT_ENCODING);
            let body = match String::from_utf8(body.into()) {
                Ok(text) if text.is_empty() => Body::Empty,
                Ok(text) if is_encoded => Body::Binary(text.into_bytes()),
                Ok(text) => Body::Text(text),
                Err(binary) => Body::Binary(binary.into_bytes()),
            };
            http::Response::from_parts(head, body)
        })
    }
}

#[cfg(test)]
mod tests {
    use http::header::CONTENT_TYPE;

    use super::*;

    async fn convert(response: impl axum::response::IntoResponse) -> http::Response<Body> {
        Whole(response.into_response()).into_response().await
    }

    #[tokio::test]
    async fn only_what_is_no_text_is_sent_in_base64() {
        let text = convert(([(CONTENT_TYPE, "text/plain")], "añb")).await;
        assert_eq!(
            (text.body(), &text.headers()[CONTENT_TYPE]),
            (&Body::Text("añb".to_owned()), &"text/plain".parse().unwrap())
        );
        let image = convert(vec![0x89, b'P', 0xff]).await;
        assert_eq!(image.body(), &Body::Binary(vec![0x89, b'P', 0xff]));
        let compressed = convert(([(CONTENT_ENCODING, "gzip")], "bytes")).await;
        assert_eq!(compressed.body(), &Body::Binary(b"bytes".to_vec()));
        assert_eq!(convert(StatusCode::NO_CONTENT).await.body(), &Body::Empty);
    }

    #[tokio::test]
    async fn a_response_that_breaks_off_is_a_500() {
        let pieces = futures::stream::iter([Ok("a"), Err(std::io::Error::other("closed"))]);
        let broken = convert(axum::body::Body::from_stream(pieces)).await;
        assert_eq!((broken.status(), broken.body()), (StatusCode::INTERNAL_SERVER_ERROR, &Body::Empty));
    }
}
