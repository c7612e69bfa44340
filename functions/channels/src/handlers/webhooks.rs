//! Handlers for the webhooks of a workflow.

use axum::extract::State;
use axum::http::StatusCode;
use domain::Error;
use domain::id::{Id, WebhookId, WorkId, WorkflowId};
use domain::time::Time;
use domain::token::{SecretToken, TokenKind};
use domain::webhook::Webhook;
use web::base_url::BaseUrl;
use web::builder::{Created, Data, Editor, ErrorBody, ErrorResponses, NotFound, NotJson, NotPermitted, Viewer};
use web::{NoBody, OptionalJson, Path, Result};

use crate::Stores;
use crate::dto::webhook::{WebhookIn, WebhookOut};

/// List webhooks
#[utoipa::path(
    get, path = "/builder/v1/workflows/{id}/webhooks", tag = "channels",
    params(("id" = Uuid, Path, description = "The workflow")),
    responses(
        (status = 200, description = "The workflow's webhooks, oldest first", body = Data<Vec<WebhookOut>>),
        NotFound<WorkflowId>, ErrorResponses,
    ),
)]
pub async fn list_webhooks(
    State(stores): State<Stores>,
    access: Viewer<WorkflowId>,
    Path(id): Path<WorkflowId>,
    base_url: BaseUrl,
) -> Result<Data<Vec<WebhookOut>>> {
    stores.workflows.get_header(access.account, id).await?;
    let webhooks = stores.webhooks.list(access.account, id).await?;
    Ok(Data { data: webhooks.into_iter().map(|webhook| WebhookOut::new(webhook, &base_url, None)).collect() })
}

/// Create a webhook
///
/// The token is returned only in this response. The webhook starts runs once a channel of the workflow uses it.
#[utoipa::path(
    post, path = "/builder/v1/workflows/{id}/webhooks", tag = "channels",
    params(("id" = Uuid, Path, description = "The workflow")), request_body = Option<WebhookIn>,
    responses(
        Created<WebhookOut>,
        (status = 409, description = "`too_many_webhooks`: the workflow already has 50", body = ErrorBody),
        NotFound<WorkflowId>, NotJson, NotPermitted, ErrorResponses,
    ),
)]
pub async fn create_webhook(
    State(stores): State<Stores>,
    access: Editor<WorkflowId>,
    Path(workflow): Path<WorkflowId>,
    base_url: BaseUrl,
    OptionalJson(WebhookIn { name, mode, timeout_ms }): OptionalJson<WebhookIn>,
) -> Result<(StatusCode, Data<WebhookOut>)> {
    let (id, token) = (WebhookId::new(), SecretToken::generate(TokenKind::Channel));
    let created_at = Time::from_uuid(id.uuid());
    let webhook = Webhook {
        id,
        account: access.account,
        workflow,
        name,
        mode,
        timeout_ms,
        token: token.hash(),
        token_last4: token.last4().to_owned(),
        token_created_at: created_at,
        created_at,
        last_used_at: None,
        unstored_calls: 0,
    };
    stores.webhooks.create(&webhook).await?;
    Ok((StatusCode::CREATED, Data { data: WebhookOut::new(webhook, &base_url, Some(&token)) }))
}

/// Read a webhook
#[utoipa::path(
    get, path = "/builder/v1/workflows/{id}/webhooks/{webhook_id}", tag = "channels",
    params(("id" = Uuid, Path, description = "The workflow"), ("webhook_id" = Uuid, Path, description = "The webhook")),
    responses(
        (status = 200, description = "The webhook", body = Data<WebhookOut>),
        NotFound<(WorkflowId, WebhookId)>, ErrorResponses,
    ),
)]
pub async fn get_webhook(
    State(stores): State<Stores>,
    access: Viewer<WorkflowId>,
    Path((id, webhook_id)): Path<(WorkflowId, WebhookId)>,
    base_url: BaseUrl,
) -> Result<Data<WebhookOut>> {
    stores.workflows.get_header(access.account, id).await?;
    let webhook = stores.webhooks.get(access.account, id, webhook_id).await?;
    Ok(Data { data: WebhookOut::new(webhook, &base_url, None) })
}

/// Delete a webhook
///
/// Calls to a deleted webhook are answered as if it never existed. A channel that uses it becomes incomplete.
#[utoipa::path(
    delete, path = "/builder/v1/workflows/{id}/webhooks/{webhook_id}", tag = "channels",
    params(("id" = Uuid, Path, description = "The workflow"), ("webhook_id" = Uuid, Path, description = "The webhook")),
    responses((status = 204, description = "Deleted"), NotFound<(WorkflowId, WebhookId)>, NotPermitted, ErrorResponses),
)]
pub async fn delete_webhook(
    State(stores): State<Stores>,
    access: Editor<WorkflowId>,
    Path((id, webhook_id)): Path<(WorkflowId, WebhookId)>,
) -> Result<StatusCode> {
    stores.workflows.get_header(access.account, id).await?;
    let work_id = WorkId::new();
    stores.webhooks.delete(access.account, id, webhook_id, work_id).await?;
    stores.hints.send_all([work_id]).await;
    Ok(StatusCode::NO_CONTENT)
}

/// Regenerate a webhook's token
///
/// The previous token stops working immediately.
#[utoipa::path(
    post, path = "/builder/v1/workflows/{id}/webhooks/{webhook_id}/regenerate-token", tag = "channels",
    params(("id" = Uuid, Path, description = "The workflow"), ("webhook_id" = Uuid, Path, description = "The webhook")),
    responses(
        (status = 200, description = "The webhook with its new token", body = Data<WebhookOut>),
        NotFound<(WorkflowId, WebhookId)>, NotPermitted, ErrorResponses,
    ),
)]
pub async fn regenerate_token(
    State(stores): State<Stores>,
    access: Editor<WorkflowId>,
    Path((id, webhook_id)): Path<(WorkflowId, WebhookId)>,
    base_url: BaseUrl,
    _: NoBody,
) -> Result<Data<WebhookOut>> {
    stores.workflows.get_header(access.account, id).await?;
    let webhook = stores.webhooks.get(access.account, id, webhook_id).await?;
    let renewed = stores.webhooks.renew(&[webhook], access.caller.at).await?;
    let (webhook, token) = renewed.into_iter().next().ok_or(Error::NotFound { kind: WebhookId::KIND })?;
    Ok(Data { data: WebhookOut::new(webhook, &base_url, Some(&token)) })
}
