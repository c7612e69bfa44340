//! The handlers.

mod invoke;
mod records;
mod server;

pub use invoke::*;
pub use records::*;
pub use server::*;
