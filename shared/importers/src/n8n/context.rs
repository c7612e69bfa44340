//! What the converter of one node can see of the workflow.

use std::cell::{Cell, OnceCell};
use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::super::json_text;
use super::super::lenient::{list, scalar_text, truncate};
use super::super::notes::{Notes, note};
use super::super::pieces::Pieces;
use super::super::syntax::{self, output};
use super::document::{Document, SourceNode, Wire};
use super::expressions::{NamedValue, Names, Shape, pieces};
use super::shapes::output_shape;
use super::wiring::{MAX_HOPS, NodeRole, Wiring};

/// A value, or the reason why it cannot be named.
type Lookup = Result<NamedValue, String>;

/// The whole workflow.
pub struct Workflow<'d> {
    pub document: Document<'d>,
    pub wiring: Wiring<'d>,
    /// The id of each node in the draft, also of those that are left out.
    pub ids: Vec<String>,
    pub indexes: HashMap<&'d str, usize>,
    /// For each node, the loops whose body contains it.
    pub enclosing_loops: Vec<HashSet<usize>>,
    /// The shape of each node's output.
    shapes: Vec<Shape>,
    /// Cached look-ups: expressions may name each node thousands of times.
    incoming: Vec<OnceCell<Lookup>>,
    passed: Vec<OnceCell<Lookup>>,
    /// How many more expressions may be translated.
    remaining: Cell<usize>,
}

/// A node, with everything that its expressions can name.
#[derive(Clone, Copy)]
pub struct Context<'w, 'd> {
    pub workflow: &'w Workflow<'d>,
    pub node: usize,
}

/// A value with more possible sources is not named.
const MAX_SOURCES: usize = 4;
/// How many of the sources a note names, and how long each name may be.
const MAX_TITLES: usize = 8;
const MAX_TITLE_CHARS: usize = 40;
/// The most expressions that are translated. A graph may hold some thousands.
const MAX_EXPRESSIONS: usize = 20_000;

impl<'d> Workflow<'d> {
    pub fn new(document: Document<'d>, wiring: Wiring<'d>, ids: Vec<String>) -> Self {
        let mut indexes = HashMap::new();
        document.nodes.iter().enumerate().for_each(|(index, node)| {
            indexes.entry(node.name).or_insert(index);
        });
        let count = document.nodes.len();
        let mut enclosing_loops = vec![HashSet::new(); count];
        for of in (0..count).filter(|node| wiring.is_loop(*node)) {
            wiring.body(of).into_iter().for_each(|node| {
                enclosing_loops[node].insert(of);
            });
        }
        let shapes = (0..count).map(|node| output_shape(&document, &wiring, node)).collect();
        let [incoming, passed] = [(); 2].map(|()| vec![OnceCell::new(); count]);
        Self {
            document,
            wiring,
            ids,
            indexes,
            enclosing_loops,
            shapes,
            incoming,
            passed,
            remaining: Cell::new(MAX_EXPRESSIONS),
        }
    }

