//! The tools of agents: HTTP calls and MCP servers. Other tools must be added by hand.

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Map, Value, json};

use super::from_ai::{FromAi, whole, with_placeholders};
use crate::lenient::{is_empty, list, scalar_text, text, truncate};
use crate::n8n::context::Context;
use crate::n8n::javascript::{is_computed, literal_text};
use crate::secrets::is_removed;
use crate::slug::Ids;
use domain::header;

const MAX_DESCRIPTION_CHARS: usize = 1_000;

/// The tool of an agent here. None if there is no equivalent.
pub fn tool(part: Context) -> Option<Value> {
    match part.source().kind {
        "httpRequestTool" | "toolHttpRequest" => http(part),
        "mcpClientTool" => mcp(part),
        _ => None,
    }
}

fn name(part: Context) -> String {
    Ids::default().assign(&[part.source().name, part.source().kind])
}

/// The type of credential that the calls need.
fn auth(part: Context) -> &'static str {
    let kind = ["genericAuthType", "authentication"].map(|name| text(part.parameter(name)));
    match kind.into_iter().find(|kind| !kind.is_empty()).unwrap_or_default() {
        "" | "none" => "none",
        "httpBasicAuth" => "basic",
        "httpHeaderAuth" | "headerAuth" => "header",
        "httpQueryAuth" => "query",
        _ => "bearer",
    }
}

fn mcp(part: Context) -> Option<Value> {
    let url = ["endpointUrl", "sseEndpoint"].map(|name| part.parameter(name)).into_iter().find(|url| !is_empty(url))?;
    let url = url.as_str().filter(|url| !is_computed(url) && url.starts_with("http"))?;
    Some(json!({"type": "mcp", "name": name(part), "url": literal_text(&url.into()), "auth": auth(part), "tools": []}))
}

/// Arguments that the model gives, as their schema is built.
#[derive(Default)]
struct Arguments {
    properties: Map<String, Value>,
    required: Vec<Value>,
}

impl Arguments {
    fn add(&mut self, name: String, schema: Value, is_required: bool) {
        if is_required {
            self.required.push(name.as_str().into());
        }
        self.properties.insert(name, schema);
    }

    fn into_schema(self) -> Value {
        json!({"type": "object", "properties": self.properties, "required": self.required})
    }
}

fn http(part: Context) -> Option<Value> {
    let method = text(part.parameter("method"));
    let method = if method.is_empty() { "GET" } else { method };
    if !matches!(method, "GET" | "POST" | "PUT" | "PATCH" | "DELETE") {
        return None;
    }
    let mut arguments = Arguments::default();
    for defined in list(&part.parameter("placeholderDefinitions")["values"]) {
        arguments.properties.insert(scalar_text(&defined["name"]), placeholder_schema(defined));
    }
    let mut url = with_placeholders(part.parameter("url"), &mut arguments.properties)?;
    if !url.starts_with("http") {
        return None;
    }
    let has_body = !matches!(method, "GET" | "DELETE");
    for (name, value) in pairs(part, "query") {
        match value {
            // Arguments of a call with a body are sent in it.
            Sent::ByModel(..) if has_body => return None,
            Sent::ByModel(schema, is_required) => arguments.add(name, schema, is_required),
            Sent::Fixed(value) => {
                let start = if url.contains('?') { '&' } else { '?' };
                let encode = |text| utf8_percent_encode(text, NON_ALPHANUMERIC);
                url.push_str(&format!("{start}{}={}", encode(&name), encode(&value)));
            }
            Sent::Unknown => return None,
        }
    }
    for (name, value) in body(part)? {
        match value {
            Sent::ByModel(schema, is_required) => arguments.add(name, schema, is_required),
            Sent::Fixed(_) | Sent::Unknown => return None,
        }
    }
    let mut headers = Map::new();
    for (name, value) in pairs(part, "header") {
        let Sent::Fixed(value) = value else { return None };
        if header::problem(&name).is_some() || header::is_secret(&name, &value) {
            return None;
        }
        headers.insert(name, value.into());
    }
    let description = ["toolDescription", "description"].map(|name| scalar_text(part.parameter(name)));
    let description = description.into_iter().find(|text| !text.is_empty()).unwrap_or_default();
    Some(json!({
        "type": "http", "name": name(part), "description": truncate(&description, MAX_DESCRIPTION_CHARS),
        "method": method, "url": url, "headers": headers, "parameters": arguments.into_schema(), "auth": auth(part),
    }))
}

fn placeholder_schema(defined: &Value) -> Value {
    let kind = match text(&defined["type"]) {
        kind @ ("number" | "boolean") => kind,
        "json" => "object",
        _ => "string",
    };
    json!({"type": kind, "description": scalar_text(&defined["description"])})
}

/// A value of a query, a header or a body.
enum Sent {
    /// The model gives it: the schema, and whether it must.
    ByModel(Value, bool),
    Fixed(String),
    /// It is computed in another way, or was a secret.
    Unknown,
}

impl Sent {
    fn read(value: &Value) -> Self {
        let literal = scalar_text(value);
        match whole(value) {
            Some(FromAi { schema, .. }) => Self::ByModel(schema, true),
            None if is_removed(value) || is_computed(&literal) || literal.contains('{') => Self::Unknown,
            None => Self::Fixed(literal_text(value)),
        }
    }
}

/// The named values of a part of the request, in the forms of both types of tools.
fn pairs(part: Context, of: &str) -> Vec<(String, Sent)> {
    let new = list(&part.parameter(&format!("{of}Parameters"))["parameters"]).iter();
    let new = new.map(|pair| (scalar_text(&pair["name"]), Sent::read(&pair["value"])));
    let title = match of {
        "query" => "parametersQuery",
        "header" => "parametersHeaders",
        _ => "parametersBody",
    };
    let old = list(&part.parameter(title)["values"]).iter().map(|pair| {
        let sent = match text(&pair["valueProvider"]) {
            "" | "modelRequired" => Sent::ByModel(json!({"type": "string"}), true),
            "modelOptional" => Sent::ByModel(json!({"type": "string"}), false),
            _ => Sent::read(&pair["value"]),
        };
        (scalar_text(&pair["name"]), sent)
    });
    new.chain(old).filter(|(name, _)| !name.is_empty()).collect()
}

/// The fields of the body, one by one or as JSON. None if they are not fields.
fn body(part: Context) -> Option<Vec<(String, Sent)>> {
    let json = part.parameter("jsonBody");
    if is_empty(json) {
        return Some(pairs(part, "body"));
    }
    let template = scalar_text(json);
    let fields: Map<String, Value> = serde_json::from_str(template.strip_prefix('=').unwrap_or(&template)).ok()?;
    let fields = fields.into_iter().map(|(name, value)| match value {
        Value::String(text) if text.starts_with("{{") => (name, Sent::read(&format!("={text}").into())),
        value => (name, Sent::read(&value)),
    });
    Some(fields.collect())
}
