//! Writes a value in JavaScript, in one line if it fits, and otherwise indented.

use serde_json::Value;

use super::{is_computed, join, split, template};
use crate::script::{MAX_BYTES, escape_template, property};

/// The width of a line, if a value fits into one.
const WIDTH: usize = 100;

/// How a field is written that is more than a value.
#[derive(Clone, Copy)]
pub enum FieldForm {
    /// A text of JSON: its expressions become parts of it.
    Json,
    /// The body of a function that compares two items.
    Comparison,
}

pub struct Writer<'f> {
    written: String,
    /// Whether expressions become functions.
    is_deferred: bool,
    fields: &'f [(&'f str, FieldForm)],
}

impl<'f> Writer<'f> {
    pub fn new(is_deferred: bool, fields: &'f [(&'f str, FieldForm)]) -> Self {
        Self { written: String::new(), is_deferred, fields }
    }

    pub fn write(mut self, value: &Value) -> String {
        self.value(value, 0);
        self.written
    }

    /// The script for a field that has a form of its own.
    fn script(&self, name: &str, field: &Value) -> Option<String> {
        let (_, form) = self.fields.iter().find(|(field, _)| *field == name)?;
        match (form, field.as_str()?) {
            (FieldForm::Json, text) if is_computed(text) => {
                Some(format!("() => n8n.jsonText`{}`", join(&split(&text[1..]))))
            }
            (FieldForm::Json, _) => None,
            (FieldForm::Comparison, code) => Some(format!("(a, b) => {{\n{}\n}}", code.trim_end())),
        }
    }

    /// Recurses. The JSON parser bounds the depth.
    fn value(&mut self, value: &Value, indent: usize) {
        let mut line = String::new();
        if self.fit(value, WIDTH.saturating_sub(indent), &mut line) {
            return self.written.push_str(&line);
        }
        match value {
            Value::Array(items) => {
                self.written.push('[');
                for item in items {
                    if self.is_full() {
                        return;
                    }
                    self.begin_line(indent + 2);
                    self.value(item, indent + 2);
                    self.written.push(',');
                }
                self.end_list(indent, ']');
            }
            Value::Object(entries) => {
                self.written.push('{');
                for (name, entry) in entries {
                    if self.is_full() {
                        return;
                    }
                    self.begin_line(indent + 2);
                    self.written.push_str(&format!("{}: ", property(name)));
                    match self.script(name, entry) {
                        Some(script) => self.written.push_str(&script),
                        None => self.value(entry, indent + 2),
                    }
                    self.written.push(',');
                }
                self.end_list(indent, '}');
            }
            other => self.written.push_str(&self.scalar(other)),
        }
    }

    fn is_full(&self) -> bool {
        self.written.len() > MAX_BYTES
    }

    fn begin_line(&mut self, indent: usize) {
        self.written.push('\n');
        self.written.extend(std::iter::repeat_n(' ', indent));
    }

    /// Removes the comma after the last element.
    fn end_list(&mut self, indent: usize, close: char) {
        self.written.pop();
        self.begin_line(indent);
        self.written.push(close);
    }

    /// Appends a value in one line; false if it is wider.
    fn fit(&self, value: &Value, width: usize, line: &mut String) -> bool {
        let mut separator = "";
        match value {
            Value::Array(items) => {
                line.push('[');
                for item in items {
                    line.push_str(std::mem::replace(&mut separator, ", "));
                    if !self.fit(item, width, line) {
                        return false;
                    }
                }
                line.push(']');
            }
            Value::Object(entries) if entries.is_empty() => line.push_str("{}"),
            Value::Object(entries) => {
                line.push_str("{ ");
                for (name, entry) in entries {
                    line.push_str(std::mem::replace(&mut separator, ", "));
                    line.push_str(&format!("{}: ", property(name)));
                    if self.script(name, entry).is_some() || !self.fit(entry, width, line) {
                        return false;
                    }
                }
                line.push_str(" }");
            }
            Value::String(text) if text.len() > width => return false,
            other => line.push_str(&self.scalar(other)),
        }
        line.len() <= width
    }

    fn scalar(&self, value: &Value) -> String {
        match value {
            Value::String(text) if is_computed(text) && self.is_deferred => format!("() => {}", template(text)),
            Value::String(text) if text.starts_with('=') => template(text),
            Value::String(text) if text.contains('\n') => format!("`{}`", escape_template(text)),
            other => other.to_string(),
        }
    }
}
