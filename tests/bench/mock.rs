//! The mock model provider behind every subject. It answers at once, in its own process.

use std::convert::Infallible;
use std::io;
use std::sync::Arc;

use bytes::Bytes;
use futures::{StreamExt, stream};
use http::{Method, Request, Response, StatusCode, header};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full, StreamBody};
use hyper::body::{Frame, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use serde::Deserialize;
use tokio::net::TcpListener;
use tokio::task::yield_now;

use crate::openai;

/// The fields of a request that the mock reads.
#[derive(Deserialize)]
struct MockRequest {
    #[serde(default)]
    stream: bool,
    stream_options: Option<StreamOptions>,
}

#[derive(Deserialize)]
struct StreamOptions {
    #[serde(default)]
    include_usage: bool,
}

/// Prepared answers, so that the mock spends almost no time per call.
struct Answers {
    whole: Bytes,
    events: Vec<Bytes>,
    events_with_usage: Vec<Bytes>,
}

type Body = BoxBody<Bytes, Infallible>;

pub async fn serve(port: u16) -> io::Result<()> {
    let answers = Arc::new(Answers {
        whole: openai::answer(),
        events: openai::events(false),
        events_with_usage: openai::events(true),
    });
    let listener = TcpListener::bind(("127.0.0.1", port)).await?;
    loop {
        let (socket, _) = listener.accept().await?;
        // Without TCP_NODELAY, Nagle's algorithm delays small events by up to 40 ms, until a delayed acknowledgement.
        socket.set_nodelay(true)?;
        let answers = Arc::clone(&answers);
        let answered = service_fn(move |request| answer(Arc::clone(&answers), request));
        tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(socket), answered));
    }
}

async fn answer(answers: Arc<Answers>, request: Request<Incoming>) -> Result<Response<Body>, Infallible> {
    if (request.method(), request.uri().path()) != (&Method::POST, "/v1/chat/completions") {
        return Ok(refusal(StatusCode::NOT_FOUND));
    }
    let Ok(body) = request.into_body().collect().await else { return Ok(refusal(StatusCode::BAD_REQUEST)) };
    let Ok(request) = serde_json::from_slice::<MockRequest>(&body.to_bytes()) else {
        return Ok(refusal(StatusCode::BAD_REQUEST));
    };
    if !request.stream {
        return Ok(response("application/json", Full::new(answers.whole.clone()).boxed()));
    }
    let include_usage = request.stream_options.is_some_and(|options| options.include_usage);
    let events = if include_usage { &answers.events_with_usage } else { &answers.events };
    let events = stream::iter(events.clone()).then(async |event| {
        // A pending body is flushed, so each event is sent separately, as the tokens of a model are.
        yield_now().await;
        Ok(Frame::data(event))
    });
    Ok(response("text/event-stream", BodyExt::boxed(StreamBody::new(events))))
}

fn response(content_type: &'static str, body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    response.headers_mut().insert(header::CONTENT_TYPE, header::HeaderValue::from_static(content_type));
    response
}

fn refusal(status: StatusCode) -> Response<Body> {
    let mut response = response("text/plain", Full::default().boxed());
    *response.status_mut() = status;
    response
}
