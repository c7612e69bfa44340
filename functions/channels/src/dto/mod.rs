//! What the family takes and answers.

pub mod connection;
pub mod credential;
pub mod event;
pub mod test_call;
pub mod webhook;
