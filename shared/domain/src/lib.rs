//! Plain types and rules: no I/O, no clock, no AWS. A value that exists is valid.

pub mod address;
pub mod agent;
pub mod audit;
pub mod catalog;
pub mod channel;
pub mod credential;
mod error;
pub mod error_text;
pub mod graph;
pub mod graph_diff;
pub mod header;
pub mod id;
pub mod identity;
pub mod json;
pub mod lease;
pub mod ledger;
pub mod length;
pub mod limits;
pub mod merge;
pub mod money;
pub mod name;
pub mod number;
pub mod object;
pub mod page;
pub mod problem;
pub mod provider;
pub mod reference;
pub mod secret_name;
pub mod text;
pub mod time;
pub mod token;
pub mod usage;
pub mod usd;
pub mod webhook;
pub mod workflow;

pub use error::{Error, IDEMPOTENCY_CONFLICT, ProviderTrouble, Refusal, Result};
