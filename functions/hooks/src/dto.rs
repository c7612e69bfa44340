//! Response bodies of webhooks that start runs.

use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;
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

/// A run that has not ended yet.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "AcceptedRun")]
pub struct AcceptedOut {
    pub run_id: Uuid,
}
