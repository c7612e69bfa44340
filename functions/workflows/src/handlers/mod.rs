//! HTTP handlers, grouped by resource: one function for each route.

pub mod definition;
pub mod exchange;
pub mod expressions;
pub mod lifecycle;
pub mod node_types;
pub mod services;
pub mod templates;
pub mod tool_marks;
pub mod versions;
