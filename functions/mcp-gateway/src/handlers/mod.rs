//! HTTP handlers: one function for each route.

pub mod door;
pub mod servers;
