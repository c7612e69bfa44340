//! Makes a call, and reads its whole answer.

use std::time::Duration;

use bytes::Bytes;
use http::{Request, StatusCode};
use outbound::{Answer, OutboundError, RequestTimeouts, retry_after};
use serde::Deserialize;

use super::{Messenger, SendError};

/// The maximum size of an answer, except for files.
const MAX_ANSWER_BYTES: usize = 256 * 1024;
const TIMEOUTS: RequestTimeouts = RequestTimeouts {
    first_byte: Duration::from_secs(15),
    idle: Duration::from_secs(5),
    total: Duration::from_secs(20),
};

pub struct Answered {
    pub status: StatusCode,
    body: Bytes,
    provider: &'static str,
    wait: Option<Duration>,
}

impl Messenger {
    /// Makes a call. `provider` is its name in messages.
    pub(crate) async fn call(&self, request: Request<Bytes>, provider: &'static str) -> Result<Answered, SendError> {
        let (answered, body) = self.call_and_read(request, provider).await?;
        match body {
            Ok(body) => Ok(Answered { body, ..answered }),
            // The status alone shows that the message was refused.
            Err(_) if !answered.status.is_success() => Ok(answered),
            Err(error) => Err(SendError::from_outbound(error, provider)),
        }
    }

    /// Makes a call whose answer is only its status.
    pub(crate) async fn call_for_status(
        &self,
        request: Request<Bytes>,
        provider: &'static str,
    ) -> Result<Answered, SendError> {
        let (answered, _) = self.call_and_read(request, provider).await?;
        Ok(answered)
    }

    async fn call_and_read(
        &self,
        request: Request<Bytes>,
        provider: &'static str,
    ) -> Result<(Answered, Result<Bytes, OutboundError>), SendError> {
        let answer = self.calls.send_once(request, &TIMEOUTS).await;
        let Answer { status, headers, body, .. } = answer.map_err(|error| SendError::from_outbound(error, provider))?;
        let wait = retry_after(&headers, self.clock.now());
        let body = body.read_to_end(MAX_ANSWER_BYTES).await;
        Ok((Answered { status, body: Bytes::new(), provider, wait }, body))
    }
}

impl Answered {
    /// The body, if it is JSON of this form.
    pub fn read<'a, T: Deserialize<'a>>(&'a self) -> Option<T> {
        serde_json::from_slice(&self.body).ok()
    }

    /// The error of an answer that has no explanation of its own.
    pub fn error(&self) -> SendError {
        if self.status.is_success() {
            let provider = self.provider;
            return SendError::uncertain(format!(
                "{provider} did not confirm the call: its answer has an unknown form"
            ));
        }
        SendError::from_status(self.status, self.wait, self.provider)
    }

    pub fn rate_limited(&self, wait: Option<Duration>) -> SendError {
        SendError::rate_limited(self.provider, wait.or(self.wait))
    }

    pub fn unavailable(&self) -> SendError {
        SendError::unavailable(self.provider, self.wait)
    }
}
