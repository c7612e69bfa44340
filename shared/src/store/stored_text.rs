//! Texts that stand in an item when they are small, and in the bucket when they are not: every list and every write
//! pays for an item's size.

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::bucket::Bucket;
use domain::{Error, Result};

/// A text above this stands apart.
const MAX_INLINE_BYTES: usize = 16 * 1024;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StoredText {
    /// As exact as it was given, and one value to DynamoDB.
    Text(String),
    /// In the bucket under this name.
    Object(String),
}

impl From<&str> for StoredText {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl StoredText {
    /// Stores a text: in the bucket, where it is large, under a name of this write's own that begins so. Whoever fails
    /// to name it then takes away what nobody else can name.
    pub async fn store(bucket: &Bucket, prefix: &str, content_type: &str, text: &[u8]) -> Result<Self> {
        if text.len() <= MAX_INLINE_BYTES {
            return Ok(Self::Text(String::from_utf8_lossy(text).into_owned()));
        }
        let name = format!("{prefix}/{}", Uuid::now_v7());
        bucket.put(&name, content_type, text.to_vec()).await?;
        Ok(Self::Object(name))
    }

    /// An answer for whoever asks again. The bucket forgets it when nobody may any more.
    pub async fn store_answer(bucket: &Bucket, content_type: &str, answer: &[u8]) -> Result<Self> {
        Self::store(bucket, "tmp/answers", content_type, answer).await
    }

    /// The text; nothing when its object is gone.
    pub async fn read(&self, bucket: &Bucket) -> Result<Option<Bytes>> {
        match self {
            Self::Text(text) => Ok(Some(text.clone().into())),
            Self::Object(name) => bucket.get(name).await,
        }
    }

    pub async fn read_answer(&self, bucket: &Bucket) -> Result<Bytes> {
        self.read(bucket).await?.ok_or_else(|| Error::internal("a kept answer is gone from the bucket"))
    }

    pub fn object(&self) -> Option<&str> {
        match self {
            Self::Object(name) => Some(name),
            Self::Text(_) => None,
        }
    }

    /// Of what is never so large that it would be an object.
    pub(super) fn into_text(self) -> Result<String> {
        match self {
            Self::Text(text) => Ok(text),
            Self::Object(_) => Err(Error::internal("a text is kept in the bucket that should not be")),
        }
    }
}
