//! The server: applies faults, and routes each request to the API of its provider.

use std::io;

use bytes::Bytes;
use http::{Request, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use serde_json::json;
use tokio::net::TcpListener;

use super::providers::Api;
use super::reply::Reply;
use super::{FakeMessaging, Fault};
use crate::provider::RecordedRequest;

pub async fn serve(listener: TcpListener, fake: FakeMessaging) {
    while let Ok((stream, _)) = listener.accept().await {
        stream.set_nodelay(true).unwrap();
        let fake = fake.clone();
        let service = service_fn(move |request| answer(fake.clone(), request));
        let connection = hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), service);
        tokio::spawn(async move { connection.await.ok() });
    }
}

/// An error closes the connection without an answer.
async fn answer(fake: FakeMessaging, request: Request<Incoming>) -> io::Result<Response<Full<Bytes>>> {
    let (parts, body) = request.into_parts();
    let body = body.collect().await.map_err(io::Error::other)?.to_bytes();
    fake.state().requests.push(RecordedRequest {
        path: parts.uri.to_string(),
        headers: parts.headers.clone(),
        body: serde_json::from_slice(&body).unwrap_or_default(),
        raw: body.clone(),
    });
    let fault = fake.state().faults.pop_front();
    let reply = match (Api::find(&parts), fault) {
        (None, _) => Reply::json(404, &json!({})),
        (Some(_), Some(Fault::ServerError)) => Reply::json(500, &json!({})),
        (Some(_), Some(Fault::Unavailable { seconds })) => Reply::json(503, &json!({})).with_retry_after(seconds),
        (Some(api), Some(Fault::RateLimit { seconds })) => api.limit(seconds),
        (Some(api), Some(Fault::Refusal(code))) => api.refuse(code),
        (Some(api), Some(Fault::CutAfterAccept)) => {
            api.serve(&fake, &parts, &body);
            return Err(io::ErrorKind::ConnectionReset.into());
        }
        (Some(api), Some(Fault::Hold(waiting))) => {
            waiting.wait().await;
            api.serve(&fake, &parts, &body)
        }
        (Some(api), Some(Fault::None) | None) => api.serve(&fake, &parts, &body),
    };
    Ok(to_response(reply))
}

fn to_response(reply: Reply) -> Response<Full<Bytes>> {
    let status = StatusCode::from_u16(reply.status).unwrap();
    let mut response = Response::builder().status(status).header("content-type", reply.media_type);
    if let Some(seconds) = reply.retry_after {
        response = response.header("retry-after", seconds);
    }
    response.body(Full::new(reply.body)).unwrap()
}
