//! Why a tool did not do what it was asked: the error of the API, with its problem and its fix, or wrong arguments.

use axum::http::StatusCode;
use domain::Error;
use serde_json::{Value, json};

use crate::answer::describe_problems;

pub struct Refusal {
    status: StatusCode,
    /// `{code, message, details}`, as the API renders it.
    error: Value,
}

impl Refusal {
    pub fn of_answer(status: StatusCode, mut answer: Value) -> Self {
        Self { status, error: answer["error"].take() }
    }

    /// An argument of a tool is wrong.
    pub fn invalid(field: &str, problem: &str) -> Self {
        let error = json!({"code": "invalid_arguments", "message": format!("{field}: {problem}")});
        Self { status: StatusCode::BAD_REQUEST, error }
    }

    /// The arguments of a tool do not match its schema. The first problem is the message.
    pub fn invalid_arguments(problems: &[(String, String)]) -> Self {
        let describe = |(field, problem): &(String, String)| format!("{field}: {problem}");
        let message = problems.first().map(describe).unwrap_or_default();
        let details: Vec<_> =
            problems.iter().map(|problem| json!({"field": problem.0, "message": describe(problem)})).collect();
        let error = json!({"code": "invalid_arguments", "message": message, "details": details});
        Self { status: StatusCode::BAD_REQUEST, error }
    }

    pub fn not_found(what: &str, fix: &str) -> Self {
        let error = json!({"code": "not_found", "message": format!("there is no {what}; {fix}")});
        Self { status: StatusCode::NOT_FOUND, error }
    }

    /// The code, the problem and the fix, and all further problems.
    pub fn text(&self) -> String {
        let (code, message) = (self.error["code"].as_str(), self.error["message"].as_str());
        let mut text = format!("{}: {}", code.unwrap_or("error"), message.unwrap_or("the request failed"));
        // The first problem is the message itself.
        if let Some([_, more @ ..]) = self.error["details"].as_array().map(Vec::as_slice) {
            text.push_str(&describe_problems(more));
        }
        text
    }

    pub fn into_value(self) -> Value {
        let mut error = self.error;
        error["status"] = self.status.as_u16().into();
        json!({"error": error})
    }
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        let code = web::code(&error);
        Self { status: StatusCode::INTERNAL_SERVER_ERROR, error: json!({"code": code, "message": error.to_string()}) }
    }
}
