//! Handlers for the inbound and outbound credentials of a workflow.

use axum::extract::State;
use axum::http::StatusCode;
use domain::credential::CredentialType;
use domain::id::{CredentialId, WebhookId, WorkId, WorkflowId};
use domain::time::Time;
use futures::future::try_join_all;
use store::credentials::CredentialSummary;
use web::builder::{Created, Data, Editor, ErrorBody, ErrorResponses, NotFound, NotJson, NotPermitted};
use web::{Json, OptionalJson, Path, Result};

use crate::Stores;
use crate::dto::authorization::AuthorizationOut;
use crate::dto::credential::{CredentialIn, CredentialOut, CredentialsOut, InboundOut, RegenerateIn};
use crate::dto::credential_fields::CredentialFields;

/// List credentials
///
/// Returns the tokens of the workflow's webhooks and its credentials for external systems, without their secrets.
#[utoipa::path(
    get, path = "/builder/v1/workflows/{id}/webhook-credentials", tag = "channels",
    params(("id" = Uuid, Path, description = "The workflow")),
    responses(
        (status = 200, description = "The credentials", body = Data<CredentialsOut>),
        NotFound<WorkflowId>, NotPermitted, ErrorResponses,
    ),
)]
pub async fn list_credentials(
    State(stores): State<Stores>,
    access: Editor<WorkflowId>,
    Path(id): Path<WorkflowId>,
) -> Result<Data<CredentialsOut>> {
    stores.workflows.get_header(access.account, id).await?;
    let webhooks = stores.webhooks.list(access.account, id).await?;
    let inbound = webhooks.iter().map(|webhook| InboundOut::new(webhook, None)).collect();
    let outbound = stores.credentials.list(access.account, id).await?;
    Ok(Data { data: CredentialsOut { inbound, outbound: show_all(&stores, outbound, access.caller.at).await? } })
}

/// Regenerate webhook tokens
///
/// Replaces the token of one webhook or of all. The previous tokens stop working immediately.
#[utoipa::path(
    post, path = "/builder/v1/workflows/{id}/webhook-credentials/inbound/regenerate", tag = "channels",
    params(("id" = Uuid, Path, description = "The workflow")), request_body = Option<RegenerateIn>,
    responses(
        (status = 200, description = "The new tokens", body = Data<Vec<InboundOut>>),
        NotFound<(WorkflowId, WebhookId)>, NotJson, NotPermitted, ErrorResponses,
    ),
)]
pub async fn regenerate_inbound(
    State(stores): State<Stores>,
    access: Editor<WorkflowId>,
    Path(id): Path<WorkflowId>,
    OptionalJson(RegenerateIn { webhook_id }): OptionalJson<RegenerateIn>,
) -> Result<Data<Vec<InboundOut>>> {
    stores.workflows.get_header(access.account, id).await?;
    let webhooks = match webhook_id {
        Some(webhook) => vec![stores.webhooks.get(access.account, id, WebhookId::from(webhook)).await?],
        None => stores.webhooks.list(access.account, id).await?,
    };
    let renewed = stores.webhooks.renew(&webhooks, access.caller.at).await?;
    Ok(Data { data: renewed.iter().map(|(webhook, token)| InboundOut::new(webhook, Some(token))).collect() })
}

/// List outbound credentials
#[utoipa::path(
    get, path = "/builder/v1/workflows/{id}/webhook-credentials/outbound", tag = "channels",
    params(("id" = Uuid, Path, description = "The workflow")),
    responses(
        (status = 200, description = "The credentials for calls to external systems", body = Data<Vec<CredentialOut>>),
        NotFound<WorkflowId>, NotPermitted, ErrorResponses,
    ),
)]
pub async fn list_outbound(
    State(stores): State<Stores>,
    access: Editor<WorkflowId>,
    Path(id): Path<WorkflowId>,
) -> Result<Data<Vec<CredentialOut>>> {
    stores.workflows.get_header(access.account, id).await?;
    let found = stores.credentials.list(access.account, id).await?;
    Ok(Data { data: show_all(&stores, found, access.caller.at).await? })
}

