//! Query parameters, request bodies and response bodies of workbenches.

mod events;
mod members;
mod plan;
mod variables;

use std::collections::BTreeMap;

use domain::Result;
use domain::page::PageRequest;
use domain::sharing::Ownership;
use domain::workbench::{
    Rejection, RequestedResources, ResourceDimension, RunState, StopCause, Usage, Variables, Workbench, WorkbenchName,
    WorkbenchSpec, WorkbenchStatus, refusals,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};
use web::paging::{first_page, page_number, per_page};
use web::quantity::{ResourcesIn, ResourcesOut};
use web::wire_enum;

pub use events::EventsOut;
pub use members::{MemberIn, MemberOut, MemberQuery};
pub use plan::PlanOut;
pub use variables::{VariablesIn, VariablesOut};

wire_enum! {
    #[serde(rename_all = "snake_case")]
    #[schema(as = WorkbenchStatus)]
    StatusOut = WorkbenchStatus {
        Pending, Provisioning, Ready, Failed, Deleting, Deleted,
        /// No backend is installed that could provide the environment.
        NotInstalled,
    }
}

wire_enum! {
    #[serde(rename_all = "snake_case")]
    #[schema(as = RunState)]
    RunStateOut = RunState { Starting, Running, Stopping, Stopped }
}

wire_enum! {
    #[serde(rename_all = "snake_case")]
    #[schema(as = StopCause)]
    StopCauseOut = StopCause {
        User,
        /// Nothing happened in the workbench for the time of its plan.
        Idle,
    }
}

wire_enum! {
    #[derive(Default)]
    #[serde(rename_all = "lowercase")]
    OwnershipIn = Ownership {
        Mine, Shared,
        #[default]
        All,
    }
}

#[derive(Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ListWorkbenches {
    /// `mine`: those that the caller owns. `shared`: those that the caller edits. `all`: both.
    #[serde(default)]
    #[param(inline)]
    ownership: OwnershipIn,
    /// The page number, starting at 1.
    #[serde(default = "first_page", deserialize_with = "page_number")]
    #[param(minimum = 1, maximum = 2147483647, default = 1)]
    page: u32,
    /// The number of items per page.
    #[serde(default = "all_per_page", deserialize_with = "per_page")]
    #[param(minimum = 1, maximum = 100, default = 100)]
    per_page: u32,
}

fn all_per_page() -> u32 {
    PageRequest::MAX_PER_PAGE
}

impl ListWorkbenches {
    pub fn ownership(&self) -> Ownership {
        self.ownership.into()
    }

    pub fn page(&self) -> PageRequest {
        PageRequest { page: self.page, per_page: self.per_page }
    }
}

/// A new workbench. Send either a size of the plan or resources. Without both, it gets the plan's default size.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = WorkbenchIn)]
pub struct WorkbenchIn {
    /// Unique in the organization: a DNS label of lowercase letters, digits and hyphens.
    #[schema(value_type = WorkbenchName)]
    pub name: String,
    /// The name of a size of the plan.
    #[schema(example = "small")]
    size: Option<String>,
    /// Read only if there is no size: both together are one error, whatever the resources contain.
    #[schema(value_type = Option<ResourcesIn>)]
    resources: Option<Value>,
    /// The name of an image of the plan. Defaults to the plan's first image.
    pub image: Option<String>,
    /// Plain environment variables by their names.
    #[serde(default)]
    #[schema(example = json!({"HF_HOME": "/tmp/models"}))]
    env: BTreeMap<String, String>,
    /// Secret environment variables by their names. They are stored encrypted, and no answer contains their values.
    #[serde(default)]
    #[schema(example = json!({"HF_TOKEN": "hf_…"}))]
    secrets: BTreeMap<String, String>,
}

impl WorkbenchIn {
    pub fn take_variables(&mut self) -> Result<Variables<String>> {
        variables::read_new(std::mem::take(&mut self.env), std::mem::take(&mut self.secrets))
    }

    pub fn requested_resources(&self) -> Result<RequestedResources> {
        match (&self.size, &self.resources) {
            (Some(_), Some(_)) => Err(refusals::size_and_resources()),
            (Some(size), None) => Ok(RequestedResources::Size(size.clone())),
            (None, None) => Ok(RequestedResources::Default),
            (None, Some(resources)) => match ResourcesIn::from_field("resources", resources)?.read() {
                Ok(resources) => Ok(RequestedResources::Custom(resources)),
                Err((dimension, problem)) => Err(refusals::invalid_quantity(dimension, &problem)),
            },
        }
    }
}

