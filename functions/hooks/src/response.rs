//! The responses to calls of webhooks.

use std::sync::Arc;

use axum::Json;
use axum::http::StatusCode;
use axum::http::header::LOCATION;
use axum::response::{IntoResponse, Response};
use domain::Error;
use domain::id::{RunId, WorkflowId};
use domain::language::Language;
use domain::run::RunEnd;
use engine::nodes::webhook::WebhookResponse;
use engine::nodes::webhook_answer::WebhookAnswer;
use serde_json::json;
use web::ApiError;
use web::base_url::BaseUrl;

use crate::dto::{AcceptedOut, TriggeredOut};

/// The run of a call, as the response shows it.
pub struct HookResponse {
    run_id: RunId,
    result: RunResult,
}

enum RunResult {
    /// The run has not ended yet.
    Accepted,
    Ended(RunEnd),
    /// The output of the run is the response, or the problem of that output.
    Answered(Result<WebhookAnswer, String>),
}

impl HookResponse {
    pub fn accepted(run_id: RunId) -> Self {
        Self { run_id, result: RunResult::Accepted }
    }

    pub fn ended(run_id: RunId, end: RunEnd, answers_with: WebhookResponse) -> Self {
        let result = match (answers_with, end) {
            (WebhookResponse::Output, RunEnd::Completed { output }) => {
                RunResult::Answered(WebhookAnswer::read(&output))
            }
            (_, end) => RunResult::Ended(end),
        };
        Self { run_id, result }
    }

    pub fn run_id(&self) -> RunId {
        self.run_id
    }

    pub fn status(&self) -> StatusCode {
        match &self.result {
            RunResult::Accepted => StatusCode::ACCEPTED,
            RunResult::Ended(RunEnd::Completed { .. }) => StatusCode::OK,
            RunResult::Answered(Ok(answer)) => answer.status,
            RunResult::Answered(Err(_)) | RunResult::Ended(RunEnd::Failed(_) | RunEnd::Cancelled) => {
                StatusCode::UNPROCESSABLE_ENTITY
            }
        }
    }

    pub fn into_response(self, workflow: WorkflowId, BaseUrl(base_url): BaseUrl) -> Response {
        let (status, run_id) = (self.status(), self.run_id.uuid());
        let refuse = |code, message, details| ApiError(Error::Unprocessable { code, message, details }).into_response();
        match self.result {
            RunResult::Accepted => {
                let url =
                    base_url.map(|base| [(LOCATION, format!("{base}/builder/v1/workflows/{workflow}/runs/{run_id}"))]);
                (status, url, Json(AcceptedOut { run_id })).into_response()
            }
            RunResult::Ended(RunEnd::Completed { output }) => {
                (status, Json(TriggeredOut { run_id, output: Arc::unwrap_or_clone(output) })).into_response()
            }
            RunResult::Answered(Ok(WebhookAnswer { headers, body, .. })) => {
                let mut response = (status, body).into_response();
                *response.headers_mut() = headers;
                response
            }
            RunResult::Answered(Err(problem)) => {
                let message = format!("the output of the run is no response: {problem}");
                refuse("invalid_response", message, json!({"runId": run_id}))
            }
            RunResult::Ended(RunEnd::Failed(error)) => {
                let message = error.describe("the run", Language::English);
                refuse("run_failed", message, json!({"runId": run_id, "code": error.code, "nodeId": error.node_id}))
            }
            RunResult::Ended(RunEnd::Cancelled) => {
                refuse("run_cancelled", "the run was stopped".to_owned(), json!({"runId": run_id}))
            }
        }
    }
}
