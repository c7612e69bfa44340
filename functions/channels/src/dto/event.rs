//! Calls that webhooks received.

use std::collections::BTreeMap;

use domain::time::Time;
use domain::webhook::{WebhookEvent, WebhookOutcome};
use serde::{Deserialize, Serialize};
use shared::http::paging::{CommaList, default_per_page, per_page};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ListEvents {
    #[serde(default = "default_per_page", deserialize_with = "per_page")]
    #[param(minimum = 1, maximum = 100, default = 20)]
    pub limit: u32,
    /// The `nextCursor` of the answer before.
    #[param(nullable = false)]
    pub cursor: Option<String>,
    /// Only calls with one of these outcomes, separated by commas.
    #[serde(default)]
    #[param(value_type = Vec<WebhookOutcome>, style = Form, explode = false, min_items = 1)]
    pub outcome: CommaList<WebhookOutcome>,
}

/// A call that a webhook received, as lists show it.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "WebhookEvent")]
pub struct EventOut {
    id: Uuid,
    #[schema(format = DateTime)]
    received_at: String,
    outcome: WebhookOutcome,
    /// What the call was answered with.
    #[schema(example = 202)]
    status: u16,
    /// The run it started, or the one it repeated.
    #[schema(required)]
    run_id: Option<Uuid>,
    /// Why there is no run.
    #[schema(required, example = "workflow_paused")]
    error_code: Option<String>,
    #[schema(required)]
    content_type: Option<String>,
    body_bytes: u64,
}

/// The call itself: without secrets, and with at most 64 KB of its body.
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
        let received_at = Time::of(id.uuid()).to_string();
        Self { id: id.uuid(), received_at, outcome, status, run_id: run, error_code, content_type, body_bytes }
    }
}

impl From<WebhookEvent> for EventDetailOut {
    fn from(event: WebhookEvent) -> Self {
        Self { headers: event.headers.clone(), body: event.body.clone(), event: event.into() }
    }
}
