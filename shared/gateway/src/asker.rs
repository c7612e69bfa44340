//! Who asks the gateway, and what their request says of itself.

use std::sync::Arc;

use domain::Result;
use domain::identity::Plan;
use domain::lease::Payer;
use domain::limits::PlanLimits;
use shared::auth::ApiCaller;
use shared::models::{Chosen, Models};
use shared::store::claims::Claim;

#[derive(Clone, Debug)]
pub struct Asker {
    pub payer: Payer,
    pub plan: Arc<Plan>,
    /// The models of the key, when it has a list of its own.
    pub models: Option<Vec<String>>,
    pub request_id: String,
    /// How often the client has tried this before, as it says.
    pub retries: u32,
    /// By which another try of the same request is known.
    pub body_hash: String,
    /// For a call that is made once.
    pub claim: Option<Claim>,
}

impl Asker {
    pub fn new(caller: &ApiCaller, request_id: String, retries: u32, body_hash: String, claim: Option<Claim>) -> Self {
        let plan = caller.caller.plan.clone();
        let limits = if plan.has_rate_limits { plan.limits } else { PlanLimits::default() };
        Self {
            payer: Payer {
                org: caller.caller.org,
                user: caller.caller.user,
                key: Some(caller.key.id),
                is_exempt: plan.is_billing_exempt,
                limits,
            },
            plan,
            models: caller.key.models.clone(),
            request_id,
            retries,
            body_hash,
            claim,
        }
    }
    /// The model this caller means by `name`. Fails when their plan or their key does not allow it.
    pub async fn find_model(&self, models: &Models, name: &str) -> Result<Chosen> {
        models.find(&self.plan, self.models.as_deref(), name).await
    }
}
