//! The translation of one original node: one node of ours, or a few that do the same together.

use serde_json::{Map, Value, json};

use super::lenient::{number, truncate};
use super::notes::{Notes, note};
use engine::nodes::input::InputNode;
use engine::nodes::placeholder::PlaceholderNode;
use engine::nodes::{self, ERROR, NodeKind, OUT};
use engine::schema::{Program, check_config};

/// The placeholder id where the user must choose an agent or a workflow.
pub const UNBOUND_ID: &str = "00000000-0000-0000-0000-000000000000";
/// The placeholder name where the user must choose a model.
pub const UNBOUND_MODEL: &str = "to-be-chosen";
/// Why a node with too long strings is not translated.
pub const TOO_LONG: &str = "one of its strings is longer than 64 KiB";

/// The most removed secrets that are reported for one node.
const MAX_SECRETS: usize = 40;

/// One node of the draft.
pub struct TranslatedStep {
    /// What is appended to the original's id. The step without a suffix is the one that expressions name.
    pub suffix: &'static str,
    pub kind: &'static str,
    pub config: Map<String, Value>,
}

/// The translation of one original node.
pub struct Translation {
    /// Incoming connections lead to the first step.
    pub steps: Vec<TranslatedStep>,
    /// Connections between the steps: source index, its port, target index.
    pub wires: Vec<(usize, String, usize)>,
    /// For each output of the original: its name, the step and the port.
    pub exits: Vec<(String, usize, String)>,
    pub notes: Notes,
    pub reconnect: Vec<String>,
    /// The fields of the agent that the first step asks, if the import makes it.
    pub agent: Option<Value>,
    /// The reason, when the node cannot be translated: it becomes a placeholder, or code that a person must write.
    pub unsupported: Option<String>,
}

impl Translation {
    pub fn new(kind: &'static str, config: Value) -> Self {
        let config = match config {
            Value::Object(config) => config,
            _ => Map::new(),
        };
        let (wires, notes, reconnect) = (Vec::new(), Notes::new(), Vec::new());
        let exits = list_outputs(kind, &config).into_iter().enumerate();
        let exits = exits.map(|(index, port)| (index.to_string(), 0, port)).collect();
        Self {
            steps: vec![TranslatedStep { suffix: "", kind, config }],
            wires,
            exits,
            notes,
            reconnect,
            agent: None,
            unsupported: None,
        }
    }

    /// A placeholder. `Draft::add` writes its message, which names the original.
    pub fn unsupported(why: impl Into<String>) -> Self {
        Self { unsupported: Some(why.into()), ..Self::new(PlaceholderNode::NAME, json!({})) }
    }

    /// A placeholder behind a manual start, so that what follows can be tried.
    pub fn unsupported_trigger(why: impl Into<String>) -> Self {
        let mut translation = Self::unsupported(why);
        translation.steps.insert(0, TranslatedStep { suffix: "start", kind: InputNode::NAME, config: Map::new() });
        translation.wires.push((0, OUT.to_owned(), 1));
        translation.with_exits([("0", 1, OUT)])
    }

    /// The step that another node must replace.
    pub fn placeholder(&self) -> Option<usize> {
        self.steps.iter().position(|step| step.kind == PlaceholderNode::NAME)
    }

    /// Adds a step without connections. Returns its index.
    pub fn add_step(&mut self, suffix: &'static str, kind: &'static str, config: Map<String, Value>) -> usize {
        self.steps.push(TranslatedStep { suffix, kind, config });
        self.steps.len() - 1
    }

    /// Adds a step after the last one. Its outputs become the outputs of the whole.
    pub fn then(mut self, suffix: &'static str, kind: &'static str, config: Value) -> Self {
        let last = self.steps.len();
        let next = Self::new(kind, config);
        self.wires.push((last - 1, OUT.to_owned(), last));
        self.exits = next.exits.into_iter().map(|(of, _, port)| (of, last, port)).collect();
        self.steps.extend(next.steps.into_iter().map(|step| TranslatedStep { suffix, ..step }));
        self
    }

    /// Adds a step that gives the node its value. The steps before it get a suffix.
    pub fn before(self, suffix: &'static str, kind: &'static str, config: Value) -> Self {
        self.with_suffix(suffix).then("", kind, config)
    }

