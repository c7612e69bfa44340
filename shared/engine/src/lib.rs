//! The workflow engine: node types, expressions, JSON schemas, the compiler that validates graphs, the state
//! of runs and of agents, the driver that carries them out, and templates.

pub mod agent;
pub mod compile;
pub mod drive;
pub mod expression;
#[cfg(test)]
mod graph_builder;
pub mod nodes;
pub mod replay;
mod result_schema;
pub mod run;
pub mod schedule;
pub mod schema;
pub mod script;
mod suggestion;
pub mod templates;
pub mod value_size;

pub use result_schema::result_schema;
