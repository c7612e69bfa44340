//! Refused calls, as DynamoDB answers them.

use serde_json::{Map, Value, json};

use crate::error::Error;

pub const CONDITION_FAILED: &str = "ConditionalCheckFailedException";
pub const MISMATCHED_TOKEN: &str = "IdempotentParameterMismatchException";
pub const TABLE_NOT_FOUND: &str = "ResourceNotFoundException";
pub const TRANSACTION_CANCELED: &str = "TransactionCanceledException";
pub const UNKNOWN_OPERATION: &str = "UnknownOperationException";
pub const VALIDATION: &str = "ValidationException";

/// A call that DynamoDB refuses with the status 400. It changed nothing.
#[derive(Clone, Debug, PartialEq)]
pub struct Refusal {
    pub kind: &'static str,
    pub message: String,
    /// An object with the other fields of the answer.
    pub body: Value,
}

/// Why a call has no answer.
#[derive(Clone, Debug)]
pub enum Failure {
    Refused(Refusal),
    /// The database failed, for example because the disk is full.
    Database(Error),
}

pub type Result<T> = std::result::Result<T, Refusal>;

/// The answer of an operation, as JSON.
pub type Answer = std::result::Result<Value, Failure>;

impl Refusal {
    pub fn new(kind: &'static str, message: impl ToString) -> Self {
        Self { kind, message: message.to_string(), body: Value::Object(Map::new()) }
    }

    pub fn invalid(message: impl ToString) -> Self {
        Self::new(VALIDATION, message)
    }

    pub(super) fn unsupported(what: impl ToString) -> Self {
        Self::invalid(format_args!("the embedded database does not support {}", what.to_string()))
    }

    /// The body of the HTTP response.
    pub fn to_json(&self) -> Value {
        let mut json = json!({
            "__type": format!("com.amazonaws.dynamodb.v20120810#{}", self.kind),
            "message": self.message,
        });
        if let (Value::Object(json), Value::Object(others)) = (&mut json, &self.body) {
            json.extend(others.clone());
        }
        json
    }
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        match error {
            Error::Invalid(message) => Self::Refused(Refusal::invalid(message)),
            Error::ReusedToken => Self::Refused(Refusal::new(MISMATCHED_TOKEN, error)),
            error => Self::Database(error),
        }
    }
}
