//! The parameters of a node of n8n, and what they become: values, or JavaScript.

use std::cell::RefCell;
use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use crate::lenient::{entries, is_empty, list, scalar_text, text, truncate};
use crate::script::{property, quote};
use crate::syntax::escape_jinja;

/// What a node of n8n has: its type, its version and its parameters.
pub struct Source<'a> {
    pub kind: &'a str,
    pub version: f64,
    pub parameters: &'a Value,
    /// Writes a parameter in JavaScript.
    pub js: &'a dyn Fn(&Value) -> String,
    pub reads: &'a Reads,
}

/// The paths of the parameters that a translation has read.
#[derive(Debug, Default)]
pub struct Reads(RefCell<BTreeSet<String>>);

impl Reads {
    /// Whether the path, something in it, or something around it was read.
    fn covers(&self, path: &str) -> bool {
        let is_within = |path: &str, outer: &str| path.strip_prefix(outer).is_some_and(|rest| rest.starts_with('.'));
        self.0.borrow().iter().any(|read| read == path || is_within(read, path) || is_within(path, read))
    }
}

/// An argument of an operation of ours.
#[derive(Clone, Debug)]
pub enum Arg {
    /// A parameter of n8n, in which texts with `=` are expressions.
    Parameter(Value),
    /// An expression of JavaScript.
    Script(String),
    Object(Vec<(String, Arg)>),
    List(Vec<Arg>),
}

