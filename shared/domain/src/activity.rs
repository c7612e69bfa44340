//! How important an entry of an activity list is.

use serde::Serialize;
use utoipa::ToSchema;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ActivityLevel {
    Info,
    /// Something failed, and the work goes on, or someone has to do something
    Warning,
    Error,
}
