//! The values that a caller gives for the parameters of an operation, and their validation.

use std::collections::BTreeMap;

use domain::language::Translated;
use domain::translated;
use engine::expression::{Expression, JinjaTemplate, SyntaxError, TextPosition};
use engine::schema::{ExpressionLanguage, FieldProblem, check_value};
use serde_json::{Map, Value};

use crate::operation::Operation;
use crate::service::Service;
use crate::template::Body;

/// The maximum length of an expression, which is that of a CEL expression in a node.
const MAX_EXPRESSION_CHARS: usize = 4_096;

/// Values of parameters, by their names. Each parameter has a value, an expression or JavaScript, or is left out.
#[derive(Clone, Debug, Default)]
pub struct Arguments {
    /// Values, as the form of the operation describes them. They are sent as they are, also if they contain `{{`.
    pub values: Map<String, Value>,
    /// Expressions in the language that the form names as `x-expression`, such as `input.email`.
    pub expressions: BTreeMap<String, String>,
    /// JavaScript expressions, which are not parsed. One that gives undefined leaves its parameter out. A node with JavaScript has
    /// no other expressions.
    pub javascript: BTreeMap<String, String>,
}

/// What a parameter has.
#[derive(Clone, Copy, Debug)]
pub enum Argument<'a> {
    Value(&'a Value),
    Expression(&'a str),
    JavaScript(&'a str),
}

impl Arguments {
    /// The argument of a parameter, or its default.
    pub(crate) fn find<'a>(
        &'a self,
        service: &'a Service,
        operation: &'a Operation,
        name: &str,
    ) -> Option<Argument<'a>> {
        let expression = || self.expressions.get(name).map(|text| Argument::Expression(text.trim()));
        let javascript = || self.javascript.get(name).map(|text| Argument::JavaScript(text.trim()));
        let default = || service.schema(operation, name)?.get("default").map(Argument::Value);
        self.values.get(name).map(Argument::Value).or_else(expression).or_else(javascript).or_else(default)
    }

    /// Returns what is wrong with the arguments.
    pub(crate) fn problems(&self, service: &Service, operation: &Operation) -> Vec<FieldProblem> {
        let mut problems =
            check_value(&self.form_of_values(service, operation), &self.values.clone().into(), "values").violations;
        problems.extend(operation.required.iter().filter_map(|name| self.path_problem(operation, name)));
        for (name, text) in &self.expressions {
            let problem = self.expression_problem(service, operation, name, text);
            problems.extend(problem.map(|problem| (format!("expressions.{name}"), problem)));
        }
        for (name, text) in &self.javascript {
            let problem = self.javascript_problem(service, operation, name, text);
            problems.extend(problem.map(|problem| (format!("javascript.{name}"), problem)));
        }
        problems
    }

    /// The form, in which no parameter is required that has an expression or a default.
    fn form_of_values(&self, service: &Service, operation: &Operation) -> Value {
        let mut form = service.form(operation);
        if let Some(required) = form["required"].as_array_mut() {
            let has_default =
                |name: &str| service.schema(operation, name).is_some_and(|schema| schema.get("default").is_some());
            required.retain(|name| name.as_str().is_none_or(|name| !self.is_computed(name) && !has_default(name)));
        }
        form
    }

    fn is_computed(&self, name: &str) -> bool {
        self.expressions.contains_key(name) || self.javascript.contains_key(name)
    }

    /// A required text in a path must not be empty, nor change the path.
    fn path_problem(&self, operation: &Operation, name: &str) -> Option<FieldProblem> {
        let is_in_path = crate::path::placeholders(&operation.path).any(|placeholder| placeholder.name == name);
        let text = self.values.get(name)?.as_str()?;
        let changes_path = text.is_empty() || text.split('/').any(|segment| matches!(segment, "." | ".."));
        let message = || {
            translated!(
                "is part of the URL's path: it must not be empty, and no segment `.` or `..`",
                "es parte de la ruta de la URL: no puede estar vacío ni ser un segmento `.` o `..`"
            )
        };
        (is_in_path && changes_path).then(|| (format!("values.{name}"), message()))
    }

    fn expression_problem(
        &self,
        service: &Service,
        operation: &Operation,
        name: &str,
        text: &str,
    ) -> Option<Translated<String>> {
        let language = match self.language(service, operation, name) {
            Ok(language) => language,
            Err(problem) => return Some(problem),
        };
        if text.chars().count() > MAX_EXPRESSION_CHARS {
            return Some(translated!("at most {} characters", "como máximo {} caracteres", MAX_EXPRESSION_CHARS));
        }
        empty_problem(text).or_else(|| parse_expression(language, text.trim()).err().map(|error| error.message))
    }

    fn javascript_problem(
        &self,
        service: &Service,
        operation: &Operation,
        name: &str,
        text: &str,
    ) -> Option<Translated<String>> {
        if let Err(problem) = self.language(service, operation, name) {
            return Some(problem);
        }
        if !self.expressions.is_empty() {
            return Some(translated!(
                "a node has one language; give all expressions in JavaScript",
                "un nodo tiene un solo lenguaje; indique todas las expresiones en JavaScript"
            ));
        }
        if matches!(operation.body, Some(Body::Text { .. })) {
            return Some(translated!(
                "the body of this operation is a template; give an expression in Jinja",
                "el cuerpo de esta operación es una plantilla; indique una expresión en Jinja"
            ));
        }
        empty_problem(text)
    }

    /// The language of a parameter that must have no value.
    fn language(
        &self,
        service: &Service,
        operation: &Operation,
        name: &str,
    ) -> Result<ExpressionLanguage, Translated<String>> {
        if service.schema(operation, name).is_none() {
            return Err(translated!("the operation has no such parameter", "la operación no tiene ese parámetro"));
        }
        let Some(language) = operation.language(name) else {
            return Err(translated!(
                "cannot be an expression, because it decides which server gets the credential; give a value",
                "no puede ser una expresión, porque decide qué servidor recibe la credencial; indique un valor"
            ));
        };
        if self.values.contains_key(name) {
            return Err(translated!(
                "has a value, too; give the value or the expression",
                "tiene también un valor; indique el valor o la expresión"
            ));
        }
        Ok(language)
    }
}

fn empty_problem(text: &str) -> Option<Translated<String>> {
    text.trim()
        .is_empty()
        .then(|| translated!("must not be empty; leave the parameter out", "no puede estar vacía; omita el parámetro"))
}

/// Parses a text that must be one whole expression. The second form refuses comments and texts that end the first one, such as
/// `a }} {{ b`, because the expression becomes a part of another text.
fn parse_expression(language: ExpressionLanguage, text: &str) -> Result<(), SyntaxError> {
    match language {
        ExpressionLanguage::Cel => {
            Expression::parse(text)?;
            Expression::parse(&format!("[{text}]")).map(drop)
        }
        ExpressionLanguage::Jinja => {
            JinjaTemplate::parse(&format!("{{{{ ({text}) }}}}"))?;
            JinjaTemplate::parse(&format!("{{{{ [{text}] }}}}")).map(drop)
        }
        // No operation asks for it.
        ExpressionLanguage::JavaScript | ExpressionLanguage::JsValue | ExpressionLanguage::JsText => {
            let message = translated!("cannot be JavaScript", "no puede ser JavaScript");
            Err(SyntaxError::new(TextPosition::default(), message))
        }
    }
}
