//! The handlers of files and of batches.

pub mod batches;
pub mod files;
