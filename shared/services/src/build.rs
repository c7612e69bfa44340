//! Makes the configuration of an `http` node.

use engine::expression::literal::{cel_literal, escape_jinja};
use engine::schema::FieldProblem;
use indexmap::IndexMap;
use serde_json::{Map, Value, json};

use crate::arguments::{Argument, Arguments};
use crate::operation::Operation;
use crate::path::{Part, encode, parts};
use crate::service::Service;
use crate::template::{Body, to_cel, whole_placeholder};

/// Makes the configuration of an `http` node that carries out an operation, without its credential. Parameters that are left
/// out leave no query parameter, header or field.
pub fn build_node(
    service: &Service,
    operation: &Operation,
    arguments: &Arguments,
) -> Result<Map<String, Value>, Vec<FieldProblem>> {
    let problems = arguments.problems(service, operation);
    if !problems.is_empty() {
        return Err(problems);
    }
    let builder = NodeBuilder { service, operation, arguments };
    let mut config = Map::new();
    config.insert("method".to_owned(), json!(operation.method));
    config.insert("url".to_owned(), builder.url().into());
    let headers = builder.pairs(service.headers.iter().chain(&operation.headers));
    let query = builder.pairs(&operation.query);
    for (field, pairs) in [("headers", headers), ("query", query)] {
        if !pairs.is_empty() {
            config.insert(field.to_owned(), json!(pairs));
        }
    }
    if let Some(body) = operation.body.as_ref().and_then(|body| builder.body(body)) {
        config.insert("body".to_owned(), body);
    }
    if let Some(response) = operation.response {
        config.insert("response".to_owned(), json!(response));
    }
    Ok(config)
}

struct NodeBuilder<'a> {
    service: &'a Service,
    operation: &'a Operation,
    arguments: &'a Arguments,
}

impl<'a> NodeBuilder<'a> {
    fn find(&self, name: &str) -> Option<Argument<'a>> {
        self.arguments.find(self.service, self.operation, name)
    }

    /// The URL, as a template that encodes the values of its path.
    fn url(&self) -> String {
        let base = parts(self.service.base_url(self.operation));
        let parts = base.into_iter().chain(parts(&self.operation.path));
        parts.map(|part| self.url_part(part)).collect()
    }

    fn url_part(&self, part: Part) -> String {
        let placeholder = match part {
            Part::Literal(text) => return text.to_owned(),
            Part::Value(placeholder) => placeholder,
        };
        match self.find(placeholder.name) {
            None => String::new(),
            Some(Argument::Value(value)) => encode(&to_text(value), placeholder.keeps_slashes),
            // The filter keeps slashes, as that of Jinja does.
            Some(Argument::Expression(text)) if placeholder.keeps_slashes => {
                format!("{{{{ {} | urlencode }}}}", operand(text))
            }
            Some(Argument::Expression(text)) => {
                format!("{{{{ {} | urlencode | replace('/', '%2F') }}}}", operand(text))
            }
        }
    }

    /// Templates for the query, the headers or the fields of a form.
    fn pairs<'p>(&self, pairs: impl IntoIterator<Item = (&'p String, &'p String)>) -> IndexMap<&'p str, String> {
        let render = |(name, text): (&'p String, &'p String)| {
            let rendered = match whole_placeholder(text) {
                // A text of the data is a template, such as a boundary with the id of the run.
                None => Some(text.clone()),
                Some(parameter) => self.find(parameter).map(|argument| self.template(parameter, argument)),
            };
            Some((name.as_str(), rendered?))
        };
        pairs.into_iter().filter_map(render).collect()
    }

    /// A template that renders an argument. A list becomes a text with commas.
    fn template(&self, parameter: &str, argument: Argument) -> String {
        match argument {
            Argument::Value(value) => escape_jinja(&to_text(value)),
            Argument::Expression(text) if self.is_list(parameter) => format!("{{{{ {} | join(',') }}}}", operand(text)),
            Argument::Expression(text) => format!("{{{{ {text} }}}}"),
        }
    }

    fn is_list(&self, parameter: &str) -> bool {
        self.operation.parameters.get(parameter).is_some_and(|schema| schema["type"] == "array")
    }

    /// The body of the node, or `None` if all of it is left out.
    fn body(&self, body: &Body) -> Option<Value> {
        match body {
            Body::Json(tree) => {
                let expressions: IndexMap<&str, String> =
                    crate::template::names(tree).into_iter().filter_map(|name| Some((name, self.cel(name)?))).collect();
                let find = |name: &str| expressions.get(name).map(String::as_str);
                // A request with a JSON body has one even if every field is left out.
                let value = to_cel(tree, &find).unwrap_or_else(|| "{}".to_owned());
                Some(json!({"type": "json", "value": value}))
            }
            Body::Form(fields) => {
                let fields = self.pairs(fields);
                (!fields.is_empty()).then(|| json!({"type": "form", "fields": fields}))
            }
            Body::Text { variables, template } => {
                let variables = variables.iter().map(|name| self.variable(name));
                let text: String = variables.chain([template.clone()]).collect();
                Some(json!({"type": "text", "text": text}))
            }
        }
    }

    fn cel(&self, name: &str) -> Option<String> {
        Some(match self.find(name)? {
            Argument::Value(value) => cel_literal(value),
            Argument::Expression(text) => text.to_owned(),
        })
    }

    /// A line of a template that sets a variable. The minus removes the line break.
    fn variable(&self, name: &str) -> String {
        let value = match self.find(name) {
            None => "none".to_owned(),
            // Literals of JSON's types are the same in Jinja and in CEL.
            Some(Argument::Value(value)) => cel_literal(value),
            Some(Argument::Expression(text)) => text.to_owned(),
        };
        format!("{{% set {name} = {value} -%}}\n")
    }
}

/// An expression to which a filter can be added.
fn operand(expression: &str) -> String {
    let is_path = expression.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.'));
    if is_path { expression.to_owned() } else { format!("({expression})") }
}

fn to_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(to_text).collect::<Vec<_>>().join(","),
        other => other.to_string(),
    }
}
