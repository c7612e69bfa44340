//! The node type `webhook`: starts a run for each call of a webhook.

use serde::Deserialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::{Category, Fields, NodeAction, NodeKind, NodeResult, policy::Policies};
use domain::language::Translated;

/// The webhook and its response are set in the workflow's channels.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WebhookNode {}

impl NodeKind for WebhookNode {
    const NAME: &'static str = "webhook";
    const CATEGORY: Category = Category::Trigger;
    const DESCRIPTION: Translated = Translated::new(
        "Starts a run for each call of a webhook; its value is the call's body.",
        "Inicia una ejecución por cada llamada de un webhook; su valor es el cuerpo de la llamada.",
    );
    const POLICIES: Policies = Policies::NONE;

    fn example() -> Value {
        json!({})
    }

    fn evaluate(&self, _: &Fields) -> NodeResult {
        Ok(NodeAction::Pass)
    }
}
