//! HTTP handlers: one function for each route.

pub mod connections;
pub mod door;
pub mod servers;
