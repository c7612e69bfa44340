//! A call of a webhook as it was received: the input of its run, its idempotency key, and the event that is stored.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use axum::body::Bytes;
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use axum::http::{HeaderMap, Method};
use domain::form::Given;
use domain::graph::hash;
use domain::id::{RunId, WebhookEventId, WebhookId};
use domain::media_type;
use domain::run::masking::hide;
use domain::token::{SecretToken, TokenKind};
use domain::webhook::{MAX_KEPT_BYTES, WebhookEvent, WebhookOutcome, kept_headers, kept_value};
use domain::{Error, Result, json};
use engine::drive::mask_run_input;
use engine::nodes::redaction::Redaction;
use engine::nodes::webhook::WebhookInput;
use engine::value_size::check_input;
use serde_json::{Map, Value, json};
use store::runs::StartKey;
use web::builder::URL_TOKEN;
use web::idempotency::IDEMPOTENCY_KEY;
use web::{Form, declares_json};

use crate::given::read_given;

pub struct Call {
    pub event_id: WebhookEventId,
    method: Method,
    /// The query of the URL.
    query: String,
    headers: HeaderMap,
    body: Bytes,
    /// What is stored of the call, if a part of it is masked.
    masked: OnceLock<Masked>,
}

struct Masked {
    headers: BTreeMap<String, String>,
    body: String,
}

impl Call {
    pub fn new(method: Method, query: String, headers: HeaderMap, body: Bytes) -> Self {
        Self { event_id: WebhookEventId::new(), method, query, headers, body, masked: OnceLock::new() }
    }

    /// Masks parts of what is stored of the call. `body` is the body as it was read, and `kind` is what the run gets.
    pub fn mask(&self, redaction: &Redaction, kind: WebhookInput, body: Option<&Value>) {
        if redaction.is_empty() {
            return;
        }
        self.masked.get_or_init(|| {
            // The parts cannot be found in a body that is not valid, so nothing of it is stored.
            let is_valid = body.is_some();
            let mut input = self.input(kind, body.cloned().unwrap_or_default());
            mask_run_input(redaction, &mut input);
            hide(&mut input);
            let (headers, body) = match (kind, input) {
                (WebhookInput::Body, body) => (kept_headers(self.sent_headers()), body),
                (WebhookInput::Call, Value::Object(mut call)) => {
                    let headers = call.remove("headers").and_then(|headers| serde_json::from_value(headers).ok());
                    (headers.unwrap_or_default(), call.remove("body").unwrap_or_default())
                }
                // The whole call is masked.
                (WebhookInput::Call, masked) => (BTreeMap::new(), masked),
            };
            Masked { headers, body: if is_valid { body.to_string() } else { String::new() } }
        });
    }

    /// The body, or null if it is empty. A form is an object of its fields, and a field that is repeated has a list.
    pub async fn body(&self) -> Result<Value> {
        if self.body.trim_ascii().is_empty() {
            return Ok(Value::Null);
        }
        let body = match media_type::of_headers(&self.headers).as_ref() {
            "multipart/form-data" => Value::Object(self.form().await?),
            // Clients that name no type often send JSON as this one.
            "application/x-www-form-urlencoded" if !matches!(self.body.trim_ascii().first(), Some(b'{' | b'[')) => {
                Value::Object(pairs(&self.body, |_, _| true))
            }
            _ if declares_json(&self.headers) => json::parse(&self.body)?,
            _ => return Err(Error::NeitherJsonNorForm),
        };
        check_input("", &body)?;
        Ok(body)
    }

    /// The fields of a form.
    async fn form(&self) -> Result<Map<String, Value>> {
        let mut fields = Map::new();
        for (name, given) in read_given(Form::read(&self.headers, self.body.clone()).await?)? {
            let value = match given {
                Given::Text(text) => text.into(),
                Given::File(file) => file.to_value(),
            };
            add(&mut fields, name, value);
        }
        Ok(fields)
    }

