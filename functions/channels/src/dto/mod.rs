//! Query parameters, request bodies and response bodies.

pub mod authorization;
pub mod connection;
pub mod credential;
pub mod credential_fields;
pub mod event;
pub mod team;
pub mod test_call;
pub mod webhook;
