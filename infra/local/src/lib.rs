//! Runs the whole platform on one machine: all functions at one base URL, the workers of the queues, the ticker, a
//! token issuer, and embedded AWS services.

mod api_gateway;
pub mod backup;
pub mod bootstrap;
mod compression;
pub mod cost;
pub mod credentials;
pub mod data_dir;
pub mod doctor;
pub mod expiry;
pub mod failure;
mod files;
mod function_access;
mod function_database;
mod function_queues;
mod functions;
pub mod issuer;
pub mod labs;
mod metrics;
pub mod open_files;
mod permissions;
pub mod platform;
mod pollers;
mod provision;
pub mod recorder;
pub mod runtime;
pub mod seed;
pub mod server;
pub mod services;
pub mod settings;
pub mod setup;
mod sign_in;
mod started_command;
pub mod tables;
pub mod template;
pub mod watch;

pub use data_dir::DataDir;
pub use failure::Failure;
pub use platform::{GRACE, Options, Platform};
pub use started_command::started_command;
