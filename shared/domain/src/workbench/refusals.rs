//! The errors of the workbenches API with `LAB_…` codes.

use serde_json::json;

use super::resources::{ResourceDimension, Resources};
use crate::Error;
use crate::error_text::shorten_message;

pub const INVALID_RESOURCES: &str = "LAB_INVALID_RESOURCES";
pub const POLICY_UNAVAILABLE: &str = "LAB_POLICY_UNAVAILABLE";
pub const CAPACITY_UNAVAILABLE: &str = "LAB_CAPACITY_UNAVAILABLE";

/// A malformed quantity.
pub fn invalid_quantity(dimension: ResourceDimension, problem: &str) -> Error {
    let message = format!("resources.{dimension}: {problem}");
    Error::Unsound { code: INVALID_RESOURCES, message, details: json!({"dimension": dimension.as_str()}) }
}

pub fn size_and_resources() -> Error {
    let message = "send either a size or resources, not both".to_owned();
    Error::Unsound { code: INVALID_RESOURCES, message, details: json!({"fields": ["size", "resources"]}) }
}

fn not_in_plan(message: String, dimension: &str, requested: &str, limit: &str) -> Error {
    let details = json!({"dimension": dimension, "requested": requested, "limit": limit});
    Error::Unprocessable { code: POLICY_UNAVAILABLE, message, details }
}

pub(super) fn over_ceiling(dimension: ResourceDimension, requested: &Resources, ceiling: &Resources) -> Error {
    let (requested, limit) = (requested.print(dimension), ceiling.print(dimension));
    let message = format!("{dimension}: {requested} exceeds the plan's maximum of {limit}; request less");
    not_in_plan(message, dimension.as_str(), &requested, &limit)
}

pub(super) fn unknown_size<'a>(size: &str, known: impl Iterator<Item = &'a str>) -> Error {
    not_offered("size", size, known)
}

pub(super) fn unknown_image<'a>(image: &str, known: impl Iterator<Item = &'a str>) -> Error {
    not_offered("image", image, known)
}

/// The plan does not offer the requested choice.
fn not_offered<'a>(field: &str, requested: &str, known: impl Iterator<Item = &'a str>) -> Error {
    let (requested, known) = (shorten_message(requested), known.collect::<Vec<_>>().join(", "));
    let message = match known.as_str() {
        "" => "the plan of your organization has no workbenches; ask the operator of the platform".to_owned(),
        _ => format!("the plan has no {field} {requested:?}; choose one of: {known}"),
    };
    not_in_plan(message, field, &requested, &known)
}

/// Who has no capacity left for a workbench.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CapacityScope {
    Organization,
    Platform,
}

/// There is no capacity at the moment. `dimension` is a resource, or `workbenches` for their number.
pub fn no_capacity(scope: CapacityScope, dimension: &str, requested: &str) -> Error {
    let (scope, message) = match scope {
        CapacityScope::Organization => {
            ("organization", format!("your organization has too little {dimension} left; delete a workbench first"))
        }
        CapacityScope::Platform => {
            ("platform", format!("the platform has too little {dimension} left; try again later"))
        }
    };
    let details = json!({"scope": scope, "dimension": dimension, "requested": requested});
    Error::Unprocessable { code: CAPACITY_UNAVAILABLE, message, details }
}

pub fn not_owner() -> Error {
    let message = "only the owner of the workbench may do this; ask the owner".to_owned();
    Error::Forbidden { code: "LAB_NOT_OWNER", message }
}

pub fn name_taken(name: &str) -> Error {
    let message = format!("a workbench named {name:?} exists; choose another name");
    Error::Conflict { code: "LAB_NAME_TAKEN", message }
}

pub fn deletion_in_progress() -> Error {
    let message = "the workbench is being deleted; wait until it is gone".to_owned();
    Error::Conflict { code: "LAB_DELETION_IN_PROGRESS", message }
}

pub fn invalid_state(message: &str) -> Error {
    Error::Conflict { code: "LAB_INVALID_STATE", message: message.to_owned() }
}

pub fn member_is_owner() -> Error {
    let message = "the owner has access already; share with another user".to_owned();
    Error::Forbidden { code: "LAB_MEMBER_IS_OWNER", message }
}

pub fn invalid_role() -> Error {
    let message = "role: the only role is \"editor\"".to_owned();
    Error::Forbidden { code: "LAB_INVALID_ROLE", message }
}
