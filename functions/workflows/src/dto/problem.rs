//! Response bodies of the graph validation.

use serde::Serialize;
use shared::engine::compile::{Problem, Severity};
use utoipa::ToSchema;

#[derive(Serialize, ToSchema)]
#[schema(title = "Validation")]
pub struct ValidationOut {
    /// Whether the workflow can be published. It can have warnings, but no errors.
    pub valid: bool,
    pub problems: Vec<ProblemOut>,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "Problem")]
pub struct ProblemOut {
    severity: Severity,
    #[schema(example = "invalid_expression")]
    code: &'static str,
    #[schema(example = "node `urgent`, config.expression, line 1, column 9: the expression ends too early")]
    message: String,
    /// The id of the node. Null if the problem concerns the whole graph.
    #[schema(required)]
    node_id: Option<String>,
    #[schema(required, example = "config.expression")]
    field: Option<String>,
    /// The line in an expression.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    column: Option<u32>,
}

impl ProblemOut {
    /// Creates the last entry of a truncated list, which counts the omitted problems.
    pub fn more(count: usize) -> Self {
        let message = format!("{count} more problems; call POST …/validate to list them");
        let (severity, code) = (Severity::Error, "too_many_problems");
        Self { severity, code, message, node_id: None, field: None, line: None, column: None }
    }
}

impl From<Problem> for ProblemOut {
    fn from(Problem { severity, code, message, node_id, field, at }: Problem) -> Self {
        Self { severity, code, message, node_id, field, line: at.map(|at| at.line), column: at.map(|at| at.column) }
    }
}
