//! The handler that resolves reviews.

use axum::extract::State;
use domain::id::{RunId, WorkflowId};
use domain::time::Time;
use domain::{Error, Result as DomainResult};
use serde_json::json;
use store::runs::{OpenReview, ReviewState};
use web::builder::{Data, ErrorBody, ErrorResponses, NotFound, NotJson, NotPermitted, Operator};
use web::{Json, Path, Result};

use super::runs::{load_run, run_response};
use crate::Stores;
use crate::dto::review::{DecisionIn, ResolveWaitIn};
use crate::dto::run::RunOut;

/// Resolve a review
///
/// Approves or rejects a review that the run waits for. The first decision counts.
#[utoipa::path(
    post, path = "/builder/v1/workflows/{id}/runs/{run_id}/resolve-wait", tag = "runs",
    params(("id" = Uuid, Path, description = "The workflow"), ("run_id" = Uuid, Path, description = "The run")),
    request_body = ResolveWaitIn,
    responses(
        (status = 200, description = "The run, which continues", body = Data<RunOut>),
        (status = 409, description = "`already_resolved`: the review has a decision or has expired; the details are the \
            `decision` (`approve`, `reject` or `expired`), the `reviewer` and the `comment`. `invalid_state`: the run \
            waits for no review", body = ErrorBody),
        NotFound<(WorkflowId, RunId)>, NotJson, NotPermitted, ErrorResponses,
    ),
)]
pub async fn resolve_wait(
    State(stores): State<Stores>,
    access: Operator<WorkflowId>,
    Path((id, run_id)): Path<(WorkflowId, RunId)>,
    Json(ResolveWaitIn { node_id, decision, fields, comment }): Json<ResolveWaitIn>,
) -> Result<Data<RunOut>> {
    let account = access.account;
    let run = load_run(&stores, account, id, run_id).await?;
    let review = choose_review(stores.runs.reviews(run.id).await?, node_id.as_deref(), access.caller.at)?;
    let approved = matches!(decision, DecisionIn::Approve);
    let answer = review.content().answer(approved, fields, comment, access.caller.user.to_string());
    if !review.is_open(access.caller.at) {
        // A repeated request with the same decision is no conflict.
        if review.answer.is_none() || answer.ok() != review.answer {
            return Err(already_resolved(&review).into());
        }
    } else if let Some(winner) = stores.runs.resolve(run.id, &review.step, answer?).await? {
        return Err(already_resolved(&winner).into());
    }
    run_response(&stores, stores.runs.get(account, id, run_id).await?, access.caller.at).await
}

/// The review that a request means: the open one, or the one that was open.
fn choose_review(reviews: Vec<OpenReview>, node_id: Option<&str>, now: Time) -> DomainResult<OpenReview> {
    let named = |review: &OpenReview| node_id.is_none_or(|id| review.step == id || review.node_id() == id);
    let known = reviews.into_iter().filter(|review| review.state != ReviewState::Canceled && named(review));
    let (mut open, mut closed): (Vec<_>, Vec<_>) = known.partition(|review| review.is_open(now));
    match (open.len(), closed.len(), node_id) {
        (1, ..) => Ok(open.swap_remove(0)),
        (0, 1, _) => Ok(closed.swap_remove(0)),
        (0, 0, Some(_)) => Err(Error::invalid_body("nodeId", "the run has no review of this node")),
        (0, ..) => Err(Error::invalid_state("the run waits for no review")),
        (_, _, id) => {
            let steps: Vec<&str> = open.iter().map(|review| review.step.as_str()).collect();
            let problem =
                if id.is_some() { "several reviews of this node are open" } else { "several reviews are open" };
            Err(Error::invalid_body("nodeId", format!("{problem}; send one of {}", steps.join(", "))))
        }
    }
}

/// The error of a decision that comes too late. It names the decision that counts.
fn already_resolved(review: &OpenReview) -> Error {
    let Some(answer) = &review.answer else {
        let details = json!({"decision": "expired", "reviewer": null, "comment": null});
        return Error::AlreadyResolved { message: "the review has expired".to_owned(), details };
    };
    let (decision, done) = if answer.approved { ("approve", "approved") } else { ("reject", "rejected") };
    let message = format!("{} has already {done} the review", answer.reviewer);
    let details = json!({"decision": decision, "reviewer": answer.reviewer, "comment": answer.comment});
    Error::AlreadyResolved { message, details }
}
