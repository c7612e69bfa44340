//! Files.

use axum::Json as JsonBody;
use axum::body::Body;
use axum::extract::State;
use axum::http::header::{CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS};
use axum::response::{IntoResponse, Response};
use domain::file::{FilePart, StoredFile, read_file_name};
use domain::id::FileId;
use futures::{StreamExt, future, stream};
use store::Files;
use web::gateway::{ErrorBody, ErrorResponses, FormRefused, NotFound, Person, UserOnly};
use web::{Form, Path, Query, Result};

use crate::Stores;
use crate::dto::files::{DeletedFileOut, FileIn, FileListOut, FileOut, ListFiles, UploadIn};

/// Upload a file
///
/// Compatible with OpenAI's files API. Files are for batches: the purpose is `batch`. A file has at most 4 MiB, and is kept for 30
/// days at most.
#[utoipa::path(
    post, path = "/gateway/v1/files", tag = "batches",
    request_body(content = FileIn, content_type = "multipart/form-data"),
    responses(
        (status = 200, description = "The file", body = FileOut),
        (status = 409, description = "`too_many_files`: the user keeps the maximum number of files", body = ErrorBody),
        FormRefused, UserOnly, ErrorResponses,
    ),
)]
pub async fn upload_file(State(stores): State<Stores>, person: Person, form: Form) -> Result<JsonBody<FileOut>> {
    let UploadIn { name, purpose, kept_s, content } = UploadIn::read(form)?;
    let (account, created_at) = (person.caller.account(), person.caller.at);
    let id = FileId::new();
    let object = format!("files/{}/{id}.jsonl", account.org);
    let file = StoredFile {
        id,
        name: read_file_name(&name)?,
        purpose,
        parts: vec![FilePart { object: object.clone(), bytes: content.len() as u64 }],
        created_at,
        expires_at: StoredFile::expiry(created_at, kept_s),
    };
    stores.files.create(account, &file, &object, content).await?;
    Ok(JsonBody(file.into()))
}

/// List files
///
/// The files of the caller, uploaded or written by batches.
#[utoipa::path(
    get, path = "/gateway/v1/files", tag = "batches", params(ListFiles),
    responses((status = 200, description = "A page of files", body = FileListOut), UserOnly, ErrorResponses),
)]
pub async fn list_files(
    State(stores): State<Stores>,
    person: Person,
    Query(list): Query<ListFiles>,
) -> Result<JsonBody<FileListOut>> {
    let (account, at) = (person.caller.account(), person.caller.at);
    let (purpose, order) = (list.purpose()?, list.order.into());
    let page = stores.files.list(account, purpose, order, list.after()?, list.limit as usize, at).await?;
    Ok(JsonBody(page.into()))
}

/// Read a file
#[utoipa::path(
    get, path = "/gateway/v1/files/{file_id}", tag = "batches", params(("file_id" = String, Path)),
    responses((status = 200, description = "The file", body = FileOut), NotFound<FileId>, UserOnly, ErrorResponses),
)]
pub async fn get_file(
    State(stores): State<Stores>,
    person: Person,
    Path(id): Path<FileId>,
) -> Result<JsonBody<FileOut>> {
    let file = stores.files.find(person.caller.account(), id, person.caller.at).await?;
    Ok(JsonBody(file.into()))
}

/// Delete a file
///
/// A batch keeps what it needs of its input.
#[utoipa::path(
    delete, path = "/gateway/v1/files/{file_id}", tag = "batches", params(("file_id" = String, Path)),
    responses(
        (status = 200, description = "The file is deleted", body = DeletedFileOut),
        NotFound<FileId>, UserOnly, ErrorResponses,
    ),
)]
pub async fn delete_file(
    State(stores): State<Stores>,
    person: Person,
    Path(id): Path<FileId>,
) -> Result<JsonBody<DeletedFileOut>> {
    stores.files.delete(person.caller.account(), id, person.caller.at).await?;
    Ok(JsonBody(DeletedFileOut::new(id)))
}

/// Download a file
///
/// The content of the file, as a stream.
#[utoipa::path(
    get, path = "/gateway/v1/files/{file_id}/content", tag = "batches", params(("file_id" = String, Path)),
    responses(
        (status = 200, description = "The content", body = Vec<u8>, content_type = "application/octet-stream"),
        NotFound<FileId>, UserOnly, ErrorResponses,
    ),
)]
pub async fn get_file_content(
    State(stores): State<Stores>,
    person: Person,
    Path(id): Path<FileId>,
) -> Result<Response> {
    let file = stores.files.find(person.caller.account(), id, person.caller.at).await?;
    let body = read_content(stores.files, file.parts).await?;
    let headers = [(CONTENT_TYPE, "application/octet-stream"), (X_CONTENT_TYPE_OPTIONS, "nosniff")];
    Ok((headers, body).into_response())
}

/// The content of a file. Its parts are read one after the other, so that only one of them is in memory.
async fn read_content(files: Files, parts: Vec<FilePart>) -> domain::Result<Body> {
    let mut parts = parts.into_iter();
    // If the first part cannot be read, the response is an error.
    let first = match parts.next() {
        Some(part) => files.read(&part).await?,
        None => return Ok(Body::empty()),
    };
    let others = stream::iter(parts).then(move |part| {
        let files = files.clone();
        async move { files.read(&part).await }
    });
    Ok(Body::from_stream(stream::once(future::ready(Ok(first))).chain(others)))
}
