//! Who asks the gateway, and what their request says of itself.

use std::sync::Arc;

use crate::auth::ApiCaller;
use crate::domain::identity::Plan;
use crate::domain::lease::Payer;
use crate::domain::limits::PlanLimits;

#[derive(Clone, Debug)]
pub struct Asker {
    pub payer: Payer,
    pub plan: Arc<Plan>,
    /// The models of the key, when it has a list of its own.
    pub models: Option<Vec<String>>,
    pub request_id: String,
    /// How often the client has tried this before, as it says.
    pub retries: u32,
}

impl Asker {
    pub fn new(caller: &ApiCaller, request_id: String, retries: u32) -> Self {
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
        }
    }
}
