//! What the translation of one node can see of the workflow.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use jiff::tz::TimeZone;
use serde_json::{Value, json};

use super::document::{Document, SourceNode};
use super::references::References;
use super::wiring::Wiring;
use crate::lenient::{MAX_NAME_BYTES, list, text};
use crate::script::quote;
use crate::secrets::{CleanParameters, redact};

/// The time zone of n8n, if neither the workflow nor the server sets one.
pub const DEFAULT_ZONE: &str = "America/New_York";

/// The whole workflow.
pub struct Workflow<'d> {
    pub document: Document<'d>,
    pub wiring: Wiring<'d>,
    /// The id of each node in the draft, also of those that are left out.
    pub ids: Vec<String>,
    pub indexes: HashMap<&'d str, usize>,
    /// What each node names.
    pub references: Vec<References>,
    /// The parameters of each node.
    pub parameters: Vec<CleanParameters>,
    /// For each node, the loops whose body contains it.
    pub enclosing_loops: Vec<BTreeSet<usize>>,
}

/// Replaces the name of the workflow in expressions and code: runs do not know it.
fn name_workflow(value: &mut Value, is_code: bool, name: &str) {
    const VARIABLE: &str = "$workflow.name";
    match value {
        // Braces would end an expression.
        Value::String(text)
            if (is_code || text.starts_with('=')) && text.contains(VARIABLE) && !name.contains("}}") =>
        {
            *text = text.replace(VARIABLE, name);
        }
        Value::Array(items) => items.iter_mut().for_each(|item| name_workflow(item, false, name)),
        Value::Object(fields) => fields.iter_mut().for_each(|(field, value)| {
            name_workflow(value, matches!(field.as_str(), "jsCode" | "functionCode"), name);
        }),
        _ => {}
    }
}

/// A node of the workflow.
#[derive(Clone, Copy)]
pub struct Context<'w, 'd> {
    pub workflow: &'w Workflow<'d>,
    pub node: usize,
}

impl<'d> Workflow<'d> {
    pub fn new(document: Document<'d>, wiring: Wiring<'d>, references: Vec<References>, ids: Vec<String>) -> Self {
        let mut indexes = HashMap::new();
        document.nodes.iter().enumerate().for_each(|(index, node)| {
            indexes.entry(node.name).or_insert(index);
        });
        let count = document.nodes.len();
        let mut enclosing_loops = vec![BTreeSet::new(); count];
        for of in (0..count).filter(|node| wiring.is_loop(*node)) {
            wiring.body(of).into_iter().for_each(|node| {
                enclosing_loops[node].insert(of);
            });
        }
        let named = |node: &SourceNode| {
            let mut clean = CleanParameters::new(node.parameters);
            name_workflow(&mut clean.value, false, &quote(document.name));
            clean
        };
        let parameters = document.nodes.iter().map(named).collect();
        Self { document, wiring, ids, indexes, references, parameters, enclosing_loops }
    }

    /// The pinned items of the nodes, by their ids in the draft.
    pub fn recorded(&self) -> BTreeMap<String, Value> {
        let item = |item: &Value| json!({"json": redact(item.get("json").unwrap_or(item))});
        let nodes = (0..self.ids.len()).filter_map(|node| {
            let pinned = Context { workflow: self, node }.pinned();
            (!pinned.is_empty()).then(|| (self.ids[node].clone(), pinned.iter().map(item).collect()))
        });
        nodes.collect()
    }

    pub fn node(&self, node: usize) -> &SourceNode<'d> {
        &self.document.nodes[node]
    }

    /// Whether a node can read the items that another one had in an earlier round of a loop around both.
    pub fn shares_rounds(&self, other: usize, node: usize) -> bool {
        let (of_other, own) = (&self.enclosing_loops[other], &self.enclosing_loops[node]);
        of_other.is_subset(own) && of_other.iter().any(|outer| self.node(*outer).is_repeat())
    }

    /// The time zone of the workflow; none if it has none, or an unknown one.
    pub fn zone(&self) -> Option<&'d str> {
        let zone = text(&self.document.settings["timezone"]);
        let is_known = zone.len() <= MAX_NAME_BYTES && !matches!(zone, "" | "DEFAULT") && TimeZone::get(zone).is_ok();
        is_known.then_some(zone)
    }
}

impl<'w, 'd> Context<'w, 'd> {
    pub fn source(&self) -> &'w SourceNode<'d> {
        self.workflow.node(self.node)
    }

    pub fn parameters(&self) -> &'w Value {
        &self.workflow.parameters[self.node].value
    }

    pub fn parameter(&self, name: &str) -> &'w Value {
        &self.parameters()[name]
    }

    pub fn option(&self, name: &str) -> &'w Value {
        &self.parameter("options")[name]
    }

    /// The pinned test data. When several nodes share a name, it belongs to the first.
    pub fn pinned(&self) -> &'d [Value] {
        let name = self.source().name;
        let is_first = self.workflow.indexes.get(name) == Some(&self.node);
        if is_first { list(&self.workflow.document.pinned[name]) } else { &[] }
    }

    /// The context of a sub-node, such as the model of an agent.
    pub fn part(&self, node: usize) -> Self {
        Self { workflow: self.workflow, node }
    }

    pub fn parts(&self, kind: &str) -> impl Iterator<Item = Self> {
        self.workflow.wiring.parts(self.node, kind).map(|part| self.part(part))
    }
}
