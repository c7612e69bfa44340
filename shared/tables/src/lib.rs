//! The operations on DynamoDB tables as values: keys, attributes, conditions, writes and queries. `store` says what it wants
//! with them, and a database carries them out: DynamoDB, or one in this process.

pub mod attribute;
pub mod condition;
pub mod embedded;
pub mod expressions;
pub mod item;
pub mod key;
pub mod outcome;
pub mod query;
pub mod write;

pub use key::Key;
