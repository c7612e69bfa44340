//! The machine: simulated processes, a network, and a DynamoDB and an SQS with faults, all in virtual time. It runs the store's
//! own code through the AWS SDK and knows no protocol; a protocol adds its rules and oracles (`protocol.rs`).

pub mod connection;
pub mod database;
pub mod dynamodb_json;
pub mod faults;
pub mod kms;
pub mod objects;
pub mod process;
pub mod protocol;
pub mod queue;
pub mod random;
pub mod report;
pub mod runner;
pub mod service;
pub mod simulated;
pub mod world;

mod tests;