    pub fn node(&self, node: usize) -> &SourceNode<'d> {
        &self.document.nodes[node]
    }

    /// The text that n8n's chat shows of a node's output, in Jinja.
    pub fn scalar_text(&self, node: usize) -> String {
        let value = output(&self.ids[node]);
        let value = match self.shapes[node] {
            Shape::Text => return value,
            Shape::Answer => format!("{value}.body"),
            _ => value,
        };
        format!("{value}.output | default({value}.text) | default({value} | tojson)")
    }

    /// The value that arrives over a wire.
    fn wire_value(&self, wire: &Wire) -> NamedValue {
        let wire = self.wiring.wire_before_classifier(&self.document, wire.from).unwrap_or(wire);
        let from = self.node(wire.from);
        if self.wiring.is_item(wire) {
            return NamedValue::new("vars.item", Shape::Same);
        }
        let shape = if from.is_error_output(wire.output) { Shape::Error } else { self.shapes[wire.from] };
        NamedValue::new(output(&self.ids[wire.from]), shape)
    }

    fn incoming(&self, node: usize) -> Lookup {
        let wires: Vec<&Wire> = self.wiring.incoming(node).collect();
        let Some(first) = wires.first() else { return Ok(NamedValue::new("input", Shape::Same)) };
        if wires.iter().all(|wire| self.node(wire.from).is_trigger()) {
            return Ok(NamedValue::new("input", self.wire_value(first).shape));
        }
        // A failed node has no output that could be named.
        if wires.iter().all(|wire| self.node(wire.from).is_error_output(wire.output)) {
            return Ok(NamedValue::new("input", Shape::Error));
        }
        let mut values: Vec<NamedValue> = Vec::new();
        for value in wires.iter().map(|wire| self.wire_value(wire)) {
            if values.len() <= MAX_SOURCES && !values.iter().any(|known| known.paths == value.paths) {
                values.push(value);
            }
        }
        if values.len() == 1 {
            return Ok(values.remove(0));
        }
        if values.len() > MAX_SOURCES || values.iter().any(|value| value.paths[0] == "vars.item") {
            return Err("the input has too many possible sources".to_owned());
        }
        let titles = wires.iter().take(MAX_TITLES).map(|wire| truncate(self.node(wire.from).name, MAX_TITLE_CHARS));
        let titles = truncate(&titles.collect::<Vec<_>>().join(", "), 100);
        Ok(NamedValue {
            shape: values[0].shape,
            paths: values.into_iter().flat_map(|value| value.paths).collect(),
            note: Some(format!("the output of the first of {titles} that ran is taken")),
        })
    }

    /// The input of a node that passed it on unchanged.
    fn passed_input(&self, node: usize) -> Lookup {
        let incoming = self.document.wires.iter().filter(|wire| wire.to == node && wire.kind == "main");
        let mut steps = incoming.filter(|wire| self.wiring.roles[wire.from] == NodeRole::Step);
        let only = steps.next().filter(|_| steps.next().is_none());
        only.map(|wire| self.wire_value(wire))
            .ok_or_else(|| format!("`{}` is left out of the workflow", clip_name(self.node(node).name)))
    }
}

impl<'w, 'd> Context<'w, 'd> {
    pub fn source(&self) -> &'w SourceNode<'d> {
        self.workflow.node(self.node)
    }

