//! What a request says about its call besides its body.

use auth::{ApiCaller, CallPurpose};
use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::http::header::CACHE_CONTROL;
use domain::Result;
use domain::call_facts::CallLabels;
use domain::ledger::CallOrigin;
use gateway::body::read_form_texts;
use gateway::upload::UploadedFile;
use gateway::{CachePolicy, GatewayCaller};
use serde_json::Value;
use store::claims::Claim;
use web::gateway::{call_tags, is_tag};
use web::layers::request_id;
use web::{Form, Part};

/// Anthropic's field of `metadata` for the end user.
const USER_ID: &str = "user_id";

/// A call of a model, as its request describes it.
pub struct IncomingCall<'a> {
    pub caller: &'a ApiCaller,
    pub headers: &'a HeaderMap,
    pub body_hash: String,
    body: Bytes,
    labels: CallLabels,
}

impl<'a> IncomingCall<'a> {
    /// `body` has the bytes of the request without files, and `value` what was read from them.
    pub fn read(
        caller: &'a ApiCaller,
        headers: &'a HeaderMap,
        body_hash: String,
        body: Bytes,
        value: &Value,
    ) -> Result<Self> {
        let labels = CallLabels { end_user: end_user(value), tags: tags(headers, value)? };
        Ok(Self { caller, headers, body_hash, body, labels })
    }

    pub fn gateway_caller(self, claim: Option<Claim>) -> GatewayCaller {
        let call = CallOrigin {
            request_id: request_id(),
            retries: retries(self.headers),
            body_hash: self.body_hash,
            labels: self.labels,
            is_batch: self.caller.purpose == CallPurpose::BatchLine,
            ..CallOrigin::default()
        };
        let caller = GatewayCaller::new(self.caller, call, claim).with_cache(cache_policy(self.headers));
        caller.with_body(self.caller, self.body)
    }
}

/// The file of a form.
pub fn uploaded_file(Part { name, file_name, content_type, content }: Part) -> UploadedFile {
    UploadedFile { name: file_name.unwrap_or(name), content_type, content }
}

/// The parameters of a form, whose files were taken before: as JSON, and its value. `numbers` are those that are numbers.
pub fn read_texts(form: Form, numbers: &[&str]) -> Result<(Bytes, Value)> {
    let texts = form.0.iter().map(|part| Ok((part.name.clone(), part.text()?.to_owned())));
    let value = Value::Object(read_form_texts(texts.collect::<Result<_>>()?, numbers));
    Ok((value.to_string().into(), value))
}

/// What the client wants of a cache of answers, as `Cache-Control` says it.
fn cache_policy(headers: &HeaderMap) -> CachePolicy {
    let values = headers.get_all(CACHE_CONTROL).iter().filter_map(|value| value.to_str().ok());
    let directives: Vec<&str> = values.flat_map(|value| value.split(',')).map(str::trim).collect();
    let has = |name: &str| directives.iter().any(|directive| directive.eq_ignore_ascii_case(name));
    match (has("no-store"), has("no-cache")) {
        (true, _) => CachePolicy::Bypass,
        (false, true) => CachePolicy::Refresh,
        (false, false) => CachePolicy::Use,
    }
}

/// The number of earlier attempts, as `OpenAI`'s SDKs report it. They send no idempotency key that would identify the
/// retries of a request.
fn retries(headers: &HeaderMap) -> u32 {
    let count = headers.get("x-stainless-retry-count").and_then(|count| count.to_str().ok());
    count.and_then(|count| count.parse().ok()).unwrap_or_default()
}

/// The client's name for its user, under `OpenAI`'s names or Anthropic's.
fn end_user(body: &Value) -> Option<String> {
    let names = [&body["safety_identifier"], &body["user"], &body["metadata"][USER_ID]];
    let name = names.into_iter().filter_map(Value::as_str).map(str::trim).find(|name| !name.is_empty())?;
    Some(name.chars().take(CallLabels::MAX_END_USER_LENGTH).collect())
}

/// The tags of the header `X-Svc-Tags`, and those of `metadata`, as `name=value`. A wrong header is refused. Metadata may have
/// other purposes, so what is no tag is left out.
fn tags(headers: &HeaderMap, body: &Value) -> Result<Vec<String>> {
    let mut tags = call_tags(headers)?;
    let metadata = body["metadata"].as_object().into_iter().flatten();
    let pairs = metadata.filter_map(|(name, value)| Some((name, value.as_str()?))).filter(|(name, _)| *name != USER_ID);
    for tag in pairs.map(|(name, value)| format!("{name}={value}")).filter(|tag| is_tag(tag)) {
        if tags.len() < CallLabels::MAX_TAGS && !tags.contains(&tag) {
            tags.push(tag);
        }
    }
    Ok(tags)
}
