//! A database in this process, which takes the place of DynamoDB.

use std::fmt::Debug;

use domain::Result;
use futures::future::BoxFuture;
use uuid::Uuid;

use crate::item::Item;
use crate::key::Key;
use crate::outcome::WriteOutcome;
use crate::query::{QueryResult, TableQuery};
use crate::write::Write;

/// Reads see every write that was acknowledged before.
pub trait EmbeddedDatabase: Debug + Send + Sync {
    fn get<'a>(&'a self, table: &'a str, key: &'a Key) -> BoxFuture<'a, Result<Option<Item>>>;

    /// The items that exist under these keys, in no particular order.
    fn batch_get<'a>(&'a self, table: &'a str, keys: &'a [Key]) -> BoxFuture<'a, Result<Vec<Item>>>;

    /// One page of a query, as DynamoDB's `Query` returns it.
    fn query<'a>(&'a self, table: &'a str, query: &'a TableQuery) -> BoxFuture<'a, Result<QueryResult>>;

    /// Carries out one write.
    fn write(&self, write: Write) -> BoxFuture<'_, Result<WriteOutcome>>;

    /// Carries out all writes or none. A repetition with the same token changes nothing for ten minutes.
    fn transact(&self, token: Uuid, writes: Vec<Write>) -> BoxFuture<'_, Result<WriteOutcome>>;
}
