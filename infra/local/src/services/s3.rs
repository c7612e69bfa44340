//! Embedded S3, by s3s on a folder (`folder.rs`). Objects and their metadata are files, so acknowledged writes survive a kill.
//!
//! s3s verifies signatures itself, including those of presigned URLs.

use std::path::Path;
use std::sync::Arc;

use futures::FutureExt;
use futures::future::BoxFuture;
use http::{Method, StatusCode};
use hyper::body::Body as _;
use hyper::service::Service;
use platform::aws::STORAGE_FAILURE;
use s3s::auth::SimpleAuth;
use s3s::service::{S3Service, S3ServiceBuilder};
use s3s::{Body, HttpError};

use super::gate::page_problem;
use super::secret_key::SecretKey;
use super::storage::StorageHealth;
use super::{ACCESS_KEY, SyncMode};
use crate::data_dir::{DataDir, S3, sync_disk};
use crate::failure::Failure;
use crate::server::RequestBody;

mod folder;
mod list;

use folder::BucketFolder;

/// S3 that reports failures of the disk.
#[derive(Clone)]
pub struct EmbeddedS3 {
    inner: S3Service,
    folder: Arc<Path>,
    sync: SyncMode,
    storage: StorageHealth,
}

pub fn service(data: &DataDir, key: &SecretKey, sync: SyncMode, storage: StorageHealth) -> Result<EmbeddedS3, Failure> {
    let folder = data.s3_folder();
    let files = BucketFolder::new(&folder).map_err(|cause| data.damaged_file(S3, format!("{cause:?}")))?;
    let mut service = S3ServiceBuilder::new(files);
    service.set_auth(SimpleAuth::from_single(ACCESS_KEY, key.reveal()));
    Ok(EmbeddedS3 { inner: service.build(), folder: folder.into(), sync, storage })
}

impl EmbeddedS3 {
    pub async fn call(&self, request: http::Request<Body>) -> Result<http::Response<Body>, HttpError> {
        let is_write = !matches!(*request.method(), Method::GET | Method::HEAD);
        let bytes = request.body().size_hint().lower();
        let answer = self.inner.call(request).await?;
        let Self { folder, sync, storage, .. } = self.clone();
        if is_write && answer.status().is_server_error() {
            // The response does not hold the cause, so check the disk.
            let cause = tokio::task::spawn_blocking(move || storage.explain(S3, bytes)).await.unwrap_or_default();
            return Ok(cause.map_or(answer, |cause| storage_failure(&cause)));
        }
        if is_write {
            storage.report_written(S3);
        }
        if is_write && sync == SyncMode::Full && answer.status().is_success() {
            let synced = tokio::task::spawn_blocking(move || sync_disk(&folder)).await;
            if let Ok(Err(cause)) = synced {
                storage.report_io(S3, &cause);
            }
        }
        Ok(answer)
    }
}

/// S3 at its port, where it refuses calls of browser pages.
#[derive(Clone)]
pub struct ServedS3(pub EmbeddedS3);

impl Service<http::Request<RequestBody>> for ServedS3 {
    type Response = http::Response<Body>;
    type Error = HttpError;
    type Future = BoxFuture<'static, Result<Self::Response, HttpError>>;

    fn call(&self, request: http::Request<RequestBody>) -> Self::Future {
        if let Some(problem) = page_problem(request.headers()) {
            let mut refused = http::Response::new(Body::from(problem.to_owned()));
            *refused.status_mut() = StatusCode::FORBIDDEN;
            return async { Ok(refused) }.boxed();
        }
        let s3 = self.0.clone();
        async move { s3.call(request.map(Body::http_body_unsync)).await }.boxed()
    }
}

/// A refusal that SDK clients do not retry: a retry would fail too.
fn storage_failure(cause: &str) -> http::Response<Body> {
    let body = format!("<Error><Code>{STORAGE_FAILURE}</Code><Message>{cause}</Message></Error>");
    let mut refused = http::Response::new(Body::from(body));
    *refused.status_mut() = StatusCode::BAD_REQUEST;
    refused
}
