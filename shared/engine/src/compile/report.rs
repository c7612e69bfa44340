//! Reports the problems of a graph to users: as entries of a list, and as the error of a request that needs a valid graph.

use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::{GraphProblem, Severity};
use domain::Error;

/// The maximum number of problems in the details of an error, and in the answer to a change of a draft.
const MAX_DETAILS: usize = 100;

/// The message and the details of an error: the first problem, and the first 100 problems.
pub fn describe_problems(problems: &[GraphProblem]) -> (String, Value) {
    let message = problems.first().map(|problem| problem.message.clone()).unwrap_or_default();
    (message, json!(first_problems(problems)))
}

pub fn problems_error(problems: &[GraphProblem]) -> Error {
    let (message, details) = describe_problems(problems);
    Error::Unsound { code: "invalid_body", message, details }
}

/// The first 100 problems. If there are more, the last entry counts them.
pub fn first_problems(problems: &[GraphProblem]) -> Vec<ProblemOut> {
    let mut first: Vec<_> = problems.iter().take(MAX_DETAILS).cloned().map(ProblemOut::from).collect();
    if let Some(more @ 1..) = problems.len().checked_sub(MAX_DETAILS) {
        first.push(ProblemOut::more(more));
    }
    first
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
    /// The entry of a draft that was saved although its problems could not be determined.
    pub fn unknown() -> Self {
        let message = "the draft is saved, but its problems could not be determined; call POST …/validate".to_owned();
        let (severity, code) = (Severity::Warning, "not_validated");
        Self { severity, code, message, node_id: None, field: None, line: None, column: None }
    }

    /// The last entry of a truncated list, which counts the omitted problems.
    fn more(count: usize) -> Self {
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
