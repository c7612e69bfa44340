//! What the platform reports about its work.

mod metrics;
mod traces;
