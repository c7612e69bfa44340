//! Trying an expression before it is saved.

use shared::Error;
use shared::domain::time::Time;
use shared::engine::expression::{Expression, Failure, FailureCode, Problem, Scope, Template};
use shared::http::standard::{Caller, Data, ErrorBody, Json, Refused, Result};

use crate::dto::expression::{LanguageIn, PreviewIn, PreviewOut};

/// Try an expression
///
/// Evaluates a condition or a text against example data, under the limits of a run.
#[utoipa::path(
    post, path = "/builder/v1/workflows/expression/preview", tag = "workflows", security(("bearer" = [])),
    request_body = PreviewIn,
    responses(
        (status = 200, description = "The value", body = Data<PreviewOut>),
        (status = 415, description = "The body is not JSON", body = ErrorBody),
        Refused,
    ),
)]
pub async fn preview_expression(_: Caller, Json(preview): Json<PreviewIn>) -> Result<Data<PreviewOut>> {
    let PreviewIn { expression, data, language } = preview;
    let scope = Scope { variables: &data, now: Time::now().into() };
    let (result, r#type) = match language {
        LanguageIn::Cel => Expression::parse(&expression).map_err(unreadable)?.evaluate(&scope).map_err(failed)?,
        LanguageIn::Jinja => {
            let text = Template::parse(&expression).map_err(unreadable)?.render(&scope).map_err(failed)?;
            (text.into(), "string")
        }
    };
    Ok(Data { data: PreviewOut { result, r#type } })
}

fn unreadable(problem: Problem) -> Error {
    Error::invalid_body("expression", problem)
}

fn failed(failure: Failure) -> Error {
    let code = match failure.code {
        FailureCode::Limit => failure.code.as_str(),
        FailureCode::Failed => "invalid_body",
    };
    let Problem { at, message } = &failure.problem;
    let details = serde_json::json!({"line": at.line, "column": at.column, "problem": message});
    Error::Unsound { code, message: format!("expression: {failure}"), details }
}
