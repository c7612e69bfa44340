//! The clients of PostgreSQL and MySQL, which perform the nodes of the type `database`. They send and read the messages of both
//! protocols on a connection that the guard for addresses has permitted, and open no other.

mod errors;
mod mysql;
mod postgres;
mod rows;
mod session;
mod start;
mod wire;

use effects::{DatabaseCall, DatabaseClients};
use engine::drive::EffectError;
use futures::future::BoxFuture;
use serde_json::Value;

/// The clients, for [`effects::NodePerformers::of_runs`].
pub struct SqlClients;

impl DatabaseClients for SqlClients {
    fn perform<'a>(&'a self, call: DatabaseCall<'a>) -> BoxFuture<'a, Result<Value, EffectError>> {
        Box::pin(session::perform(call))
    }
}

#[cfg(test)]
mod tests;
