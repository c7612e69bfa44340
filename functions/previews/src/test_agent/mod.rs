//! Tests of a workflow's conversations: a participant writes, and the workflow answers in a sandbox.

mod dto;
mod expectation;
mod handlers;
mod participant;
mod request;
mod subject;
mod turns;

pub use handlers::*;
