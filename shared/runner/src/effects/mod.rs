//! Performs the effects of nodes.

pub mod model;
