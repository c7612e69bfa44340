//! The model gateway: model selection, rate limits, billing, routing and translation for every model call.
//!
//! `inference` serves it over HTTP; agents and workflow nodes call it in process, with the same limits and billing.
//!
//! Each call (`calls`) takes four steps. It selects the model (`models`), reserves the maximum cost (`leases`), sends
//! the request to a deployment (`routing`, `providers`) and charges the actual usage.

mod answers;
mod attempt;
pub mod audio;
pub mod body;
mod caller;
mod calls;
pub mod chat;
mod dialect;
pub mod embeddings;
mod failure;
pub mod guard;
mod idempotency;
pub mod images;
pub mod leases;
pub mod parameters;
pub mod providers;
pub mod rerank;
mod routing;
pub mod tokens;
pub mod tools;
pub mod upload;

use std::sync::Arc;
use std::time::Duration;

pub use answers::{
    Answer, AnswerChunk, AnswerHead, Completion, Embeddings, Evaluation, Rank, Reranking, Speech, StartedImages,
    StreamedCompletion, Transcription, Usage, Vector,
};
pub use caller::{CachePolicy, GatewayCaller};
use calls::bodies::BodyKeeper;
pub use calls::guard::GuardTask;
use calls::guard::INPUT_PATIENCE;
pub use calls::{ChatStream, SpeechStream, StreamItem};
pub use failure::{FailureKind, ProviderFailure};
pub use idempotency::{ClaimOutcome, ReadRendered, RenderedAnswer, Replay};

use domain::lease::{CallLimits, Shortage};
use domain::limits::{Dimension, Level};
use domain::money::Money;
use domain::time::{Clock, Time};
use domain::{Error, Refusal, Result};
use outbound::Outbound;
use platform::bucket::Bucket;
use platform::queue::Queue;
use platform::telemetry::Telemetry;
use platform::{Context, config};
use store::{CachedAnswers, Claims, GuardEvents, ImageJobs, Ledger};

use store::model_catalog::{Chosen, ModelCatalog};

use leases::{LeasePools, QuotaLeft};
use parameters::ParameterReport;
use routing::Routing;
pub use routing::Served;

/// The gateway of this process. It holds leases, connections and the health of deployments, so a process creates one.
#[derive(Clone)]
pub struct Gateway {
    inner: Arc<Inner>,
}

struct Inner {
    models: ModelCatalog,
    leases: LeasePools,
    ledger: Ledger,
    claims: Claims,
    cached_answers: CachedAnswers,
    /// The bodies of calls, for the organizations that keep them.
    bodies: BodyKeeper,
    image_jobs: ImageJobs,
    guard_events: GuardEvents,
    /// The evaluations to make after the answers of chats.
    guard_tasks: Queue,
    /// How long a call waits for the evaluation of its input.
    input_patience: Duration,
    /// Holds pictures, and the stored answers of `Idempotency-Key` requests that are too large for a table item.
    files: Bucket,
    routing: Routing,
    clock: Clock,
    telemetry: Telemetry,
}

/// The values that the response headers report: the model, the parameters, the remaining quota and the cost.
#[derive(Clone, Debug)]
pub struct CallReport {
    pub chosen: Chosen,
    pub notes: ParameterNotes,
    /// The provider that served the call, and its name for the model. None for a job, which is served later.
    pub deployment: Option<String>,
    pub quota_left: QuotaLeft,
    /// None at the start of a stream, because the cost is not known yet.
    pub cost: Option<Money>,
    /// None if the model has no cache of answers, or the caller does not want it.
    pub cache: Option<CacheUse>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CacheUse {
    /// The answer to an equal request was given again.
    Hit,
    Miss,
}

/// How the gateway changed the request's parameters.
#[derive(Clone, Debug, Default)]
pub struct ParameterNotes {
    pub parameters: ParameterReport,
    /// Parameters that the operator's defaults filled in.
    pub defaults: Vec<String>,
    /// Parameters whose value was lowered to the model's maximum, or changed to one that its provider takes.
    pub adjusted: Vec<String>,
    /// The limit put on each answer because the caller's money or token limits do not cover a longer one.
    pub max_tokens: Option<u64>,
}

impl ParameterNotes {
    /// Adds what the provider's API decided.
    pub fn add_report(&mut self, mut report: ParameterReport) {
        self.adjusted.append(&mut report.adjusted);
        self.parameters = report;
    }
}

impl Gateway {
    pub fn new(context: &Context) -> Result<Self> {
        let outbound = Outbound::from_config(&context.config)?;
        Ok(Self {
            inner: Arc::new(Inner {
                models: ModelCatalog::new(context)?,
                leases: LeasePools::new(context)?,
                ledger: Ledger::new(context)?,
                claims: Claims::new(context)?,
                cached_answers: CachedAnswers::new(context)?,
                bodies: BodyKeeper::new(context)?,
                image_jobs: ImageJobs::new(context)?,
                guard_events: GuardEvents::new(context)?,
                guard_tasks: Queue::new(context, config::QUEUE_GUARD)?,
                input_patience: context.config.seconds(config::GUARD_PATIENCE_S)?.unwrap_or(INPUT_PATIENCE),
                files: Bucket::new(context, config::BUCKET_FILES)?,
                routing: Routing::new(context, outbound)?,
                clock: context.clock.clone(),
                telemetry: context.telemetry.clone(),
            }),
        })
    }

