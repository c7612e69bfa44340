//! The node type `http`: calls another system over HTTP.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::ToSchema;
use uuid::Uuid;

use super::fields::{Cel, Jinja};
use super::{Category, FieldWarning, Fields, NodeKind, NodeResult, Operation, address, policy::Policies};
use crate::schema::FieldProblem;
use domain::language::Translated;
use domain::translated;
use domain::agent::HttpMethod;
use domain::header;
use domain::id::AgentId;

// The maps keep the order of the author.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HttpNode<V = Cel, T = Jinja> {
    /// The HTTP method; `GET` by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(inline, nullable = false)]
    pub method: Option<Method>,
    /// A template, as in `https://api.example.com/orders/{{ input.order }}`.
    #[schema(inline)]
    pub url: T,
    #[serde(default = "IndexMap::new")]
    #[schema(inline, value_type = BTreeMap<String, T>)]
    pub headers: IndexMap<String, T>,
    #[serde(default = "IndexMap::new")]
    #[schema(inline, value_type = BTreeMap<String, T>)]
    pub query: IndexMap<String, T>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(inline, nullable = false)]
    pub body: Option<RequestBody<V, T>>,
    /// The credential of the workflow that authenticates the call. One of the type `path` replaces `{credential}` in the URL.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub credential_id: Option<Uuid>,
    /// How the response body is read. If omitted, the media type decides: JSON is parsed, other text is a text, and the
    /// rest is `{base64, contentType}`. An empty body is null, except as `text`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(inline, nullable = false)]
    pub response: Option<ResponseFormat>,
    /// Whether an answer with a status of 400 or more is an error (`http_status`). By default, it is a value like any other.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub fail_on_status: Option<bool>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum Method {
    Get,
    Head,
    Post,
    Put,
    Patch,
    Delete,
}

impl From<HttpMethod> for Method {
    fn from(method: HttpMethod) -> Self {
        match method {
            HttpMethod::Get => Self::Get,
            HttpMethod::Post => Self::Post,
            HttpMethod::Put => Self::Put,
            HttpMethod::Patch => Self::Patch,
            HttpMethod::Delete => Self::Delete,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "type", rename_all = "lowercase", deny_unknown_fields)]
pub enum RequestBody<V, T> {
    /// A JSON body: the value of an expression.
    Json {
        #[schema(inline)]
        value: V,
    },
    Text {
        #[schema(inline)]
        text: T,
    },
    Form {
        #[schema(inline, value_type = BTreeMap<String, T>)]
        fields: IndexMap<String, T>,
    },
    /// The content of a file.
    File {
        /// The file: `{base64, contentType}`, as from `write_file`. Its content type becomes the header.
        #[schema(inline)]
        file: V,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ResponseFormat {
    Json,
    Text,
}

/// A call of a node or of an agent's tool, with the values of its expressions.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct HttpCall {
    #[serde(flatten)]
    pub request: HttpNode<Value, String>,
    /// The credential of the tool; a node has `credential_id`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_credential: Option<ToolCredentialKey>,
}

/// Finds the credential of a tool. The snapshot does not have the credential itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolCredentialKey {
    pub agent_id: AgentId,
    /// The name of the tool.
    pub tool: String,
}

/// The header that identifies a repeated call, which the platform sets.
const RESERVED_HEADER: &str = "idempotency-key";

/// The name in the reserved place of a URL, `{credential}`, which a credential of the type `path` fills.
const PLACE_NAME: &str = "credential";

/// The reason why a call cannot have this header, or `None`.
pub fn header_problem(name: &str, value: &str) -> Option<Translated> {
    const BREAK: Translated = Translated::new(
        "contains a control character; remove line breaks",
        "contiene un carácter de control; quite los saltos de línea",
    );
    let reserved = || name.eq_ignore_ascii_case(RESERVED_HEADER).then_some(header::SET_BY_PLATFORM);
    let breaks = || value.contains(is_break).then_some(BREAK);
    header::problem(name).or_else(reserved).or_else(breaks)
}

/// The problem of a header that has its secret in clear. A run may compute one, such as a token that a service has given it.
fn clear_problem(name: &str, value: &Jinja) -> Option<Translated> {
    const CLEAR: Translated = Translated::new(
        "is a secret that every reader sees; keep it in a credential, or compute it",
        "es un secreto que ven todos los lectores; guárdelo en una credencial, o calcúlelo",
    );
    let is_clear = match value {
        Jinja::Template(text) => header::is_secret(name, text),
        Jinja::Js(script) => header::is_secret_in_js(name, &script.js),
    };
    (is_clear && name.eq_ignore_ascii_case("authorization")).then_some(CLEAR)
}

/// Whether a header's value cannot contain the character.
fn is_break(c: char) -> bool {
    c.is_control() && c != '\t'
}

impl NodeKind for HttpNode {
    const NAME: &'static str = "http";
    const CATEGORY: Category = Category::Integration;
    const DESCRIPTION: Translated = Translated::new(
        "Calls another system over HTTP; its value is {status, headers, body}. An answer with an error \
         status is a value, too: check `status`. With `retry`, the statuses 408, 425, 429, 500, 502, 503 \
         and 504 are retried first.",
        "Llama a otro sistema por HTTP; su valor es {status, headers, body}. Una respuesta con un estado \
         de error también es un valor: compruebe `status`. Con `retry`, antes se reintentan los estados \
         408, 425, 429, 500, 502, 503 y 504.",
    );
    const EFFECTS: bool = true;
    const POLICIES: Policies = Policies::EFFECT;

