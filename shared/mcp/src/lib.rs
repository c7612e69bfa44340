//! The server side of the Model Context Protocol (MCP) over Streamable HTTP.
//!
//! [`Endpoint::serve`] answers a request with a [`Server`], which is built for this request and knows its caller. The official
//! SDK reads the messages and checks the headers, in its stateless mode: nothing is kept in memory, so any process can serve any
//! request. What the protocol up to 2025-11-25 expects of a session is here: its id is stored with its caller, a client cancels
//! a call by the id of its request, and resumes a broken stream after its last event. Since 2026-07-28 the protocol has no
//! sessions.

mod endpoint;
mod message;
mod request;

pub use endpoint::{Assistant, Endpoint, Server};
pub use message::unknown_request;
pub use request::McpRequest;
pub use rmcp;
