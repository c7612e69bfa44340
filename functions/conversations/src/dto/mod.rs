//! Request and response bodies of threads and records.

pub mod exchange;
pub mod filters;
pub mod list;
pub mod message;
pub mod participant;
pub mod record;
pub mod thread;