    fn example() -> Value {
        json!({
            "method": "POST", "url": "https://api.example.com/tickets/{{ input.id }}",
            "headers": {"accept": "application/json"}, "body": {"type": "json", "value": "{'title': input.title}"},
        })
    }

    fn output_schema(&self, _port: &str) -> Value {
        let body = match self.response {
            Some(ResponseFormat::Text) => json!({"type": "string"}),
            Some(ResponseFormat::Json) | None => json!({}),
        };
        json!({
            "type": "object", "required": ["status", "headers", "body"], "additionalProperties": false,
            "properties": {
                "status": {"type": "integer", "minimum": 100, "maximum": 599, "examples": [200]},
                "headers": {"type": "object", "additionalProperties": {"type": "string"}},
                "body": body,
            },
        })
    }

    fn problems(&self) -> Vec<FieldProblem> {
        let mut problems = Vec::new();
        problems.extend(address::template_problem(&self.url).map(|problem| ("url".to_owned(), problem.into())));
        for (name, value) in &self.headers {
            let problem = header_problem(name, &value.literal_parts().concat()).or_else(|| clear_problem(name, value));
            problems.extend(problem.map(|problem| (format!("headers.{name}"), problem.into())));
        }
        if self.body.is_some() && matches!(self.method, None | Some(Method::Head)) {
            let message = translated!(
                "needs a method, which is not HEAD; set it, for example to POST",
                "necesita un método, que no sea HEAD; indíquelo, por ejemplo POST"
            );
            problems.push(("body".to_owned(), message));
        }
        problems
    }

    fn warnings(&self) -> Vec<FieldWarning> {
        let parts = self.url.literal_parts();
        let named = parts.iter().find_map(|part| {
            let (name, _) = part.split_once('{')?.1.split_once('}')?;
            let is_name = |name: &str| !name.is_empty() && name.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'_');
            is_name(name).then_some(name)
        });
        let message = |name: &str| {
            let is_place = name == PLACE_NAME;
            if is_place && self.credential_id.is_some() {
                return None;
            }
            let needs_credential = translated!(
                "`{{{name}}}` is the place for a credential of the type `path`; select one",
                "`{{{name}}}` es el lugar de una credencial del tipo `path`; seleccione una"
            );
            let placeholder = translated!(
                "`{{{name}}}` is sent as it is; a placeholder is an expression in double braces, \
                 such as `{{{{ input.{name} }}}}`",
                "`{{{name}}}` se envía tal cual; un marcador es una expresión entre llaves dobles, \
                 como `{{{{ input.{name} }}}}`"
            );
            let message = if is_place { needs_credential } else { placeholder };
            Some(FieldWarning { code: "literal_braces", field: "url", message })
        };
        named.and_then(message).into_iter().collect()
    }

    fn credential(&self) -> Option<(Uuid, &'static str)> {
        self.credential_id.map(|id| (id, "credentialId"))
    }

    fn evaluate(&self, fields: &Fields) -> NodeResult {
        fields.perform(|mut request: HttpNode<Value, String>| {
            request.url = domain::address::encode(request.url.trim()).into_owned();
            Operation::Http(HttpCall { request, tool_credential: None })
        })
    }
}
