//! Request and response bodies.

pub mod invoke;
pub mod record;
pub mod server;
