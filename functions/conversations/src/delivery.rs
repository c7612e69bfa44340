//! Delivers a message within a request, and turns what the provider answered into a response.

use domain::id::ThreadId;
use domain::thread::{Author, ThreadMessage};
use domain::{Error, Result};
use messaging::{Delivered, Deliveries};
use serde_json::Value;

/// Delivers a message. `key` is an idempotency key: a repeated request continues the first one.
pub async fn deliver(
    deliveries: &Deliveries,
    thread: ThreadId,
    author: &Author,
    key: &str,
    text: &str,
) -> Result<ThreadMessage> {
    match deliveries.deliver(thread, author, key, text).await? {
        // A person reads in `status` whether the outcome is uncertain.
        Delivered::Sent(message) | Delivered::Uncertain { message, .. } => Ok(*message),
        Delivered::Suppressed => Err(Error::invalid_state("an operator holds the thread")),
        Delivered::Refused(reason) => {
            let message = format!("the message was not delivered: {reason}");
            Err(Error::Unprocessable { code: "delivery_refused", message, details: Value::Null })
        }
        Delivered::Postponed { wait, reason } => {
            let retry_after_s = u32::try_from(wait.as_millis().div_ceil(1_000)).unwrap_or(u32::MAX).max(1);
            let message = format!("the message was not sent: {reason}; try again after {retry_after_s} s");
            Err(Error::TooManyRequests { message, retry_after_s })
        }
    }
}
