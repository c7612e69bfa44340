//! Response bodies of webhooks that start runs.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

/// A run that has completed.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "TriggeredRun")]
pub struct TriggeredOut {
    pub run_id: Uuid,
    /// The output of the node `send_result`; null if the run has no output.
    #[schema(required, example = json!({"answer": "Your order is on its way."}))]
    pub output: Value,
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct SubscriptionQuery {
    /// `subscribe`
    #[serde(rename = "hub.mode", default)]
    pub mode: String,
    /// The verify token of the credential.
    #[serde(rename = "hub.verify_token", default)]
    pub verify_token: String,
    /// The text of the response.
    #[serde(rename = "hub.challenge", default)]
    pub challenge: String,
}

/// The messages of a delivery are stored.
#[derive(Serialize, ToSchema)]
#[schema(title = "ReceivedMessages")]
pub struct ReceivedOut {
    /// Their number, with those that were delivered before.
    #[schema(example = 1)]
    pub received: usize,
}

/// A run that has not ended yet.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "AcceptedRun")]
pub struct AcceptedOut {
    pub run_id: Uuid,
}

/// A webhook that takes calls by POST only.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "WebhookMethods")]
pub struct TakesPostOut {
    pub webhook_id: Uuid,
    pub methods: [&'static str; 1],
}

/// What a GET of a webhook is answered with.
#[derive(ToSchema)]
#[schema(title = "GetResult")]
#[expect(dead_code, reason = "it describes responses")]
#[serde(untagged)]
pub enum GetOut {
    Run(TriggeredOut),
    Webhook(TakesPostOut),
}
