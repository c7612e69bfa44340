//! Files on the wire.

use axum::body::Bytes;
use domain::file::{FilePurpose, MAX_KEPT_S, MIN_KEPT_S, StoredFile};
use domain::id::FileId;
use domain::{Error, Result};
use serde::{Deserialize, Deserializer, Serialize};
use store::FilePage;
use utoipa::{IntoParams, ToSchema};
use web::Form;
use web::paging::{OrderIn, number};

const MAX_LIMIT: u32 = 10_000;
const ANCHOR: &str = "expires_after[anchor]";
const SECONDS: &str = "expires_after[seconds]";

/// A form with a file
#[derive(ToSchema)]
#[schema(as = FileIn)]
#[expect(dead_code, reason = "read only by the generator of the OpenAPI document")]
pub struct FileIn {
    /// One JSON object a line, each a request of a batch
    #[schema(value_type = String, format = Binary)]
    file: Vec<u8>,
    /// `batch`; files for other purposes are refused
    #[schema(example = "batch")]
    purpose: String,
    /// `created_at`
    #[schema(rename = "expires_after[anchor]", nullable = false)]
    anchor: Option<String>,
    /// How many seconds the file is kept: 30 days by default
    #[schema(rename = "expires_after[seconds]", nullable = false, minimum = 3600, maximum = 2592000)]
    seconds: Option<u32>,
}

/// An upload.
pub struct UploadIn {
    pub name: String,
    pub purpose: FilePurpose,
    pub kept_s: Option<u32>,
    pub content: Bytes,
}

impl UploadIn {
    pub fn read(mut form: Form) -> Result<Self> {
        let file = form.take_file("file")?;
        let purpose = form.take("purpose")?.ok_or_else(|| Error::invalid_body("purpose", "is required"))?;
        let purpose = FilePurpose::of_upload(purpose.text()?)?;
        let (anchor, seconds) = (form.take(ANCHOR)?, form.take(SECONDS)?);
        if let Some(anchor) = anchor
            && anchor.text()? != "created_at"
        {
            return Err(Error::invalid_body(ANCHOR, "must be `created_at`"));
        }
        let kept_s = match &seconds {
            None => None,
            Some(seconds) => Some(read_seconds(seconds.text()?)?),
        };
        if let Some(unknown) = form.0.first() {
            return Err(Error::invalid_body(&unknown.name, "is not a field of this form; leave it out"));
        }
        if file.content.is_empty() {
            return Err(Error::invalid_body("file", "is empty; write one request a line"));
        }
        Ok(Self { name: file.file_name.unwrap_or_default(), purpose, kept_s, content: file.content })
    }
}

fn read_seconds(text: &str) -> Result<u32> {
    let seconds = text.parse().ok().filter(|seconds| (MIN_KEPT_S..=MAX_KEPT_S).contains(seconds));
    seconds.ok_or_else(|| {
        Error::invalid_body(SECONDS, format_args!("must be a whole number from {MIN_KEPT_S} to {MAX_KEPT_S}"))
    })
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ListFiles {
    /// Only files of this purpose: `batch` or `batch_output`
    #[param(nullable = false)]
    purpose: Option<String>,
    #[serde(default)]
    #[param(inline)]
    pub order: OrderIn,
    /// The `last_id` of the previous page
    #[param(nullable = false)]
    after: Option<String>,
    #[serde(default = "max_limit", deserialize_with = "limit")]
    #[param(minimum = 1, maximum = 10000, default = 10000)]
    pub limit: u32,
}

fn max_limit() -> u32 {
    MAX_LIMIT
}

fn limit<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    number(deserializer, 1, MAX_LIMIT)
}

impl ListFiles {
    pub fn purpose(&self) -> Result<Option<FilePurpose>> {
        let Some(name) = &self.purpose else { return Ok(None) };
        let purpose = FilePurpose::ALL.into_iter().find(|purpose| purpose.as_str() == name);
        purpose.map(Some).ok_or_else(|| Error::invalid_query("purpose", "must be `batch` or `batch_output`"))
    }

    pub fn after(&self) -> Result<Option<FileId>> {
        let after = self.after.as_deref().map(str::parse).transpose();
        after.map_err(|_| Error::invalid_query("after", "must be the id of a file"))
    }
}

/// A file
#[derive(Serialize, ToSchema)]
#[schema(as = File)]
pub struct FileOut {
    #[schema(value_type = String)]
    id: FileId,
    #[schema(example = "file")]
    object: &'static str,
    bytes: u64,
    /// Unix seconds
    created_at: i64,
    /// Unix seconds. The file is deleted then
    expires_at: i64,
    filename: String,
    /// `batch`, or `batch_output` if a batch has written it
    purpose: &'static str,
    /// Always `processed`
    status: &'static str,
}

impl From<StoredFile> for FileOut {
    fn from(file: StoredFile) -> Self {
        Self {
            id: file.id,
            object: "file",
            bytes: file.bytes(),
            created_at: file.created_at.as_seconds(),
            expires_at: file.expires_at.as_seconds(),
            filename: file.name,
            purpose: file.purpose.as_str(),
            status: "processed",
        }
    }
}

/// A page of files
#[derive(Serialize, ToSchema)]
#[schema(as = FileList)]
pub struct FileListOut {
    #[schema(example = "list")]
    object: &'static str,
    data: Vec<FileOut>,
    #[schema(required, value_type = Option<String>)]
    first_id: Option<FileId>,
    /// Send it as `after` to get the next page
    #[schema(required, value_type = Option<String>)]
    last_id: Option<FileId>,
    has_more: bool,
}

impl From<FilePage> for FileListOut {
    fn from(FilePage { files, has_more }: FilePage) -> Self {
        let (first_id, last_id) = (files.first().map(|file| file.id), files.last().map(|file| file.id));
        let data = files.into_iter().map(FileOut::from).collect();
        Self { object: "list", data, first_id, last_id, has_more }
    }
}

#[derive(Serialize, ToSchema)]
#[schema(as = DeletedFile)]
pub struct DeletedFileOut {
    #[schema(value_type = String)]
    id: FileId,
    #[schema(example = "file")]
    object: &'static str,
    deleted: bool,
}

impl DeletedFileOut {
    pub fn new(id: FileId) -> Self {
        Self { id, object: "file", deleted: true }
    }
}
