//! Images: the sizes that can be requested, the formats of pictures, and the jobs that generate them.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::id::{ApiKeyId, ImageJobId, LeaseId};
use super::identity::Account;
use super::ledger::CallOrigin;
use super::money::Money;
use super::time::Time;
use super::usage::Tokens;
use crate::{Error, ProviderTrouble};

/// A job that has not ended after this time fails.
pub const JOB_DEADLINE: Duration = Duration::from_secs(15 * 60);
/// How long a job and its pictures are kept.
pub const JOB_KEPT: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// The width and the height of an image in pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImageSize {
    pub width: u32,
    pub height: u32,
}

impl ImageSize {
    pub const DEFAULT: Self = Self { width: 1_024, height: 1_024 };
    pub const MIN_SIDE: u32 = 16;
    pub const MAX_SIDE: u32 = 4_096;
}

impl FromStr for ImageSize {
    type Err = ();

    /// Parses `1024x1024`.
    fn from_str(text: &str) -> Result<Self, ()> {
        let (width, height) = text.split_once('x').ok_or(())?;
        let side = |text: &str| {
            let is_plain = (2..=4).contains(&text.len()) && text.bytes().all(|c| c.is_ascii_digit());
            let side = text.parse().ok().filter(|side| (Self::MIN_SIDE..=Self::MAX_SIDE).contains(side));
            side.filter(|_| is_plain && !text.starts_with('0')).ok_or(())
        };
        Ok(Self { width: side(width)?, height: side(height)? })
    }
}

impl fmt::Display for ImageSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.width, self.height)
    }
}

/// The file formats that providers return.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PictureFormat {
    Png,
    Jpeg,
    WebP,
}

impl PictureFormat {
    /// Recognizes the format by the first bytes of a file.
    pub fn of(content: &[u8]) -> Option<Self> {
        match content {
            [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some(Self::Png),
            [0xff, 0xd8, 0xff, ..] => Some(Self::Jpeg),
            [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some(Self::WebP),
            _ => None,
        }
    }

    pub fn content_type(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::WebP => "image/webp",
        }
    }

    pub fn extension(self) -> &'static str {
        match self {
            Self::Png => "png",
            Self::Jpeg => "jpg",
            Self::WebP => "webp",
        }
    }
}

/// What a job is to do, and who pays for it. It never changes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ImageOrder {
    pub id: ImageJobId,
    pub account: Account,
    pub key: Option<ApiKeyId>,
    /// The name of the model in the catalog.
    pub model: String,
    /// The alias by which the request named the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alias: Option<String>,
    /// The validated body of the request.
    pub request: Map<String, Value>,
    /// The pictures to edit. None if the images are made from the prompt alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edited: Option<EditedPictures>,
    pub call: CallOrigin,
    /// The lease that reserves the maximum cost. It has one slot.
    pub lease: LeaseId,
    /// The `Idempotency-Key` of the request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
    pub created_at: Time,
}

/// The pictures that a job edits, by their names in the bucket.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EditedPictures {
    pub pictures: Vec<String>,
    /// A picture whose transparent parts are edited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mask: Option<String>,
}

impl ImageOrder {
    /// When the job fails if it has not ended.
    pub fn deadline(&self) -> Time {
        self.created_at.plus(JOB_DEADLINE)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImageJobState {
    Queued,
    Running,
    Succeeded,
    Failed,
}

impl ImageJobState {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Succeeded => "succeeded",
            Self::Failed => "failed",
        }
    }
}

/// A job that generates images.
#[derive(Clone, Debug, PartialEq)]
pub struct ImageJob {
    pub order: ImageOrder,
    /// The number of attempts that have begun. Each has a worker of its own.
    pub attempt: u32,
    pub finished_at: Option<Time>,
    pub end: Option<ImageJobEnd>,
}

impl ImageJob {
    pub fn state(&self) -> ImageJobState {
        match self.end {
            Some(ImageJobEnd::Succeeded(_)) => ImageJobState::Succeeded,
            Some(ImageJobEnd::Failed(_)) => ImageJobState::Failed,
            None if self.attempt > 0 => ImageJobState::Running,
            None => ImageJobState::Queued,
        }
    }
}

/// The end of a job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ImageJobEnd {
    Succeeded(GeneratedImages),
    Failed(ImageFailure),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GeneratedImages {
    pub pictures: Vec<StoredPicture>,
    pub cost: Money,
    pub tokens: Tokens,
}

/// A picture in the bucket.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StoredPicture {
    pub object: String,
    /// The prompt that the provider used instead of the client's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revised_prompt: Option<String>,
}

/// Why a job failed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ImageFailure {
    pub trouble: ProviderTrouble,
    pub code: String,
    pub message: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub param: Option<String>,
}

impl ImageFailure {
    /// The failure of a job that was not done before its deadline.
    pub fn timeout() -> Self {
        let message =
            format!("the images were not generated within {} minutes; try again", JOB_DEADLINE.as_secs() / 60);
        Self { trouble: ProviderTrouble::Timeout, code: "image_job_timeout".to_owned(), message, param: None }
    }
}

impl From<ImageFailure> for Error {
    fn from(ImageFailure { trouble, code, message, param }: ImageFailure) -> Self {
        Self::Provider { trouble, code, message, param, retry_after_s: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_one_spelling_and_bounded_sides() {
        for size in ["1024x1024", "16x4096", "1792x1024"] {
            assert_eq!(size.parse::<ImageSize>().unwrap().to_string(), size);
        }
        for size in
            ["", "x", "1024", "1024X1024", "15x64", "64x4097", "064x64", "+64x64", "64x64x64", "1e3x64", "-1x64"]
        {
            assert_eq!(size.parse::<ImageSize>(), Err(()), "{size}");
        }
    }

    #[test]
    fn formats_are_recognized_by_their_first_bytes() {
        assert_eq!(PictureFormat::of(b"\x89PNG\r\n\x1a\n...."), Some(PictureFormat::Png));
        assert_eq!(PictureFormat::of(b"\xff\xd8\xff\xe0"), Some(PictureFormat::Jpeg));
        assert_eq!(PictureFormat::of(b"RIFF\0\0\0\0WEBPVP8 "), Some(PictureFormat::WebP));
        assert_eq!(PictureFormat::of(b"<svg xmlns="), None);
    }
}
