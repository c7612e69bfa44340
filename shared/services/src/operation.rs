//! An operation of a service: one HTTP request, with its parameters and what it returns.

use engine::nodes::http::{Method, ResponseFormat};
use engine::schema::ExpressionLanguage;
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use crate::paging::Paging;
use crate::path::placeholders;
use crate::template::{Body, whole_placeholder};

/// An operation. In its templates, `{name}` is the value of a parameter.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Operation {
    pub id: String,
    pub name: String,
    pub description: String,
    pub method: Method,
    /// The beginning of the URL, if it differs from that of the service.
    pub base_url: Option<String>,
    /// The path. `{name}` is one segment, `{+name}` can have several.
    pub path: String,
    /// The query: texts, or parameters such as `{limit}`.
    #[serde(default)]
    pub query: IndexMap<String, String>,
    #[serde(default)]
    pub headers: IndexMap<String, String>,
    pub body: Option<Body>,
    /// How the node reads the answer.
    pub response: Option<ResponseFormat>,
    /// The JSON Schema of each parameter. A parameter with a `default` is always sent.
    #[serde(default)]
    pub parameters: IndexMap<String, Value>,
    #[serde(default)]
    pub required: Vec<String>,
    pub paging: Option<Paging>,
    pub returns: Option<Returns>,
    /// Values for all parameters and settings.
    #[serde(default)]
    pub example: Map<String, Value>,
}

/// What an operation returns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Returns {
    /// The path of the list in the body of the answer, such as `files`; empty if the body is the list. Missing if the
    /// answer is one object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub items: Option<String>,
    /// A short example of the body.
    #[schema(value_type = Object)]
    pub example: Value,
}

impl Operation {
    /// The languages in which a parameter can be an expression: CEL in a JSON body, Jinja elsewhere. The check of the data
    /// admits one language for each parameter. A setting has none.
    pub(crate) fn languages(&self, parameter: &str) -> Vec<ExpressionLanguage> {
        let in_texts =
            self.query.values().chain(self.headers.values()).any(|text| whole_placeholder(text) == Some(parameter));
        let in_path = placeholders(&self.path).any(|placeholder| placeholder.name == parameter);
        let in_json =
            matches!(&self.body, Some(Body::Json(value)) if crate::template::names(value).contains(&parameter));
        let in_body = match &self.body {
            Some(Body::Form(fields)) => fields.values().any(|text| whole_placeholder(text) == Some(parameter)),
            Some(Body::Text { variables, .. }) => variables.iter().any(|variable| variable == parameter),
            Some(Body::Json(_)) | None => false,
        };
        let jinja = (in_texts || in_path || in_body).then_some(ExpressionLanguage::Jinja);
        jinja.into_iter().chain(in_json.then_some(ExpressionLanguage::Cel)).collect()
    }

    pub fn language(&self, parameter: &str) -> Option<ExpressionLanguage> {
        self.languages(parameter).first().copied()
    }
}
