//! Code that at least two functions share: HTTP envelopes, authentication, stores, the model catalog, outbound calls.
//!
//! Dependencies between the layers go one way: `http` → `auth` → `store`.
//! AWS types stop at `store`, `queue`, `bucket` and `secrets`; axum types stop at `http`.

pub mod auth;
pub mod aws;
pub mod bucket;
pub mod cache;
pub mod config;
pub mod context;
pub mod http;
pub mod model_catalog;
pub mod offload;
pub mod outbound;
pub mod queue;
pub mod run_ends;
pub mod secrets;
pub mod store;
pub mod telemetry;

pub use context::Context;
pub use offload::offload;
