//! The base of every function: its settings, the AWS clients, queues, buckets, secrets and signing keys, the clock, logs
//! and traces.

pub mod aws;
pub mod bucket;
pub mod cache;
mod causes;
pub mod config;
pub mod context;
pub mod embedded_queues;
mod https;
pub mod lambda;
pub mod offload;
pub mod queue;
pub mod run_news;
pub mod secrets;
pub mod signing_key;
pub mod tasks;
pub mod telemetry;
pub mod tls;

pub use causes::causes;
pub use context::Context;
pub use offload::offload;
