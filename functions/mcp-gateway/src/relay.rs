//! Passes the events of a server's stream on to a client, as they arrive.

use axum::body::Body as ResponseBody;
use bytes::Bytes;
use domain::call_facts::CLIENT_DISCONNECTED;
use domain::mcp_server::AllowedTools;
use futures::{StreamExt, stream};
use gateway::tools::ToolCall;
use outbound::Body;
use platform::telemetry::carry;
use tokio::sync::mpsc;
use tracing::Instrument;

use crate::answer::{Outcome, filter_tools};
use crate::events::{EventSplitter, RawEvent};

/// The largest event that is passed on.
const MAX_EVENT_BYTES: usize = 8 * 1024 * 1024;
/// Events that wait for the client. Then no more are read from the server.
const CAPACITY: usize = 16;

/// The stream ended without the answer to its call. The client may get it with another stream.
const NO_ANSWER: &str = "mcp_stream_ended";
/// An event is too large, or cannot be checked.
const INVALID: &str = "mcp_answer_invalid";

/// What passes from the server to the client. An error breaks the connection, so that a client does not take the stream for
/// complete.
type Piece = Result<Bytes, &'static str>;

pub struct Relay {
    allowed: AllowedTools,
    /// The call that the stream answers. `None` if it answers none, or another request.
    call: Option<ToolCall>,
    outcome: Option<Outcome>,
    sender: mpsc::Sender<Piece>,
}

enum End {
    Complete,
    ClientLeft,
    Failed(&'static str),
}

impl Relay {
    /// Starts to pass a stream on. The call is recorded before the stream ends, even if the client disconnects.
    pub fn start(allowed: AllowedTools, call: Option<ToolCall>, events: Body) -> ResponseBody {
        let (sender, receiver) = mpsc::channel(CAPACITY);
        let relay = Self { allowed, call, outcome: None, sender };
        tokio::spawn(carry(relay.run(events).instrument(tracing::Span::current())));
        let pieces =
            stream::unfold(receiver, async |mut receiver| receiver.recv().await.map(|piece| (piece, receiver)));
        ResponseBody::from_stream(pieces)
    }

    async fn run(mut self, events: Body) {
        let end = self.forward(events).await;
        if let Some(call) = self.call.take() {
            let error = match (self.outcome, &end) {
                (Some(outcome), _) => outcome.error(),
                (None, End::Complete) => Some(NO_ANSWER),
                (None, End::ClientLeft) => Some(CLIENT_DISCONNECTED),
                (None, End::Failed(code)) => Some(*code),
            };
            if let Err(error) = call.end(error).await {
                tracing::error!(?error, "a call of a tool could not be recorded; the sweep counts it");
            }
        }
        if let End::Failed(code) = end {
            // The client may have disconnected.
            let _ = self.sender.send(Err(code)).await;
        }
    }

    async fn forward(&mut self, mut events: Body) -> End {
        let mut splitter = EventSplitter::new(MAX_EVENT_BYTES);
        loop {
            let piece = tokio::select! {
                piece = events.next() => piece,
                () = self.sender.closed() => return End::ClientLeft,
            };
            match piece {
                None => return End::Complete,
                Some(Err(error)) => return End::Failed(error.code()),
                Some(Ok(piece)) => splitter.feed(&piece),
            }
            loop {
                let event = match splitter.next_event() {
                    Ok(None) => break,
                    Ok(Some(event)) => event,
                    Err(_) => return End::Failed(INVALID),
                };
                let Some(event) = self.check(event) else { return End::Failed(INVALID) };
                if self.sender.send(Ok(event.into_bytes())).await.is_err() {
                    return End::ClientLeft;
                }
            }
        }
    }

    /// Reads the outcome of the call, and removes forbidden tools. `None` if an event cannot be read that could list them.
    fn check(&mut self, event: RawEvent) -> Option<RawEvent> {
        let is_unlimited = self.allowed == AllowedTools::All;
        if is_unlimited && (self.call.is_none() || self.outcome.is_some()) {
            return Some(event);
        }
        let Some(data) = event.data() else {
            return (is_unlimited || event.is_text()).then_some(event);
        };
        // Streams that can be resumed begin with an event without a message.
        if data.trim().is_empty() {
            return Some(event);
        }
        if self.call.is_some() {
            self.outcome = self.outcome.or_else(|| Outcome::read(&data));
        }
        match filter_tools(&data, &self.allowed).ok()? {
            None => Some(event),
            Some(filtered) => Some(event.with_data(&filtered)),
        }
    }
}
