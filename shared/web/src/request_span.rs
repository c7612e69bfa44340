//! The span of a request. It continues the trace of the caller, and ends when the response is sent.

use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::Request;
use axum::http::Method;
use axum::response::Response;
use hyper::body::{Frame, SizeHint};

use platform::telemetry::attributes::{
    HTTP_REQUEST_METHOD, HTTP_RESPONSE_STATUS_CODE, HTTP_ROUTE, REQUEST_ID, URL_PATH, URL_SCHEME,
};
use platform::telemetry::{Span, SpanKind, TRACEPARENT, Telemetry, TraceContext};

/// The methods that have a name in traces. Clients may send any other one.
const METHODS: [&str; 7] = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];
const OTHER: &str = "_OTHER";

/// The name of a method in traces and metrics.
pub fn method_name(method: &Method) -> &'static str {
    METHODS.into_iter().find(|known| *known == method.as_str()).unwrap_or(OTHER)
}

/// The path of a request without the link to the pages of a form, which is a secret; at most 200 bytes.
pub fn loggable_path(path: &str) -> &str {
    let end = path.find("/form/").map_or(path.len(), |link| link + "/form/".len());
    &path[..path.floor_char_boundary(end.min(200))]
}

/// Starts the span of a request. `route` is the route with the names of its parameters; `None` if there is none.
pub fn start_span(telemetry: &Telemetry, request: &Request, route: Option<&str>, request_id: &str) -> Span {
    if telemetry.exporter().is_none() {
        return Span::default();
    }
    let parent = request.headers().get(TRACEPARENT).and_then(|value| TraceContext::read(value.to_str().ok()?));
    let method = method_name(request.method());
    let name = if method == OTHER { "HTTP" } else { method };
    let mut span = match route {
        Some(route) => telemetry.start_span_below(parent, SpanKind::Server, format_args!("{name} {route}")),
        None => telemetry.start_span_below(parent, SpanKind::Server, format_args!("{name}")),
    };
    if span.is_recording() {
        span.set(HTTP_REQUEST_METHOD, method);
        span.set(URL_SCHEME, request.uri().scheme_str().unwrap_or("http").to_owned());
        span.set(REQUEST_ID, request_id.to_owned());
        // A path without a route may have any content, such as a pasted key.
        if let Some(route) = route {
            span.set(HTTP_ROUTE, route.to_owned());
            span.set(URL_PATH, loggable_path(request.uri().path()).to_owned());
        }
    }
    span
}

/// Adds the outcome to the span, which ends with the body of the response.
pub fn end_with_body(mut span: Span, response: Response) -> Response {
    if !span.is_recording() {
        return response;
    }
    let status = response.status();
    span.set(HTTP_RESPONSE_STATUS_CODE, u64::from(status.as_u16()));
    if status.is_server_error() {
        span.fail(status.as_str().to_owned());
    }
    response.map(|body| Body::new(TracedBody { body, _span: span }))
}

/// A body that holds a span until it is dropped.
struct TracedBody {
    body: Body,
    _span: Span,
}

impl HttpBody for TracedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_link_of_a_form_is_left_out() {
        for path in ["/hooks/v1/1/form/run.mark", "/hooks/v1/1/form/run.mark/more"] {
            assert_eq!(loggable_path(path), "/hooks/v1/1/form/");
        }
        assert_eq!(loggable_path("/hooks/v1/1/form"), "/hooks/v1/1/form");
        assert_eq!(loggable_path(&"é".repeat(200)).len(), 200);
    }
}
