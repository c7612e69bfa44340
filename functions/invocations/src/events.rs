//! The server-sent events of an invocation.

use std::convert::Infallible;
use std::time::Duration;

use axum::body::Body;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use domain::Result;
use futures::stream;
use runner::InvocationEvent;
use serde::Serialize;
use serde_json::{Value, json};
use shared::http::standard::error_body;
use tokio::sync::mpsc;
use tokio::task::AbortHandle;
use tokio::time::timeout;

use crate::dto::InvokeOut;
use crate::invocation::AgentInvocation;

/// When it is full, the invocation waits for the client.
const CAPACITY: usize = 64;
const HEARTBEAT: Duration = Duration::from_secs(15);
/// An SSE comment, which clients ignore. It keeps idle connections open.
const HEARTBEAT_EVENT: Bytes = Bytes::from_static(b": the agent is at work\n\n");

/// A stream whose last event is `done` or `error`. If the client leaves, the invocation is dropped.
pub fn respond(invocation: AgentInvocation) -> Response {
    let (events, received) = mpsc::channel(CAPACITY);
    let task = tokio::spawn(invocation.carry_out(Some(events)));
    let abort = AbortOnDrop(task.abort_handle());
    let state = Some((received, task, abort));
    let body = stream::unfold(state, async |state| {
        let (mut received, task, abort) = state?;
        match timeout(HEARTBEAT, received.recv()).await {
            Err(_) => Some((HEARTBEAT_EVENT, Some((received, task, abort)))),
            Ok(Some(event)) => Some((event_of(event), Some((received, task, abort)))),
            // The invocation has dropped its sender, so it has ended.
            Ok(None) => {
                let end = task.await.unwrap_or_else(|error| Err(domain::Error::internal(error)));
                Some((last_event(end), None))
            }
        }
    });
    let body = Body::from_stream(futures::StreamExt::map(body, Ok::<_, Infallible>));
    let kind = [(CONTENT_TYPE, "text/event-stream"), (CACHE_CONTROL, "no-cache")];
    (kind, body).into_response()
}

fn event_of(event: InvocationEvent) -> Bytes {
    match event {
        InvocationEvent::Began { step, action } => write("step", &json!({"step": step, "action": action})),
        InvocationEvent::Text { step, text } => write("text", &json!({"step": step, "text": text})),
        InvocationEvent::Ended { step, result: Ok(output) } => {
            write("result", &json!({"step": step, "output": output}))
        }
        InvocationEvent::Ended { step, result: Err(error) } => {
            write("result", &json!({"step": step, "error": error.to_value()}))
        }
    }
}

fn last_event(end: Result<InvokeOut>) -> Bytes {
    match end {
        Ok(answer) => write("done", &answer),
        Err(error) => write("error", &error_body(&error)),
    }
}

fn write(name: &str, data: &impl Serialize) -> Bytes {
    let data = serde_json::to_value(data).unwrap_or(Value::Null);
    format!("event: {name}\ndata: {data}\n\n").into()
}

struct AbortOnDrop(AbortHandle);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}
