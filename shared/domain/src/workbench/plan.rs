//! What a plan allows for workbenches: sizes, images, and limits for one workbench and for the whole organization.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::refusals;
use super::resources::Resources;
use crate::Result;
use crate::money::Money;

/// The workbenches of a plan. Without any size and with a ceiling of zero, the plan has no workbenches.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WorkbenchPlan {
    pub sizes: Vec<WorkbenchSize>,
    pub default_size: String,
    /// The maximum of one workbench.
    pub ceiling: Resources,
    /// The maximum of all workbenches of an organization.
    pub capacity: Resources,
    /// The maximum number of workbenches of an organization.
    pub max_workbenches: u32,
    /// The first image is the default.
    pub images: Vec<WorkbenchImage>,
    /// The time without activity after which a workbench is stopped. None: it is never stopped.
    pub idle_stop: Option<Minutes>,
    /// The time within which a workbench must become ready.
    pub provisioning_timeout: Minutes,
    /// The monthly spending cap of the API key of each workbench. None: workbenches get no key.
    #[serde(default)]
    pub key_cap: Option<Money>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WorkbenchSize {
    pub name: String,
    pub resources: Resources,
}

/// The software of a workbench.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WorkbenchImage {
    pub name: String,
    /// The reference of the container image, for a cluster.
    pub reference: String,
    /// The command that the embedded backend starts on the platform's own machine.
    pub command: Vec<String>,
    /// Whether its workbenches keep the Python packages that their users install. None: if the command is Jupyter. Plans and
    /// workbenches of earlier releases have none.
    #[serde(default)]
    pub python_packages: Option<bool>,
}

impl WorkbenchImage {
    /// Whether its workbenches keep the Python packages that their users install.
    pub fn keeps_python_packages(&self) -> bool {
        let program = self.command.first().and_then(|program| program.rsplit('/').next());
        self.python_packages.unwrap_or_else(|| program.is_some_and(is_jupyter))
    }
}

/// Whether the program with this file name is Jupyter.
pub fn is_jupyter(program: &str) -> bool {
    program == "jupyter" || program.starts_with("jupyter-")
}

/// A number of minutes
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Minutes(pub u32);

impl Minutes {
    pub fn duration(self) -> Duration {
        Duration::from_secs(60 * u64::from(self.0))
    }
}

/// The settings of a plan as JSON text, which only `workbenches` and `admin` parse. Every function reads plans, and the code to
/// parse this structure would make all of them larger.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct WorkbenchPlanText(Option<String>);

impl WorkbenchPlanText {
    pub fn write(plan: Option<&WorkbenchPlan>) -> Self {
        Self(plan.map(|plan| serde_json::to_string(plan).expect("a plan is JSON")))
    }

    pub fn size_bytes(&self) -> usize {
        self.0.as_ref().map_or(0, String::len)
    }

    /// The settings. None if the plan has no workbenches.
    pub fn read(&self) -> Result<Option<WorkbenchPlan>> {
        self.0.as_deref().map(|text| serde_json::from_str(text).map_err(crate::Error::internal)).transpose()
    }
}

/// The resources that a new workbench asks for.
#[derive(Clone, Debug, PartialEq)]
pub enum RequestedResources {
    Default,
    Size(String),
    Custom(Resources),
}

/// The resolved resources of a workbench, and the name of its size if it has one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WorkbenchSpec {
    pub size: Option<String>,
    pub resources: Resources,
}

impl WorkbenchPlan {
    /// Resolves what a new workbench asks for. The plan must have the size, and no resource may exceed the ceiling.
    pub fn resolve(&self, requested: RequestedResources) -> Result<WorkbenchSpec> {
        let size = match requested {
            RequestedResources::Custom(resources) => {
                return match resources.exceeding(&self.ceiling) {
                    Some(dimension) => Err(refusals::over_ceiling(dimension, &resources, &self.ceiling)),
                    None => Ok(WorkbenchSpec { size: None, resources }),
                };
            }
            RequestedResources::Default => self.default_size.clone(),
            RequestedResources::Size(size) => size,
        };
        match self.sizes.iter().find(|known| known.name == size) {
            Some(known) => Ok(WorkbenchSpec { size: Some(size), resources: known.resources }),
            None => Err(refusals::unknown_size(&size, self.sizes.iter().map(|known| known.name.as_str()))),
        }
    }