    pub fn method(&self) -> &Method {
        &self.method
    }

    /// Refuses a query that the run would not get.
    pub fn check_query(&self, kind: WebhookInput) -> Result<()> {
        match self.query().keys().next() {
            Some(name) if kind == WebhookInput::Body => {
                let problem = "the run would not get this parameter; set `input` of the webhook node to `call`";
                Err(Error::invalid_query(name.as_str(), problem))
            }
            _ => Ok(()),
        }
    }

    /// The input of the run, whose size is that of a value. The body was checked when it was read.
    pub fn checked_input(&self, kind: WebhookInput, body: Value) -> Result<Value> {
        let input = self.input(kind, body);
        if kind == WebhookInput::Call {
            check_input("", &input)?;
        }
        Ok(input)
    }

    fn input(&self, kind: WebhookInput, body: Value) -> Value {
        match kind {
            WebhookInput::Body => body,
            WebhookInput::Call => json!({
                "body": body,
                "query": self.query(),
                "headers": kept_headers(self.sent_headers()),
                "method": self.method.as_str(),
            }),
        }
    }

    /// The parameters of the query, without the token of the webhook.
    fn query(&self) -> Map<String, Value> {
        let is_token =
            |name: &str, value: &str| name == URL_TOKEN && SecretToken::parse(TokenKind::Channel, value).is_some();
        pairs(self.query.as_bytes(), |name, value| !is_token(name, value))
    }

    fn sent_headers(&self) -> impl Iterator<Item = (&str, &str)> {
        self.headers.iter().filter_map(|(name, value)| Some((name.as_str(), value.to_str().ok()?)))
    }

    /// The key by which a repeated call is recognized. Headers of a repeated call may differ.
    pub fn start_key(&self, webhook: WebhookId, kind: WebhookInput, body: &Value) -> Result<Option<StartKey>> {
        let Some(key) = self.headers.get(&IDEMPOTENCY_KEY) else { return Ok(None) };
        let hash = match kind {
            WebhookInput::Body => hash(body),
            WebhookInput::Call => hash(&json!([body, self.query()])),
        };
        let start_key = |key: &str| StartKey::new(format!("webhook#{webhook}"), key.to_owned(), hash);
        let problem = || format!("1 to {} ASCII characters", StartKey::MAX_CHARS);
        let start_key = key.to_str().ok().and_then(start_key);
        start_key.map(Some).ok_or_else(|| Error::invalid_query("Idempotency-Key", problem()))
    }

    /// The event of a call that has a run.
    pub fn answered(&self, outcome: WebhookOutcome, run: RunId, status: u16) -> WebhookEvent {
        let content_type = self.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
        let masked = self.masked.get();
        let body = masked.map_or(&*self.body, |masked| masked.body.as_bytes());
        let body = &body[..body.len().min(MAX_KEPT_BYTES)];
        WebhookEvent {
            id: self.event_id,
            outcome,
            status,
            run: Some(run.uuid()),
            error_code: None,
            content_type: content_type.map(kept_value),
            headers: masked.map_or_else(|| kept_headers(self.sent_headers()), |masked| masked.headers.clone()),
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

/// The pairs of a query or a form that are wanted.
fn pairs(encoded: &[u8], is_wanted: impl Fn(&str, &str) -> bool) -> Map<String, Value> {
    let mut pairs = Map::new();
    let wanted = form_urlencoded::parse(encoded).filter(|(name, value)| is_wanted(name, value));
    wanted.for_each(|(name, value)| add(&mut pairs, name.into_owned(), value.into()));
    pairs
}

/// Adds a value. A name that is repeated has a list.
fn add(pairs: &mut Map<String, Value>, name: String, value: Value) {
    match pairs.get_mut(&name) {
        None => {
            pairs.insert(name, value);
        }
        Some(Value::Array(values)) => values.push(value),
        Some(first) => *first = Value::Array(vec![first.take(), value]),
    }
}
