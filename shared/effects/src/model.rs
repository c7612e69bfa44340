//! The effects of `model` and `embeddings` nodes: calls of the gateway, in process. The organization of the run pays, with
//! the limits of its plan.

use std::time::Duration;

use domain::graph::hash;
use domain::run::{Run, StepError};
use domain::{Error, ProviderTrouble, Result};
use engine::drive::{Effect, EffectError, RetryHint};
use engine::nodes::OUT;
use engine::run::StepOutcome;
use engine::schema::check_value;
use gateway::chat::ChatRequest;
use gateway::embeddings::EmbeddingsRequest;
use gateway::{ClaimOutcome, Gateway, GatewayCaller};
use serde_json::{Map, Value, json};
use shared::Context;
use shared::auth::Owners;
use shared::http::code;

pub struct ModelEffects {
    gateway: Gateway,
    owners: Owners,
}

impl ModelEffects {
    pub fn new(context: &Context) -> Result<Self> {
        Ok(Self { gateway: Gateway::new(context)?, owners: Owners::new(context)? })
    }

    /// Asks a chat model. The value is the text of the answer, or JSON that matches the node's schema.
    pub async fn complete(&self, run: &Run, effect: &Effect) -> Result<StepOutcome, EffectError> {
        let body = chat_body(&effect.config);
        let body_hash = hash(&body);
        let request = ChatRequest::read(body).map_err(failed)?;
        let answer = match self.begin(run, effect, body_hash).await? {
            Beginning::Answered(answer) => answer,
            Beginning::New(caller) => self.gateway.complete(*caller, request).await.map_err(failed)?.0,
        };
        let answer: Value = serde_json::from_slice(&answer).map_err(|error| failed(Error::internal(error)))?;
        let text = answer["choices"][0]["message"]["content"].as_str().unwrap_or_default();
        match effect.config.get("schema") {
            None => Ok(StepOutcome::new(OUT, Value::from(text))),
            Some(schema) => structured(text, schema).map(|value| StepOutcome::new(OUT, value)),
        }
    }

    /// Computes embeddings. The value is the list of vectors, in the order of the texts.
    pub async fn embed(&self, run: &Run, effect: &Effect) -> Result<StepOutcome, EffectError> {
        let body = embeddings_body(&effect.config);
        let body_hash = hash(&body);
        let request = EmbeddingsRequest::read(body).map_err(failed)?;
        let answer = match self.begin(run, effect, body_hash).await? {
            Beginning::Answered(answer) => answer,
            Beginning::New(caller) => self.gateway.embed(*caller, request).await.map_err(failed)?.0,
        };
        let mut answer: Value = serde_json::from_slice(&answer).map_err(|error| failed(Error::internal(error)))?;
        let rows = answer["data"].as_array_mut().map(std::mem::take).unwrap_or_default();
        let vectors: Vec<Value> = rows.into_iter().map(|mut row| row["embedding"].take()).collect();
        Ok(StepOutcome::new(OUT, Value::from(vectors)))
    }

    /// Claims the call by the key of the attempt. An attempt that is repeated after a crash gets the stored answer of the
    /// first call, and is charged once. A claim is released only by a call, so nothing may fail between the two.
    async fn begin(&self, run: &Run, effect: &Effect, body_hash: String) -> Result<Beginning, EffectError> {
        let owner = self.owners.admit(run.account).await.map_err(failed)?;
        let claimed = self.gateway.claim(run.account, &effect.idempotency_key, &body_hash).await;
        let claim = match claimed.map_err(failed)? {
            ClaimOutcome::Answered { body, .. } => return Ok(Beginning::Answered(body.to_vec())),
            ClaimOutcome::Mine(claim) => claim,
        };
        let request_id = format!("{}/{}", run.id, effect.step);
        Ok(Beginning::New(Box::new(GatewayCaller::of_platform(&owner, request_id, body_hash, claim))))
    }
}

enum Beginning {
    /// An earlier call with the same key has this answer.
    Answered(Vec<u8>),
    New(Box<GatewayCaller>),
}

fn chat_body(config: &Map<String, Value>) -> Value {
    let message = |role: &str, text: &Value| json!({"role": role, "content": text});
    let system = config.get("system").map(|text| message("system", text));
    let prompt = config.get("prompt").map(|text| message("user", text));
    let messages: Vec<Value> = system.into_iter().chain(prompt).collect();
    let mut body = json!({"model": config.get("model"), "messages": messages});
    for (name, field) in [("temperature", "temperature"), ("max_tokens", "maxTokens")] {
        if let Some(value) = config.get(field) {
            body[name] = value.clone();
        }
    }
    if let Some(schema) = config.get("schema") {
        body["response_format"] = json!({"type": "json_schema", "json_schema": {"name": "answer", "schema": schema}});
    }
    body
}

fn embeddings_body(config: &Map<String, Value>) -> Value {
    let mut body = json!({"model": config.get("model"), "input": config.get("input")});
    if let Some(dimensions) = config.get("dimensions") {
        body["dimensions"] = dimensions.clone();
    }
    body
}

/// The answer as JSON. A model may answer otherwise, so another attempt may succeed.
fn structured(text: &str, schema: &Value) -> Result<Value, EffectError> {
    let invalid = |message: String| EffectError {
        error: StepError::new("invalid_answer", message),
        retry: RetryHint::After(Duration::ZERO),
    };
    let value: Value = serde_json::from_str(text).map_err(|error| {
        invalid(format!("the answer is not JSON: line {}, column {}", error.line(), error.column()))
    })?;
    match check_value(schema, &value, "answer").violations.into_iter().next() {
        Some((field, message)) => Err(invalid(format!("{field}: {message}"))),
        None => Ok(value),
    }
}

fn failed(error: Error) -> EffectError {
    let retry = match &error {
        Error::Provider {
            trouble: ProviderTrouble::RateLimited | ProviderTrouble::Failed | ProviderTrouble::Timeout,
            retry_after_s,
            ..
        } => RetryHint::After(Duration::from_secs(retry_after_s.unwrap_or_default())),
        Error::RateLimited { retry_after_s, .. } => RetryHint::After(Duration::from_secs(*retry_after_s)),
        Error::Maintenance { retry_after_s, .. } | Error::Unavailable { retry_after_s, .. } => {
            RetryHint::After(Duration::from_secs((*retry_after_s).into()))
        }
        _ => RetryHint::Never,
    };
    EffectError { error: StepError::new(code(&error), error.to_string()), retry }
}
