//! The handlers of threads and records.

pub mod exchanges;
pub mod nudges;
pub mod operators;
pub mod participants;
pub mod records;
pub mod threads;
