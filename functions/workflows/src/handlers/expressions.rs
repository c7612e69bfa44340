//! Handler for the expression preview.

use domain::Error;
use domain::language::Translated;
use domain::time::Time;
use engine::expression::{
    EvaluationError, EvaluationErrorCode, Expression, JinjaTemplate, Scope, SyntaxError, TextPosition,
};
use platform::offload;
use web::builder::{Caller, Data, ErrorResponses, NotJson};
use web::language::{self, AcceptLanguageHeaders};
use web::{Json, Result};

use crate::dto::expression::{LanguageIn, PreviewIn, PreviewOut};

/// Preview an expression
///
/// Evaluates a condition or a template with example data, under the limits of a run.
#[utoipa::path(
    post, path = "/builder/v1/workflows/expression/preview", tag = "workflows", params(AcceptLanguageHeaders),
    request_body = PreviewIn,
    responses((status = 200, description = "The value", body = Data<PreviewOut>), NotJson, ErrorResponses),
)]
pub async fn preview_expression(Caller(caller): Caller, Json(preview): Json<PreviewIn>) -> Result<Data<PreviewOut>> {
    let now = caller.at;
    let previewed = offload(move || Ok(evaluate(&preview, now))).await?;
    Ok(Data { data: previewed.map_err(PreviewFailure::into_error)? })
}

struct PreviewFailure {
    code: &'static str,
    at: TextPosition,
    message: Translated<String>,
}

fn evaluate(preview: &PreviewIn, now: Time) -> std::result::Result<PreviewOut, PreviewFailure> {
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

fn parse_error(SyntaxError { at, message }: SyntaxError) -> PreviewFailure {
    PreviewFailure { code: "invalid_body", at, message }
}

fn evaluation_error(EvaluationError { code, at, message }: EvaluationError) -> PreviewFailure {
    let code = match code {
        EvaluationErrorCode::Limit => code.as_str(),
        EvaluationErrorCode::Failed => "invalid_body",
    };
    // Failures of evaluations are in English, as they are stored in runs.
    PreviewFailure { code, at, message: Translated::untranslated(message) }
}

impl PreviewFailure {
    /// Its details contain the position in the expression.
    fn into_error(self) -> Error {
        let Self { code, at, message } = self;
        let language = language::of_request();
        let (place, message) = (at.describe(), message.get(language));
        let details = serde_json::json!({"line": at.line, "column": at.column, "problem": message});
        Error::Unsound { code, message: format!("expression: {}: {message}", place.get(language)), details }
    }
}
