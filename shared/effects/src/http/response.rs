//! The value of an `http` node, from the response.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use domain::{json, media_type};
use engine::nodes::http::ResponseFormat;
use engine::run::StepError;
use http::{HeaderMap, StatusCode};
use serde_json::{Map, Value, json};

/// Some servers begin UTF-8 with it, but it is no part of the text.
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// `{status, headers, body}`.
pub fn value(
    status: StatusCode,
    headers: &HeaderMap,
    body: &[u8],
    format: Option<ResponseFormat>,
) -> Result<Value, StepError> {
    let media_type = media_type::of_headers(headers);
    let format = format.or(is_json(&media_type).then_some(ResponseFormat::Json));
    let body = match format {
        Some(ResponseFormat::Text) => String::from_utf8_lossy(without_mark(body)).into(),
        Some(ResponseFormat::Json) => match parse_json(body) {
            Some(parsed) => parsed,
            // An error page says nothing about the format. The graph needs its status.
            None if !status.is_success() => text_or_binary(&media_type, body),
            None => {
                let message = "the response is not valid JSON; set `response` to `text` to read it as a text";
                return Err(StepError::new("invalid_response", message));
            }
        },
        None => text_or_binary(&media_type, body),
    };
    Ok(json!({"status": status.as_u16(), "headers": to_map(headers), "body": body}))
}

fn is_json(media_type: &str) -> bool {
    media_type == "application/json" || media_type.ends_with("+json")
}

/// Media of which a part may be valid UTF-8 by accident.
fn is_binary(media_type: &str) -> bool {
    let is_media = ["image/", "audio/", "video/", "font/"].iter().any(|prefix| media_type.starts_with(prefix));
    (is_media && !media_type.ends_with("+xml")) || media_type == "application/pdf"
}

/// Returns null for an empty body, and `None` if the body is not valid JSON.
fn parse_json(body: &[u8]) -> Option<Value> {
    let text = str::from_utf8(without_mark(body)).ok()?;
    if text.trim().is_empty() { Some(Value::Null) } else { json::parse_text(text) }
}

fn text_or_binary(media_type: &str, body: &[u8]) -> Value {
    if body.is_empty() {
        return Value::Null;
    }
    match str::from_utf8(without_mark(body)) {
        Ok(text) if !is_binary(media_type) => text.into(),
        _ => {
            let media_type = if media_type.is_empty() { "application/octet-stream" } else { media_type };
            json!({"base64": BASE64_STANDARD.encode(body), "contentType": media_type})
        }
    }
}

fn without_mark(body: &[u8]) -> &[u8] {
    body.strip_prefix(BYTE_ORDER_MARK).unwrap_or(body)
}

/// The values of each header, joined by commas. `HeaderName` is lowercase.
fn to_map(headers: &HeaderMap) -> Map<String, Value> {
    let joined = |name| {
        let values = headers.get_all(name).iter().map(|value| String::from_utf8_lossy(value.as_bytes()));
        values.collect::<Vec<_>>().join(", ")
    };
    headers.keys().map(|name| (name.to_string(), joined(name).into())).collect()
}
