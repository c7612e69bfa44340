//! Request and response bodies of reviews.

use domain::run::{ReviewField, ReviewRequest};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use store::runs::OpenReview;
use utoipa::ToSchema;

/// The decision of a person.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(title = "ResolveWait")]
pub struct ResolveWaitIn {
    /// The node id or, in a loop, the step path such as `lines[2]/review`. Required if several reviews are open.
    #[serde(default)]
    #[schema(example = "review")]
    pub node_id: Option<String>,
    pub decision: DecisionIn,
    /// The values of the review's fields. A field that is left out keeps its initial value.
    #[serde(default)]
    #[schema(example = json!({"amount": 90}))]
    pub fields: Map<String, Value>,
    #[serde(default)]
    #[schema(max_length = 2000, example = "The damage is small.")]
    pub comment: Option<String>,
}

#[derive(Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum DecisionIn {
    Approve,
    Reject,
}

/// What a run waits for.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "Wait")]
pub struct WaitOut {
    node_id: String,
    /// The path of the step: the node's id, or in a loop the iteration and the id, such as `lines[2]/review`.
    step: String,
    kind: WaitKind,
    title: String,
    #[schema(required)]
    message: Option<String>,
    /// The fields that the person may change.
    fields: Vec<ReviewField>,
    /// After this time the review expires.
    #[schema(format = DateTime)]
    expires_at: String,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum WaitKind {
    /// The decision of a person
    Review,
}

impl From<OpenReview> for WaitOut {
    fn from(review: OpenReview) -> Self {
        let ReviewRequest { title, message, fields } = review.content();
        Self {
            node_id: review.node_id().to_owned(),
            step: review.step,
            kind: WaitKind::Review,
            title,
            message,
            fields,
            expires_at: review.closes_at.to_string(),
        }
    }
}
