//! What workflows are made of: node types and their rules, expressions, JSON schemas, validation of graphs, and templates.

pub mod compile;
pub mod expression;
pub mod nodes;
pub mod schema;
pub mod templates;
