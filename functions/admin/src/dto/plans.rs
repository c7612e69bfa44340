//! Request and response bodies of plans and of maintenance mode.

use domain::Result;
use domain::body_problems::Problems;
use domain::catalog::Maintenance;
use domain::identity::{AllowedModels, InputGuard, Plan};
use domain::limits::PlanLimits;
use domain::retention::RunRetention;
use domain::schema::{LongTitle, Title};
use domain::time::Time;
use domain::workbench::{WorkbenchPlan, WorkbenchPlanText};
use domain::{Error, schema};
use serde::{Deserialize, Serialize};
use store::catalog::Listing;
use store::model_catalog::{MissingGuard, find_guard};
use utoipa::ToSchema;
use web::gateway::{InputGuardWire, PlanLimitsIn, PlanLimitsOut};

use super::PlainName;
use super::workbenches::{WorkbenchPlanIn, WorkbenchPlanOut};

/// Each call of the gateway reads the plan of its organization, so it must stay small.
const MAX_WORKBENCHES_BYTES: usize = 16 * 1024;

/// The settings of a plan: models, billing and rate limits of its organizations.
#[derive(Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PlanIn {
    /// The name to display.
    #[schema(value_type = Title)]
    name: String,
    /// The names of the allowed models. Null allows every model of the catalog.
    #[schema(max_items = 1000, min_length = 1, max_length = 200)]
    models: Option<Vec<String>>,
    /// Whether the plan is exempt from billing. Calls then report their cost, but nothing is deducted. Defaults to
    /// false.
    is_billing_exempt: Option<bool>,
    /// Whether the rate limits in `limits` are enforced. Defaults to true if there are limits. False with limits is
    /// refused.
    has_rate_limits: Option<bool>,
    limits: Option<PlanLimitsIn>,
    /// The number of days for which a run of a workflow is kept after its end. Defaults to 30.
    #[schema(minimum = 1, maximum = 365)]
    run_retention_days: Option<u16>,
    /// Whether the guard evaluates the input of chats and images before the provider is called. Defaults to `off`. Other
    /// values need a guard model of the plan and an active risk category.
    input_guard: Option<InputGuardWire>,
    /// What the plan allows for workbenches, in at most 16 KiB. Null: the plan has no workbenches.
    workbenches: Option<WorkbenchPlanIn>,
}

impl PlanIn {
    /// Validates the settings against the catalog and returns the plan.
    pub fn read(self, id: &str, listing: &Listing, now: Time) -> Result<Plan> {
        let mut problems = Problems::default();
        problems.take(schema::check_text::<PlainName>("id", id));
        problems.take(schema::check(&self));
        let retention = self.run_retention_days.map(RunRetention::try_from).transpose();
        let retention = retention.map_err(|problem| Error::invalid_body("run_retention_days", problem));
        let retention = problems.or_default(retention);
        let workbenches = problems.or_default(self.workbenches.map(WorkbenchPlanIn::read).transpose());
        let workbenches = WorkbenchPlanText::write(workbenches.as_ref());
        if workbenches.size_bytes() > MAX_WORKBENCHES_BYTES {
            let problem = format!("more than {MAX_WORKBENCHES_BYTES} bytes; have fewer or shorter sizes and images");
            problems.add("workbenches", problem);
        }
        let limits = PlanLimits::from(self.limits.unwrap_or_default());
        let plan = Plan {
            id: id.to_owned(),
            name: self.name,
            models: self.models.map_or(AllowedModels::All, AllowedModels::Only),
            is_billing_exempt: self.is_billing_exempt.unwrap_or_default(),
            has_rate_limits: self.has_rate_limits.unwrap_or(!limits.is_empty()),
            limits,
            run_retention: retention.unwrap_or_default(),
            input_guard: self.input_guard.map(Into::into).unwrap_or_default(),
            workbenches,
        };
        if !plan.has_rate_limits && !plan.limits.is_empty() {
            let problem = "`limits` would not be enforced; remove `limits`, or leave out `has_rate_limits`";
            problems.add("has_rate_limits", problem);
        }
        problems.take(check_guard(&plan, listing, now));
        problems.finish()?;
        Ok(plan)
    }
}

