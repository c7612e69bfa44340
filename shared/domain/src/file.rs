//! Files: those that users upload for batches, and those that batches write.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::id::FileId;
use crate::time::Time;
use crate::{Error, Result};

/// The maximum number of files that a user keeps in an organization. Those that batches write count, and are never refused.
pub const MAX_FILES: usize = 500;
/// How long a file is kept at least and at most, in seconds.
pub const MIN_KEPT_S: u32 = 60 * 60;
pub const MAX_KEPT_S: u32 = 30 * 24 * 60 * 60;
const MAX_NAME_CHARS: usize = 255;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StoredFile {
    pub id: FileId,
    pub name: String,
    pub purpose: FilePurpose,
    /// The objects that have the content, in their order.
    pub parts: Vec<FilePart>,
    pub created_at: Time,
    pub expires_at: Time,
}

/// An object of the bucket with a part of the content of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FilePart {
    pub object: String,
    pub bytes: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FilePurpose {
    /// The requests of a batch.
    Batch,
    /// The answers or the errors of a batch.
    BatchOutput,
}

impl FilePurpose {
    pub const ALL: [Self; 2] = [Self::Batch, Self::BatchOutput];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Batch => "batch",
            Self::BatchOutput => "batch_output",
        }
    }

    /// The purpose of an upload.
    pub fn of_upload(purpose: &str) -> Result<Self> {
        match purpose {
            "batch" => Ok(Self::Batch),
            "assistants" | "batch_output" | "evals" | "fine-tune" | "user_data" | "vision" => Err(Error::invalid_body(
                "purpose",
                format_args!(
                    "files with the purpose {purpose} are not supported; send `batch`, the only supported purpose"
                ),
            )),
            _ => Err(Error::invalid_body("purpose", "must be `batch`")),
        }
    }
}

impl StoredFile {
    pub fn bytes(&self) -> u64 {
        self.parts.iter().map(|part| part.bytes).sum()
    }

    /// When a file that is kept for some seconds is deleted: 30 days, if nothing else is wanted.
    pub fn expiry(created_at: Time, kept_s: Option<u32>) -> Time {
        created_at.plus(Duration::from_secs(kept_s.unwrap_or(MAX_KEPT_S).into()))
    }
}

/// The name of an uploaded file.
pub fn read_file_name(name: &str) -> Result<String> {
    let is_name = (1..=MAX_NAME_CHARS).contains(&name.chars().count()) && !name.chars().any(char::is_control);
    match is_name {
        true => Ok(name.to_owned()),
        false => {
            Err(Error::invalid_body("file", "must have a name of 1 to 255 characters, without control characters"))
        }
    }
}
