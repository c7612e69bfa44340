//! Request and response bodies of reviews.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use store::runs::{ListedReview, OpenReview};
use store::sharing::Seen;
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;
use web::builder::run::WaitOut;
use web::builder::seen::WorkflowNameOut;

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

#[derive(Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct RunQuery {
    /// Whether `waiting` has the open review that expires first, or an array of all open reviews.
    #[serde(default)]
    #[param(inline, default = "first")]
    pub waiting: ShownWaits,
}

/// Which open reviews a run shows.
#[derive(Clone, Copy, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ShownWaits {
    #[default]
    First,
    All,
}

/// The review that the run waits for. If several are open, it is the one that expires first. With `waiting=all`, an array
/// of all open reviews, in the order in which they expire
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
#[schema(title = "RunWaits")]
pub enum RunWaitsOut {
    First(Option<WaitOut>),
    All(Vec<WaitOut>),
}

impl RunWaitsOut {
    /// `open` is in the order in which the reviews expire.
    pub fn new(open: Vec<OpenReview>, shown: ShownWaits) -> Self {
        let mut open = open.into_iter().map(WaitOut::from);
        match shown {
            ShownWaits::First => Self::First(open.next()),
            ShownWaits::All => Self::All(open.collect()),
        }
    }
}

/// An open review, with its run and its workflow.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "OpenReview")]
pub struct OpenReviewOut {
    workflow: WorkflowNameOut,
    run_id: Uuid,
    #[schema(format = DateTime)]
    opened_at: String,
    #[serde(flatten)]
    wait: WaitOut,
}

impl From<Seen<ListedReview>> for OpenReviewOut {
    fn from(seen: Seen<ListedReview>) -> Self {
        let opened_at = seen.at().to_string();
        let ListedReview { run, review } = seen.item;
        Self { workflow: seen.workflow.into(), run_id: run.id.uuid(), opened_at, wait: review.into() }
    }
}
