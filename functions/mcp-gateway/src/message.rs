//! The envelope of a message of a client. Only what decides about the message is read. The server gets the bytes of the client,
//! so nothing may be readable in two ways: unknown fields, repeated fields and batches are refused.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Error as _, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use crate::rpc_error::RpcError;

/// The maximum length of the id of a request, of a method and of the name of a tool, in bytes.
const MAX_NAME_BYTES: usize = 200;

/// A message that a client sends.
pub struct Message<'a> {
    pub id: Option<&'a RawValue>,
    pub kind: Kind<'a>,
}

pub enum Kind<'a> {
    /// It calls a tool, and expects an answer.
    ToolCall {
        tool: String,
    },
    /// Another request.
    Request {
        method: Cow<'a, str>,
    },
    Notification {
        method: Cow<'a, str>,
    },
    /// The answer to a request of the server.
    Response,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Envelope<'a> {
    #[serde(borrow)]
    jsonrpc: Cow<'a, str>,
    #[serde(borrow, default)]
    id: Option<&'a RawValue>,
    #[serde(borrow, default)]
    method: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    params: Option<&'a RawValue>,
    #[serde(default)]
    result: Option<IgnoredAny>,
    #[serde(default)]
    error: Option<IgnoredAny>,
}

impl<'a> Message<'a> {
    pub const TOOL_CALL: &'static str = "tools/call";

    pub fn read(body: &'a [u8]) -> Result<Self, RpcError> {
        if body.trim_ascii_start().starts_with(b"[") {
            return Err(RpcError::invalid_request(
                "batches are not supported; send each message in a request of its own",
            ));
        }
        let envelope: Envelope<'a> = serde_json::from_slice(body).map_err(RpcError::parse_error)?;
        let Envelope { jsonrpc, id, method, params, result, error } = envelope;
        if jsonrpc != "2.0" {
            return Err(RpcError::invalid_request("jsonrpc must be \"2.0\""));
        }
        if let Some(id) = id.filter(|id| !is_id(id.get())) {
            return Err(RpcError::invalid_request(format!(
                "an id must be a short text or a number, not {}",
                kind_of(id)
            )));
        }
        let is_answer = result.is_some() || error.is_some();
        let kind = match (method, id) {
            (None, Some(_)) if is_answer => Kind::Response,
            (Some(method), _) if is_answer || method.len() > MAX_NAME_BYTES => {
                return Err(
                    RpcError::invalid_request("a message has a short method, or a result, or an error").answering(id)
                );
            }
            (Some(method), Some(_)) if method == Self::TOOL_CALL => {
                Kind::ToolCall { tool: read_tool(params).map_err(|error| error.answering(id))? }
            }
            (Some(method), Some(_)) => Kind::Request { method },
            (Some(method), None) => Kind::Notification { method },
            (None, _) => {
                return Err(RpcError::invalid_request("a message needs a method, a result or an error").answering(id));
            }
        };
        Ok(Self { id, kind })
    }

    /// The method of a request or a notification.
    pub fn method(&self) -> Option<&str> {
        match &self.kind {
            Kind::ToolCall { .. } => Some(Self::TOOL_CALL),
            Kind::Request { method } | Kind::Notification { method } => Some(method),
            Kind::Response => None,
        }
    }
}

fn is_id(raw: &str) -> bool {
    raw.len() <= MAX_NAME_BYTES && raw.starts_with(|c: char| c == '"' || c == '-' || c.is_ascii_digit())
}

fn kind_of(id: &RawValue) -> &'static str {
    match id.get().as_bytes().first() {
        Some(b'{') => "an object",
        Some(b'[') => "a list",
        Some(b't' | b'f') => "true or false",
        _ => "a long one",
    }
}

fn read_tool(params: Option<&RawValue>) -> Result<String, RpcError> {
    let params = params.map_or("null", RawValue::get);
    let CalledTool(tool) = serde_json::from_str(params)
        .map_err(|error| RpcError::invalid_params(format!("params of {} are invalid: {error}", Message::TOOL_CALL)))?;
    match tool.len() {
        1..=MAX_NAME_BYTES => Ok(tool),
        _ => Err(RpcError::invalid_params(format!("the name of a tool has 1 to {MAX_NAME_BYTES} bytes"))),
    }
}

/// The name of the tool in the parameters of a call. Some servers ignore the case of names, so only one field may have this name
/// in any case.
struct CalledTool(String);

impl<'de> Deserialize<'de> for CalledTool {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Params;

        impl<'de> Visitor<'de> for Params {
            type Value = CalledTool;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object with the name of a tool")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut params: A) -> Result<CalledTool, A::Error> {
                let mut tool = None;
                while let Some(field) = params.next_key::<Cow<'de, str>>()? {
                    if !field.eq_ignore_ascii_case("name") {
                        params.next_value::<IgnoredAny>()?;
                    } else if field != "name" || tool.is_some() {
                        return Err(A::Error::duplicate_field("name"));
                    } else {
                        tool = Some(params.next_value()?);
                    }
                }
                tool.map(CalledTool).ok_or_else(|| A::Error::missing_field("name"))
            }
        }

        deserializer.deserialize_map(Params)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn described(body: &str) -> String {
        match Message::read(body.as_bytes()) {
            Ok(Message { id, kind }) => {
                let id = id.map_or("-", RawValue::get);
                match kind {
                    Kind::ToolCall { tool } => format!("{id} call {tool}"),
                    Kind::Request { method } => format!("{id} request {method}"),
                    Kind::Notification { method } => format!("{id} notification {method}"),
                    Kind::Response => format!("{id} response"),
                }
            }
            Err(_) => "refused".to_owned(),
        }
    }

    #[test]
    fn messages_are_told_apart() {
        for (body, expected) in [
            (r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#, "1 request tools/list"),
            (
                r#"{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"x","arguments":{"name":2}}}"#,
                r#""a" call x"#,
            ),
            (r#"{"jsonrpc":"2.0","id":"a","method":"tools/\u0063all","params":{"\u006eame":"x"}}"#, r#""a" call x"#),
            (r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#, "- notification notifications/initialized"),
            (r#"{"jsonrpc":"2.0","id":null,"method":"tools/call","params":{"name":"x"}}"#, "- notification tools/call"),
            (r#"{"jsonrpc":"2.0","id":7,"result":{}}"#, "7 response"),
            (r#"{"jsonrpc":"2.0","id":7,"error":{"code":1,"message":"m"}}"#, "7 response"),
        ] {
            assert_eq!(described(body), expected, "{body}");
        }
    }

    #[test]
    fn what_a_server_could_read_otherwise_is_refused() {
        for body in [
            "",
            "null",
            r#"[{"jsonrpc":"2.0","id":1,"method":"tools/list"}]"#,
            r#"{"jsonrpc":"1.0","id":1,"method":"tools/list"}"#,
            r#"{"jsonrpc":"2.0","id":1}"#,
            r#"{"jsonrpc":"2.0","id":{},"method":"tools/list"}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","method":"tools/call"}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","Method":"tools/call"}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","result":{}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"} {"jsonrpc":"2.0"}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call"}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":["x"]}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":1}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":""}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","name":"b"}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","Name":"b"}}"#,
        ] {
            assert_eq!(described(body), "refused", "{body}");
        }
    }
}
