//! The workflow engine: node types, expressions, the compiler, imports and templates.

pub mod compile;
pub mod expression;
pub mod import;
pub mod nodes;
pub mod schema;
pub mod templates;
