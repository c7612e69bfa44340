//! The examples of the OpenAPI documents: requests and responses that were recorded from a running platform.

use std::collections::HashMap;
use std::sync::LazyLock;

use regex_lite::{Captures, Regex};
use serde_json::Value;
use tests::assistant::SESSION_ID;
use utoipa::openapi::example::ExampleBuilder;
use utoipa::openapi::path::{Operation, PathItem};
use utoipa::openapi::{Content, OpenApi, RefOr};

use super::error_examples::ErrorExample;
use reference::BASE_URL;

/// The family of routes in Anthropic's dialect.
const MESSAGES: &str = "/gateway/v1/messages";

/// A recorded request and its response.
pub struct Exchange {
    pub method: &'static str,
    /// The path as the document writes it, with its parameters in braces.
    pub path: &'static str,
    /// The URL with its path parameters and its query.
    pub url: String,
    /// The headers, without the credential and the content type of JSON.
    pub headers: Vec<(String, String)>,
    pub request: Option<Value>,
    /// The parts of a form, by name. The content of a file is `@` and its name, as curl writes it.
    pub form: &'static [(&'static str, &'static str)],
    pub status: u16,
    pub answer: Option<Value>,
    /// The name of the example, if the operation has several.
    pub title: Option<&'static str>,
}

impl Exchange {
    /// Whether the response is a stream of events. Only these are recorded as a string.
    pub fn is_stream(&self) -> bool {
        self.answer.as_ref().is_some_and(Value::is_string)
    }

    fn content_type(&self) -> &'static str {
        if self.is_stream() { "text/event-stream" } else { "application/json" }
    }
}

/// Adds each exchange to its operation; the first one of a status is kept. An error response without an exchange of its
/// own shows that of a similar operation, of the same family if possible, or else an error that the code rendered.
pub fn add_examples(openapi: &mut OpenApi, exchanges: &[Exchange], errors: &[ErrorExample]) {
    add_recorded_examples(openapi, exchanges);
    for (path, item) in &mut openapi.paths.paths {
        let family = |path: &str| path.split('/').take(4).collect::<Vec<_>>().join("/");
        let own = family(path);
        for method in METHODS {
            let Some(operation) = operation(item, method) else { continue };
            for (status, response) in &mut operation.responses.responses {
                let RefOr::T(response) = response else { continue };
                let Some(RefOr::T(content)) = response.content.get_mut("application/json") else { continue };
                // Errors on the routes of Anthropic's dialect have another form.
                let has_same_form = |exchange: &&Exchange| (family(exchange.path) == MESSAGES) == (own == MESSAGES);
                let similar = exchanges
                    .iter()
                    .filter(has_same_form)
                    .filter(|exchange| exchange.status >= 400 && exchange.status.to_string() == *status);
                // The reasons of a 403 and of a 415 differ between families.
                let differs = |exchange: &Exchange| matches!(exchange.status, 403 | 415);
                let similar = similar.filter(|exchange| !differs(exchange) || family(exchange.path) == own);
                // The reasons of a 409 differ between operations: the response must name the error's code.
                let description = response.description.clone();
                let names =
                    |error: &Value| error["error"]["code"].as_str().is_some_and(|code| description.contains(code));
                let fits = |error: &Value| status != "409" || names(error);
                let similar = similar.filter(|exchange| exchange.answer.as_ref().is_some_and(fits));
                // Prefer the same family, then the shortest path: its errors are the most general.
                let similar = similar.min_by_key(|exchange| (family(exchange.path) != own, exchange.path.len()));
                let rendered = || errors.iter().filter(|error| error.matches(path, status)).map(|error| &error.body);
                if let Some(example) = similar
                    .and_then(|exchange| exchange.answer.as_ref())
                    .or_else(|| rendered().find(|error| fits(error)))
                {
                    add_example(content, None, example);
                }
            }
        }
    }
}

pub const METHODS: [&str; 5] = ["GET", "PUT", "POST", "PATCH", "DELETE"];

