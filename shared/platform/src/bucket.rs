//! S3 storage for objects that are too large for a DynamoDB item, such as release manifests.

use std::sync::Arc;
use std::time::Duration;

use aws_sdk_s3::Client;
use aws_sdk_s3::error::DisplayErrorContext;
use aws_sdk_s3::presigning::PresigningConfig;
use aws_sdk_s3::primitives::ByteStream;
use aws_sdk_s3::types::{ChecksumAlgorithm, ChecksumMode};
use bytes::Bytes;
use futures::future::try_join_all;

use crate::Context;
use crate::aws::convert_error;
use crate::config::FILES_URL;
use domain::{Error, Result};

#[derive(Clone)]
pub struct Bucket {
    client: Client,
    name: Arc<str>,
    /// Where presigned URLs lead instead of to S3's own address.
    served_at: Option<String>,
}

/// An object that is read only if it is small.
#[derive(Debug)]
pub enum SizedObject {
    Small(Bytes),
    Large,
}

impl Bucket {
    /// The bucket whose name is in the given setting.
    pub fn new(context: &Context, setting: &'static str) -> Result<Self> {
        let name = context.config.required(setting).map_err(Error::internal)?.into();
        let served_at = context.config.optional(FILES_URL).map(str::to_owned);
        Ok(Self { client: context.aws.s3(), name, served_at })
    }

    /// Stores an object with a checksum that every later read verifies.
    pub async fn put(&self, key: &str, content_type: &str, content: Vec<u8>) -> Result<()> {
        let call = self.client.put_object().bucket(&*self.name).key(key).content_type(content_type);
        let call = call.checksum_algorithm(ChecksumAlgorithm::Sha256).body(ByteStream::from(content));
        Box::pin(call.send()).await.map(drop).map_err(convert_error)
    }

    pub async fn get(&self, key: &str) -> Result<Option<Bytes>> {
        let call = self.client.get_object().bucket(&*self.name).key(key).checksum_mode(ChecksumMode::Enabled);
        match Box::pin(call.send()).await {
            Ok(object) => {
                Box::pin(object.body.collect()).await.map(|body| Some(body.into_bytes())).map_err(download_error)
            }
            Err(error) if error.as_service_error().is_some_and(|error| error.is_no_such_key()) => Ok(None),
            Err(error) => Err(convert_error(error)),
        }
    }

    /// Reads an object, unless it is larger than a limit.
    pub async fn get_small(&self, key: &str, max_bytes: usize) -> Result<Option<SizedObject>> {
        let call = self.client.get_object().bucket(&*self.name).key(key).checksum_mode(ChecksumMode::Enabled);
        match Box::pin(call.send()).await {
            Ok(object) if object.content_length().is_none_or(|bytes| bytes > max_bytes as i64) => {
                Ok(Some(SizedObject::Large))
            }
            Ok(object) => {
                let content = Box::pin(object.body.collect()).await.map_err(download_error)?;
                Ok(Some(SizedObject::Small(content.into_bytes())))
            }
            Err(error) if error.as_service_error().is_some_and(|error| error.is_no_such_key()) => Ok(None),
            Err(error) => Err(convert_error(error)),
        }
    }

    /// Deletes an object. There may be none.
    pub async fn delete(&self, key: &str) -> Result<()> {
        let call = self.client.delete_object().bucket(&*self.name).key(key);
        Box::pin(call.send()).await.map(drop).map_err(convert_error)
    }

    /// Deletes an object that is no longer referenced. A failure is only logged: the object that remains does no harm.
    pub async fn discard(&self, key: &str) {
        if let Err(error) = self.delete(key).await {
            tracing::warn!(?error, "an unreferenced object could not be deleted");
        }
    }

    /// Deletes all objects whose names begin with a prefix.
    pub async fn delete_all(&self, prefix: &str) -> Result<()> {
        loop {
            let list = self.client.list_objects_v2().bucket(&*self.name).prefix(prefix);
            let list = Box::pin(list.send()).await.map_err(convert_error)?;
            let deletions = list.contents().iter().filter_map(|object| object.key()).map(|key| self.delete(key));
            try_join_all(deletions).await?;
            if !list.is_truncated().unwrap_or_default() {
                return Ok(());
            }
        }
    }

    /// A presigned URL. Anyone who has it can read the object until `valid` has passed.
    pub async fn presigned(&self, key: &str, valid: Duration) -> Result<String> {
        let valid = PresigningConfig::expires_in(valid).map_err(Error::internal)?;
        let request =
            self.client.get_object().bucket(&*self.name).key(key).presigned(valid).await.map_err(convert_error)?;
        // The server at `served_at` forwards the call to the host that is signed.
        let path = request.uri().split_once("://").and_then(|(_, rest)| rest.split_once('/'));
        Ok(match (&self.served_at, path) {
            (Some(base), Some((_, path))) => format!("{base}/{path}"),
            _ => request.uri().to_owned(),
        })
    }
}

/// The error for an object whose download broke off or whose checksum does not match.
fn download_error(error: aws_sdk_s3::primitives::ByteStreamError) -> Error {
    let cause = DisplayErrorContext(&error).to_string();
    // The SDK distinguishes the two only in the text of the error.
    if cause.contains("checksum") { Error::internal(cause) } else { Error::busy(cause) }
}