    /// Gives all steps a suffix: another translation follows, with the step that expressions name.
    pub fn with_suffix(mut self, suffix: &'static str) -> Self {
        self.steps.iter_mut().for_each(|step| step.suffix = suffix);
        self
    }

    /// Adds the steps of another translation after the outputs `0`. Its outputs become the outputs of the whole.
    pub fn and_then(mut self, next: Self) -> Self {
        let first = self.steps.len();
        let ends = self.exits.into_iter().filter(|(of, ..)| of == "0");
        self.wires.extend(ends.map(|(_, step, port)| (step, port, first)));
        self.wires.extend(next.wires.into_iter().map(|(from, port, to)| (first + from, port, first + to)));
        self.exits = next.exits.into_iter().map(|(of, step, port)| (of, first + step, port)).collect();
        self.steps.extend(next.steps);
        let more: Vec<_> = next.reconnect.into_iter().filter(|what| !self.reconnect.contains(what)).collect();
        self.reconnect.extend(more);
        self.unsupported = self.unsupported.or(next.unsupported);
        self.with_notes(next.notes)
    }

    /// Adds a port for errors to its code, which sends items there itself.
    pub fn with_error_port(mut self) -> Self {
        if let [step] = &mut self.steps[..] {
            let outputs = step.config.entry("outputs").or_insert_with(|| json!([OUT]));
            outputs.as_array_mut().into_iter().for_each(|outputs| outputs.push(ERROR.into()));
            self.exits.push((ERROR.to_owned(), 0, ERROR.to_owned()));
        }
        self
    }

    pub fn with_notes(mut self, notes: impl IntoIterator<Item = impl Into<String>>) -> Self {
        notes.into_iter().for_each(|text| note(&mut self.notes, text));
        self
    }

    pub fn with_reconnects(mut self, what: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.reconnect.extend(what.into_iter().map(Into::into));
        self
    }

    /// Reports the names of the plain-text secrets that were removed.
    pub fn with_removed_secrets(mut self, kind: &str, names: Vec<String>) -> Self {
        for name in names.iter().take(MAX_SECRETS) {
            let what = format!("{kind} {}", truncate(name, 80)).trim_start().to_owned();
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

    /// Adds an error port to every step whose type can have one. False when none can.
    pub fn branch_on_error(&mut self) -> bool {
        let is_set = self.set_policy("onError", &json!("branch"));
        for (index, step) in self.steps.iter().enumerate() {
            if step.config.get("onError").is_some_and(|on_error| on_error == "branch") {
                self.exits.push((ERROR.to_owned(), index, ERROR.to_owned()));
            }
        }
        is_set
    }

    /// Sets the policy for retries. `wait` is in milliseconds.
    pub fn set_retry(&mut self, attempts: u64, wait: &Value) {
        let wait = number(wait).unwrap_or(1_000.0).clamp(0.0, 3_600_000.0) as u64;
        let retry = json!({"maxAttempts": attempts.clamp(1, 10), "backoffMs": wait, "maxBackoffMs": wait.max(1)});
        self.set_policy("retry", &retry);
    }

    /// Sets a policy field on every step whose type has it. False when none has.
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

fn list_outputs(kind: &str, config: &Map<String, Value>) -> Vec<String> {
    let summary = nodes::find(kind).and_then(|kind| kind.read(config).ok());
    summary
        .map(|summary| summary.outputs.into_iter().map(String::from).collect())
        .unwrap_or_else(|| vec![OUT.to_owned()])
}

/// The first problem of a configuration.
pub fn find_problem(kind: &str, config: &Map<String, Value>) -> Option<String> {
    let Some(kind) = nodes::find(kind) else { return Some(format!("unknown type {kind}")) };
    let found = check_config(&kind.schema, &Value::Object(config.clone()), "config");
    let violation = found.violations.into_iter().next().map(|(field, problem)| format!("{field} {}", problem.en));
    // Expressions of an invalid configuration are not parsed.
    let expression_problem = || {
        found.expressions.into_iter().find_map(|(field, language, text)| {
            Program::parse(language, &text, &None).err().map(|problem| format!("{field}: {problem}"))
        })
    };
    violation.or_else(expression_problem).or_else(|| match kind.read(config) {
        Ok(summary) => {
            summary.problems.into_iter().next().map(|(field, problem)| format!("config.{field} {}", problem.en))
        }
        Err(error) => Some(error.to_string()),
    })
}