fn add_recorded_examples(openapi: &mut OpenApi, exchanges: &[Exchange]) {
    for exchange in exchanges {
        let operation = openapi.paths.paths.get_mut(exchange.path).and_then(|item| operation(item, exchange.method));
        let Some(operation) = operation else { continue };
        if (200..300).contains(&exchange.status)
            && let (Some(example), Some(RefOr::T(body))) = (&exchange.request, &mut operation.request_body)
            && let Some(RefOr::T(content)) = body.content.get_mut("application/json")
        {
            add_example(content, exchange.title, example);
        }
        let response = operation.responses.responses.get_mut(&exchange.status.to_string());
        if let (Some(example), Some(RefOr::T(response))) = (&exchange.answer, response)
            && let Some(RefOr::T(content)) = response.content.get_mut(exchange.content_type())
        {
            add_example(content, exchange.title, example);
        }
    }
}

/// Adds an example. A body has either one example, or several that have names.
fn add_example(content: &mut Content, title: Option<&'static str>, example: &Value) {
    match title {
        Some(title) => {
            let named = || RefOr::T(ExampleBuilder::new().value(Some(example.clone())).build());
            content.examples.entry(title.to_owned()).or_insert_with(named);
        }
        None if content.examples.is_empty() => _ = content.example.get_or_insert_with(|| example.clone()),
        None => {}
    }
}

pub fn operation<'p>(item: &'p mut PathItem, method: &str) -> Option<&'p mut Operation> {
    let operation = match method {
        "GET" => &mut item.get,
        "PUT" => &mut item.put,
        "POST" => &mut item.post,
        "PATCH" => &mut item.patch,
        "DELETE" => &mut item.delete,
        _ => return None,
    };
    operation.as_mut()
}

/// Replaces values that differ between runs by fixed ones: ids (numbered in the order in which they appear), times,
/// tokens and checksums.
#[derive(Default)]
pub struct Normalizer {
    ids: HashMap<String, usize>,
    base_url: String,
    /// Origins to replace, each with the one that the document shows.
    others: Vec<(String, &'static str)>,
}

static CHANGING: LazyLock<Regex> = LazyLock::new(|| {
    let kinds = [
        r"(?P<service>svt_)[0-9A-Za-z]{49}",
        r"(?P<uuid>[0-9a-f]{8}-[0-9a-f]{4}-[78][0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12})",
        r"(?P<prefix>(?:usr_|svt_|org_|key_|job_|mcp_|req_|txn_|aud_|grd_|wb_|modr-|chatcmpl-|cmpl-|rerank-|file-|batch_req_|batch_|msg_|resp_|rs_|fc_))[0-9a-z]{26,32}",
        r"(?P<object>^http://[^?]+\?.*X-Amz-Signature=.*$)",
        r"(?P<token>whk_)[0-9A-Za-z]+",
        r"(?P<key>sk-svc-)[0-9A-Za-z]+",
        r"(?P<checksum>\b[0-9a-f]{64}\b)",
        r"(?P<time>20[2-8]\d-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z)",
        r"(?P<wait>\bin \d+ s\b)",
        r"(?P<date>^20\d{2}-\d{2}(?:-\d{2})?$)",
    ];
    Regex::new(&kinds.join("|")).expect("the pattern is valid")
});

impl Normalizer {
    pub fn new(base_url: &str) -> Self {
        Self { ids: HashMap::new(), base_url: base_url.to_owned(), others: Vec::new() }
    }

    /// Shows the address `shown` instead of `origin`.
    pub fn rename(&mut self, origin: String, shown: &'static str) {
        self.others.push((origin, shown));
    }

