//! Sets what all translated nodes have: how they work on items, and the original's policies for errors and retries.

use serde_json::{Map, Value, json};

use super::context::{Context, DEFAULT_ZONE};
use crate::lenient::{text, whole_number};
use crate::notes::note;
use crate::translation::{TranslatedStep, Translation};
use engine::nodes::code::CodeNode;
use engine::nodes::{self, ERROR, NodeKind};

const ITEM_MODE: &str = "itemMode";
/// How the script begins that receives only the first item.
pub const ONCE: &str = "return n8n.once(";

/// How a node of n8n goes on after an error.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum OnError {
    /// The item goes on with the message.
    Continue,
    /// The item goes to the error output.
    Branch,
}

impl OnError {
    /// None if the node stops the run.
    pub fn read(node: Context) -> Option<Self> {
        let raw = node.source().raw;
        match text(&raw["onError"]) {
            "continueErrorOutput" => Some(Self::Branch),
            "continueRegularOutput" => Some(Self::Continue),
            "" if raw["continueOnFail"] == true => Some(Self::Continue),
            _ => None,
        }
    }

    /// The policy for an item, of a node and in the library of scripts.
    pub fn of_item(self) -> &'static str {
        match self {
            Self::Continue => "item",
            Self::Branch => "branch",
        }
    }

    fn of_node(self) -> &'static str {
        match self {
            Self::Continue => "continue",
            Self::Branch => "branch",
        }
    }
}

pub fn set(node: Context, translation: &mut Translation) {
    let raw = node.source().raw;
    for step in translation.steps.iter_mut().filter(|step| has_field(step.kind, ITEM_MODE)) {
        let is_code = step.kind == CodeNode::NAME;
        let mode = item_mode(step);
        if is_code {
            mode.entry("run").or_insert_with(|| "all".into());
        }
        set_zone(node, step);
    }
    if raw["executeOnce"] == true {
        run_once(translation);
    }
    if raw["alwaysOutputData"] == true
        && let Some(last) = translation.steps.iter_mut().rfind(|step| has_field(step.kind, ITEM_MODE))
    {
        item_mode(last).insert("whenEmpty".to_owned(), "one".into());
    }
    if let Some(on_error) = OnError::read(node)
        && !handle_errors(translation, on_error)
        && on_error == OnError::Branch
    {
        note(&mut translation.notes, "this node cannot fail here, so its error output is not connected");
    }
    if raw["retryOnFail"] == true {
        // n8n replaces zeros by its defaults, and has limits for both.
        let given = |name: &str| whole_number(&raw[name]).filter(|given| *given > 0);
        let wait = given("waitBetweenTries").unwrap_or(1_000).min(5_000);
        translation.set_retry(given("maxTries").unwrap_or(3).clamp(2, 5), &wait.into());
        if node.source().kind == "httpRequest" {
            note(&mut translation.notes, "n8n retries all items of the node; here only the failed calls are retried");
        }
    }
}

fn has_field(kind: &str, name: &str) -> bool {
    nodes::find(kind).is_some_and(|kind| kind.schema["properties"][name].is_object())
}

fn item_mode(step: &mut TranslatedStep) -> &mut Map<String, Value> {
    let mode = step.config.entry(ITEM_MODE).or_insert_with(|| json!({}));
    if !mode.is_object() {
        *mode = json!({});
    }
    mode.as_object_mut().expect("it is an object")
}

/// Whether the node runs once for each item.
fn runs_for_items(step: &TranslatedStep) -> bool {
    nodes::find(step.kind).is_some_and(|kind| kind.runs_for_items(&step.config))
}

/// Sets the time zone of a script that may need it. Without one, scripts for items have the default zone of n8n.
fn set_zone(node: Context, step: &mut TranslatedStep) {
    const WORDS: [&str; 5] = ["$now", "$today", "Date", "dateTime", "toLocale"];
    let Some(zone) = node.workflow.zone().filter(|zone| *zone != DEFAULT_ZONE) else { return };
    let written = Value::Object(step.config.clone()).to_string();
    if WORDS.iter().any(|word| written.contains(word)) {
        item_mode(step).insert("zone".to_owned(), zone.into());
    }
}

/// Lets the node run for the first item only.
fn run_once(translation: &mut Translation) {
    let Some(first) = translation.steps.iter_mut().find(|step| has_field(step.kind, ITEM_MODE)) else { return };
    if first.config.get("javascript").is_some_and(|script| text(script).starts_with(ONCE)) {
        return;
    }
    if first.config.contains_key("outputs") || first.config.contains_key("inputs") || first.kind == "loop" {
        return note(
            &mut translation.notes,
            "it processes all items, not only the first: `executeOnce` is not imported",
        );
    }
    item_mode(first).insert("run".to_owned(), "first".into());
}

/// Sets what happens when the node fails. False if it cannot fail.
fn handle_errors(translation: &mut Translation, on_error: OnError) -> bool {
    let mut is_set = false;
    for (index, step) in translation.steps.iter_mut().enumerate() {
        if has_error_port(step) {
            is_set = true;
            continue;
        }
        if runs_for_items(step) {
            item_mode(step).insert("onItemError".to_owned(), on_error.of_item().into());
        } else if has_field(step.kind, "onError") && step.kind != "loop" {
            step.config.insert("onError".to_owned(), on_error.of_node().into());
        } else {
            continue;
        }
        is_set = true;
        if on_error == OnError::Branch {
            translation.exits.push((ERROR.to_owned(), index, ERROR.to_owned()));
        }
    }
    is_set
}

/// Whether the code of a step has a port for errors.
fn has_error_port(step: &TranslatedStep) -> bool {
    step.config.get("outputs").and_then(Value::as_array).is_some_and(|outputs| outputs.iter().any(|port| port == ERROR))
}