    /// The image with this name, or the default one.
    pub fn image(&self, name: Option<&str>) -> Result<WorkbenchImage> {
        let found = match name {
            Some(name) => self.images.iter().find(|image| image.name == name),
            None => self.images.first(),
        };
        let known = || self.images.iter().map(|image| image.name.as_str());
        found.cloned().ok_or_else(|| refusals::unknown_image(name.unwrap_or_default(), known()))
    }

    /// The first contradiction in the settings: the field and the problem.
    pub fn problem(&self) -> Option<(String, String)> {
        let has = |name: &String| self.sizes.iter().any(|size| size.name == *name);
        if !has(&self.default_size) {
            return Some(("default_size".to_owned(), "must be the name of one of the sizes".to_owned()));
        }
        if let Some(dimension) = self.ceiling.exceeding(&self.capacity) {
            return Some((format!("ceiling.{dimension}"), "exceeds the capacity of the organization".to_owned()));
        }
        for (i, size) in self.sizes.iter().enumerate() {
            if self.sizes[..i].iter().any(|other| other.name == size.name) {
                return Some((format!("sizes[{i}].name"), "another size has the same name".to_owned()));
            }
            if let Some(dimension) = size.resources.exceeding(&self.ceiling) {
                return Some((format!("sizes[{i}].resources.{dimension}"), "exceeds the ceiling".to_owned()));
            }
        }
        let twice = |i: &usize| self.images[..*i].iter().any(|other| other.name == self.images[*i].name);
        if let Some(i) = (0..self.images.len()).find(twice) {
            return Some((format!("images[{i}].name"), "another image has the same name".to_owned()));
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Error;

    fn plan() -> WorkbenchPlan {
        let resources = Resources { cpu: 2_000, memory: 4 << 30, gpumem: 0, storage: 10 << 30 };
        WorkbenchPlan {
            sizes: vec![WorkbenchSize { name: "small".to_owned(), resources }],
            default_size: "small".to_owned(),
            ceiling: Resources { cpu: 4_000, memory: 8 << 30, gpumem: 16_384, storage: 50 << 30 },
            capacity: Resources { cpu: 8_000, memory: 8 << 30, gpumem: 16_384, storage: 50 << 30 },
            ..WorkbenchPlan::default()
        }
    }

    fn details(refused: Result<WorkbenchSpec>) -> serde_json::Value {
        match refused {
            Err(Error::Unprocessable { code: "LAB_POLICY_UNAVAILABLE", details, .. }) => details,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn sizes_are_found_by_name_and_custom_resources_are_limited_by_the_ceiling() {
        let plan = plan();
        let small = plan.resolve(RequestedResources::Default).unwrap();
        assert_eq!((small.size.as_deref(), small.resources), (Some("small"), plan.sizes[0].resources));
        assert_eq!(plan.resolve(RequestedResources::Size("small".to_owned())).unwrap(), small);
        let all = plan.resolve(RequestedResources::Custom(plan.ceiling)).unwrap();
        assert_eq!((all.size, all.resources), (None, plan.ceiling));
        let more = Resources { memory: (8 << 30) + 1, ..plan.ceiling };
        assert_eq!(
            details(plan.resolve(RequestedResources::Custom(more))),
            serde_json::json!({"dimension": "memory", "requested": "8589934593", "limit": "8Gi"})
        );
        assert_eq!(
            details(plan.resolve(RequestedResources::Size("huge".to_owned()))),
            serde_json::json!({"dimension": "size", "requested": "huge", "limit": "small"})
        );
    }

    #[test]
    fn contradictions_are_found() {
        let problem = |change: fn(&mut WorkbenchPlan)| {
            let mut plan = plan();
            change(&mut plan);
            plan.problem().map(|(field, _)| field)
        };
        assert_eq!(problem(|_| {}), None);
        assert_eq!(problem(|plan| plan.default_size = "large".to_owned()).as_deref(), Some("default_size"));
        assert_eq!(problem(|plan| plan.ceiling.cpu = 1).as_deref(), Some("sizes[0].resources.cpu"));
        assert_eq!(problem(|plan| plan.capacity.memory = 1).as_deref(), Some("ceiling.memory"));
        assert_eq!(problem(|plan| plan.sizes.push(plan.sizes[0].clone())).as_deref(), Some("sizes[1].name"));
    }
}
