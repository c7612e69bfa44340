//! What the converters know about the app as a whole: how its runs start, and where its variables are kept.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::super::lenient::{entries, list, scalar_text, text};
use super::super::secrets::{is_secret, redact_text};
use super::super::syntax::{cel_literal, member, output};
use super::document::Document;

/// The table that keeps the variables of conversations, one row for each.
pub const CONVERSATIONS: &str = "conversations";
/// The system variables, with the values that a run has without them.
const SYSTEM: [(&str, &str); 8] = [
    ("query", "''"),
    ("files", "[]"),
    ("user_id", "''"),
    ("conversation_id", "run.id"),
    ("dialogue_count", "0"),
    ("app_id", "''"),
    ("workflow_id", "''"),
    ("timestamp", "run.startedAt"),
];
/// The longest value of a variable that is written into expressions.
const MAX_VALUE_BYTES: usize = 1_000;
/// Why a secret has no value here.
pub const SECRET: &str = "it is a secret";
/// The most assignments that a reading expression tries.
const MAX_ASSIGNMENTS: usize = 8;

/// How the runs of the app start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// With an input.
    Input,
    /// With a message of a conversation.
    Message,
    /// A chat that needs a form or the content of files, which messages do not have: its runs start with an input.
    Form,
}

pub struct App<'d> {
    pub document: Document<'d>,
    /// The id of each node in the draft, also of those that are left out.
    pub ids: Vec<String>,
    pub start: Start,
    /// The system variables that the app reads.
    pub system: BTreeSet<&'static str>,
    /// The conversation variables, with their first values in CEL.
    pub conversation: BTreeMap<String, String>,
    /// The knowledge retrievals whose passages other nodes read field by field.
    pub read_passages: BTreeSet<&'d str>,
    /// The nodes before each node, the nearest first. Empty if nothing needs them.
    upstream: Vec<Vec<usize>>,
}

impl<'d> App<'d> {
    pub fn new(document: Document<'d>, ids: Vec<String>) -> Self {
        let start = find_start(&document);
        let mut system = BTreeSet::new();
        find_system(document.workflow, &mut system);
        let conversation = list(&document.workflow["conversation_variables"]).iter().take(100);
        let conversation: BTreeMap<String, String> =
            conversation.map(|variable| (scalar_text(&variable["name"]), first_value(variable))).collect();
        if start == Start::Form {
            system.insert("query");
        }
        if !conversation.is_empty() {
            system.insert("conversation_id");
        }
        let mut read_passages = BTreeSet::new();
        let readers = ["code", "template-transform", "iteration", "list-operator", "if-else", "tool"];
        for node in document.nodes.iter().filter(|node| readers.contains(&node.kind)) {
            find_passages(node.data, &mut read_passages);
        }
        let needs_order = !conversation.is_empty() || start == Start::Form;
        let upstream = if needs_order { order(&document) } else { Vec::new() };
        Self { document, ids, start, system, conversation, read_passages, upstream }
    }

    /// The node that starts the runs.
    pub fn start_node(&self) -> Option<usize> {
        self.document.nodes.iter().position(|node| node.kind == "start")
    }

    /// The system variables that the app reads, with their values in a run without them.
    pub fn system_defaults(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        SYSTEM.into_iter().filter(|(name, _)| self.system.contains(name))
    }

    pub fn upstream(&self, node: usize) -> &[usize] {
        self.upstream.get(node).map(Vec::as_slice).unwrap_or_default()
    }

    /// The id of the conversation, in CEL.
    pub fn thread(&self) -> Option<String> {
        let start = output(&self.ids[self.start_node()?]);
        match self.start {
            Start::Message => Some(format!("{start}.threadId")),
            Start::Form => Some(format!("{start}.conversation_id")),
            Start::Input => None,
        }
    }

    /// Where the value of a conversation variable may be, when a node reads it: at the assignments before it, the latest
    /// first, or as the run began.
    pub fn conversation_paths(&self, reader: usize, name: &str) -> Option<Vec<String>> {
        self.conversation.get(name)?;
        self.thread()?;
        let assigns = |place: &&usize| {
            let node = &self.document.nodes[**place];
            let is_visible = node.parent.is_none_or(|parent| {
                self.document.indexes.get(parent).is_some_and(|parent| self.document.is_within(reader, *parent))
            });
            node.kind == "assigner" && is_visible && assigned_names(node.data).any(|assigned| assigned == name)
        };
        let places = self.upstream(reader).iter().filter(assigns).take(MAX_ASSIGNMENTS);
        let mut paths: Vec<String> = places.map(|place| member(&output(&self.ids[*place]), name)).collect();
        let start = output(&self.ids[self.start_node()?]);
        paths.push(member(&format!("{start}.conversation"), name));
        Some(paths)
    }

