//! The wire types of the guard: its results and its events.

use serde::Serialize;
use utoipa::ToSchema;

use crate::wire_enum;
use domain::guard::{GuardEvent, GuardMessage, GuardOutcome, GuardResult, GuardSeverity, GuardSource, GuardVerdict};
use domain::identity::InputGuard;

wire_enum! {
    #[serde(rename_all = "lowercase")]
    #[schema(as = GuardSeverity)]
    GuardSeverityWire = GuardSeverity { Low, Medium, High, Critical }
}

wire_enum! {
    #[serde(rename_all = "lowercase")]
    #[schema(as = GuardSource)]
    GuardSourceWire = GuardSource {
        /// A call of a chat or image model.
        Chat,
        /// A request for an evaluation.
        Guard,
    }
}

wire_enum! {
    /// What the guard does with the input of chats and images, before the provider is called. `off`: nothing. `block`:
    /// flagged input is refused with `guard_blocked`; if the guard model fails, or a message is longer than its context
    /// window, the call proceeds. `require`: as `block`, and a call whose input cannot be evaluated is refused too. With
    /// `block` and `require`, a call is refused if its credits or limits do not cover the evaluation, or if the plan has no
    /// guard model (`guard_misconfigured`).
    #[serde(rename_all = "lowercase")]
    #[schema(as = InputGuard)]
    InputGuardWire = InputGuard {
        Off,
        Block,
        Require,
    }
}

/// The scores of one message, or of the whole conversation. A `moderation` model scores each message alone. A `llama-guard`
/// model scores each of the last 128 messages that have a text, and reads the messages before it too. A `chat-json` model
/// scores the conversation as a whole.
#[derive(Serialize, ToSchema)]
#[schema(as = GuardResult)]
pub struct GuardResultOut {
    /// The place of the message in the input. Absent if the scores are those of the whole conversation.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    index: Option<u32>,
    flagged: bool,
    categories: Vec<GuardScoreOut>,
}

/// The score of a risk category.
#[derive(Serialize, ToSchema)]
#[schema(as = GuardScore)]
pub struct GuardScoreOut {
    #[schema(example = "violence")]
    code: String,
    label: String,
    severity: GuardSeverityWire,
    /// Null if the guard model does not know the category.
    #[schema(required, minimum = 0, maximum = 1)]
    score: Option<f64>,
    /// Whether the score reaches the category's threshold.
    flagged: bool,
}

impl GuardResultOut {
    /// The results of a verdict.
    pub fn all(verdict: &GuardVerdict) -> Vec<Self> {
        verdict.results.iter().map(|result| Self::new(verdict, result)).collect()
    }

    fn new(verdict: &GuardVerdict, result: &GuardResult) -> Self {
        let categories = verdict.scores(result).map(|(category, score)| GuardScoreOut {
            code: category.code.clone(),
            label: category.label.clone(),
            severity: category.severity.into(),
            score,
            flagged: category.is_reached_by(score),
        });
        Self { index: result.index, flagged: verdict.flags(result), categories: categories.collect() }
    }
}

/// An evaluation by the guard.
#[derive(Serialize, ToSchema)]
#[schema(as = GuardEvent)]
pub struct GuardEventOut {
    #[schema(example = "grd_019a9b0c1d2e7f3a8b4c5d6e7f8a9b0c")]
    id: String,
    /// `pending` until the first attempt ends; `failed` if the last attempt failed, or if none could be made. A failed
    /// evaluation is tried up to 6 times.
    #[schema(pattern = "^(pending|completed|failed)$")]
    status: &'static str,
    /// The guard model.
    model: String,
    flagged: bool,
    /// Whether the call was refused because of this evaluation.
    blocked: bool,
    /// At most 128 results, in the order of the messages. If there are more, flagged results are kept first, then those
    /// with the highest scores.
    results: Vec<GuardResultOut>,
    /// Why the last attempt failed. Null unless the status is `failed`.
    #[schema(required)]
    error: Option<GuardErrorOut>,
    source: GuardSourceWire,
    org: String,
    user: String,
    /// Null for calls of agents and workflows.
    #[schema(required)]
    api_key: Option<String>,
    request_id: String,
    /// The last messages, at most 8,192 characters in all. Absent unless the organization keeps them.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    input: Option<Vec<GuardMessageOut>>,
    #[schema(format = DateTime)]
    created_at: String,
}

/// Why an evaluation failed.
#[derive(Serialize, ToSchema)]
#[schema(as = GuardError)]
struct GuardErrorOut {
    #[schema(example = "provider_unavailable")]
    code: String,
    message: String,
}

/// A message that was evaluated.
#[derive(Serialize, ToSchema)]
#[schema(as = GuardMessage)]
struct GuardMessageOut {
    #[schema(value_type = String, pattern = "^(system|user|assistant|tool)$")]
    role: domain::guard::GuardRole,
    content: String,
}

impl From<GuardEvent> for GuardEventOut {
    fn from(event: GuardEvent) -> Self {
        let flagged = event.is_flagged();
        let (status, results, error) = match event.outcome {
            GuardOutcome::Pending => ("pending", Vec::new(), None),
            GuardOutcome::Completed(verdict) => ("completed", GuardResultOut::all(&verdict), None),
            GuardOutcome::Failed { code, message } => ("failed", Vec::new(), Some(GuardErrorOut { code, message })),
        };
        let message = |GuardMessage { role, content }| GuardMessageOut { role, content };
        Self {
            id: event.id.to_string(),
            status,
            model: event.model,
            flagged,
            blocked: event.blocked,
            results,
            error,
            source: event.source.into(),
            org: event.account.org.to_string(),
            user: event.account.user.to_string(),
            api_key: event.key.map(|key| key.to_string()),
            request_id: event.request_id,
            input: event.input.map(|messages| messages.into_iter().map(message).collect()),
            created_at: event.created_at.to_string(),
        }
    }
}
