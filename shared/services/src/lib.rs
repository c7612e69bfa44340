//! Facts about the APIs of services, such as Google Sheets and Slack: one data file for each service, with the operations
//! that workflows use most. [`build_node`] makes the configuration of an `http` node from an operation and the values of its
//! parameters. The catalogue of actions and the importers read the same facts.

mod arguments;
mod authentication;
mod build;
mod catalogue;
mod check;
mod operation;
mod paging;
mod path;
mod service;
mod template;

pub use arguments::Arguments;
pub use authentication::Authentication;
pub use build::build_node;
pub use catalogue::{all, find};
pub use operation::{Operation, Returns};
pub use paging::Paging;
pub use service::{Service, ServiceCategory};
pub use template::js_literal;