    pub fn models(&self) -> &ModelCatalog {
        &self.inner.models
    }
}

/// `need` is what the call reserves.
fn shortage_error(shortage: Shortage, need: &CallLimits, now: Time) -> Error {
    match shortage {
        Shortage::Credits { .. } => Error::Billing {
            code: "insufficient_credits",
            message: "the organization's credits do not cover the maximum cost of this call; \
                      ask the operator for credits, or lower max_tokens"
                .to_owned(),
            level: None,
        },
        Shortage::Cap { level, .. } => Error::Billing {
            code: "spending_cap_reached",
            message: format!(
                "the monthly spending cap of this {} does not cover this call; ask the operator to raise the cap",
                level_name(level)
            ),
            level: Some(level),
        },
        Shortage::Rate { level, dimension, limit, resets_at } => {
            let retry_after_s = (resets_at - now.as_seconds()).max(1).unsigned_abs();
            let requested = match dimension {
                Dimension::Tpm | Dimension::Tpd => need.tokens,
                Dimension::Ipm => need.images,
                Dimension::Rpm | Dimension::Rpd => 1,
            };
            let level_name = level_name(level);
            let requested = (requested > limit).then_some(requested);
            let message = match requested {
                Some(requested) => format!(
                    "the call may use up to {requested}, and the limit of this {level_name} is {limit} {dimension}; \
                     shorten the input, or lower max_tokens or n"
                ),
                None => format!(
                    "the limit of {limit} {dimension} of this {level_name} is reached; try again in {retry_after_s} s"
                ),
            };
            Error::RateLimited { message, level, dimension, limit, resets_at, retry_after_s, requested }
        }
        Shortage::Revoked(Level::Org) => Error::Unauthenticated(Refusal::OrgSuspended),
        Shortage::Revoked(Level::User) => Error::Unauthenticated(Refusal::UserSuspended),
        Shortage::Revoked(Level::Key) => Error::Unauthenticated(Refusal::Unknown),
    }
}

fn level_name(level: Level) -> &'static str {
    match level {
        Level::Org => "organization",
        Level::User => "user",
        Level::Key => "key",
    }
}

impl From<ProviderFailure> for Error {
    fn from(failure: ProviderFailure) -> Self {
        use domain::ProviderTrouble as Trouble;
        use failure::FailureKind as Kind;
        let trouble = match failure.kind {
            Kind::Request => Trouble::Request,
            Kind::Unsupported => Trouble::Unsupported,
            Kind::Setup => Trouble::Setup,
            Kind::RateLimited => Trouble::RateLimited,
            Kind::Unavailable | Kind::Broken => Trouble::Failed,
            Kind::Timeout => Trouble::Timeout,
            Kind::Exhausted => return Self::busy(failure.message),
        };
        let ProviderFailure { code, message, param, retry_after, .. } = failure;
        // Retry-After has whole seconds. Rounding up avoids a retry that is refused because it comes too early.
        let retry_after_s = retry_after.map(|wait| wait.as_millis().div_ceil(1_000).try_into().unwrap_or(u64::MAX));
        Self::Provider { trouble, code, message, param, retry_after_s }
    }
}
