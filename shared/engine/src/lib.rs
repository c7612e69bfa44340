//! The workflow engine: node types, expressions, JSON schemas, the compiler that validates graphs, the state
//! of runs, and templates.

pub mod compile;
pub mod expression;
#[cfg(test)]
mod graph_builder;
pub mod nodes;
pub mod run;
pub mod schedule;
pub mod schema;
pub mod templates;
mod value_size;
