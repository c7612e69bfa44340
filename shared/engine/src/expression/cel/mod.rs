//! CEL expressions: parsing and evaluation.

mod lexer;
mod macros;
mod nodes;
mod parser;

use domain::translated;
use serde_json::{Map, Value as Json, json};

use super::evaluate::Evaluation;
use super::references::{self, VariableReference};
use super::tree::{Expr, ExprKind, Literal};
use super::{EvaluationError, Scope, SyntaxError, TextPosition};

pub const MAX_BYTES: usize = 4 * 1024;

/// A parsed CEL expression.
#[derive(Debug)]
pub struct Expression(Expr);

impl Expression {
    pub fn parse(text: &str) -> Result<Self, SyntaxError> {
        if text.len() > MAX_BYTES {
            return Err(SyntaxError::new(
                TextPosition { line: 1, column: 1 },
                translated!(
                    "the expression is longer than 4096 bytes; shorten it",
                    "la expresión tiene más de 4096 bytes; acórtela"
                ),
            ));
        }
        parser::parse(text).map(Self)
    }

    /// Returns the variables that the expression refers to.
    pub fn references(&self) -> Vec<VariableReference> {
        let mut found = Vec::new();
        references::collect(&self.0, &|_| false, &mut found);
        found
    }

    /// The JSON Schema of the value, if the expression is a literal: of an object with its keys, a list, a text or a number.
    pub fn schema(&self) -> Option<Json> {
        literal_schema(&self.0)
    }

    /// Fails if the expression is a literal that is not a bool.
    pub fn check_condition(&self) -> Result<(), SyntaxError> {
        let kind = match &self.0.kind {
            ExprKind::Literal(Literal::Bool(_)) => return Ok(()),
            ExprKind::Literal(literal) => literal.value().kind(),
            ExprKind::List(_) => "list",
            ExprKind::Map(_) => "map",
            _ => return Ok(()),
        };
        let spanish_kind = match kind {
            "int" => "un número entero",
            "double" => "un número",
            "string" => "una cadena",
            "list" => "una lista",
            "map" => "un objeto",
            other => other,
        };
        let message = translated!(
            "a condition must be true or false, but this is always a {kind}",
            "una condición debe ser true o false, pero esta siempre es {spanish_kind}"
        );
        Err(SyntaxError::new(self.0.at, message))
    }

    /// Evaluates the expression, and returns its value as JSON with the name of its kind.
    pub fn evaluate(&self, scope: &Scope) -> Result<(Json, &'static str), EvaluationError> {
        let mut evaluation = Evaluation::new(scope);
        let value = evaluation.defined(&self.0)?;
        let json = value.output(&mut evaluation.budget).map_err(|cause| EvaluationError::new(cause, &self.0))?;
        Ok((json, value.kind()))
    }

    /// Evaluates the expression as a condition; a value that is not a bool is an error.
    pub fn holds(&self, scope: &Scope) -> Result<bool, EvaluationError> {
        Evaluation::new(scope).boolean(&self.0)
    }
}

fn literal_schema(expression: &Expr) -> Option<Json> {
    let kind = match &expression.kind {
        ExprKind::Literal(literal) => match literal.value().kind() {
            "string" => "string",
            "int" => "integer",
            "double" => "number",
            "bool" => "boolean",
            _ => return None,
        },
        ExprKind::List(_) => "array",
        ExprKind::Map(fields) => return map_schema(fields),
        _ => return None,
    };
    Some(json!({"type": kind}))
}

/// The schema of an object, if all of its keys are texts.
fn map_schema(fields: &[(Expr, Expr)]) -> Option<Json> {
    let mut properties = Map::new();
    for (key, value) in fields {
        let ExprKind::Literal(Literal::Text(key)) = &key.kind else { return None };
        properties.insert(key.to_string(), literal_schema(value).unwrap_or_else(|| json!({})));
    }
    let required: Vec<&String> = properties.keys().collect();
    Some(json!({"type": "object", "required": required, "properties": properties}))
}
