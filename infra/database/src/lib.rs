//! DynamoDB's tables in one process, on SQLite: items, conditional writes, transactions, queries of tables and indexes, and
//! the units that DynamoDB would count. It carries out the values of `tables`; only `wire` parses expressions.
//!
//! - `database.rs` and `commit.rs`: the connections, and the group commit;
//! - `reads.rs` and `writes.rs`: the operations;
//! - `conditions.rs` and `changes.rs`: what they say about an item;
//! - `schema.rs` and `codec.rs`: how items are stored; `json.rs`: items in DynamoDB's JSON;
//! - `log_file.rs`: the write-ahead log, whose pages are written together;
//! - `maintenance.rs` and `upgrade.rs`: expired items, the log of the file, and files of earlier versions;
//! - `copy.rs`: copies of the file, also of one that another process uses;
//! - `units.rs`: what DynamoDB would bill;
//! - `wire/`: DynamoDB's JSON API, for clients in other processes.

mod changes;
mod codec;
mod commit;
mod conditions;
mod copy;
mod database;
mod error;
mod json;
mod log_file;
mod maintenance;
mod number;
mod reads;
mod schema;
mod tokens;
mod units;
mod upgrade;
pub mod wire;
mod writes;

pub use commit::Kind;
pub use copy::{check, copy};
pub use database::{Database, Options};
pub use error::{Error, Result};
pub use maintenance::MERGE_EVERY;
pub use schema::{IndexSchema, Projection, SortAttribute, TableSchema};
pub use tokens::Token;
pub use units::TableUnits;
pub use upgrade::FORMAT;
pub use writes::Consumed;
