//! The command `cost`: what the routes and the kinds of runs cost on AWS, from recorded calls.

mod bill;
pub mod graphs;
mod outside;
pub mod prices;
pub mod recorded;
mod scenarios;
mod stage;
mod tables;

pub use bill::Bill;
pub use scenarios::record_all;
pub use tables::{describe_cpu, print_tables};
