//! The whole platform on one machine: every function's router at one base URL, its workers on their queues, the
//! ticker, an issuer of tokens, and the AWS services embedded.

pub mod bootstrap;
pub mod credentials;
pub mod data_dir;
pub mod expiry;
pub mod failure;
mod front;
mod functions;
pub mod issuer;
pub mod open_files;
pub mod openapi;
pub mod parts;
mod permissions;
pub mod platform;
mod pollers;
mod provision;
pub mod recorder;
pub mod seed;
pub mod server;
pub mod services;
pub mod template;
pub mod watch;

pub use data_dir::DataDir;
pub use failure::Failure;
pub use platform::{Options, Platform};
