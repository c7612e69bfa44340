//! JSON values as literals of JSON, TypeScript and Python.

use serde_json::Value;

/// The maximum width of a list or an object that is written on one line.
const WIDTH: usize = 100;

/// How a language writes values. All of them read the strings and the numbers of JSON.
pub struct Syntax {
    indent: &'static str,
    null: &'static str,
    yes: &'static str,
    no: &'static str,
}

pub const JSON: Syntax = Syntax { indent: "  ", null: "null", yes: "true", no: "false" };
pub const PYTHON: Syntax = Syntax { indent: "    ", null: "None", yes: "True", no: "False" };

impl Syntax {
    /// Writes a value that begins in a line with `depth` indents: on one line if it is short.
    pub fn literal(&self, value: &Value, depth: usize) -> String {
        let short = self.on_one_line(value);
        if short.len() + depth * self.indent.len() <= WIDTH {
            return short;
        }
        let (inner, end) = (self.indent.repeat(depth + 1), self.indent.repeat(depth));
        let on_lines = |items: Vec<String>| format!("\n{inner}{}\n{end}", items.join(&format!(",\n{inner}")));
        self.join(value, |value| self.literal(value, depth + 1), on_lines)
    }

    fn on_one_line(&self, value: &Value) -> String {
        self.join(value, |value| self.on_one_line(value), |items| items.join(", "))
    }

    fn join(&self, value: &Value, item: impl Fn(&Value) -> String, join: impl Fn(Vec<String>) -> String) -> String {
        match value {
            Value::Null => self.null.to_owned(),
            Value::Bool(true) => self.yes.to_owned(),
            Value::Bool(false) => self.no.to_owned(),
            Value::Array(items) if !items.is_empty() => format!("[{}]", join(items.iter().map(item).collect())),
            Value::Object(fields) if !fields.is_empty() => {
                let fields = fields.iter().map(|(name, value)| format!("{}: {}", quote(name), item(value)));
                format!("{{{}}}", join(fields.collect()))
            }
            // Numbers, strings, and empty lists and objects.
            other => other.to_string(),
        }
    }
}

/// A text as a string literal, which JSON, TypeScript and Python read alike.
pub fn quote(text: &str) -> String {
    Value::from(text).to_string()
}
