//! The response body of the graph validation.

use engine::compile::ProblemOut;
use serde::Serialize;
use utoipa::ToSchema;

/// The result of validating a draft.
#[derive(Serialize, ToSchema)]
#[schema(title = "Validation")]
pub struct ValidationOut {
    /// Whether the workflow can be published. It can have warnings, but no errors.
    pub valid: bool,
    /// The problems, errors first.
    pub problems: Vec<ProblemOut>,
}
