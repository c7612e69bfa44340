//! Handler for the expression preview.

use domain::Error;
use domain::language::Language;
use domain::run::StepError;
use domain::time::Time;
use engine::expression::{EvaluationError, EvaluationErrorCode, Expression, JinjaTemplate, Scope, SyntaxError};
use engine::script::{ExecutedScript, Script, SourceForm, Surroundings, type_of};
use platform::offload;
use serde_json::{Map, Value};
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

enum PreviewFailure {
    Syntax(SyntaxError),
    /// It is in English, as in the records of runs.
    Evaluation(EvaluationError),
    Script(StepError),
}

fn evaluate(preview: &PreviewIn, now: Time) -> std::result::Result<PreviewOut, PreviewFailure> {
    let PreviewIn { expression, data, language } = preview;
    let scope = Scope::new(data, now.into());
    let (result, r#type) = match language {
        LanguageIn::Cel => Expression::parse(expression)
            .map_err(PreviewFailure::Syntax)?
            .evaluate(&scope)
            .map_err(PreviewFailure::Evaluation)?,
        LanguageIn::Jinja => {
            let text = JinjaTemplate::parse(expression)
                .map_err(PreviewFailure::Syntax)?
                .render(&scope)
                .map_err(PreviewFailure::Evaluation)?;
            (text.into(), "string")
        }
        LanguageIn::Javascript => return execute(expression, SourceForm::Body, data, now),
        LanguageIn::Js => return execute(expression, SourceForm::Expression, data, now),
    };
    Ok(PreviewOut { result, r#type, console: Vec::new() })
}

fn execute(
    source: &str,
    form: SourceForm,
    data: &Map<String, Value>,
    now: Time,
) -> std::result::Result<PreviewOut, PreviewFailure> {
    let script = Script::parse(source, form, &script::interpreter()).map_err(PreviewFailure::Syntax)?;
    let surroundings = Surroundings { variables: data, now: now.into(), seed: 0, view: None };
    let ExecutedScript { result, work: _, console } = script.execute("expression", &surroundings);
    let result = result.map_err(PreviewFailure::Script)?;
    let r#type = type_of(&result);
    Ok(PreviewOut { result, r#type, console })
}

impl PreviewFailure {
    /// Its details contain the position in the expression.
    fn into_error(self) -> Error {
        let (code, at, language, message) = match self {
            // The position is in the message.
            Self::Script(StepError { code, message }) => {
                let details = serde_json::json!({"code": code, "problem": message});
                let code = if code == "code_limit" { EvaluationErrorCode::Limit.as_str() } else { "invalid_body" };
                return Error::Unsound { code, message: format!("expression: {message}"), details };
            }
            Self::Syntax(SyntaxError { at, message }) => {
                let language = language::of_request();
                ("invalid_body", at, language, message.get(language).clone())
            }
            Self::Evaluation(EvaluationError { code, at, message }) => {
                let code = match code {
                    EvaluationErrorCode::Limit => code.as_str(),
                    EvaluationErrorCode::Failed => "invalid_body",
                };
                (code, at, Language::English, message.into_owned())
            }
        };
        let details = serde_json::json!({"line": at.line, "column": at.column, "problem": message});
        Error::Unsound { code, message: format!("expression: {}: {message}", at.describe().get(language)), details }
    }
}
