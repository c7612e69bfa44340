//! Examples of errors that the recorded tours do not cause, such as failures of providers and restricted keys. The
//! code of the functions renders them.

use axum::response::Response;
use domain::Error;
use domain::limits::{Dimension, Level};
use domain::sharing::TeamRole;
use gateway::{FailureKind, ProviderFailure};
use http_body_util::BodyExt;
use serde_json::Value;

use super::examples::Normalizer;
use reference::BASE_URL;

pub struct ErrorExample {
    /// The prefix of the paths that answer with this error.
    prefix: &'static str,
    status: u16,
    pub body: Value,
}

impl ErrorExample {
    pub fn matches(&self, path: &str, status: &str) -> bool {
        path.starts_with(self.prefix) && self.status.to_string() == status
    }
}

const MESSAGES: &str = "/gateway/v1/messages";

fn out_of_credits() -> Error {
    let message = "the organization's credits do not cover the maximum cost of this call";
    Error::Billing { code: "insufficient_credits", message: message.to_owned(), level: None }
}

fn rate_limited() -> Error {
    Error::RateLimited {
        message: "the limit of 60 rpm of this key is reached; try again in 12 s".to_owned(),
        level: Level::Key,
        dimension: Dimension::Rpm,
        limit: 60,
        resets_at: 1_790_000_000,
        retry_after_s: 12,
        requested: None,
    }
}

/// Renders the errors. The first one that matches a path and a status is used.
pub async fn render_errors() -> Vec<ErrorExample> {
    let forbidden = |code, message: &str| Error::Forbidden { code, message: message.to_owned() };
    let timeout = || Error::from(ProviderFailure::timeout());
    let failed =
        || Error::from(ProviderFailure::new(FailureKind::Unavailable, "provider_unavailable", "the provider failed"));
    let denied =
        || forbidden("model_access_denied", "this key does not allow this model; use a model on the key's list");
    let restricted = "this key is restricted and cannot manage other keys; use an unrestricted key or an access token";
    let conflict = |code, message: &str| Error::Conflict { code, message: message.to_owned() };
    let too_many = conflict("too_many_guard_categories", "there are 50 categories already; delete one first");
    let gateway = |error: Error| web::gateway::AREA.respond(&error);
    let messages = |error: Error| web::gateway::AREA.respond_at(MESSAGES, &error);
    let builder = |error: Error| web::builder::AREA.respond(&error);
    let not_owner = || TeamRole::Operator.require(TeamRole::Editor).map_or_else(|error| error, |()| Error::NoRoute);
    let responses = [
        ("/builder/v1/organization", builder(Error::administrator_only())),
        ("/builder/v1", builder(not_owner())),
        (MESSAGES, messages(Error::Unauthenticated(domain::Refusal::Unknown))),
        (MESSAGES, messages(out_of_credits())),
        (MESSAGES, messages(denied())),
        (MESSAGES, messages(Error::NotFound { kind: "model" })),
        (MESSAGES, messages(Error::idempotency_conflict())),
        (MESSAGES, messages(Error::NotJson)),
        (MESSAGES, messages(Error::from(ProviderFailure::exhausted()))),
        (MESSAGES, messages(failed())),
        (MESSAGES, messages(timeout())),
        (MESSAGES, messages(Error::busy(""))),
        (MESSAGES, messages(rate_limited())),
        ("/gateway/v1/responses", gateway(denied())),
        ("/gateway/v1/billing/admin", gateway(Error::operator_only())),
        ("/gateway/v1/billing/spend", gateway(Error::administrator_only())),
        ("/gateway/v1/billing/call-retention", gateway(Error::administrator_only())),
        ("/gateway/v1/billing/calls/{request_id}/body", gateway(Error::administrator_only())),
        ("/gateway/v1/billing", gateway(web::gateway::key_of_workbench())),
        ("/gateway/v1/me/api-keys", gateway(forbidden("api_key_restricted", restricted))),
        ("/gateway/v1/me", gateway(web::gateway::key_of_workbench())),
        ("/gateway/v1/batches", gateway(web::gateway::key_of_workbench())),
        (
            "/gateway/v1/batches",
            gateway(conflict("too_many_batches", "a user has at most 50 batches that have not ended")),
        ),
        ("/gateway/v1/files", gateway(web::gateway::key_of_workbench())),
        ("/gateway/v1/files", gateway(conflict("too_many_files", "a user keeps at most 500 files; delete one first"))),
        ("/gateway/v1/chat", gateway(denied())),
        ("/gateway/v1/completions", gateway(denied())),
        ("/gateway/v1/embeddings", gateway(denied())),
        ("/gateway/v1/audio", gateway(denied())),
        ("/gateway/v1/images", gateway(denied())),
        ("/gateway/v1/guard/events", gateway(web::gateway::key_of_workbench())),
        ("/gateway/v1/guard", gateway(denied())),
        ("/gateway/v1/moderations", gateway(denied())),
        ("/gateway/v1/rerank", gateway(denied())),
        ("/gateway/v1/models", gateway(denied())),
        ("/gateway/v1/admin/guard", gateway(too_many)),
        ("/gateway/", gateway(Error::idempotency_conflict())),
        ("/gateway/", gateway(failed())),
        ("/gateway/", gateway(timeout())),
        ("/gateway/", gateway(Error::busy(""))),
        ("/gateway/", gateway(Error::NotJson)),
        ("/builder/", builder(Error::idempotency_conflict())),
        ("/builder/", builder(Error::NotJson)),
        ("/workbenches/", web::workbenches::AREA.respond(&Error::busy(""))),
        ("/workbenches/", web::workbenches::AREA.respond(&Error::NotJson)),
        ("/", builder(Error::busy(""))),
    ];
    let mut examples = Vec::new();
    for (prefix, response) in responses {
        examples.push(ErrorExample { prefix, status: response.status().as_u16(), body: read_body(response).await });
    }
    examples
}

async fn read_body(response: Response) -> Value {
    let body = response.into_body().collect().await.unwrap().to_bytes();
    Normalizer::new(BASE_URL).normalize(&serde_json::from_slice(&body).unwrap())
}
