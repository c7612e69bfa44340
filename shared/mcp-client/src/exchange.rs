//! One request and its answer, which is JSON or an event stream.

use bytes::Bytes;
use domain::media_type;
use domain::time::Time;
use http::header::{ACCEPT, CONTENT_TYPE, HeaderName, HeaderValue};
use http::{HeaderMap, Method, Request, StatusCode, Uri};
use outbound::{Answer, Body, Calls, OutboundError, RequestTimeouts, retry_after};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use crate::Endpoint;
use crate::answer::{Incoming, read_message};
use crate::error::McpError;
use crate::limits::{CLOSING_TIME, MAX_ANSWER_BYTES, MAX_ERROR_BYTES, MAX_RESUMES, MAX_SERVER_REQUESTS};
use crate::stream::{EventStream, Piece};

const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");
pub const SESSION_ID: HeaderName = HeaderName::from_static("mcp-session-id");

/// Sends messages to one server until a deadline.
#[derive(Clone)]
pub struct Connection<'a> {
    calls: &'a Calls,
    endpoint: Endpoint<'a>,
    uri: Uri,
    deadline: Instant,
    /// The headers of all messages.
    pub headers: HeaderMap,
}

/// The answer to a request, and the headers that it came with.
pub struct Answered {
    pub result: Value,
    pub headers: HeaderMap,
}

impl<'a> Connection<'a> {
    pub fn new(calls: &'a Calls, endpoint: Endpoint<'a>, deadline: Instant) -> Result<Self, McpError> {
        let uri = Uri::try_from(endpoint.url.trim()).map_err(|_| McpError::Call(OutboundError::NotHttp.into()))?;
        Ok(Self { calls, endpoint, uri, deadline, headers: HeaderMap::new() })
    }

    /// The same connection for the end of a session, after the deadline of its requests.
    #[must_use]
    pub fn closing(&self) -> Self {
        Self { deadline: Instant::now() + CLOSING_TIME, ..self.clone() }
    }

    /// Sends a request, and waits for its answer.
    pub async fn request(&self, id: u64, message: &Value, extra: HeaderMap) -> Result<Answered, McpError> {
        let Answer { status, headers, body, .. } = self.post(message, extra).await?;
        if !status.is_success() {
            return Err(self.failure(status, &headers, body, id).await);
        }
        let result = match media_type::of_headers(&headers).as_str() {
            "application/json" => {
                let bytes = body.read_to_end(MAX_ANSWER_BYTES).await.map_err(to_error)?;
                match read_message(&bytes, id)? {
                    Incoming::Result(result) => result,
                    Incoming::Error(error) => return Err(error),
                    _ => return Err(McpError::InvalidAnswer("it does not answer the request")),
                }
            }
            "text/event-stream" => self.read_stream(EventStream::new(body), id).await?,
            _ => return Err(McpError::InvalidAnswer("its content is neither JSON nor an event stream")),
        };
        Ok(Answered { result, headers })
    }

    /// Sends a message that has no answer.
    pub async fn notify(&self, message: &Value) -> Result<(), McpError> {
        let Answer { status, headers, .. } = self.post(message, HeaderMap::new()).await?;
        if status.is_success() { Ok(()) } else { Err(Self::status_error(status, &headers)) }
    }

    /// Ends the session at the server.
    pub async fn delete(&self) -> Result<(), McpError> {
        self.send(Method::DELETE, Bytes::new(), HeaderMap::new()).await.map(drop)
    }

    async fn post(&self, message: &Value, mut extra: HeaderMap) -> Result<Answer, McpError> {
        extra.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        extra.insert(ACCEPT, HeaderValue::from_static("application/json, text/event-stream"));
        self.send(Method::POST, message.to_string().into(), extra).await
    }

    async fn send(&self, method: Method, body: Bytes, extra: HeaderMap) -> Result<Answer, McpError> {
        let mut request = Request::new(body);
        *request.method_mut() = method;
        *request.uri_mut() = self.uri.clone();
        request.headers_mut().extend(self.headers.clone());
        request.headers_mut().extend(extra);
        let left = self.deadline.saturating_duration_since(Instant::now());
        let timeouts = RequestTimeouts { first_byte: left, idle: left, total: left };
        Ok(self.calls.send(request, self.endpoint.credential, &timeouts).await?)
    }

