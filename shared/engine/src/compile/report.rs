//! Reports the problems of a graph to users: as entries of a list, and as the error of a request that needs a valid graph.

use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::{GraphProblem, Severity};
use domain::Error;
use domain::language::Language;

/// The maximum number of problems in the details of an error, and in the answer to a change of a draft.
const MAX_DETAILS: usize = 100;

/// The message and the details of an error: the first problem, and the first 100 problems.
pub fn describe_problems(problems: &[GraphProblem], language: Language) -> (String, Value) {
    let message = problems.first().map(|problem| problem.message.get(language).clone()).unwrap_or_default();
    (message, json!(first_problems(problems, language)))
}

pub fn problems_error(problems: &[GraphProblem], language: Language) -> Error {
    let (message, details) = describe_problems(problems, language);
    Error::Unsound { code: "invalid_body", message, details }
}

/// The first 100 problems. If there are more, the last entry counts them.
pub fn first_problems(problems: &[GraphProblem], language: Language) -> Vec<ProblemOut> {
    let mut first = ProblemOut::list(&problems[..problems.len().min(MAX_DETAILS)], language);
    if let Some(more @ 1..) = problems.len().checked_sub(MAX_DETAILS) {
        first.push(ProblemOut::more(more, language));
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
    pub fn list(problems: &[GraphProblem], language: Language) -> Vec<Self> {
        problems.iter().map(|problem| Self::new(problem, language)).collect()
    }

    fn new(problem: &GraphProblem, language: Language) -> Self {
        let GraphProblem { severity, code, message, node_id, field, at } = problem;
        Self {
            severity: *severity,
            code,
            message: message.get(language).clone(),
            node_id: node_id.clone(),
            field: field.clone(),
            line: at.map(|at| at.line),
            column: at.map(|at| at.column),
        }
    }

    /// The entry of a draft that was saved although its problems could not be determined.
    pub fn unknown(language: Language) -> Self {
        let message = language.choose(
            "the draft is saved, but its problems could not be determined; call POST …/validate",
            "el borrador está guardado, pero no se pudieron determinar sus problemas; llame a POST …/validate",
        );
        let (severity, code) = (Severity::Warning, "not_validated");
        Self { severity, code, message: message.to_owned(), node_id: None, field: None, line: None, column: None }
    }

    /// The last entry of a truncated list, which counts the omitted problems.
    fn more(count: usize, language: Language) -> Self {
        let message = language.choose(
            format!("{count} more problems; call POST …/validate to list them"),
            format!("{count} problemas más; llame a POST …/validate para verlos todos"),
        );
        let (severity, code) = (Severity::Error, "too_many_problems");
        Self { severity, code, message, node_id: None, field: None, line: None, column: None }
    }
}