/// Add an outbound credential
///
/// The secrets are stored encrypted and never returned. Only this workflow can use the credential. One of type
/// `oauth2_authorization_code` cannot be used before a user has consented, see `…/authorize`.
#[utoipa::path(
    post, path = "/builder/v1/workflows/{id}/webhook-credentials/outbound", tag = "channels",
    params(("id" = Uuid, Path, description = "The workflow")), request_body = CredentialIn,
    responses(
        Created<CredentialOut>,
        (status = 409, description = "`too_many_credentials`: the workflow already has 50", body = ErrorBody),
        NotFound<WorkflowId>, NotJson, NotPermitted, ErrorResponses,
    ),
)]
pub async fn create_credential(
    State(stores): State<Stores>,
    access: Editor<WorkflowId>,
    Path(id): Path<WorkflowId>,
    Json(fields): Json<CredentialFields>,
) -> Result<(StatusCode, Data<CredentialOut>)> {
    let (name, credential) = fields.into_named()?;
    stores.consents.check(&credential)?;
    let made = stores.credentials.create(access.account, id, name, &credential).await?;
    Ok((StatusCode::CREATED, Data { data: show(&stores, made, access.caller.at).await? }))
}

/// Read an outbound credential
///
/// Returns the name and the type of the credential, without its secrets.
#[utoipa::path(
    get, path = "/builder/v1/workflows/{id}/webhook-credentials/outbound/{credential_id}", tag = "channels",
    params(
        ("id" = Uuid, Path, description = "The workflow"),
        ("credential_id" = Uuid, Path, description = "The credential"),
    ),
    responses(
        (status = 200, description = "The credential", body = Data<CredentialOut>),
        NotFound<(WorkflowId, CredentialId)>, NotPermitted, ErrorResponses,
    ),
)]
pub async fn get_credential(
    State(stores): State<Stores>,
    access: Editor<WorkflowId>,
    Path((id, credential_id)): Path<(WorkflowId, CredentialId)>,
) -> Result<Data<CredentialOut>> {
    stores.workflows.get_header(access.account, id).await?;
    let found = stores.credentials.get(access.account, id, credential_id).await?;
    Ok(Data { data: show(&stores, found, access.caller.at).await? })
}

/// Delete an outbound credential
///
/// Nodes that reference the credential can no longer be published. If the active release references it, the workflow
/// changes to `needs_attention`. The tokens of a connected account are deleted, and revoked if the provider offers it.
#[utoipa::path(
    delete, path = "/builder/v1/workflows/{id}/webhook-credentials/outbound/{credential_id}", tag = "channels",
    params(
        ("id" = Uuid, Path, description = "The workflow"),
        ("credential_id" = Uuid, Path, description = "The credential"),
    ),
    responses((status = 204, description = "Deleted"), NotFound<(WorkflowId, CredentialId)>, NotPermitted, ErrorResponses),
)]
pub async fn delete_credential(
    State(stores): State<Stores>,
    access: Editor<WorkflowId>,
    Path((id, credential_id)): Path<(WorkflowId, CredentialId)>,
) -> Result<StatusCode> {
    stores.workflows.get_header(access.account, id).await?;
    let summary = stores.credentials.get(access.account, id, credential_id).await?;
    let connected = stores.consents.find_connected(&stores.credentials, access.account, id, &summary).await?;
    let work_id = WorkId::new();
    stores.credentials.delete(access.account, id, credential_id, work_id).await?;
    stores.hints.send_all([work_id]).await;
    if let Some((credential, tokens)) = connected {
        stores.consents.revoke(&credential, &tokens).await;
    }
    Ok(StatusCode::NO_CONTENT)
}

async fn show(stores: &Stores, summary: CredentialSummary, now: Time) -> domain::Result<CredentialOut> {
    let authorization = match summary.r#type {
        CredentialType::Oauth2AuthorizationCode => {
            Some(AuthorizationOut::new(stores.consents.tokens(summary.id).await?, now))
        }
        _ => None,
    };
    Ok(CredentialOut::new(summary, authorization))
}

async fn show_all(stores: &Stores, summaries: Vec<CredentialSummary>, now: Time) -> domain::Result<Vec<CredentialOut>> {
    try_join_all(summaries.into_iter().map(|summary| show(stores, summary, now))).await
}
