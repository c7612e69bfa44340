//! The node type `send_message`: sends a message on a messaging channel.

use serde::Deserialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::fields::{Cel, Jinja};
use super::policy::{OnUncertain, Policies};
use super::{Category, NodeKind};

/// The provider and the account are set in the workflow's channels.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SendMessageNode {
    #[schema(inline)]
    pub text: Jinja,
    /// The recipient; the person the run replies to if omitted.
    #[serde(default)]
    #[schema(inline, nullable = false)]
    pub to: Option<Cel>,
}

impl NodeKind for SendMessageNode {
    const NAME: &'static str = "send_message";
    const CATEGORY: Category = Category::Output;
    const DESCRIPTION: &'static str = "Sends a message on a messaging channel.";
    const EFFECTS: bool = true;
    const IS_AVAILABLE: bool = false;
    const POLICIES: Policies = Policies::EFFECT;
    const ON_UNCERTAIN: OnUncertain = OnUncertain::Ask;

    fn example() -> Value {
        json!({"text": "Your order {{ input.order }} is on its way."})
    }
}
