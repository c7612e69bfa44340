//! Query parameters and response bodies of webhook events: the calls that a webhook received.

use std::collections::BTreeMap;

use domain::time::Time;
use domain::webhook::{WebhookEvent, WebhookOutcome};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;
use web::paging::{CommaList, default_per_page, per_page};

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ListEvents {
    /// The maximum number of items to return.
    #[serde(default = "default_per_page", deserialize_with = "per_page")]
    #[param(minimum = 1, maximum = 100, default = 20)]
    pub limit: u32,
    /// The `nextCursor` of the previous page.
    #[param(nullable = false)]
    pub cursor: Option<String>,
    /// Returns only calls with one of these outcomes. Separate several with commas.
    #[serde(default)]
    #[param(value_type = Vec<WebhookOutcome>, style = Form, explode = false, min_items = 1)]
    pub outcome: CommaList<WebhookOutcome>,
}

/// A call that a webhook received.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "WebhookEvent")]
pub struct EventOut {
    id: Uuid,
    /// When the call was received.
    #[schema(format = DateTime)]
    received_at: String,
    /// The outcome of the call.
    outcome: WebhookOutcome,
    /// The HTTP status of the response.
    #[schema(example = 202)]
    status: u16,
    /// The run that the call started. For a repeated call, the run of the first call.
    #[schema(required)]
    run_id: Option<Uuid>,
    /// The error code if the call started no run.
    #[schema(required, example = "workflow_paused")]
    error_code: Option<String>,
    #[schema(required)]
    content_type: Option<String>,
    /// The size of the request body in bytes.
    body_bytes: u64,
}

/// A call that a webhook received, with its headers and at most 64 KB of its body. Secrets are removed.
#[derive(Serialize, ToSchema)]
#[schema(title = "WebhookEventDetail")]
pub struct EventDetailOut {
    #[serde(flatten)]
    event: EventOut,
    headers: BTreeMap<String, String>,
    body: String,
}

impl From<WebhookEvent> for EventOut {
    fn from(event: WebhookEvent) -> Self {
        let WebhookEvent { id, outcome, status, run, error_code, content_type, body_bytes, .. } = event;
        let received_at = Time::from_uuid(id.uuid()).to_string();
        Self { id: id.uuid(), received_at, outcome, status, run_id: run, error_code, content_type, body_bytes }
    }
}

impl From<WebhookEvent> for EventDetailOut {
    fn from(event: WebhookEvent) -> Self {
        Self { headers: event.headers.clone(), body: event.body.clone(), event: event.into() }
    }
}
