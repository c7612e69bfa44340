//! The event stream with which a server answers a request. It is resumed where it broke.

use std::time::Duration;

use bytes::Bytes;
use futures::StreamExt;
use outbound::sse::{Parser, SseError};
use outbound::{Body, OutboundError};

use crate::error::McpError;
use crate::limits::{LONGEST_RETRY, MAX_ANSWER_BYTES, MAX_STREAM_BYTES};

/// The next thing that a stream has.
pub enum Piece {
    Message(Bytes),
    /// The stream ended before the answer.
    Ended(OutboundError),
}

/// What is known of a stream over all its connections.
pub struct EventStream {
    parser: Parser,
    body: Body,
    bytes: usize,
    /// With this id the stream is resumed.
    pub last_id: Option<String>,
    retry: Option<Duration>,
}

impl EventStream {
    pub fn new(body: Body) -> Self {
        Self { parser: Parser::new(MAX_ANSWER_BYTES), body, bytes: 0, last_id: None, retry: None }
    }

    /// The same stream on another connection.
    #[must_use]
    pub fn resumed(self, body: Body) -> Self {
        Self { parser: Parser::new(MAX_ANSWER_BYTES), body, ..self }
    }

    /// How long to wait before the stream is resumed.
    pub fn wait(&self) -> Duration {
        self.retry.unwrap_or(Duration::from_millis(100)).min(LONGEST_RETRY)
    }

    /// The next message.
    pub async fn next(&mut self) -> Result<Piece, McpError> {
        loop {
            let event = self.parser.next_event().map_err(to_error)?;
            self.last_id = self.parser.last_id().map(str::to_owned).or(self.last_id.take());
            self.retry = self.parser.retry().or(self.retry);
            match event {
                // An event without data only has an id, with which the stream can be resumed.
                Some(event) if event.data.is_empty() => {}
                Some(event) if matches!(event.name.as_str(), "" | "message") => {
                    return Ok(Piece::Message(event.data.into()));
                }
                Some(_) => {}
                None => match self.body.next().await {
                    Some(Ok(piece)) => {
                        self.bytes += piece.len();
                        if self.bytes > MAX_STREAM_BYTES {
                            return Err(to_error(SseError::TooLarge(MAX_STREAM_BYTES)));
                        }
                        self.parser.feed(&piece);
                    }
                    Some(Err(error)) => return Ok(Piece::Ended(error)),
                    None => return Ok(Piece::Ended(OutboundError::Cut)),
                },
            }
        }
    }
}

fn to_error(error: SseError) -> McpError {
    match error {
        SseError::TooLarge(limit_bytes) => McpError::Call(OutboundError::TooLarge { limit_bytes }.into()),
        SseError::NotUtf8 => McpError::InvalidAnswer("it is not UTF-8"),
    }
}
