//! Request and response bodies of reviews.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use store::runs::OpenReview;
use utoipa::{IntoParams, ToSchema};
use web::builder::run::WaitOut;

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