impl<'a> Source<'a> {
    /// A parameter by its path, such as `options.limit`. The target of a resource locator is its value.
    pub fn get(&self, path: &str) -> &'a Value {
        located(self.raw(path))
    }

    /// A parameter by its path.
    pub fn raw(&self, path: &str) -> &'a Value {
        self.reads.0.borrow_mut().insert(path.to_owned());
        path.split('.').fold(self.parameters, |value, name| &value[name])
    }

    pub fn text(&self, path: &str) -> &'a str {
        text(self.get(path))
    }

    pub fn is_true(&self, path: &str) -> bool {
        *self.get(path) == true
    }

    /// A parameter that is given, and not empty.
    pub fn find(&self, path: &str) -> Option<&'a Value> {
        Some(self.get(path)).filter(|value| !is_empty(value))
    }

    /// The first of several parameters that is given.
    pub fn find_any(&self, paths: &[&str]) -> Option<&'a Value> {
        paths.iter().find_map(|path| self.find(path))
    }

    /// The operation, or the default of n8n.
    pub fn operation(&self, default: &'a str) -> &'a str {
        self.text_or("operation", default)
    }

    pub fn resource(&self, default: &'a str) -> &'a str {
        self.text_or("resource", default)
    }

    fn text_or(&self, path: &str, default: &'a str) -> &'a str {
        Some(self.text(path)).filter(|text| !text.is_empty()).unwrap_or(default)
    }

    /// A parameter as an argument, or a text.
    pub fn argument_or(&self, path: &str, default: &str) -> Arg {
        self.find(path).map_or_else(|| Arg::text(default), |value| Arg::Parameter(value.clone()))
    }

    /// A value of `columns.value`. n8n converts it to the type of its column.
    pub fn column(&self, name: &str, value: &Value) -> Arg {
        let column = list(self.raw("columns.schema")).iter().find(|column| column["id"] == name);
        let kind = column.map_or("", |column| text(&column["type"]));
        let is_converted = match kind {
            "number" => !value.is_number(),
            "boolean" => !value.is_boolean(),
            "array" | "object" | "dateTime" => true,
            _ => false,
        };
        match is_converted {
            true => Arg::Script(format!("n8n.column({}, {}, {})", quote(kind), (self.js)(value), quote(name))),
            false => Arg::Parameter(value.clone()),
        }
    }

    /// Reports the options that nothing has read: those of collections such as `additionalFields`.
    pub fn report_unread(&self) -> Option<String> {
        /// What is read elsewhere, how n8n writes rows, and what it adds to messages about itself.
        const IGNORED: [&str; 5] = ["columns", "pollTimes", "useAppend", "appendAttribution", "includeLinkToWorkflow"];
        const MAX_REPORTED: usize = 8;
        let is_collection = |value: &Value| !is_locator(value) && entries(value).next().is_some();
        let collections =
            entries(self.parameters).filter(|(name, value)| !IGNORED.contains(&name.as_str()) && is_collection(value));
        let options = collections.flat_map(|(name, fields)| {
            let given = entries(fields)
                .filter(|(field, value)| !is_empty(value) && **value != false && !IGNORED.contains(&field.as_str()));
            given.map(move |(field, _)| format!("{name}.{field}"))
        });
        let unread = options.filter(|path| !self.reads.covers(path)).take(MAX_REPORTED);
        let unread: Vec<String> = unread.map(|path| format!("`{}`", truncate(&path, 60))).collect();
        (!unread.is_empty()).then(|| format!("not imported: {}", unread.join(", ")))
    }

    /// A parameter in JavaScript; `undefined` if it is not given.
    pub fn js(&self, path: &str) -> String {
        self.js_or(path, "undefined")
    }

    /// A parameter in JavaScript, or its default.
    pub fn js_or(&self, path: &str, default: &str) -> String {
        self.find(path).map_or_else(|| default.to_owned(), |value| (self.js)(value))
    }
}

/// The value of a field for a template, with a parameter of n8n.
pub fn text_field(source: &Source, value: &Value) -> Value {
    match is_static(value) && !value.is_array() && !value.is_object() {
        true => escape_jinja(&scalar_text(value)).into(),
        false => json!({"js": (source.js)(value)}),
    }
}

/// The value of a resource locator, or the value itself.
pub fn located(value: &Value) -> &Value {
    if is_locator(value) { &value["value"] } else { value }
}

fn is_locator(value: &Value) -> bool {
    value.get("__rl").is_some() || (value.get("mode").is_some() && value.get("value").is_some())
}

/// The id in the URL of a file, or the text itself.
pub fn id_in_url(text: &str) -> String {
    let id = ["/d/", "/folders/", "?id="].iter().find_map(|before| text.split_once(before));
    let id = id.map_or(text, |(_, id)| id.split(['/', '?', '#', '&']).next().unwrap_or_default());
    id.to_owned()
}

/// Whether a parameter has no expression.
pub fn is_static(value: &Value) -> bool {
    match value {
        Value::String(text) => !text.starts_with('='),
        Value::Array(items) => items.iter().all(is_static),
        Value::Object(fields) => fields.values().all(is_static),
        _ => true,
    }
}

/// The elements of a list that a person may have written as a text with commas.
pub fn names(value: &Value) -> Vec<String> {
    match value {
        Value::Array(items) => items.iter().map(scalar_text).filter(|name| !name.is_empty()).collect(),
        other => {
            scalar_text(other).split(',').map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect()
        }
    }
}

impl Arg {
    pub fn text(text: impl Into<String>) -> Self {
        Self::Parameter(Value::String(text.into()))
    }

    /// The value, if it has no expression.
    pub fn value(&self) -> Option<Value> {
        match self {
            Self::Parameter(value) => is_static(value).then(|| value.clone()),
            Self::Script(_) => None,
            Self::Object(fields) => {
                let fields = fields.iter().map(|(name, field)| Some((name.clone(), field.value()?)));
                fields.collect::<Option<Map<_, _>>>().map(Value::Object)
            }
            Self::List(items) => items.iter().map(Self::value).collect::<Option<Vec<_>>>().map(Value::Array),
        }
    }

    pub fn script(&self, js: &dyn Fn(&Value) -> String) -> String {
        match self {
            Self::Parameter(value) => js(value),
            Self::Script(script) => script.clone(),
            Self::Object(fields) => {
                let fields = fields.iter().map(|(name, field)| format!("{}: {}", property(name), field.script(js)));
                format!("{{ {} }}", fields.collect::<Vec<_>>().join(", "))
            }
            Self::List(items) => {
                format!("[{}]", items.iter().map(|item| item.script(js)).collect::<Vec<_>>().join(", "))
            }
        }
    }
}
