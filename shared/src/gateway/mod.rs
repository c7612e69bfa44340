//! The model gateway: one way to call any model, with the caller's limits and money.
//!
//! `inference` serves it over HTTP; agents and workflow nodes call it in process, with the same limits and billing.

pub mod chat;
pub mod embeddings;
pub mod providers;
pub mod sse;
pub mod tokens;
