//! The HTTP response that the output of a run describes, for calls of webhooks with `response: output`.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use http::header::{self, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderName, HeaderValue, X_CONTENT_TYPE_OPTIONS};
use http::{HeaderMap, StatusCode};
use serde_json::{Map, Value};

const FIELDS: [&str; 3] = ["status", "headers", "body"];
/// Headers that belong to the connection, or to other pages of the host.
const REFUSED: [HeaderName; 7] = [
    header::CONNECTION,
    header::CONTENT_LENGTH,
    header::SET_COOKIE,
    header::TE,
    header::TRAILER,
    header::TRANSFER_ENCODING,
    header::UPGRADE,
];

#[derive(Debug)]
pub struct WebhookAnswer {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: Vec<u8>,
}

impl WebhookAnswer {
    /// Reads `{status, headers, body}`; null is an empty answer. The error is the problem of the output.
    pub fn read(output: &Value) -> Result<Self, String> {
        let none = Map::new();
        let fields = match output {
            Value::Null => &none,
            Value::Object(fields) => fields,
            _ => return Err("it must be an object `{status, headers, body}`".to_owned()),
        };
        if let Some(other) = fields.keys().find(|name| !FIELDS.contains(&name.as_str())) {
            return Err(format!("`{other}` is no part of a response; put the value into `body`"));
        }
        let part = |name: &str| fields.get(name).filter(|value| !value.is_null());
        let status = part("status").map_or(Some(StatusCode::OK), read_status);
        let status = status.ok_or("`status` must be a number from 200 to 599")?;
        let mut headers = HeaderMap::new();
        match part("headers") {
            None => {}
            Some(Value::Object(given)) => {
                for (name, value) in given.iter().filter(|(_, value)| !value.is_null()) {
                    let (name, value) =
                        read_header(name, value).map_err(|problem| format!("the header `{name}` {problem}"))?;
                    headers.insert(name, value);
                }
            }
            Some(_) => return Err("`headers` must be an object of texts".to_owned()),
        }
        let (media_type, body) = read_body(part("body").unwrap_or(&Value::Null))?;
        if let Some(media_type) = media_type {
            headers.entry(CONTENT_TYPE).or_insert(media_type);
        }
        // The page of a workflow is no page of the platform.
        headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static("sandbox"));
        headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        Ok(Self { status, headers, body })
    }
}

/// Whether a workflow cannot set the header.
pub fn is_refused_header(name: &str) -> bool {
    REFUSED.iter().any(|refused| name.eq_ignore_ascii_case(refused.as_str()))
}

fn read_status(status: &Value) -> Option<StatusCode> {
    let status = u16::try_from(status.as_u64()?).ok()?;
    StatusCode::from_u16(status).ok().filter(|_| (200..600).contains(&status))
}

fn read_header(name: &str, value: &Value) -> Result<(HeaderName, HeaderValue), &'static str> {
    let name = HeaderName::try_from(name).map_err(|_| "has no valid name")?;
    if is_refused_header(name.as_str()) {
        return Err("cannot be set by a workflow");
    }
    let value = match value {
        Value::String(text) => text.clone(),
        Value::Number(_) | Value::Bool(_) => value.to_string(),
        _ => return Err("must be a text"),
    };
    let value = HeaderValue::try_from(value).map_err(|_| "has a character that cannot be sent")?;
    Ok((name, value))
}

/// The media type and the content.
fn read_body(body: &Value) -> Result<(Option<HeaderValue>, Vec<u8>), String> {
    let typed = |media_type: &'static str, body| Ok((Some(HeaderValue::from_static(media_type)), body));
    match body {
        Value::Null => Ok((None, Vec::new())),
        Value::String(text) => typed("text/plain; charset=utf-8", text.clone().into_bytes()),
        Value::Object(file) if file.get("base64").is_some_and(Value::is_string) => {
            let content = BASE64_STANDARD.decode(file["base64"].as_str().unwrap_or_default());
            let content = content.map_err(|_| "the `base64` of its `body` is not valid")?;
            let named = file.get("contentType").and_then(Value::as_str);
            let media_type = HeaderValue::try_from(named.unwrap_or("application/octet-stream"));
            Ok((Some(media_type.map_err(|_| "the `contentType` of its `body` cannot be sent")?), content))
        }
        other => typed("application/json", other.to_string().into_bytes()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_output_becomes_a_response() {
        for (output, expected) in [
            (json!(null), (200, None, "")),
            (json!({"status": 204}), (204, None, "")),
            (json!({"body": "Hi"}), (200, Some("text/plain; charset=utf-8"), "Hi")),
            (json!({"body": {"a": [1]}}), (200, Some("application/json"), r#"{"a":[1]}"#)),
            (json!({"body": false}), (200, Some("application/json"), "false")),
            (
                json!({"body": {"base64": "QWRh", "contentType": "text/csv", "name": "a.csv"}}),
                (200, Some("text/csv"), "Ada"),
            ),
            (
                json!({"status": 201, "headers": {"Content-Type": "text/html", "X-N": 7, "X-None": null}, "body": "<b>"}),
                (201, Some("text/html"), "<b>"),
            ),
        ] {
            let WebhookAnswer { status, headers, body } = WebhookAnswer::read(&output).unwrap();
            let media_type = headers.get(CONTENT_TYPE).map(|value| value.to_str().unwrap());
            assert_eq!((status.as_u16(), media_type, str::from_utf8(&body).unwrap()), expected, "{output}");
            assert_eq!((headers.get("x-none"), headers["content-security-policy"].as_bytes()), (None, &b"sandbox"[..]));
        }
        for (output, problem) in [
            (json!("Hi"), "it must be an object `{status, headers, body}`"),
            (json!({"answer": 1}), "`answer` is no part of a response; put the value into `body`"),
            (json!({"status": 101}), "`status` must be a number from 200 to 599"),
            (json!({"status": "200"}), "`status` must be a number from 200 to 599"),
            (json!({"headers": ["a"]}), "`headers` must be an object of texts"),
            (json!({"headers": {"Set-Cookie": "a=1"}}), "the header `Set-Cookie` cannot be set by a workflow"),
            (json!({"headers": {"a b": "1"}}), "the header `a b` has no valid name"),
            (json!({"headers": {"a": "1\n2"}}), "the header `a` has a character that cannot be sent"),
            (json!({"headers": {"a": [1]}}), "the header `a` must be a text"),
            (json!({"body": {"base64": "?"}}), "the `base64` of its `body` is not valid"),
        ] {
            assert_eq!(WebhookAnswer::read(&output).unwrap_err(), problem, "{output}");
        }
    }
}
