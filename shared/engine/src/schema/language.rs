//! The expressions inside node configurations: `x-language` names the language of a string.

use serde_json::Value;

use crate::expression::{Expression, JinjaTemplate, SyntaxError, VariableReference};
use crate::script::{OwnInterpreter, Script};

/// The keyword that marks a string as an expression.
pub const LANGUAGE: &str = "x-language";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExpressionLanguage {
    Cel,
    Jinja,
    JavaScript,
}

impl ExpressionLanguage {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Cel => "cel",
            Self::Jinja => "jinja",
            Self::JavaScript => "javascript",
        }
    }

    pub(super) fn parse(name: &Value) -> Option<Self> {
        match name.as_str()? {
            "cel" => Some(Self::Cel),
            "jinja" => Some(Self::Jinja),
            "javascript" => Some(Self::JavaScript),
            _ => None,
        }
    }
}

/// A parsed expression.
#[derive(Debug)]
pub enum Program {
    Condition(Expression),
    Text(JinjaTemplate),
    Script(Script),
}

impl Program {
    /// A script keeps the interpreter, and is checked by it.
    pub fn parse(language: ExpressionLanguage, text: &str, interpreter: &OwnInterpreter) -> Result<Self, SyntaxError> {
        match language {
            ExpressionLanguage::Cel => Expression::parse(text).map(Self::Condition),
            ExpressionLanguage::Jinja => JinjaTemplate::parse(text).map(Self::Text),
            ExpressionLanguage::JavaScript => Script::parse(text, interpreter).map(Self::Script),
        }
    }

    /// Returns the variables that the program refers to.
    pub fn references(&self) -> Vec<VariableReference> {
        match self {
            Self::Condition(expression) => expression.references(),
            Self::Text(template) => template.references(),
            Self::Script(script) => script.references(),
        }
    }

    pub fn is_script(&self) -> bool {
        matches!(self, Self::Script(_))
    }

    /// Whether this process can run the program.
    pub fn can_execute(&self) -> bool {
        match self {
            Self::Condition(_) | Self::Text(_) => true,
            Self::Script(script) => script.can_execute(),
        }
    }
}
