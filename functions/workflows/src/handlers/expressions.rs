//! Handler for the expression preview.

use domain::Error;
use domain::time::Time;
use engine::expression::{Expression, Failure, FailureCode, Problem, Scope, Template};
use shared::http::standard::{Caller, Data, ErrorBody, ErrorResponses, Json, Result};
use shared::offload;

use crate::dto::expression::{LanguageIn, PreviewIn, PreviewOut};

/// Preview an expression
///
/// Evaluates a condition or a template with example data, under the limits of a run.
#[utoipa::path(
    post, path = "/builder/v1/workflows/expression/preview", tag = "workflows", security(("bearer" = [])),
    request_body = PreviewIn,
    responses(
        (status = 200, description = "The value", body = Data<PreviewOut>),
        (status = 415, description = "The body is not JSON", body = ErrorBody),
        ErrorResponses,
    ),
)]
pub async fn preview_expression(_: Caller, Json(preview): Json<PreviewIn>) -> Result<Data<PreviewOut>> {
    let now = Time::now();
    Ok(Data { data: offload(move || evaluate(&preview, now)).await? })
}

fn evaluate(preview: &PreviewIn, now: Time) -> domain::Result<PreviewOut> {
    let PreviewIn { expression, data, language } = preview;
    let scope = Scope { variables: data, now: now.into() };
    let (result, r#type) = match language {
        LanguageIn::Cel => Expression::parse(expression).map_err(unread)?.evaluate(&scope).map_err(failed)?,
        LanguageIn::Jinja => {
            let text = Template::parse(expression).map_err(unread)?.render(&scope).map_err(failed)?;
            (text.into(), "string")
        }
    };
    Ok(PreviewOut { result, r#type })
}

fn unread(problem: Problem) -> Error {
    unsound("invalid_body", &problem)
}

fn failed(failure: Failure) -> Error {
    let code = match failure.code {
        FailureCode::Limit => failure.code.as_str(),
        FailureCode::Failed => "invalid_body",
    };
    unsound(code, &failure.problem)
}

/// Builds the error. Its details contain the position in the expression.
fn unsound(code: &'static str, problem: &Problem) -> Error {
    let Problem { at, message } = problem;
    let details = serde_json::json!({"line": at.line, "column": at.column, "problem": message});
    Error::Unsound { code, message: format!("expression: {problem}"), details }
}
