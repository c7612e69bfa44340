//! A run for each message of a conversation.

use serde::Deserialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::{Category, Kind, policy::Policies};

/// Which provider and account it is, is said where the workflow's channels are.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Message {
    /// What becomes of a message while the run of the one before goes on; `enqueue` when left out.
    #[serde(default)]
    #[schema(inline, nullable = false)]
    pub busy: Option<Busy>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Busy {
    Enqueue,
    Interrupt,
    Reject,
}

impl Kind for Message {
    const NAME: &'static str = "message";
    const CATEGORY: Category = Category::Trigger;
    const DESCRIPTION: &'static str =
        "Starts a run for each message of a conversation on a messaging channel; its value is {text, participant}.";
    const POLICIES: Policies = Policies::NONE;

    fn example() -> Value {
        json!({"busy": "enqueue"})
    }
}
