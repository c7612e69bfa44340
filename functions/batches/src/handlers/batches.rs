//! Batches.

use axum::Json as JsonBody;
use axum::extract::State;
use axum::http::HeaderMap;
use domain::batch::{BatchEndpoint, BatchOrder};
use domain::file::{FilePurpose, StoredFile};
use domain::id::{BatchId, FileId};
use domain::{Error, Result as DomainResult};
use store::batches::object_name;
use web::gateway::{BodyRefused, ErrorBody, ErrorResponses, NotFound, Person, UserOnly, call_tags};
use web::{Json, NoBody, Path, Query, Result};

use crate::Stores;
use crate::dto::batches::{BatchHeaders, BatchIn, BatchListOut, BatchOut, ListBatches};

/// Create a batch
///
/// Compatible with OpenAI's batch API: each line of the input file is a request, and the answers are in the output file, in any
/// order. The calls are made within 24 hours, when the limits of the key have room for them, at the batch price of each model. They
/// have the rights of the API key at that time. Lines that are refused are in the error file.
#[utoipa::path(
    post, path = "/gateway/v1/batches", tag = "batches", params(BatchHeaders), request_body = BatchIn,
    responses(
        (status = 200, description = "The batch", body = BatchOut),
        (status = 403, description = "`api_key_required`: an access token cannot create a batch. \
            `api_key_of_workbench`: the key belongs to a workbench", body = ErrorBody),
        (status = 409, description = "`too_many_batches`: the user has the maximum number of batches that have not \
            ended", body = ErrorBody),
        BodyRefused, ErrorResponses,
    ),
)]
pub async fn create_batch(
    State(stores): State<Stores>,
    person: Person,
    headers: HeaderMap,
    Json(batch): Json<BatchIn>,
) -> Result<JsonBody<BatchOut>> {
    let (account, id) = (person.caller.account(), BatchId::new());
    let key = person.key.as_ref().ok_or_else(key_required)?.id;
    let (endpoint, metadata, tags) = (BatchEndpoint::read(&batch.endpoint)?, batch.metadata()?, call_tags(&headers)?);
    let file = find_input(&stores, &person, &batch.input_file_id).await?;
    let input = stores.files.read(file.parts.first().ok_or_else(unknown_input)?).await?;
    let order = BatchOrder {
        id,
        account,
        key,
        endpoint,
        input_file: file.id,
        input: object_name(account, id),
        output_kept_s: batch.output_kept_s(),
        metadata,
        tags,
        created_at: person.caller.at,
    };
    Ok(JsonBody(stores.batches.create(order, input).await?.into()))
}

/// List batches
///
/// The batches of the caller, the newest first.
#[utoipa::path(
    get, path = "/gateway/v1/batches", tag = "batches", params(ListBatches),
    responses(
        (status = 200, description = "A page of batches", body = BatchListOut),
        UserOnly, ErrorResponses,
    ),
)]
pub async fn list_batches(
    State(stores): State<Stores>,
    person: Person,
    Query(list): Query<ListBatches>,
) -> Result<JsonBody<BatchListOut>> {
    let page = stores.batches.list(person.caller.account(), list.after()?, list.limit).await?;
    Ok(JsonBody(page.into()))
}

/// Read a batch
#[utoipa::path(
    get, path = "/gateway/v1/batches/{batch_id}", tag = "batches", params(("batch_id" = String, Path)),
    responses(
        (status = 200, description = "The batch", body = BatchOut),
        NotFound<BatchId>, UserOnly, ErrorResponses,
    ),
)]
pub async fn get_batch(
    State(stores): State<Stores>,
    person: Person,
    Path(id): Path<BatchId>,
) -> Result<JsonBody<BatchOut>> {
    Ok(JsonBody(stores.batches.find(person.caller.account(), id).await?.into()))
}

/// Cancel a batch
///
/// Calls that are in flight are finished and charged. The answers so far are in the output file.
#[utoipa::path(
    post, path = "/gateway/v1/batches/{batch_id}/cancel", tag = "batches", params(("batch_id" = String, Path)),
    responses(
        (status = 200, description = "The batch, which is `cancelling`", body = BatchOut),
        (status = 409, description = "`invalid_state`: the batch has ended", body = ErrorBody),
        NotFound<BatchId>, UserOnly, ErrorResponses,
    ),
)]
pub async fn cancel_batch(
    State(stores): State<Stores>,
    person: Person,
    Path(id): Path<BatchId>,
    NoBody: NoBody,
) -> Result<JsonBody<BatchOut>> {
    Ok(JsonBody(stores.batches.cancel(person.caller.account(), id).await?.into()))
}

/// The input file, which the caller has uploaded.
async fn find_input(stores: &Stores, person: &Person, id: &str) -> DomainResult<StoredFile> {
    let id: FileId = id.parse().map_err(|_| unknown_input())?;
    match stores.files.find(person.caller.account(), id, person.caller.at).await {
        Ok(file) if file.purpose == FilePurpose::Batch => Ok(file),
        Ok(_) => Err(Error::invalid_body("input_file_id", "must be a file with the purpose batch")),
        Err(Error::NotFound { .. }) => Err(unknown_input()),
        Err(error) => Err(error),
    }
}

fn unknown_input() -> Error {
    Error::invalid_body("input_file_id", "no such file; upload it with POST /gateway/v1/files")
}

/// A batch makes its calls with an API key, which has limits and may be revoked.
fn key_required() -> Error {
    let message =
        "an access token cannot create a batch, because its calls need an API key; send an API key".to_owned();
    Error::Forbidden { code: "api_key_required", message }
}
