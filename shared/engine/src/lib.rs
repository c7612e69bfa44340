//! The workflow engine: node types, expressions, JSON schemas, the compiler that validates graphs, and templates.

pub mod compile;
pub mod expression;
pub mod nodes;
pub mod schema;
pub mod templates;
