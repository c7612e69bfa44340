//! Calls of agents: each is an invocation, made through the router of `invocations` in this process, with the token of the caller.
//! So it has the checks, the record and the charges of any other invocation.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use axum::Router;
use axum::body::{Body, BodyDataStream};
use domain::id::{AgentId, AssistantSessionId};
use domain::{Error, Result};
use futures::StreamExt;
use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, COOKIE, ORIGIN};
use http::{HeaderMap, Request};
use mcp::rmcp::model::{CallToolResult, RequestId};
use outbound::sse::Parser;
use platform::Context;
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;
use tower::ServiceExt;

use crate::result;

/// The headers with which the caller has authenticated.
const CREDENTIALS: [http::HeaderName; 3] = [AUTHORIZATION, COOKIE, ORIGIN];

/// No event of an invocation is longer: the longest has the whole answer of the agent.
const MAX_EVENT_BYTES: usize = 16 * 1024 * 1024;

/// A request of a session.
type CallId = (AssistantSessionId, String);

#[derive(Clone)]
pub struct AgentCalls {
    router: Router,
    /// The calls of this process, which their clients can cancel.
    open: Arc<Mutex<HashMap<CallId, CancellationToken>>>,
}

impl AgentCalls {
    pub fn new(context: &Context) -> Result<Self> {
        Ok(Self { router: invocations::router(context)?, open: Arc::default() })
    }

    /// The JSON Schema of the arguments of an agent.
    pub fn input_schema() -> Map<String, Value> {
        let message = json!({"type": "string", "minLength": 1, "description": "The message to the agent."});
        let schema = json!({"type": "object", "properties": {"message": message}, "required": ["message"]});
        schema.as_object().cloned().unwrap_or_default()
    }

    /// The JSON Schema of the structured result.
    pub fn output_schema() -> Map<String, Value> {
        let schema = json!({
            "type": "object",
            "properties": {
                "invocationId": {"type": "string", "format": "uuid"},
                "output": {"type": ["string", "null"], "description": "The answer of the agent."},
                "functionCalls": {"type": "array", "description": "Functions that the agent wants its caller to execute."},
            },
            "required": ["invocationId", "output", "functionCalls"],
        });
        schema.as_object().cloned().unwrap_or_default()
    }

    /// Begins the call of an agent. Dropping it ends the invocation.
    pub async fn begin(&self, credentials: &HeaderMap, id: AgentId, arguments: Map<String, Value>) -> Result<Begun> {
        let message = arguments.get("message").and_then(Value::as_str).filter(|text| !text.trim().is_empty());
        let message = message.ok_or_else(|| Error::invalid_body("message", "must be a text that is not blank"))?;
        let body = json!({"input": message, "stream": true}).to_string();
        let uri = format!("/builder/v1/agents/{id}/invoke");
        let mut request =
            Request::post(uri).header(CONTENT_TYPE, "application/json").header(ACCEPT, "text/event-stream");
        for name in CREDENTIALS {
            request = credentials.get_all(&name).iter().fold(request, |request, value| request.header(&name, value));
        }
        let request = request.body(Body::from(body)).map_err(Error::internal)?;
        // A router never fails: errors are responses.
        let response = self.router.clone().oneshot(request).await.unwrap_or_else(|never| match never {});
        Ok(match response.extensions().get::<Arc<Error>>() {
            Some(error) => Begun::Refused(result::refused(error)),
            None => Begun::Call(AgentCall {
                body: response.into_body().into_data_stream(),
                events: Parser::new(MAX_EVENT_BYTES),
            }),
        })
    }

    /// Lets the client cancel a call.
    pub fn open(&self, session: Option<AssistantSessionId>, request: &RequestId) -> OpenCall {
        let token = CancellationToken::new();
        let id = session.map(|session| (session, request.to_string()));
        if let Some(id) = &id {
            self.lock().insert(id.clone(), token.clone());
        }
        OpenCall { calls: self.clone(), id, token }
    }

    /// Cancels a call that this process makes. In Lambda, one of another process goes on.
    pub fn cancel(&self, session: AssistantSessionId, request: &RequestId) {
        if let Some(token) = self.lock().get(&(session, request.to_string())) {
            token.cancel();
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<CallId, CancellationToken>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub enum Begun {
    Call(AgentCall),
    Refused(CallToolResult),
}

/// A call in progress: the events of the invocation.
pub struct AgentCall {
    body: BodyDataStream,
    events: Parser,
}

pub enum AgentNews {
    /// The name of a step that began.
    Began(String),
    /// The last one.
    Result(CallToolResult),
}

impl AgentCall {
    pub async fn next(&mut self) -> Result<AgentNews> {
        loop {
            let Some(event) = self.events.next_event().map_err(Error::internal)? else {
                let piece = self.body.next().await;
                let piece = piece.ok_or_else(|| Error::internal("an invocation has ended without a result"))?;
                self.events.feed(&piece.map_err(Error::internal)?);
                continue;
            };
            let data: Value = serde_json::from_str(&event.data).unwrap_or_default();
            match event.name.as_str() {
                "step" => return Ok(AgentNews::Began(data["step"].as_str().unwrap_or_default().to_owned())),
                "done" => return Ok(AgentNews::Result(answered(&data))),
                "error" => {
                    let text = |field: &str| data["error"][field].as_str().unwrap_or_default();
                    return Ok(AgentNews::Result(result::failed(text("code"), text("message"))));
                }
                _ => {}
            }
        }
    }
}

/// The client can cancel the call while this exists.
pub struct OpenCall {
    calls: AgentCalls,
    id: Option<CallId>,
    pub token: CancellationToken,
}

impl Drop for OpenCall {
    fn drop(&mut self) {
        if let Some(id) = &self.id {
            self.calls.lock().remove(id);
        }
    }
}

fn answered(answer: &Value) -> CallToolResult {
    let text = match answer["output"].as_str() {
        Some(text) => text.to_owned(),
        None => format!("The agent wants these functions executed: {}", answer["functionCalls"]),
    };
    let content = json!({
        "invocationId": answer["id"], "output": answer["output"], "functionCalls": answer["functionCalls"],
    });
    result::structured(text, content)
}