    /// Reads messages until the answer. A stream that breaks is resumed, if the server gave its events ids.
    async fn read_stream(&self, mut stream: EventStream, id: u64) -> Result<Value, McpError> {
        let (mut resumes, mut requests) = (0, 0);
        loop {
            match stream.next().await? {
                Piece::Message(bytes) => match read_message(&bytes, id)? {
                    Incoming::Result(result) => return Ok(result),
                    Incoming::Error(error) => return Err(error),
                    Incoming::Request { id, is_ping } if requests < MAX_SERVER_REQUESTS => {
                        requests += 1;
                        self.reply(&id, is_ping).await;
                    }
                    Incoming::Request { .. } | Incoming::Other => {}
                },
                Piece::Ended(error) => {
                    let Some(last_id) = stream.last_id.clone().filter(|_| resumes < MAX_RESUMES) else {
                        return Err(to_error(error));
                    };
                    let wait = stream.wait();
                    if error == (OutboundError::Timeout { sent: true }) || Instant::now() + wait >= self.deadline {
                        return Err(McpError::Call(OutboundError::Timeout { sent: true }.into()));
                    }
                    resumes += 1;
                    sleep(wait).await;
                    // A connection that fails is tried again, like one that breaks.
                    if let Some(body) = self.resume(&last_id).await? {
                        stream = stream.resumed(body);
                    }
                }
            }
        }
    }

    /// Asks for the rest of a stream. The request itself was sent, so a refusal does not mean that it did not take place.
    async fn resume(&self, last_id: &str) -> Result<Option<Body>, McpError> {
        let cut = || McpError::Call(OutboundError::Cut.into());
        let mut headers = HeaderMap::from_iter([(ACCEPT, HeaderValue::from_static("text/event-stream"))]);
        headers.insert(LAST_EVENT_ID, HeaderValue::from_str(last_id).map_err(|_| cut())?);
        match self.send(Method::GET, Bytes::new(), headers).await {
            Ok(Answer { status, headers, body, .. })
                if status.is_success() && media_type::of_headers(&headers) == "text/event-stream" =>
            {
                Ok(Some(body))
            }
            Ok(_) => Err(cut()),
            Err(error) if error.is_temporary() => Ok(None),
            Err(_) => Err(cut()),
        }
    }

    /// Answers a request of the server. The client has offered nothing that a server could ask for, except a ping.
    async fn reply(&self, id: &Value, is_ping: bool) {
        let reply = match is_ping {
            true => json!({"jsonrpc": "2.0", "id": id, "result": {}}),
            false => {
                json!({"jsonrpc": "2.0", "id": id, "error": {"code": -32601, "message": "the client does not support it"}})
            }
        };
        if let Err(error) = self.notify(&reply).await {
            tracing::debug!(code = error.code(), "an MCP server did not take the reply to its request");
        }
    }

    async fn failure(&self, status: StatusCode, headers: &HeaderMap, body: Body, id: u64) -> McpError {
        if status == StatusCode::NOT_FOUND && self.headers.contains_key(&SESSION_ID) {
            return McpError::SessionEnded;
        }
        let error = Self::status_error(status, headers);
        // A server may explain a status of 400 by an error of JSON-RPC. The other ones explain themselves.
        if status != StatusCode::BAD_REQUEST {
            return error;
        }
        match body.read_to_end(MAX_ERROR_BYTES).await.map(|bytes| read_message(&bytes, id)) {
            Ok(Ok(Incoming::Error(refused))) => refused,
            _ => error,
        }
    }

    fn status_error(status: StatusCode, headers: &HeaderMap) -> McpError {
        McpError::Status { status: status.as_u16(), retry_after: retry_after(headers, Time::now()) }
    }
}

fn to_error(error: OutboundError) -> McpError {
    McpError::Call(error.into())
}
