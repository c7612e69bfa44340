//! Makes the configuration of an `http` node.

use engine::expression::literal::{cel_literal, escape_jinja};
use engine::schema::FieldProblem;
use indexmap::IndexMap;
use serde_json::{Map, Value, json};

use crate::arguments::{Argument, Arguments};
use crate::operation::Operation;
use crate::path::{Part, encode, parts};
use crate::service::Service;
use crate::template::{Body, CEL, JAVASCRIPT, js_literal, to_expression, whole_placeholder};

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
    config.insert("url".to_owned(), builder.url());
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
    fn url(&self) -> Value {
        let base = parts(self.service.base_url(self.operation));
        let parts: Vec<Part> = base.into_iter().chain(parts(&self.operation.path)).collect();
        let is_javascript = parts.iter().any(|part| match part {
            Part::Value(placeholder) => matches!(self.find(placeholder.name), Some(Argument::JavaScript(_))),
            Part::Literal(_) => false,
        });
        let url: String = parts.into_iter().map(|part| self.url_part(part)).collect();
        if is_javascript { js(format!("`{url}`")) } else { url.into() }
    }

    fn url_part(&self, part: Part) -> String {
        let placeholder = match part {
            Part::Literal(text) => return text.to_owned(),
            Part::Value(placeholder) => placeholder,
        };
        match self.find(placeholder.name) {
            None => String::new(),
            Some(Argument::Value(value)) => encode(&to_text(value), placeholder.keeps_slashes),
            Some(Argument::JavaScript(text)) if placeholder.keeps_slashes => {
                format!("${{String({text}).split('/').map(encodeURIComponent).join('/')}}")
            }
            Some(Argument::JavaScript(text)) => format!("${{encodeURIComponent({text})}}"),
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
    fn pairs<'p>(&self, pairs: impl IntoIterator<Item = (&'p String, &'p String)>) -> IndexMap<&'p str, Value> {
        let render = |(name, text): (&'p String, &'p String)| {
            let rendered = match whole_placeholder(text) {
                // A text of the data is a template, such as a boundary with the id of the run.
                None => Some(text.clone().into()),
                Some(parameter) => self.find(parameter).map(|argument| self.template(parameter, argument)),
            };
            Some((name.as_str(), rendered?))
        };
        pairs.into_iter().filter_map(render).collect()
    }

    /// A template that renders an argument. A list becomes a text with commas.
    fn template(&self, parameter: &str, argument: Argument) -> Value {
        match argument {
            Argument::Value(value) => escape_jinja(&to_text(value)).into(),
            Argument::Expression(text) if self.is_list(parameter) => {
                format!("{{{{ {} | join(',') }}}}", operand(text)).into()
            }
            Argument::Expression(text) => format!("{{{{ {text} }}}}").into(),
            Argument::JavaScript(text) if self.is_list(parameter) => {
                js(format!("[].concat({text} ?? []).join(',') || undefined"))
            }
            Argument::JavaScript(text) => js(text),
        }
    }

    fn is_list(&self, parameter: &str) -> bool {
        self.operation.parameters.get(parameter).is_some_and(|schema| schema["type"] == "array")
    }

    /// The body of the node, or `None` if all of it is left out.
    fn body(&self, body: &Body) -> Option<Value> {
        match body {
            Body::Json(tree) => {
                let is_javascript = !self.arguments.javascript.is_empty();
                let expression = |name| Some((name, self.expression(name, is_javascript)?));
                let expressions: IndexMap<&str, String> =
                    crate::template::names(tree).into_iter().filter_map(expression).collect();
                let find = |name: &str| expressions.get(name).map(String::as_str);
                let notation = if is_javascript { JAVASCRIPT } else { CEL };
                // A request with a JSON body has one even if every field is left out.
                let value = to_expression(tree, notation, &find).unwrap_or_else(|| "{}".to_owned());
                let value = if is_javascript { js(value) } else { value.into() };
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

    fn expression(&self, name: &str, is_javascript: bool) -> Option<String> {
        Some(match self.find(name)? {
            Argument::Value(value) if is_javascript => js_literal(value),
            Argument::Value(value) => cel_literal(value),
            Argument::Expression(text) | Argument::JavaScript(text) => text.to_owned(),
        })
    }

    /// A line of a template that sets a variable. The minus removes the line break.
    fn variable(&self, name: &str) -> String {
        let value = match self.find(name) {
            None => "none".to_owned(),
            // Literals of JSON's types are the same in Jinja and in CEL.
            Some(Argument::Value(value)) => cel_literal(value),
            Some(Argument::Expression(text) | Argument::JavaScript(text)) => text.to_owned(),
        };
        format!("{{% set {name} = {value} -%}}\n")
    }
}

/// A field with JavaScript.
fn js(expression: impl Into<String>) -> Value {
    json!({"js": expression.into()})
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

#[cfg(test)]
mod tests {
    use crate::catalogue::find;

    use super::*;

    fn build(service: &str, operation: &str, values: Value, javascript: &[(&str, &str)]) -> Value {
        let service = find(service).unwrap();
        let javascript = javascript.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
        let arguments = Arguments { values: values.as_object().unwrap().clone(), javascript, ..Arguments::default() };
        build_node(service, service.find_operation(operation).unwrap(), &arguments).unwrap().into()
    }

    #[test]
    fn javascript_is_encoded_in_a_path_and_written_in_a_query() {
        let config = build(
            "google-sheets",
            "read-rows",
            json!({"range": "A {{ b }}", "majorDimension": "ROWS"}),
            &[("spreadsheetId", "$json.id"), ("valueRenderOption", "$json.option")],
        );
        assert_eq!(
            config,
            json!({
                "method": "GET",
                "url": {"js": "`https://sheets.googleapis.com/v4/spreadsheets/${encodeURIComponent($json.id)}/values/A%20%7B%7B%20b%20%7D%7D`"},
                "query": {"majorDimension": "ROWS", "valueRenderOption": {"js": "$json.option"}},
            })
        );
        let config = build("github", "get-file", json!({"owner": "a", "repo": "b"}), &[("path", "$json.path")]);
        let path = "${String($json.path).split('/').map(encodeURIComponent).join('/')}";
        assert_eq!(config["url"]["js"], format!("`https://api.github.com/repos/a/b/contents/{path}`"));
        let config = build("hubspot", "get-contact", json!({"id": "1"}), &[("properties", "$json.names")]);
        assert_eq!(config["url"], "https://api.hubapi.com/crm/v3/objects/contacts/1");
        assert_eq!(config["query"]["properties"], json!({"js": "[].concat($json.names ?? []).join(',') || undefined"}));
    }

    #[test]
    fn a_body_with_javascript_is_one_object_or_a_form() {
        let config = build("slack", "post-message", json!({"channel": "C1"}), &[("text", "$json.text")]);
        assert_eq!(
            config["body"],
            json!({"type": "json", "value": {"js": r#"{"channel": "C1", "text": $json.text}"#}})
        );
        let config = build("stripe", "create-customer", json!({"name": "{{"}), &[("email", "$json.email")]);
        assert_eq!(
            config["body"],
            json!({"type": "form", "fields": {"email": {"js": "$json.email"}, "name": "{{ '{{' }}"}})
        );
        // Only values: the node stays as it was.
        let config = build("slack", "post-message", json!({"channel": "C1", "text": "a"}), &[]);
        assert_eq!(config["body"]["value"], "{'channel': 'C1', 'text': 'a'}");
    }

    #[test]
    fn a_node_has_one_language() {
        let service = find("slack").unwrap();
        let problems = |operation: &str, expression: (&str, &str), javascript: (&str, &str)| {
            let arguments = Arguments {
                expressions: [(expression.0.to_owned(), expression.1.to_owned())].into(),
                javascript: [(javascript.0.to_owned(), javascript.1.to_owned())].into(),
                ..Arguments::default()
            };
            let problems = build_node(service, service.find_operation(operation).unwrap(), &arguments).unwrap_err();
            problems.into_iter().map(|(field, problem)| (field, problem.en)).collect::<Vec<_>>()
        };
        let mixed = problems("post-message", ("channel", "input.c"), ("text", "$json.text"));
        let mixed: Vec<_> = mixed.into_iter().filter(|(field, _)| field.starts_with("javascript")).collect();
        assert_eq!(mixed[0].0, "javascript.text");
        assert!(mixed[0].1.contains("one language"));
        let unknown = problems("post-message", ("channel", "input.c"), ("none", "1"));
        assert!(unknown.iter().any(|(_, problem)| problem.contains("no such parameter")));
    }
}
