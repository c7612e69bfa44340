//! The expressions inside node configurations: `x-language` names the language of a string.

use serde_json::Value;

use crate::expression::{Expression, JinjaTemplate, SyntaxError, VariableReference};

/// The keyword that marks a string as an expression.
pub const LANGUAGE: &str = "x-language";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExpressionLanguage {
    Cel,
    Jinja,
}

impl ExpressionLanguage {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Cel => "cel",
            Self::Jinja => "jinja",
        }
    }

    pub(super) fn parse(name: &Value) -> Option<Self> {
        match name.as_str()? {
            "cel" => Some(Self::Cel),
            "jinja" => Some(Self::Jinja),
            _ => None,
        }
    }
}

/// A parsed expression.
#[derive(Debug)]
pub enum Program {
    Condition(Expression),
    Text(JinjaTemplate),
}

impl Program {
    pub fn parse(language: ExpressionLanguage, text: &str) -> Result<Self, SyntaxError> {
        match language {
            ExpressionLanguage::Cel => Expression::parse(text).map(Self::Condition),
            ExpressionLanguage::Jinja => JinjaTemplate::parse(text).map(Self::Text),
        }
    }

    /// Returns the variables that the program refers to.
    pub fn references(&self) -> Vec<VariableReference> {
        match self {
            Self::Condition(expression) => expression.references(),
            Self::Text(template) => template.references(),
        }
    }
}
