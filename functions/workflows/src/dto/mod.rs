//! Query parameters, request bodies and response bodies.

pub mod dry_run;
pub mod exchange;
pub mod expression;
pub mod list;
pub mod node_type;
pub mod service;
pub mod template;
pub mod validation;
pub mod version;
pub mod workflow;
