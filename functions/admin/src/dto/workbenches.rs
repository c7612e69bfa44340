//! Request and response bodies of what plans allow for workbenches.

use domain::body_problems::Problems;
use domain::usd::{Usd, UsdIn};
use domain::workbench::{Minutes, ResourceDimension, WorkbenchImage, WorkbenchPlan, WorkbenchSize};
use domain::{Error, Result};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use web::quantity::{ResourcesIn, ResourcesOut};

use super::{ImageText, PlainName};

const DEFAULT_PROVISIONING_MINUTES: u32 = 15;

/// What a plan allows for workbenches.
#[derive(Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct WorkbenchPlanIn {
    #[schema(min_items = 1, max_items = 50)]
    sizes: Vec<SizeIn>,
    /// The name of the size of a workbench that is created without one.
    default_size: String,
    /// The maximum of each resource of one workbench. No size may exceed it.
    ceiling: ResourcesIn,
    /// The maximum of each resource of all workbenches of an organization.
    capacity: ResourcesIn,
    /// The maximum number of workbenches of an organization.
    #[schema(minimum = 1, maximum = 10000)]
    max_workbenches: u32,
    /// The software to choose from. The first image is the default.
    #[schema(min_items = 1, max_items = 50)]
    images: Vec<ImageIn>,
    /// The minutes without activity after which a workbench is stopped. Null: never.
    #[schema(minimum = 1, maximum = 129600)]
    idle_stop_minutes: Option<u32>,
    /// The minutes within which a workbench must become ready. Defaults to 15.
    #[schema(minimum = 1, maximum = 1440)]
    provisioning_timeout_minutes: Option<u32>,
    /// The monthly spending cap, in US dollars, of the API key with which the programs of each workbench call models. The key
    /// belongs to the owner, who pays for its calls. Applies to workbenches that are created from then on. Null: they get no
    /// key.
    key_spending_cap: Option<UsdIn>,
}

/// A size of workbenches.
#[derive(Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = PlanSizeIn)]
struct SizeIn {
    #[schema(value_type = PlainName)]
    name: String,
    resources: ResourcesIn,
}

/// The software of workbenches.
#[derive(Clone, Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = PlanImage)]
struct ImageIn {
    #[schema(value_type = PlainName)]
    name: String,
    /// The reference of the container image, for a cluster.
    #[schema(value_type = ImageText)]
    reference: String,
    /// The command that `local` starts on its own machine, if it is installed there. `{port}`, `{socket}` and `{folder}` are
    /// replaced. The program listens at that port of 127.0.0.1, and gets the bearer token of each request as `ATELIER_TOKEN`;
    /// or it listens at that Unix socket, which only the platform can reach, and needs no login. For Jupyter, `["jupyter",
    /// "lab"]` is enough.
    #[serde(default)]
    #[schema(value_type = Vec<ImageText>, max_items = 32)]
    command: Vec<String>,
    /// Whether workbenches keep the Python packages that their users install, in an environment in their home. The image must
    /// have `python3` with its module `venv` and, in a cluster, `/bin/sh`. Defaults to whether the command is Jupyter.
    python_packages: Option<bool>,
}

impl WorkbenchPlanIn {
    pub fn read(self) -> Result<WorkbenchPlan> {
        let mut problems = Problems::default();
        let sizes = self.sizes.iter().enumerate().map(|(i, size)| size.read(&field(&format!("sizes[{i}]"))));
        let sizes = sizes.filter_map(|size| problems.take(size)).collect();
        let images = self.images.into_iter().map(WorkbenchImage::from).collect();
        let timeout = self.provisioning_timeout_minutes.unwrap_or(DEFAULT_PROVISIONING_MINUTES);
        let read =
            |name: &str, resources: &ResourcesIn| resources.read().map_err(|problem| invalid(&field(name), problem));
        let (ceiling, capacity) =
            (problems.take(read("ceiling", &self.ceiling)), problems.take(read("capacity", &self.capacity)));
        let (ceiling, capacity) = problems.finish_with(ceiling.zip(capacity))?;
        let plan = WorkbenchPlan {
            sizes,
            default_size: self.default_size,
            ceiling,
            capacity,
            max_workbenches: self.max_workbenches,
            images,
            idle_stop: self.idle_stop_minutes.map(Minutes),
            provisioning_timeout: Minutes(timeout),
            key_cap: self.key_spending_cap.map(|cap| cap.0),
        };
        if let Some((name, problem)) = plan.problem() {
            return Err(Error::invalid_body(field(&name), problem));
        }
        Ok(plan)
    }
}

impl SizeIn {
    fn read(&self, field: &str) -> Result<WorkbenchSize> {
        let resources = self.resources.read().map_err(|problem| invalid(&format!("{field}.resources"), problem))?;
        Ok(WorkbenchSize { name: self.name.clone(), resources })
    }
}

impl From<ImageIn> for WorkbenchImage {
    fn from(ImageIn { name, reference, command, python_packages }: ImageIn) -> Self {
        Self { name, reference, command, python_packages }
    }
}

/// The path of a field in the body of a plan.
fn field(name: &str) -> String {
    format!("workbenches.{name}")
}

fn invalid(field: &str, (dimension, problem): (ResourceDimension, String)) -> Error {
    Error::invalid_body(format!("{field}.{dimension}"), problem)
}

/// What a plan allows for workbenches.
#[derive(Serialize, ToSchema)]
#[schema(as = PlanWorkbenches)]
pub struct WorkbenchPlanOut {
    sizes: Vec<SizeOut>,
    default_size: String,
    ceiling: ResourcesOut,
    capacity: ResourcesOut,
    max_workbenches: u32,
    images: Vec<ImageIn>,
    #[schema(required)]
    idle_stop_minutes: Option<u32>,
    provisioning_timeout_minutes: u32,
    #[schema(required)]
    key_spending_cap: Option<Usd>,
}

/// A size of workbenches.
#[derive(Serialize, ToSchema)]
#[schema(as = PlanSize)]
struct SizeOut {
    name: String,
    resources: ResourcesOut,
}

impl From<&WorkbenchPlan> for WorkbenchPlanOut {
    fn from(plan: &WorkbenchPlan) -> Self {
        let size = |size: &WorkbenchSize| SizeOut { name: size.name.clone(), resources: (&size.resources).into() };
        let image = |image: &WorkbenchImage| {
            let python_packages = Some(image.keeps_python_packages());
            let WorkbenchImage { name, reference, command, .. } = image.clone();
            ImageIn { name, reference, command, python_packages }
        };
        Self {
            sizes: plan.sizes.iter().map(size).collect(),
            default_size: plan.default_size.clone(),
            ceiling: (&plan.ceiling).into(),
            capacity: (&plan.capacity).into(),
            max_workbenches: plan.max_workbenches,
            images: plan.images.iter().map(image).collect(),
            idle_stop_minutes: plan.idle_stop.map(|minutes| minutes.0),
            provisioning_timeout_minutes: plan.provisioning_timeout.0,
            key_spending_cap: plan.key_cap.map(Usd::from),
        }
    }
}
