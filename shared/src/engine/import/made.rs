//! What a node of the original becomes: one node of ours, or a few that do the same together.

use serde_json::{Map, Value, json};

use super::loose::clipped;
use super::pieces::{Notes, note};
use crate::engine::nodes::{self, ERROR, OUT};
use crate::engine::schema::{Findings, Program, check};

/// Stands where an agent or a workflow is to be chosen.
pub const UNBOUND_ID: &str = "00000000-0000-0000-0000-000000000000";
/// Stands where a model is to be chosen.
pub const UNBOUND_MODEL: &str = "to-be-chosen";
/// Of a node of which nothing is read.
pub const TOO_LONG: &str = "one of its texts is longer than 64 KiB";

/// A node tells no more of them.
const MAX_SECRETS: usize = 40;

/// A node of ours.
pub struct Step {
    /// Behind the id of the original; the one without is the one that expressions name.
    pub suffix: &'static str,
    pub kind: &'static str,
    pub config: Map<String, Value>,
}

/// What a node of the original becomes.
pub struct Made {
    /// The first is where it is entered.
    pub steps: Vec<Step>,
    /// Between the steps: from, its port, to.
    pub wires: Vec<(usize, String, usize)>,
    /// An output of the original, and the step and port that it is.
    pub exits: Vec<(String, usize, String)>,
    pub notes: Notes,
    pub reconnect: Vec<String>,
    /// Why there is only a node that fails.
    pub unsupported: Option<String>,
}

impl Made {
    pub fn new(kind: &'static str, config: Value) -> Self {
        let config = match config {
            Value::Object(config) => config,
            _ => Map::new(),
        };
        let (wires, notes, reconnect) = (Vec::new(), Notes::new(), Vec::new());
        let exits = outputs(kind, &config).into_iter().enumerate();
        let exits = exits.map(|(index, port)| (index.to_string(), 0, port)).collect();
        Self { steps: vec![Step { suffix: "", kind, config }], wires, exits, notes, reconnect, unsupported: None }
    }

    /// A node that fails, with the reason why.
    pub fn unsupported(why: impl Into<String>) -> Self {
        let mut made = Self::new("fail", json!({}));
        made.unsupported = Some(why.into());
        made
    }

    /// With another step behind it, whose outputs are the outputs of the whole.
    pub fn then(mut self, suffix: &'static str, kind: &'static str, config: Value) -> Self {
        let last = self.steps.len();
        let next = Self::new(kind, config);
        self.wires.push((last - 1, OUT.to_owned(), last));
        self.exits = next.exits.into_iter().map(|(of, _, port)| (of, last, port)).collect();
        self.steps.extend(next.steps.into_iter().map(|step| Step { suffix, ..step }));
        self
    }

    pub fn noting(mut self, notes: impl IntoIterator<Item = impl Into<String>>) -> Self {
        notes.into_iter().for_each(|text| note(&mut self.notes, text));
        self
    }

    pub fn reconnecting(mut self, what: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.reconnect.extend(what.into_iter().map(Into::into));
        self
    }

    /// Without the secrets that stood in it in clear, of which these are the names.
    pub fn without(mut self, kind: &str, names: Vec<String>) -> Self {
        for name in names.iter().take(MAX_SECRETS) {
            let what = format!("{kind} {}", clipped(name, 80));
            note(&mut self.notes, format!("its {what} is left out: it looks like a secret"));
            let secret = format!("a secret for the {what}");
            if !self.reconnect.contains(&secret) {
                self.reconnect.push(secret);
            }
        }
        self
    }

    pub fn with_exits(
        mut self,
        exits: impl IntoIterator<Item = (impl Into<String>, usize, impl Into<String>)>,
    ) -> Self {
        self.exits = exits.into_iter().map(|(of, step, port)| (of.into(), step, port.into())).collect();
        self
    }

    /// Opens a port for failures, where the type can have one.
    pub fn branch_on_error(&mut self) -> bool {
        let is_set = self.set_policy("onError", &json!("branch"));
        for (index, step) in self.steps.iter().enumerate() {
            if step.config.get("onError").is_some_and(|on_error| on_error == "branch") {
                self.exits.push((ERROR.to_owned(), index, ERROR.to_owned()));
            }
        }
        is_set
    }

    /// Sets a field that all steps which may have it get.
    pub fn set_policy(&mut self, name: &str, value: &Value) -> bool {
        let mut is_set = false;
        for step in &mut self.steps {
            let properties = nodes::find(step.kind).map(|kind| &kind.schema["properties"][name]);
            if properties.is_some_and(Value::is_object) {
                step.config.insert(name.to_owned(), value.clone());
                is_set = true;
            }
        }
        is_set
    }
}

fn outputs(kind: &str, config: &Map<String, Value>) -> Vec<String> {
    let read = nodes::find(kind).and_then(|kind| kind.read(config).ok());
    read.map(|read| read.outputs.into_iter().map(String::from).collect()).unwrap_or_else(|| vec![OUT.to_owned()])
}

/// The first thing that is wrong with a configuration.
pub fn problem(kind: &str, config: &Map<String, Value>) -> Option<String> {
    let Some(kind) = nodes::find(kind) else { return Some(format!("there is no type {kind}")) };
    let mut found = Findings::default();
    check(&kind.schema, &Value::Object(config.clone()), "config", &mut found);
    let violation = found.violations.into_iter().next().map(|(field, problem)| format!("{field} {problem}"));
    // What is too much in any case is not read as well.
    let unread = || {
        found.expressions.into_iter().find_map(|(field, language, text)| {
            Program::parse(language, &text).err().map(|problem| format!("{field}: {problem}"))
        })
    };
    violation.or_else(unread).or_else(|| match kind.read(config) {
        Ok(read) => read.problems.into_iter().next().map(|(field, problem)| format!("config.{field} {problem}")),
        Err(error) => Some(error.to_string()),
    })
}
