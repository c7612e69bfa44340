//! Handler for the expression preview.

use domain::Error;
use domain::time::Time;
use engine::expression::{EvaluationError, EvaluationErrorCode, Expression, JinjaTemplate, Scope, SyntaxError};
use platform::offload;
use web::builder::{Caller, Data, ErrorResponses, NotJson};
use web::{Json, Result};

use crate::dto::expression::{LanguageIn, PreviewIn, PreviewOut};

/// Preview an expression
///
/// Evaluates a condition or a template with example data, under the limits of a run.
#[utoipa::path(
    post, path = "/builder/v1/workflows/expression/preview", tag = "workflows", request_body = PreviewIn,
    responses((status = 200, description = "The value", body = Data<PreviewOut>), NotJson, ErrorResponses),
)]
pub async fn preview_expression(Caller(caller): Caller, Json(preview): Json<PreviewIn>) -> Result<Data<PreviewOut>> {
    let now = caller.at;
    Ok(Data { data: offload(move || evaluate(&preview, now)).await? })
}

fn evaluate(preview: &PreviewIn, now: Time) -> domain::Result<PreviewOut> {
    let PreviewIn { expression, data, language } = preview;
    let scope = Scope::new(data, now.into());
    let (result, r#type) = match language {
        LanguageIn::Cel => {
            Expression::parse(expression).map_err(parse_error)?.evaluate(&scope).map_err(evaluation_error)?
        }
        LanguageIn::Jinja => {
            let text =
                JinjaTemplate::parse(expression).map_err(parse_error)?.render(&scope).map_err(evaluation_error)?;
            (text.into(), "string")
        }
    };
    Ok(PreviewOut { result, r#type })
}

fn parse_error(problem: SyntaxError) -> Error {
    expression_error("invalid_body", &problem)
}

fn evaluation_error(failure: EvaluationError) -> Error {
    let code = match failure.code {
        EvaluationErrorCode::Limit => failure.code.as_str(),
        EvaluationErrorCode::Failed => "invalid_body",
    };
    expression_error(code, &failure.problem)
}

/// Builds the error. Its details contain the position in the expression.
fn expression_error(code: &'static str, problem: &SyntaxError) -> Error {
    let SyntaxError { at, message } = problem;
    let details = serde_json::json!({"line": at.line, "column": at.column, "problem": message});
    Error::Unsound { code, message: format!("expression: {problem}"), details }
}
