//! A call of a webhook as it was received: the input of its run, its idempotency key, and the event that is stored.

use std::sync::OnceLock;

use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use domain::graph::hash;
use domain::id::{RunId, WebhookEventId, WebhookId};
use domain::run::masking::hide;
use domain::webhook::{MAX_KEPT_BYTES, WebhookEvent, WebhookOutcome, kept_headers, kept_value};
use domain::{Error, Result, json};
use engine::drive::mask_run_input;
use engine::nodes::redaction::Redaction;
use engine::value_size::check_input;
use serde_json::Value;
use store::runs::StartKey;
use web::declares_json;
use web::idempotency::IDEMPOTENCY_KEY;

pub struct Call {
    pub event_id: WebhookEventId,
    headers: HeaderMap,
    body: Bytes,
    /// The body as it is stored, if a part of it is masked.
    masked_body: OnceLock<String>,
}

impl Call {
    pub fn new(headers: HeaderMap, body: Bytes) -> Self {
        Self { event_id: WebhookEventId::new(), headers, body, masked_body: OnceLock::new() }
    }

    /// Masks parts of the body in what is stored of the call. `input` is the body as it was read.
    pub fn mask(&self, redaction: &Redaction, input: Option<&Value>) {
        if redaction.is_empty() {
            return;
        }
        self.masked_body.get_or_init(|| match input.cloned() {
            Some(mut input) => {
                mask_run_input(redaction, &mut input);
                hide(&mut input);
                input.to_string()
            }
            // The parts cannot be found in a body that is not valid, so nothing of it is stored.
            None => String::new(),
        });
    }

    /// The input of the run: the body, or null if it is empty.
    pub fn input(&self) -> Result<Value> {
        if self.body.trim_ascii().is_empty() {
            return Ok(Value::Null);
        }
        if !declares_json(&self.headers) {
            return Err(Error::NotJson);
        }
        let input = json::parse(&self.body)?;
        check_input("", &input)?;
        Ok(input)
    }

    /// The key by which a repeated call is recognized.
    pub fn start_key(&self, webhook: WebhookId, input: &Value) -> Result<Option<StartKey>> {
        let Some(key) = self.headers.get(&IDEMPOTENCY_KEY) else { return Ok(None) };
        let start_key = |key: &str| StartKey::new(format!("webhook#{webhook}"), key.to_owned(), hash(input));
        let problem = || format!("1 to {} ASCII characters", StartKey::MAX_CHARS);
        let start_key = key.to_str().ok().and_then(start_key);
        start_key.map(Some).ok_or_else(|| Error::invalid_query("Idempotency-Key", problem()))
    }

    /// The event of a call that has a run.
    pub fn answered(&self, outcome: WebhookOutcome, run: RunId, status: u16) -> WebhookEvent {
        let headers = self.headers.iter().filter_map(|(name, value)| Some((name.as_str(), value.to_str().ok()?)));
        let content_type = self.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
        let body = self.masked_body.get().map_or(&*self.body, String::as_bytes);
        let body = &body[..body.len().min(MAX_KEPT_BYTES)];
        WebhookEvent {
            id: self.event_id,
            outcome,
            status,
            run: Some(run.uuid()),
            error_code: None,
            content_type: content_type.map(kept_value),
            headers: kept_headers(headers),
            body: String::from_utf8_lossy(body).into_owned(),
            body_bytes: self.body.len() as u64,
        }
    }

    /// The event of a call that was refused. The body of a caller without the token is not read, except that of a form.
    pub fn refused(&self, status: u16, error_code: String) -> WebhookEvent {
        let event = self.answered(WebhookOutcome::Refused, RunId::new(), status);
        let declared = self.headers.get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok());
        let body_bytes = declared.unwrap_or(event.body_bytes);
        WebhookEvent { run: None, error_code: Some(error_code), body_bytes, ..event }
    }
}