/// Refuses a plan that enforces a guard and has none: all calls of its organizations would be refused.
fn check_guard(plan: &Plan, listing: &Listing, now: Time) -> Result<()> {
    if plan.input_guard == InputGuard::Off {
        return Ok(());
    }
    let fix = match find_guard(listing, plan, now) {
        Ok(_) => return Ok(()),
        Err(MissingGuard::Category) => "no risk category is active; activate one of /gateway/v1/admin/guard/categories",
        Err(MissingGuard::Model) => "the plan has no guard model; add a model with the capability `guard` to `models`",
    };
    Err(Error::invalid_body("input_guard", format_args!("{fix}, or send `off`")))
}

/// A plan: models, billing and rate limits of its organizations.
#[derive(Serialize, ToSchema)]
#[schema(as = Plan)]
pub struct PlanOut {
    id: String,
    name: String,
    /// The names of the allowed models. Null allows every model of the catalog.
    #[schema(required)]
    models: Option<Vec<String>>,
    /// Whether the plan is exempt from billing. Calls then report their cost, but nothing is deducted.
    is_billing_exempt: bool,
    /// Whether the rate limits in `limits` are enforced.
    has_rate_limits: bool,
    limits: PlanLimitsOut,
    /// The number of days for which a run of a workflow is kept after its end.
    run_retention_days: u16,
    /// Whether the guard evaluates the input of chats and images before the provider is called.
    input_guard: InputGuardWire,
    /// The model that evaluates texts for the plan: the alias `guard`, or else the plan's first guard model by name. Null:
    /// the plan has no guard, and if `input_guard` is not `off`, calls are refused with `guard_misconfigured`.
    #[schema(required)]
    guard_model: Option<String>,
    /// What the plan allows for workbenches. Null: the plan has no workbenches.
    #[schema(required)]
    workbenches: Option<WorkbenchPlanOut>,
}

impl PlanOut {
    pub fn new(plan: &Plan, listing: &Listing, now: Time) -> Self {
        let Plan {
            id,
            name,
            models,
            is_billing_exempt,
            has_rate_limits,
            limits,
            run_retention,
            input_guard,
            workbenches,
        } = plan;
        Self {
            id: id.clone(),
            name: name.clone(),
            models: match models {
                AllowedModels::All => None,
                AllowedModels::Only(names) => Some(names.clone()),
            },
            is_billing_exempt: *is_billing_exempt,
            has_rate_limits: *has_rate_limits,
            limits: (*limits).into(),
            run_retention_days: run_retention.days(),
            input_guard: (*input_guard).into(),
            guard_model: find_guard(listing, plan, now).ok().map(|model| model.name.clone()),
            workbenches: read_workbenches(id, workbenches).as_ref().map(WorkbenchPlanOut::from),
        }
    }
}

/// A later version may have written settings that this one cannot read. The rest of the plan is still shown.
fn read_workbenches(plan_id: &str, text: &WorkbenchPlanText) -> Option<WorkbenchPlan> {
    text.read().unwrap_or_else(|error| {
        tracing::error!(?error, plan_id, "the workbenches of a plan cannot be read; put the plan again");
        None
    })
}

/// The maintenance mode to set.
#[derive(Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MaintenanceIn {
    /// Whether maintenance mode is on.
    on: bool,
    /// The error message for refused requests.
    #[schema(value_type = Option<LongTitle>)]
    message: Option<String>,
    /// The value of the header `Retry-After` of refused requests, in seconds. Defaults to 60.
    #[schema(minimum = 1, maximum = 86400)]
    retry_after_s: Option<u32>,
}

impl MaintenanceIn {
    pub fn read(self) -> Result<Maintenance> {
        schema::check(&self)?;
        let message = self.message.unwrap_or_else(|| "the platform is under maintenance".to_owned());
        Ok(Maintenance { on: self.on, message, retry_after_s: self.retry_after_s.unwrap_or(60) })
    }
}

/// The maintenance mode.
#[derive(Serialize, ToSchema)]
#[schema(as = Maintenance)]
pub struct MaintenanceOut {
    /// Whether maintenance mode is on. While it is, only requests of operators are served.
    on: bool,
    /// The error message for refused requests.
    message: String,
    /// The value of the header `Retry-After` of refused requests, in seconds.
    retry_after_s: u32,
}

impl From<&Maintenance> for MaintenanceOut {
    fn from(Maintenance { on, message, retry_after_s }: &Maintenance) -> Self {
        Self { on: *on, message: message.clone(), retry_after_s: *retry_after_s }
    }
}
