//! The expressions inside node configurations: `x-language` names the language of a field.

use domain::expression::JS;
use serde_json::Value;

use crate::expression::{Expression, JinjaTemplate, SyntaxError, VariableReference};
use crate::script::{OwnInterpreter, Script, SourceForm};

/// The keyword that marks a field as an expression.
pub const LANGUAGE: &str = "x-language";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExpressionLanguage {
    Cel,
    Jinja,
    /// The body of an async function.
    JavaScript,
    /// A JavaScript expression in a field for CEL.
    JsValue,
    /// A JavaScript expression in a field for Jinja. Its value becomes a text.
    JsText,
}

impl ExpressionLanguage {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Cel => "cel",
            Self::Jinja => "jinja",
            Self::JavaScript => "javascript",
            Self::JsValue | Self::JsText => JS,
        }
    }

    pub fn is_javascript(self) -> bool {
        matches!(self, Self::JavaScript | Self::JsValue | Self::JsText)
    }

    /// The expression of a field for this language, which is a string, or the JavaScript in `{"js": "…"}`.
    pub(super) fn read(self, field: &Value) -> Option<(Self, &str)> {
        match (self, field) {
            (_, Value::String(text)) => Some((self, text)),
            (Self::Cel, Value::Object(member)) => Some((Self::JsValue, member.get(JS)?.as_str()?)),
            (Self::Jinja, Value::Object(member)) => Some((Self::JsText, member.get(JS)?.as_str()?)),
            _ => None,
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
    /// A script whose value becomes a text.
    TextScript(Script),
}

impl Program {
    /// A script keeps the interpreter, and is checked by it.
    pub fn parse(language: ExpressionLanguage, text: &str, interpreter: &OwnInterpreter) -> Result<Self, SyntaxError> {
        match language {
            ExpressionLanguage::Cel => Expression::parse(text).map(Self::Condition),
            ExpressionLanguage::Jinja => JinjaTemplate::parse(text).map(Self::Text),
            ExpressionLanguage::JavaScript => Script::parse(text, SourceForm::Body, interpreter).map(Self::Script),
            ExpressionLanguage::JsValue => Script::parse(text, SourceForm::Expression, interpreter).map(Self::Script),
            ExpressionLanguage::JsText => {
                Script::parse(text, SourceForm::Expression, interpreter).map(Self::TextScript)
            }
        }
    }

    /// Returns the variables that the program refers to.
    pub fn references(&self) -> Vec<VariableReference> {
        match self {
            Self::Condition(expression) => expression.references(),
            Self::Text(template) => template.references(),
            Self::Script(script) | Self::TextScript(script) => script.references(),
        }
    }

    pub fn is_script(&self) -> bool {
        matches!(self, Self::Script(_) | Self::TextScript(_))
    }

    /// Whether it is a script that reads other items of the input than the current one.
    pub fn reads_whole_input(&self) -> bool {
        matches!(self, Self::Script(script) | Self::TextScript(script) if script.reads_whole_input())
    }

    /// Whether this process can run the program.
    pub fn can_execute(&self) -> bool {
        match self {
            Self::Condition(_) | Self::Text(_) => true,
            Self::Script(script) | Self::TextScript(script) => script.can_execute(),
        }
    }
}
