//! Response bodies of the graph validation.

use engine::compile::{GraphProblem, Severity};
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

/// A problem of a graph.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "Problem")]
pub struct ProblemOut {
    /// `error` prevents publishing, `warning` does not.
    severity: Severity,
    #[schema(example = "invalid_expression")]
    code: &'static str,
    #[schema(example = "node `urgent`, config.expression, line 1, column 9: the expression ends too early")]
    message: String,
    /// The id of the node. Null if the problem concerns the whole graph.
    #[schema(required)]
    node_id: Option<String>,
    /// The field of the node. Null if the problem concerns the whole node or graph.
    #[schema(required, example = "config.expression")]
    field: Option<String>,
    /// The line in an expression.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    line: Option<u32>,
    /// The column in an expression.
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

impl From<GraphProblem> for ProblemOut {
    fn from(GraphProblem { severity, code, message, node_id, field, at }: GraphProblem) -> Self {
        Self { severity, code, message, node_id, field, line: at.map(|at| at.line), column: at.map(|at| at.column) }
    }
}