/// A workbench: an isolated lab environment.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Workbench)]
pub struct WorkbenchOut {
    #[schema(example = "wb_01a1fc0a4b5c7d8e9f00112233445566")]
    id: String,
    name: String,
    status: StatusOut,
    spec: SpecOut,
    usage: UsageOut,
    /// The URL that opens the workbench. Null while its environment does not run.
    #[schema(required)]
    dashboard_url: Option<String>,
    /// The name of the image that runs: `scratch`, a page with a scratch area, if the program of the workbench's image is not
    /// installed on the platform's machine. Null while the environment does not run.
    #[schema(required)]
    running_image: Option<String>,
    /// Whether the environment runs. Null before it exists, and after a failure or a deletion.
    #[schema(required)]
    run_state: Option<RunStateOut>,
    /// Why it was stopped. Null if it was not.
    #[schema(required)]
    stopped_by: Option<StopCauseOut>,
    /// The ten latest refusals and failures of the environment, newest first.
    rejections: Vec<RejectionOut>,
    access: AccessOut,
    #[schema(format = DateTime)]
    created_at: String,
    #[schema(format = DateTime)]
    updated_at: String,
}

/// The size and the resources of a workbench.
#[derive(Serialize, ToSchema)]
#[schema(as = WorkbenchSpec)]
struct SpecOut {
    /// The name of the size. Null if the resources were chosen one by one.
    #[schema(required)]
    size: Option<String>,
    #[serde(flatten)]
    resources: ResourcesOut,
    /// The name of the image.
    image: String,
}

/// What a workbench uses. Null where it is not measured.
#[derive(Serialize, ToSchema)]
#[schema(as = WorkbenchUsage)]
struct UsageOut {
    #[schema(required)]
    cpu: Option<String>,
    #[schema(required)]
    memory: Option<String>,
    #[schema(required)]
    gpumem: Option<String>,
    #[schema(required)]
    storage: Option<String>,
}

/// Why the environment could not be provided, or was ended.
#[derive(Serialize, ToSchema)]
#[schema(as = WorkbenchRejection)]
struct RejectionOut {
    #[schema(format = DateTime)]
    at: String,
    #[schema(example = "QUOTA_EXCEEDED")]
    reason: String,
    message: String,
}

/// Who can open a workbench.
#[derive(Serialize, ToSchema)]
#[schema(as = WorkbenchAccess)]
struct AccessOut {
    owner: String,
    editors: Vec<String>,
}

impl From<Workbench> for WorkbenchOut {
    fn from(workbench: Workbench) -> Self {
        let Workbench { status, spec: WorkbenchSpec { size, resources }, dashboard, substitute, .. } = workbench;
        let is_open = status == WorkbenchStatus::Ready && workbench.run_state == Some(RunState::Running);
        Self {
            id: workbench.id.to_string(),
            name: workbench.name,
            status: status.into(),
            running_image: is_open.then(|| substitute.unwrap_or_else(|| workbench.image.name.clone())),
            spec: SpecOut { size, resources: (&resources).into(), image: workbench.image.name },
            usage: workbench.usage.unwrap_or_default().into(),
            dashboard_url: dashboard.filter(|_| is_open),
            run_state: workbench.run_state.map(RunStateOut::from),
            stopped_by: workbench.stopped_by.map(StopCauseOut::from),
            rejections: workbench.rejections.into_iter().map(RejectionOut::from).collect(),
            access: AccessOut {
                owner: workbench.owner.to_string(),
                editors: workbench.editors.iter().map(ToString::to_string).collect(),
            },
            created_at: workbench.created_at.to_string(),
            updated_at: workbench.updated_at.to_string(),
        }
    }
}

impl From<Usage> for UsageOut {
    fn from(Usage { cpu, memory, gpumem, storage }: Usage) -> Self {
        let print = |dimension: ResourceDimension, amount: Option<u64>| amount.map(|amount| dimension.print(amount));
        Self {
            cpu: print(ResourceDimension::Cpu, cpu),
            memory: print(ResourceDimension::Memory, memory),
            gpumem: print(ResourceDimension::Gpumem, gpumem),
            storage: print(ResourceDimension::Storage, storage),
        }
    }
}

impl From<Rejection> for RejectionOut {
    fn from(Rejection { at, reason, message }: Rejection) -> Self {
        Self { at: at.to_string(), reason, message }
    }
}
