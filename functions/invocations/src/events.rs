//! The server-sent events of an invocation.

use std::convert::Infallible;
use std::time::Duration;

use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use domain::Result;
use futures::{StreamExt, stream};
use platform::telemetry::carry;
use runner::InvocationEvent;
use serde::Serialize;
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::task::AbortHandle;
use web::builder::error_body;

use crate::dto::invoke::InvokeOut;
use crate::invocation::AgentInvocation;

/// When it is full, the invocation waits for the client.
const CAPACITY: usize = 64;
const HEARTBEAT: Duration = Duration::from_secs(15);

/// A stream whose last event is `done` or `error`. If the client leaves, the invocation is dropped.
pub fn respond(invocation: AgentInvocation) -> Response {
    let (events, received) = mpsc::channel(CAPACITY);
    let task = tokio::spawn(carry(invocation.carry_out(Some(events))));
    let abort = AbortOnDrop(task.abort_handle());
    let state = Some((received, task, abort));
    let events = stream::unfold(state, async |state| {
        let (mut received, task, abort) = state?;
        match received.recv().await {
            Some(event) => Some((describe(event), Some((received, task, abort)))),
            // The invocation has dropped its sender, so it has ended.
            None => {
                let end = task.await.unwrap_or_else(|error| Err(domain::Error::internal(error)));
                Some((last_event(end), None))
            }
        }
    });
    let heartbeat = KeepAlive::new().interval(HEARTBEAT).text("the agent is at work");
    Sse::new(events.map(Ok::<_, Infallible>)).keep_alive(heartbeat).into_response()
}

fn describe(event: InvocationEvent) -> Event {
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

fn last_event(end: Result<InvokeOut>) -> Event {
    match end {
        Ok(answer) => write("done", &answer),
        Err(error) => write("error", &error_body(&error)),
    }
}

fn write(name: &str, data: &impl Serialize) -> Event {
    let data = serde_json::to_value(data).unwrap_or(Value::Null);
    Event::default().event(name).data(data.to_string())
}

struct AbortOnDrop(AbortHandle);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}
