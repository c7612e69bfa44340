//! Workflows: what they are made of, and what makes them run.

pub mod compile;
pub mod expression;
pub mod import;
pub mod nodes;
pub mod schema;
pub mod templates;