    pub fn id(&self) -> &'w str {
        &self.workflow.ids[self.node]
    }

    pub fn parameter(&self, name: &str) -> &'d Value {
        &self.source().parameters[name]
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

    /// The node's first sub-node of a kind.
    pub fn first_part(&self, kind: &str) -> Option<Self> {
        self.workflow.wiring.parts(self.node, kind).next().map(|part| self.part(part))
    }

    pub fn pieces(&self, value: &Value) -> Pieces {
        pieces(&scalar_text(value), self)
    }

    /// A template in Jinja.
    pub fn jinja(&self, value: &Value, notes: &mut Notes) -> String {
        match value {
            Value::Array(_) | Value::Object(_) => syntax::escape_jinja(&value.to_string()),
            value => self.pieces(value).jinja(notes),
        }
    }

    /// A value as a CEL expression.
    pub fn cel(&self, value: &Value, notes: &mut Notes) -> String {
        match value {
            Value::String(text) if text.starts_with('=') => self.pieces(value).cel(notes),
            value => self.translate_nested(value, notes, 0),
        }
    }

    /// JSON, or a JSON template, as a CEL expression without plain-text secrets.
    pub fn json(&self, value: &Value, notes: &mut Notes, secrets: &mut Vec<String>) -> Option<String> {
        match value {
            Value::String(_) => json_text::cel(&self.pieces(value), notes, secrets),
            value => Some(self.cel(value, notes)),
        }
    }

    /// Translates the expressions anywhere inside a value.
    fn translate_nested(&self, value: &Value, notes: &mut Notes, depth: usize) -> String {
        match value {
            Value::String(text) if text.starts_with('=') => self.pieces(value).cel(notes),
            Value::Array(items) if depth < MAX_HOPS => {
                let items: Vec<String> =
                    items.iter().map(|item| self.translate_nested(item, notes, depth + 1)).collect();
                format!("[{}]", items.join(", "))
            }
            Value::Object(entries) if depth < MAX_HOPS => {
                let entries = entries.iter().map(|(name, entry)| {
                    format!("{}: {}", syntax::quote(name), self.translate_nested(entry, notes, depth + 1))
                });
                format!("{{{}}}", entries.collect::<Vec<_>>().join(", "))
            }
            other => syntax::cel_literal(other),
        }
    }

    /// The CEL expression for the node's input.
    pub fn incoming(&self, notes: &mut Notes) -> String {
        let mut note_all = |value: &NamedValue| {
            if let Some(text) = &value.note {
                note(notes, text.clone());
            }
        };
        let Ok(value) = self.named_input() else { return "input".to_owned() };
        note_all(&value);
        let mut paths = value.paths.iter().rev();
        let Some(last) = paths.next() else { return "input".to_owned() };
        let body = if value.shape == Shape::Answer { ".body" } else { "" };
        paths.fold(format!("{last}{body}"), |rest, path| format!("has({path}) ? {path}{body} : ({rest})"))
    }

    /// The expression for one `element` of a loop's results. None unless exactly one finished loop leads here.
    pub fn loop_result(&self, notes: &mut Notes) -> Option<String> {
        let wiring = &self.workflow.wiring;
        let only =
            wiring.incoming(self.node).next().filter(|wire| wiring.done_output(wire.from) == Some(wire.output))?;
        if wiring.incoming(self.node).nth(1).is_some() {
            return None;
        }
        let backs = wiring.wires.iter().filter(|wire| wire.to == only.from && wiring.is_back_wire(wire));
        let shapes: Vec<Shape> = backs.map(|wire| self.workflow.wire_value(wire).shape).collect();
        let all = |wanted: Shape| shapes.iter().all(|shape| *shape == wanted);
        if all(Shape::Answer) {
            return Some("element.body".to_owned());
        }
        if !all(Shape::Same) {
            note(notes, "its elements are the outputs of the loop's last node: check their shape");
        }
        Some("element".to_owned())
    }

    fn named_input(&self) -> Lookup {
        let workflow = self.workflow;
        // A sub-node of an agent sees what its agent sees.
        let node = match workflow.wiring.roles[self.node] {
            NodeRole::SubNodeOf(parent) => parent,
            _ => self.node,
        };
        workflow.incoming[node].get_or_init(|| workflow.incoming(node)).clone()
    }
}

impl Names for Context<'_, '_> {
    fn input(&self) -> Result<NamedValue, String> {
        self.named_input()
    }

    fn node(&self, name: &str) -> Result<NamedValue, String> {
        let workflow = self.workflow;
        let Some(&node) = workflow.indexes.get(name) else {
            return Err(format!("the node `{}` does not exist", clip_name(name)));
        };
        match workflow.wiring.roles[node] {
            NodeRole::Step if workflow.wiring.is_loop(node) && workflow.enclosing_loops[self.node].contains(&node) => {
                Ok(NamedValue::new("vars.item", Shape::Same))
            }
            NodeRole::Step => Ok(match workflow.wiring.wire_before_classifier(&workflow.document, node) {
                Some(wire) => workflow.wire_value(wire),
                None => NamedValue::new(output(&workflow.ids[node]), workflow.shapes[node]),
            }),
            NodeRole::PassThrough => workflow.passed[node].get_or_init(|| workflow.passed_input(node)).clone(),
            NodeRole::Removed | NodeRole::SubNodeOf(_) => Err(format!("`{}` has no output here", clip_name(name))),
        }
    }

    fn charge(&self) -> bool {
        let remaining = self.workflow.remaining.get();
        self.workflow.remaining.set(remaining.saturating_sub(1));
        remaining > 0
    }

    fn is_in_loop(&self) -> bool {
        !self.workflow.enclosing_loops[self.node].is_empty()
    }
}

fn clip_name(name: &str) -> String {
    truncate(name, 60)
}
