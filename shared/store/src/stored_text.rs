//! Texts that are stored in the item when they are small, and in the bucket when they are large. Every read and write
//! of an item costs by its size.

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use domain::{Error, Result};
use platform::bucket::Bucket;

/// A larger text is stored in the bucket.
const MAX_INLINE_BYTES: usize = 16 * 1024;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StoredText {
    /// The text is stored in the item, unchanged, as one string attribute.
    Text(String),
    /// The text is stored in the bucket under this name.
    Object(String),
}

impl From<&str> for StoredText {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl StoredText {
    /// Stores a large text in the bucket, under a new name that begins with `prefix`; a small text stays inline. If the
    /// caller then fails to write the item that refers to the object, the caller must discard the object.
    pub async fn store(bucket: &Bucket, prefix: &str, content_type: &str, text: &[u8]) -> Result<Self> {
        if text.len() <= MAX_INLINE_BYTES {
            return Ok(Self::Text(String::from_utf8_lossy(text).into_owned()));
        }
        let name = format!("{prefix}/{}", Uuid::now_v7());
        bucket.put(&name, content_type, text.to_vec()).await?;
        Ok(Self::Object(name))
    }

    /// Stores an answer for the replay of a request. A lifecycle rule of the bucket deletes the object after the replay
    /// window.
    pub async fn store_answer(bucket: &Bucket, content_type: &str, answer: &[u8]) -> Result<Self> {
        Self::store(bucket, "tmp/answers", content_type, answer).await
    }

    /// Reads the text, `None` when its object no longer exists.
    pub async fn read(&self, bucket: &Bucket) -> Result<Option<Bytes>> {
        match self {
            Self::Text(text) => Ok(Some(text.clone().into())),
            Self::Object(name) => bucket.get(name).await,
        }
    }

    pub async fn read_answer(&self, bucket: &Bucket) -> Result<Bytes> {
        self.read(bucket).await?.ok_or_else(|| Error::internal("a stored answer is missing in the bucket"))
    }

    pub fn object(&self) -> Option<&str> {
        match self {
            Self::Object(name) => Some(name),
            Self::Text(_) => None,
        }
    }

    /// The text of an answer that is always small enough to be inline.
    pub(super) fn into_text(self) -> Result<String> {
        match self {
            Self::Text(text) => Ok(text),
            Self::Object(_) => Err(Error::internal("a text that must be inline is in the bucket")),
        }
    }
}
