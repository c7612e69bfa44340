//! Tests of calls to a server on this machine, which is allowed by setting, as in `local`.

mod failures;
mod requests;
mod responses;
mod retries;
mod server;

use std::sync::Arc;
use std::time::Duration;

use domain::credential::Credential;
use domain::id::CredentialId;
use domain::time::{Clock, Time};
use engine::drive::{Effect, EffectError, EffectResult, RetryHint};
use engine::nodes::Operation;
use engine::nodes::http::HttpCall;
use outbound::{Calls, Outbound};
use platform::config::{Config, OUTBOUND_ALLOWED_CIDRS};
use serde_json::{Value, json};

use super::Caller;
use super::request::EvaluatedNode;
use server::Server;

/// A value that no message may contain.
const SECRET: &str = "s3cret";

fn effect(config: Value) -> Effect {
    let request: EvaluatedNode = serde_json::from_value(config).unwrap();
    Effect {
        step: "call".to_owned(),
        operation: Arc::new(Operation::Http(HttpCall { request, tool_credential: None })),
        attempt: 1,
        is_last_attempt: true,
        timeout: Duration::from_secs(30),
        idempotency_key: "key-1".to_owned(),
    }
}

/// An effect that may be tried again.
fn retried(config: Value) -> Effect {
    Effect { is_last_attempt: false, ..effect(config) }
}

async fn perform(effect: &Effect, credential: Option<&Credential>) -> EffectResult {
    let settings = [(OUTBOUND_ALLOWED_CIDRS.to_owned(), "127.0.0.1".to_owned())];
    let outbound = Outbound::from_config(&Config::from_iter(settings)).unwrap();
    let caller = Caller { calls: Calls::new(outbound), clock: Clock::new(|| Time::from_millis(0)) };
    let credential = credential.map(|credential| (CredentialId::new(), credential));
    caller.call(effect, &http_call(effect).request, credential).await
}

fn http_call(effect: &Effect) -> &HttpCall {
    let Operation::Http(call) = &*effect.operation else { panic!("{effect:?}") };
    call
}

/// The value of a call that succeeds.
async fn value_of(config: Value) -> Value {
    let outcome = perform(&effect(config), None).await.unwrap();
    assert_eq!(outcome.port, "out");
    Arc::unwrap_or_clone(outcome.value)
}

/// The error code of a call that fails before the last attempt, its message, and the hint.
async fn error_of(config: Value) -> (String, String, RetryHint) {
    let credential = Credential::Bearer { token: SECRET.to_owned() };
    let EffectError { error, retry } = perform(&retried(config), Some(&credential)).await.unwrap_err();
    assert!(!error.message.contains(SECRET), "{error}");
    (error.code, error.message, retry)
}
