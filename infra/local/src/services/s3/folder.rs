//! The buckets of a folder: `s3s_fs::FileSystem`, except that a list reads only the folder of its prefix, and that nothing of a
//! deleted object remains. The library's lists read the whole bucket, and its deletions leave the object's attributes and folders.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use s3s::dto::*;
use s3s::{S3, S3Error, S3Request, S3Response, S3Result, s3_error};
use s3s_fs::FileSystem;
use tokio::task::spawn_blocking;

use super::list::{is_within_bucket, list, unless_gone};

/// The default of S3, and its maximum.
const PAGE: usize = 1_000;

pub struct BucketFolder {
    files: FileSystem,
    root: Arc<Path>,
    uploads: Arc<Uploads>,
}

impl BucketFolder {
    pub fn new(root: &Path) -> Result<Self, s3s_fs::Error> {
        Ok(Self { files: FileSystem::new(root)?, root: root.into(), uploads: Arc::default() })
    }
}

#[async_trait::async_trait]
impl S3 for BucketFolder {
    async fn create_bucket(&self, request: S3Request<CreateBucketInput>) -> S3Result<S3Response<CreateBucketOutput>> {
        self.files.create_bucket(request).await
    }

    async fn list_buckets(&self, request: S3Request<ListBucketsInput>) -> S3Result<S3Response<ListBucketsOutput>> {
        self.files.list_buckets(request).await
    }

    async fn head_bucket(&self, request: S3Request<HeadBucketInput>) -> S3Result<S3Response<HeadBucketOutput>> {
        self.files.head_bucket(request).await
    }

    async fn get_bucket_location(
        &self,
        request: S3Request<GetBucketLocationInput>,
    ) -> S3Result<S3Response<GetBucketLocationOutput>> {
        self.files.get_bucket_location(request).await
    }

    async fn get_object(&self, request: S3Request<GetObjectInput>) -> S3Result<S3Response<GetObjectOutput>> {
        self.files.get_object(request).await
    }

    async fn head_object(&self, request: S3Request<HeadObjectInput>) -> S3Result<S3Response<HeadObjectOutput>> {
        self.files.head_object(request).await
    }

    async fn put_object(&self, request: S3Request<PutObjectInput>) -> S3Result<S3Response<PutObjectOutput>> {
        let object = self.root.join(&request.input.bucket).join(&request.input.key);
        let _upload = self.uploads.begin(object.parent().unwrap_or(&self.root));
        self.files.put_object(request).await
    }

    async fn delete_object(&self, request: S3Request<DeleteObjectInput>) -> S3Result<S3Response<DeleteObjectOutput>> {
        let (root, uploads) = (self.root.clone(), self.uploads.clone());
        let (bucket, key) = (request.input.bucket.clone(), request.input.key.clone());
        // The attributes first: if the process stops in between, the object can still be read, and deleted again.
        let attributes = attributes(&root, &bucket, &key);
        blocking(move || attributes.iter().try_for_each(|file| unless_gone(std::fs::remove_file(file)).map(drop)))
            .await?;
        let answer = self.files.delete_object(request).await?;
        if is_within_bucket(&key) {
            let bucket = root.join(bucket);
            blocking(move || uploads.remove_empty(&bucket, &bucket.join(key))).await?;
        }
        Ok(answer)
    }

    async fn list_objects_v2(
        &self,
        request: S3Request<ListObjectsV2Input>,
    ) -> S3Result<S3Response<ListObjectsV2Output>> {
        let input = &request.input;
        let bucket = self.root.join(&input.bucket);
        // Only people at a terminal ask for folders.
        if input.delimiter.is_some() || !bucket.is_dir() {
            return self.files.list_objects_v2(request).await;
        }
        let input = request.input;
        let size = input.max_keys.map_or(PAGE, |keys| usize::try_from(keys).unwrap_or(0).min(PAGE));
        let after =
            input.continuation_token.as_deref().max(input.start_after.as_deref()).unwrap_or_default().to_owned();
        let prefix = input.prefix.clone().unwrap_or_default();
        let page = blocking(move || list(&bucket, &prefix, &after, size)).await?;
        let last = page.objects.last().and_then(|object| object.key.clone());
        Ok(S3Response::new(ListObjectsV2Output {
            key_count: i32::try_from(page.objects.len()).ok(),
            max_keys: i32::try_from(size).ok(),
            is_truncated: Some(page.has_more),
            next_continuation_token: last.filter(|_| page.has_more),
            contents: Some(page.objects),
            continuation_token: input.continuation_token,
            name: Some(input.bucket),
            prefix: input.prefix,
            start_after: input.start_after,
            ..ListObjectsV2Output::default()
        }))
    }
}

/// The folders of the uploads in progress, with their number. A folder that seems empty may be the one an upload is about to use.
#[derive(Default)]
struct Uploads(Mutex<HashMap<PathBuf, usize>>);

struct Upload {
    uploads: Arc<Uploads>,
    folder: PathBuf,
}

impl Uploads {
    fn begin(self: &Arc<Self>, folder: &Path) -> Upload {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner).entry(folder.to_owned()).or_default() += 1;
        Upload { uploads: self.clone(), folder: folder.to_owned() }
    }

    /// Removes the folders between a bucket and a deleted object that are empty and get no upload.
    fn remove_empty(&self, bucket: &Path, object: &Path) -> io::Result<()> {
        let uploads = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let folders = object.ancestors().skip(1).take_while(|folder| *folder != bucket && folder.starts_with(bucket));
        for folder in folders {
            if uploads.keys().any(|used| used.starts_with(folder)) {
                break;
            }
            match unless_gone(std::fs::remove_dir(folder)) {
                Err(cause) if cause.kind() == io::ErrorKind::DirectoryNotEmpty => break,
                removed => drop(removed?),
            }
        }
        Ok(())
    }
}

impl Drop for Upload {
    fn drop(&mut self) {
        let mut uploads = self.uploads.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = uploads.get_mut(&self.folder) {
            *count -= 1;
            if *count == 0 {
                uploads.remove(&self.folder);
            }
        }
    }
}

/// The files in which the library keeps an object's headers and checksums.
fn attributes(root: &Path, bucket: &str, key: &str) -> [PathBuf; 2] {
    let [bucket, key] = [bucket, key].map(|name| BASE64_URL_SAFE_NO_PAD.encode(name));
    ["metadata", "internal"].map(|kind| root.join(format!(".bucket-{bucket}.object-{key}.{kind}.json")))
}

async fn blocking<T: Send + 'static>(work: impl FnOnce() -> io::Result<T> + Send + 'static) -> S3Result<T> {
    let done = spawn_blocking(work).await.map_err(|cause| s3_error!(InternalError, "{cause}"))?;
    done.map_err(S3Error::internal_error)
}
