//! Code that at least two functions of the platform share.
//!
//! Dependencies between the layers go one way: `http` → `auth` → `store` → `domain` → `error`.
//! AWS types stop at `store`, `queue`, `bucket` and `secrets`; axum types stop at `http`.

pub mod auth;
pub mod aws;
pub mod bucket;
pub mod cache;
pub mod config;
pub mod context;
pub mod domain;
pub mod engine;
mod error;
pub mod gateway;
#[cfg(test)]
mod hang;
pub mod http;
mod json;
pub mod offload;
pub mod outbound;
pub mod queue;
pub mod secrets;
pub mod store;
pub mod telemetry;

pub use context::Context;
pub use error::{Error, ProviderTrouble, Refusal, Result};
pub use offload::offload;
