//! The credentials of a workflow's channels.

use axum::extract::State;
use axum::http::StatusCode;
use domain::id::{CredentialId, WebhookId, WorkId, WorkflowId};
use domain::time::Time;
use shared::http::standard::{Caller, Data, ErrorBody, Json, OptionalJson, Path, Refused, Result};

use crate::Stores;
use crate::dto::credential::{CredentialFields, CredentialIn, CredentialOut, CredentialsOut, InboundOut, RegenerateIn};

/// List credentials
///
/// The tokens of the workflow's webhooks, and what it shows to the systems it calls; never their secrets.
#[utoipa::path(
    get, path = "/builder/v1/workflows/{id}/webhook-credentials", tag = "channels", security(("bearer" = [])),
    params(("id" = Uuid, Path, description = "The workflow")),
    responses(
        (status = 200, description = "The credentials", body = Data<CredentialsOut>),
        (status = 404, description = "No such workflow of the caller's", body = ErrorBody),
        Refused,
    ),
)]
pub async fn list_credentials(
    State(stores): State<Stores>,
    Caller(caller): Caller,
    Path(id): Path<WorkflowId>,
) -> Result<Data<CredentialsOut>> {
    stores.workflows.standing(caller.account(), id).await?;
    let webhooks = stores.webhooks.list(caller.account(), id).await?;
    let inbound = webhooks.iter().map(|webhook| InboundOut::new(webhook, None)).collect();
    let outbound = stores.credentials.list(caller.account(), id).await?;
    Ok(Data { data: CredentialsOut { inbound, outbound: outbound.into_iter().map(CredentialOut::from).collect() } })
}

/// Renew the tokens of webhooks
///
/// Of one or of all; the tokens before are not valid any more.
#[utoipa::path(
    post, path = "/builder/v1/workflows/{id}/webhook-credentials/inbound/regenerate", tag = "channels",
    security(("bearer" = [])),
    params(("id" = Uuid, Path, description = "The workflow")), request_body = Option<RegenerateIn>,
    responses(
        (status = 200, description = "The new tokens", body = Data<Vec<InboundOut>>),
        (status = 404, description = "No such workflow of the caller's, or no such webhook of it", body = ErrorBody),
        (status = 415, description = "The body is not JSON", body = ErrorBody),
        Refused,
    ),
)]
pub async fn regenerate_inbound(
    State(stores): State<Stores>,
    Caller(caller): Caller,
    Path(id): Path<WorkflowId>,
    OptionalJson(RegenerateIn { webhook_id }): OptionalJson<RegenerateIn>,
) -> Result<Data<Vec<InboundOut>>> {
    stores.workflows.standing(caller.account(), id).await?;
    let webhooks = match webhook_id {
        Some(webhook) => vec![stores.webhooks.get(caller.account(), id, WebhookId::from(webhook)).await?],
        None => stores.webhooks.list(caller.account(), id).await?,
    };
    let renewed = stores.webhooks.renew(&webhooks, Time::now()).await?;
    Ok(Data { data: renewed.iter().map(|(webhook, token)| InboundOut::new(webhook, Some(token))).collect() })
}

/// List outbound credentials
#[utoipa::path(
    get, path = "/builder/v1/workflows/{id}/webhook-credentials/outbound", tag = "channels", security(("bearer" = [])),
    params(("id" = Uuid, Path, description = "The workflow")),
    responses(
        (status = 200, description = "What the workflow shows to the systems it calls", body = Data<Vec<CredentialOut>>),
        (status = 404, description = "No such workflow of the caller's", body = ErrorBody),
        Refused,
    ),
)]
pub async fn list_outbound(
    State(stores): State<Stores>,
    Caller(caller): Caller,
    Path(id): Path<WorkflowId>,
) -> Result<Data<Vec<CredentialOut>>> {
    stores.workflows.standing(caller.account(), id).await?;
    let found = stores.credentials.list(caller.account(), id).await?;
    Ok(Data { data: found.into_iter().map(CredentialOut::from).collect() })
}

/// Add an outbound credential
///
/// Encrypted, never shown again, and of use to this workflow alone.
#[utoipa::path(
    post, path = "/builder/v1/workflows/{id}/webhook-credentials/outbound", tag = "channels", security(("bearer" = [])),
    params(("id" = Uuid, Path, description = "The workflow")), request_body = CredentialIn,
    responses(
        (status = 201, description = "The credential", body = Data<CredentialOut>),
        (status = 404, description = "No such workflow of the caller's", body = ErrorBody),
        (status = 409, description = "`too_many_credentials`: the workflow has 50", body = ErrorBody),
        (status = 415, description = "The body is not JSON", body = ErrorBody),
        Refused,
    ),
)]
pub async fn create_credential(
    State(stores): State<Stores>,
    Caller(caller): Caller,
    Path(id): Path<WorkflowId>,
    Json(fields): Json<CredentialFields>,
) -> Result<(StatusCode, Data<CredentialOut>)> {
    let (name, credential) = fields.read()?;
    credential.check(&name)?;
    let made = stores.credentials.create(caller.account(), id, name, &credential).await?;
    Ok((StatusCode::CREATED, Data { data: made.into() }))
}

/// Read an outbound credential
///
/// What it is called and of which type it is; never its secrets.
#[utoipa::path(
    get, path = "/builder/v1/workflows/{id}/webhook-credentials/outbound/{credential_id}", tag = "channels",
    security(("bearer" = [])),
    params(
        ("id" = Uuid, Path, description = "The workflow"),
        ("credential_id" = Uuid, Path, description = "The credential"),
    ),
    responses(
        (status = 200, description = "The credential", body = Data<CredentialOut>),
        (status = 404, description = "No such workflow of the caller's, or no such credential of it", body = ErrorBody),
        Refused,
    ),
)]
pub async fn get_credential(
    State(stores): State<Stores>,
    Caller(caller): Caller,
    Path((id, credential_id)): Path<(WorkflowId, CredentialId)>,
) -> Result<Data<CredentialOut>> {
    stores.workflows.standing(caller.account(), id).await?;
    let found = stores.credentials.get(caller.account(), id, credential_id).await?;
    Ok(Data { data: found.into() })
}

/// Delete an outbound credential
///
/// Nodes that name it cannot be published any more; a workflow whose active release does needs attention.
#[utoipa::path(
    delete, path = "/builder/v1/workflows/{id}/webhook-credentials/outbound/{credential_id}", tag = "channels",
    security(("bearer" = [])),
    params(
        ("id" = Uuid, Path, description = "The workflow"),
        ("credential_id" = Uuid, Path, description = "The credential"),
    ),
    responses(
        (status = 204, description = "Deleted"),
        (status = 404, description = "No such workflow of the caller's, or no such credential of it", body = ErrorBody),
        Refused,
    ),
)]
pub async fn delete_credential(
    State(stores): State<Stores>,
    Caller(caller): Caller,
    Path((id, credential_id)): Path<(WorkflowId, CredentialId)>,
) -> Result<StatusCode> {
    stores.workflows.standing(caller.account(), id).await?;
    let work_id = WorkId::new();
    stores.credentials.delete(caller.account(), id, credential_id, work_id).await?;
    stores.hints.give([work_id]).await;
    Ok(StatusCode::NO_CONTENT)
}
