//! The handlers.

mod invoke;
mod records;

pub use invoke::*;
pub use records::*;
