//! One function a route, by what the routes are about.

pub mod definition;
pub mod exchange;
pub mod expressions;
pub mod life;
pub mod node_types;
pub mod templates;
pub mod versions;