    /// The value of an environment variable. An error is the reason why it has none here.
    pub fn environment(&self, name: &str) -> Result<&'d Value, String> {
        let variables = list(&self.document.workflow["environment_variables"]);
        let variable = variables.iter().find(|variable| text(&variable["name"]) == name);
        let variable = variable.ok_or("the environment variable does not exist")?;
        let value = &variable["value"];
        let written = value.to_string();
        if text(&variable["value_type"]) == "secret" || is_secret(name) || redact_text(&written) != written {
            return Err(SECRET.to_owned());
        }
        if written.len() > MAX_VALUE_BYTES {
            return Err("its value is long: write it into this node".to_owned());
        }
        Ok(value)
    }
}

/// The names that an assigner gives values.
pub fn assigned_names(data: &Value) -> impl Iterator<Item = &str> {
    let old = data["assigned_variable_selector"].as_array();
    let new = list(&data["items"]).iter().take(200).filter_map(|item| item["variable_selector"].as_array());
    let selectors = new.chain(old).filter(|selector| selector.first().is_some_and(|first| first == "conversation"));
    selectors.filter_map(|selector| selector.last()?.as_str())
}

fn find_start(document: &Document) -> Start {
    if !document.is_chat() {
        return Start::Input;
    }
    let needs_form = document.nodes.iter().any(|node| match node.kind {
        "start" => !list(&node.data["variables"]).is_empty(),
        kind => matches!(kind, "document-extractor" | "list-operator"),
    });
    if needs_form { Start::Form } else { Start::Message }
}

/// Finds the system variables that texts and selectors name. Recurses as deep as the document.
fn find_system(value: &Value, found: &mut BTreeSet<&'static str>) {
    let mut add = |name: &str| found.extend(SYSTEM.iter().map(|(known, _)| *known).filter(|known| *known == name));
    match value {
        Value::String(text) => {
            for (_, rest) in text.match_indices("sys.").map(|(at, word)| (at, &text[at + word.len()..])) {
                add(rest.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or_default());
            }
        }
        Value::Array(items) => {
            if let [first, second, ..] = &items[..]
                && first == "sys"
            {
                add(text(second));
            }
            items.iter().for_each(|item| find_system(item, found));
        }
        Value::Object(_) => entries(value).for_each(|(_, entry)| find_system(entry, found)),
        _ => {}
    }
}

/// Finds the ids in selectors of passages, `[id, "result"]`. Recurses as deep as the document.
fn find_passages<'d>(value: &'d Value, found: &mut BTreeSet<&'d str>) {
    match value {
        Value::Array(items) => {
            if let [Value::String(id), second, ..] = &items[..]
                && second == "result"
            {
                found.insert(id);
            }
            items.iter().for_each(|item| find_passages(item, found));
        }
        Value::Object(_) => entries(value).for_each(|(_, entry)| find_passages(entry, found)),
        _ => {}
    }
}

fn first_value(variable: &Value) -> String {
    let value = &variable["value"];
    let is_usable =
        !value.is_null() && value.to_string().len() <= MAX_VALUE_BYTES && !is_secret(text(&variable["name"]));
    if is_usable { cel_literal(value) } else { empty_value(text(&variable["value_type"])).to_owned() }
}

/// The empty value of a type, in CEL.
pub fn empty_value(kind: &str) -> &'static str {
    match kind {
        "number" | "integer" | "float" => "0",
        "boolean" => "false",
        "object" => "{}",
        kind if kind.starts_with("array") => "[]",
        _ => "''",
    }
}

/// The nodes before each node, the nearest first. The body of a container comes after it.
fn order(document: &Document) -> Vec<Vec<usize>> {
    let count = document.nodes.len();
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); count];
    document.edges.iter().for_each(|edge| before[edge.to].push(edge.from));
    for (place, node) in document.nodes.iter().enumerate() {
        before[place]
            .extend(node.parent.and_then(|parent| document.indexes.get(parent)).filter(|parent| **parent != place));
    }
    let mut after: Vec<Vec<usize>> = vec![Vec::new(); count];
    let mut left: Vec<usize> = before.iter().map(Vec::len).collect();
    for (place, sources) in before.iter().enumerate() {
        sources.iter().for_each(|source| after[*source].push(place));
    }
    let mut ranks = vec![0; count];
    let mut open: Vec<usize> = (0..count).filter(|place| left[*place] == 0).collect();
    let mut rank = 0;
    while let Some(place) = open.pop() {
        rank += 1;
        ranks[place] = rank;
        for next in &after[place] {
            left[*next] -= 1;
            if left[*next] == 0 {
                open.push(*next);
            }
        }
    }
    let upstream = |place: usize| {
        let (mut seen, mut open) = (vec![false; count], vec![place]);
        while let Some(next) = open.pop() {
            for source in &before[next] {
                if !std::mem::replace(&mut seen[*source], true) {
                    open.push(*source);
                }
            }
        }
        let mut found: Vec<usize> = (0..count).filter(|source| seen[*source] && *source != place).collect();
        found.sort_by_key(|source| std::cmp::Reverse(ranks[*source]));
        found
    };
    (0..count).map(upstream).collect()
}