    pub fn normalize(&mut self, value: &Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.normalize_text(text)),
            Value::Array(items) => items.iter().map(|item| self.normalize(item)).collect(),
            Value::Object(fields) => {
                let normalized = fields.iter().map(|(name, value)| {
                    let value = match name.as_str() {
                        "retry_after_s" | "durationMs" | "duration_ms" | "first_output_ms" | "tablesMs"
                            if value.is_u64() =>
                        {
                            42.into()
                        }
                        "next_cursor" if value.is_string() => "bmV4dA".into(),
                        "medianMs" | "p95Ms" | "meanMs" if value.is_number() => 42.5.into(),
                        "resets_at" if value.is_u64() => 1_768_469_460.into(),
                        "created" | "created_at" | "expires_at" | "in_progress_at" | "finalizing_at"
                        | "completed_at" | "cancelling_at" | "cancelled_at"
                            if value.is_u64() && *value != 0 =>
                        {
                            1_768_469_400.into()
                        }
                        "tokenLast4" | "last4" => "k7Qd".into(),
                        // The key and the signature of RFC 8037, appendix A.
                        "x" if value.is_string() => "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo".into(),
                        "kid" if value.is_string() => "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k".into(),
                        "signature" if value.is_string() => {
                            "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg"
                                .into()
                        }
                        "authorize_url" if value.is_string() => {
                            "https://login.example.com/authorize?response_type=code&client_id=atelier&state=…".into()
                        }
                        "authorizationUrl" if value.as_str().is_some_and(|url| url.contains("state=")) => {
                            "https://login.example.com/authorize?response_type=code&client_id=atelier&state=…".into()
                        }
                        "request_id" | "requestId" => "req_0199a2c47b1e7c529d3f2f1f0f6b8a11".into(),
                        _ => self.normalize(value),
                    };
                    (name.clone(), value)
                });
                Value::Object(normalized.collect())
            }
            other => other.clone(),
        }
    }

    /// Replaces what the signature of a message consists of, and sealed ids.
    pub fn normalize_header(name: &str, value: &str) -> String {
        match name {
            SESSION_ID => "<session>".to_owned(),
            "webhook-timestamp" => "1768469400".to_owned(),
            "webhook-signature" => "v1,<signature>".to_owned(),
            _ => value.to_owned(),
        }
    }

    pub fn normalize_text(&mut self, text: &str) -> String {
        let here = text.replace(&self.base_url, BASE_URL);
        let here = self.others.iter().fold(here, |text, (origin, shown)| text.replace(origin, shown));
        let normalized = CHANGING.replace_all(&here, |found: &Captures<'_>| {
            let matched = &found[0];
            if found.name("object").is_some() {
                return "https://files.s3.us-east-1.amazonaws.com/images/1-0.png?X-Amz-Expires=3600&X-Amz-Signature=…"
                    .to_owned();
            }
            if found.name("service").is_some() {
                return "svt_4rVb0mE2sXw9Tq6LzY1cJ8nHf3uKp5Da7gRiMkN4e2Bk7Qd".to_owned();
            }
            if found.name("token").is_some() {
                return "whk_4rVb0mE2sXw9Tq6LzY1cJ8nHf3uKp5Da7gRiMkN4k7Qd".to_owned();
            }
            if found.name("key").is_some() {
                return "sk-svc-4rVb0mE2sXw9Tq6LzY1cJ8nHf3uKp5Da7gRiMkN4e2Bk7Qd".to_owned();
            }
            if found.name("wait").is_some() {
                return "in 42 s".to_owned();
            }
            if found.name("date").is_some() {
                return "2026-01-15"[..matched.len()].to_owned();
            }
            if found.name("time").is_some() {
                return "2026-01-15T09:30:00.000Z".to_owned();
            }
            if found.name("checksum").is_some() {
                return "5d41402abc4b2a76b9719d911017c592ae2f9d3c8b7e6f5041d2c3b4a5968778".to_owned();
            }
            let next = self.ids.len() + 1;
            let number = *self.ids.entry(matched.to_owned()).or_insert(next);
            match found.name("prefix") {
                Some(prefix) => format!("{}0199a2c47b1e7c529d3f{number:012x}", prefix.as_str()),
                None => format!("0199a2c4-7b1e-7c52-9d3f-{number:012x}"),
            }
        });
        normalized.into_owned()
    }
}
