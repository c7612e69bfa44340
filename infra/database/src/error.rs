//! Why an operation failed.

/// A failed operation changed nothing.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Error {
    /// SQLite failed: the disk is full, or the file is damaged.
    #[error("{0}")]
    Storage(String),
    #[error("the database is damaged: {0}")]
    Damaged(&'static str),
    #[error("it has the format {0} of a newer version")]
    Newer(u32),
    /// DynamoDB refuses such an operation too.
    #[error("{0}")]
    Invalid(String),
    #[error("the token was used for a transaction with other writes")]
    ReusedToken,
    #[error("the database is closed")]
    Closed,
}

pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    pub(crate) fn invalid(message: impl ToString) -> Self {
        Self::Invalid(message.to_string())
    }
}

impl From<rusqlite::Error> for Error {
    fn from(error: rusqlite::Error) -> Self {
        Self::Storage(error.to_string())
    }
}
