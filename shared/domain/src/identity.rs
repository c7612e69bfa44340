//! Users, organizations, memberships and plans.

use serde::{Deserialize, Serialize};

use super::call_retention::CallRetention;
use super::id::{OrgId, UserId};
use super::limits::PlanLimits;
use super::retention::RunRetention;
use super::time::Time;
use super::workbench::WorkbenchPlanText;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    Member,
    Admin,
    /// An operator of the platform.
    Operator,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct User {
    pub id: UserId,
    pub name: String,
    pub email: Option<String>,
    pub suspended: bool,
    pub created_at: Time,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Org {
    pub id: OrgId,
    pub name: String,
    pub plan: String,
    pub suspended: bool,
    /// Whether guard events keep the messages that they evaluated.
    #[serde(default)]
    pub keeps_guard_input: bool,
    /// How long the bodies of calls are kept. `None` if they are not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call_retention: Option<CallRetention>,
    pub created_at: Time,
}

impl Org {
    /// How long the bodies of calls are kept, within the limit of the organization's plan.
    pub fn call_retention_on(&self, plan: &Plan) -> Option<CallRetention> {
        self.call_retention.map(|retention| retention.min(CallRetention::longest(plan.run_retention)))
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Membership {
    pub org: OrgId,
    pub user: UserId,
    pub role: Role,
    /// When the role was assigned, in Unix seconds like the claims of tokens. An older token does not change the role.
    #[serde(default)]
    pub role_at: i64,
    /// Whether the list of the organization's members has it. Memberships of earlier versions get into it with the member's next
    /// request.
    #[serde(default)]
    pub listed: bool,
    pub created_at: Time,
}

/// The models and limits of the organizations on a plan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    pub id: String,
    pub name: String,
    pub models: AllowedModels,
    /// Calls report their theoretical cost, and nothing is deducted.
    #[serde(default)]
    pub is_billing_exempt: bool,
    #[serde(default)]
    pub has_rate_limits: bool,
    #[serde(default)]
    pub limits: PlanLimits,
    #[serde(default)]
    pub run_retention: RunRetention,
    #[serde(default)]
    pub input_guard: InputGuard,
    #[serde(default)]
    pub workbenches: WorkbenchPlanText,
}

/// Whether the input of chats and images is evaluated before the provider is called.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum InputGuard {
    #[default]
    Off,
    /// Flagged input is refused. If the guard model fails, the call proceeds. Without a guard model, all calls are refused.
    Block,
    /// Flagged input is refused, and so is every call that cannot be evaluated.
    Require,
}

impl Plan {
    /// A plan that allows no models, for an organization whose plan is not in the catalog.
    pub fn none(id: &str) -> Self {
        Self {
            id: id.to_owned(),
            name: id.to_owned(),
            models: AllowedModels::Only(Vec::new()),
            is_billing_exempt: false,
            has_rate_limits: false,
            limits: PlanLimits::default(),
            run_retention: RunRetention::default(),
            input_guard: InputGuard::Off,
            workbenches: WorkbenchPlanText::default(),
        }
    }

    pub fn allows(&self, model: &str) -> bool {
        match &self.models {
            AllowedModels::All => true,
            AllowedModels::Only(names) => names.iter().any(|name| name == model),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AllowedModels {
    All,
    Only(Vec<String>),
}

/// The owner of resources: one user in one organization. Every repository of the builder has it in its keys, so that
/// resources of other accounts cannot be addressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Account {
    pub org: OrgId,
    pub user: UserId,
}
