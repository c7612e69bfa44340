//! Parses DynamoDB's expressions into the values of `tables`: the reverse of `tables::expressions`.

mod aliases;
mod key_conditions;
mod lexer;
mod parser;
mod paths;
#[cfg(test)]
mod tests;
mod updates;

pub use aliases::{Aliases, JsonNames, JsonValues};
pub use key_conditions::KeyCondition;
pub use parser::parse_condition;
pub use paths::Projection;
pub use updates::parse_update;
