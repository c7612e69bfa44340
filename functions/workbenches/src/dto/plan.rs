//! The response body of the plan.

use domain::workbench::{ResourceDimension, WorkbenchPlan, WorkbenchSize};
use serde::Serialize;
use utoipa::ToSchema;
use web::quantity::ResourcesOut;

/// What the organization's plan allows for workbenches.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = WorkbenchPlan)]
pub struct PlanOut {
    /// Empty if the plan has no workbenches.
    sizes: Vec<SizeOut>,
    /// The size of a workbench that is created without a size and without resources.
    #[schema(required)]
    default_size: Option<String>,
    /// The maximum of each resource of one workbench.
    ceiling: ResourcesOut,
    /// The maximum of each resource of all workbenches of the organization.
    capacity: ResourcesOut,
    /// The maximum number of workbenches of the organization.
    max_workbenches: u32,
    /// The names of the images. The first one is the default.
    images: Vec<String>,
    /// The minutes without activity after which a workbench is stopped. Null: never.
    #[schema(required)]
    idle_stop_minutes: Option<u32>,
    /// The minutes within which a workbench must become ready. Otherwise its status becomes `failed`.
    provisioning_timeout_minutes: u32,
}

/// A size of the plan.
#[derive(Serialize, ToSchema)]
#[schema(as = WorkbenchSize)]
struct SizeOut {
    name: String,
    #[schema(example = "500m")]
    cpu: String,
    #[schema(example = "4Gi")]
    memory: String,
    #[schema(example = "20Gi")]
    storage: String,
    /// The memory of the GPU in MiB.
    #[serde(rename = "gpumemMiB")]
    gpumem_mib: u64,
}

impl From<&WorkbenchSize> for SizeOut {
    fn from(WorkbenchSize { name, resources }: &WorkbenchSize) -> Self {
        Self {
            name: name.clone(),
            cpu: resources.print(ResourceDimension::Cpu),
            memory: resources.print(ResourceDimension::Memory),
            storage: resources.print(ResourceDimension::Storage),
            gpumem_mib: resources.gpumem,
        }
    }
}

impl From<&WorkbenchPlan> for PlanOut {
    fn from(plan: &WorkbenchPlan) -> Self {
        Self {
            sizes: plan.sizes.iter().map(SizeOut::from).collect(),
            default_size: Some(plan.default_size.clone()).filter(|name| !name.is_empty()),
            ceiling: (&plan.ceiling).into(),
            capacity: (&plan.capacity).into(),
            max_workbenches: plan.max_workbenches,
            images: plan.images.iter().map(|image| image.name.clone()).collect(),
            idle_stop_minutes: plan.idle_stop.map(|minutes| minutes.0),
            provisioning_timeout_minutes: plan.provisioning_timeout.0,
        }
    }
}
