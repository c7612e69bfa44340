//! Writes the answers of calls: a file for each dialect of clients.

pub mod blocks;
pub mod chat;
pub mod completions;
pub mod messages;
pub mod rerank;
pub mod responses;
pub mod transcriptions;

use axum::body::Bytes;
use domain::{Error, Result};
use serde::Serialize;

/// An SSE comment, which clients ignore.
const HEARTBEAT: Bytes = Bytes::from_static(b": waiting for the model\n\n");

pub fn to_json(body: &impl Serialize) -> Result<Vec<u8>> {
    serde_json::to_vec(body).map_err(Error::internal)
}

/// Adds a server-sent event.
fn write_data(events: &mut Vec<u8>, data: &impl Serialize) {
    events.extend_from_slice(b"data: ");
    if let Err(error) = serde_json::to_writer(&mut *events, data) {
        // Serializing plain data into memory should not fail.
        tracing::error!(%error, "an event could not be written");
    }
    events.extend_from_slice(b"\n\n");
}

/// Adds a server-sent event with a name.
fn write_event(events: &mut Vec<u8>, name: &str, data: &impl Serialize) {
    events.extend_from_slice(b"event: ");
    events.extend_from_slice(name.as_bytes());
    events.push(b'\n');
    write_data(events, data);
}
