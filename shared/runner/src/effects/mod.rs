//! Performs the effects of nodes.

pub mod model;
pub mod http;
