//! The caller of a gateway call: who pays, which plan and models apply, and which request it is.

use std::fmt;
use std::sync::Arc;

use auth::{ApiCaller, Caller};
use bytes::Bytes;
use domain::Result;
use domain::id::ApiKeyId;
use domain::identity::{Plan, Role};
use domain::lease::Payer;
use domain::ledger::CallOrigin;
use domain::limits::PlanLimits;
use domain::run::RunStep;
use store::claims::Claim;
use store::model_catalog::{Chosen, ModelCatalog};

/// What a caller wants of a cache of answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CachePolicy {
    #[default]
    Use,
    /// The model is called, and its answer replaces the one in the cache.
    Refresh,
    Bypass,
}

/// The body of a request whose organization keeps bodies. It is not copied until the call has ended, and never reaches a log.
#[derive(Clone)]
pub struct RequestBody(Bytes);

impl RequestBody {
    /// The text of the body, which was read as JSON.
    pub fn text(&self) -> &str {
        str::from_utf8(&self.0).unwrap_or_default()
    }
}

impl From<Bytes> for RequestBody {
    fn from(body: Bytes) -> Self {
        Self(body)
    }
}

impl fmt::Debug for RequestBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RequestBody({} bytes)", self.0.len())
    }
}

#[derive(Clone, Debug)]
pub struct GatewayCaller {
    pub payer: Payer,
    role: Role,
    pub plan: Arc<Plan>,
    /// The API key's allowlist of models. None when the key has no list.
    pub models: Option<Vec<String>>,
    pub call: CallOrigin,
    pub cache: CachePolicy,
    /// `None` if the bodies of the call are not kept.
    pub body: Option<RequestBody>,
    /// Whether guard events keep the messages.
    pub keeps_guard_input: bool,
    /// The claim on the `Idempotency-Key`. None when the client sends no key.
    pub claim: Option<Claim>,
}

impl GatewayCaller {
    pub fn new(caller: &ApiCaller, call: CallOrigin, claim: Option<Claim>) -> Self {
        let plan = caller.caller.plan.clone();
        Self {
            payer: payer(&caller.caller, Some(caller.key.id), &plan),
            role: caller.caller.role,
            plan,
            models: caller.key.models.clone(),
            call: CallOrigin { started_at: Some(caller.caller.at), ..call },
            cache: CachePolicy::default(),
            body: None,
            keeps_guard_input: caller.caller.identity.org.keeps_guard_input,
            claim,
        }
    }

    #[must_use]
    pub fn with_cache(self, cache: CachePolicy) -> Self {
        Self { cache, ..self }
    }

    /// Keeps the body of the request until the call has ended, if the organization of the caller keeps bodies.
    #[must_use]
    pub fn with_body(mut self, caller: &ApiCaller, body: Bytes) -> Self {
        self.call.retention = caller.caller.identity.org.call_retention_on(&self.plan);
        self.body = self.call.retention.map(|_| body.into());
        self
    }

    /// The caller of a call that the platform makes for a user, without an API key. A call for a run names its step.
    pub fn of_platform(
        caller: &Caller,
        request_id: String,
        body_hash: String,
        claim: Claim,
        step: Option<RunStep>,
    ) -> Self {
        let plan = caller.plan.clone();
        let payer = payer(caller, None, &plan);
        let call = CallOrigin { request_id, body_hash, step, started_at: Some(caller.at), ..CallOrigin::default() };
        let keeps_guard_input = caller.identity.org.keeps_guard_input;
        // The platform calls for steps of runs, which are replayed by their own records. These also have the bodies.
        let (cache, body) = (CachePolicy::Bypass, None);
        Self { payer, role: caller.role, plan, models: None, call, cache, body, keeps_guard_input, claim: Some(claim) }
    }

    /// The model this caller means by `name`. Fails when their plan or their key does not allow it, and during
    /// maintenance: calls of agents and workflows are checked for it only here.
    pub async fn find_model(&self, models: &ModelCatalog, name: &str) -> Result<Chosen> {
        models.check_maintenance(self.role).await?;
        models.find(&self.plan, self.models.as_deref(), name).await
    }
}

fn payer(caller: &Caller, key: Option<ApiKeyId>, plan: &Plan) -> Payer {
    let limits = if plan.has_rate_limits { plan.limits } else { PlanLimits::default() };
    Payer { org: caller.org, user: caller.user, key, is_exempt: plan.is_billing_exempt, limits }
}
