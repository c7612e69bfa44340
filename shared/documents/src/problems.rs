//! The errors of files. They say nothing of their content, because the log of a run shows them.

use domain::run::StepError;

/// The file is not what its format says, or is damaged.
pub fn invalid(problem: &str) -> StepError {
    StepError::new("file_invalid", format!("config.file: {problem}"))
}

/// A setting does not fit the file.
pub fn unsuitable(field: &str, problem: &str) -> StepError {
    StepError::new("file_invalid", format!("config.{field}: {problem}"))
}

/// What the file contains is more than a value may be, or took too much to read.
pub fn too_large(problem: &str) -> StepError {
    StepError::new("file_too_large", format!("config.file: {problem}"))
}

/// The reader gave up. Whether memory was missing cannot be known: a stack that cannot grow looks like any other crash.
pub fn unreadable() -> StepError {
    let problem = "is damaged, or its content takes more than 256 MiB of memory; save it again, or split it";
    StepError::new("file_unreadable", format!("config.file: {problem}"))
}

pub fn encrypted() -> StepError {
    StepError::new(
        "file_encrypted",
        "config.file: the file is protected by a password; remove it, then send the file again",
    )
}

/// Refuses what would not be a value of a run.
pub const TOO_MUCH_TEXT: &str = "its text is larger than 1 MiB as JSON";
