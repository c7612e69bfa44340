//! What is known of the workflow while one of its nodes is looked at.

use std::cell::{Cell, OnceCell};
use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::super::json_text;
use super::super::loose::{clipped, list, said};
use super::super::pieces::{Notes, Pieces, note};
use super::super::written::{self, output};
use super::document::{Document, Source, Wire};
use super::expressions::{Names, Place, Shape, pieces};
use super::nodes::shape;
use super::wiring::{MAX_HOPS, Role, Wiring};

/// A value, or why it has no name here.
type Named = Result<Place, String>;

/// The workflow as a whole.
pub struct Workflow<'d> {
    pub document: Document<'d>,
    pub wiring: Wiring<'d>,
    /// The id each node has, or would have.
    pub ids: Vec<String>,
    pub places: HashMap<&'d str, usize>,
    /// The loops each node is in the body of.
    pub within: Vec<HashSet<usize>>,
    /// How the value of each node is shaped.
    shapes: Vec<Shape>,
    /// What expressions name, looked for once: each node may be named many thousand times.
    incoming: Vec<OnceCell<Named>>,
    passed: Vec<OnceCell<Named>>,
    /// How many expressions may still be translated.
    left: Cell<usize>,
}

/// A node, and what it can name.
#[derive(Clone, Copy)]
pub struct Context<'w, 'd> {
    pub workflow: &'w Workflow<'d>,
    pub node: usize,
}

/// A value that may come from more nodes than this is not named.
const MAX_SOURCES: usize = 4;
/// Those that it may come from are named up to here, each so far that it can be told.
const MAX_TITLES: usize = 8;
const MAX_TITLE_CHARS: usize = 40;
/// A graph may hold some thousands.
const MAX_EXPRESSIONS: usize = 20_000;

impl<'d> Workflow<'d> {
    pub fn new(document: Document<'d>, wiring: Wiring<'d>, ids: Vec<String>) -> Self {
        let mut places = HashMap::new();
        document.nodes.iter().enumerate().for_each(|(place, node)| {
            places.entry(node.name).or_insert(place);
        });
        let count = document.nodes.len();
        let mut within = vec![HashSet::new(); count];
        for of in (0..count).filter(|node| wiring.is_loop(*node)) {
            wiring.body(of).into_iter().for_each(|node| {
                within[node].insert(of);
            });
        }
        let shapes = (0..count).map(|node| shape_of(&document, &wiring, node)).collect();
        let [incoming, passed] = [(); 2].map(|()| vec![OnceCell::new(); count]);
        Self { document, wiring, ids, places, within, shapes, incoming, passed, left: Cell::new(MAX_EXPRESSIONS) }
    }

    pub fn node(&self, place: usize) -> &Source<'d> {
        &self.document.nodes[place]
    }

    /// What a chat shows of what a node gives, in Jinja.
    pub fn said(&self, node: usize) -> String {
        let value = output(&self.ids[node]);
        let value = match self.shapes[node] {
            Shape::Text => return value,
            Shape::Answer => format!("{value}.body"),
            _ => value,
        };
        format!("{value}.output | default({value}.text) | default({value} | tojson)")
    }

    /// The value that comes by a wire.
    fn by(&self, wire: &Wire) -> Place {
        let wire = self.wiring.before_choice(&self.document, wire.from).unwrap_or(wire);
        let from = self.node(wire.from);
        if self.wiring.is_item(wire) {
            return Place::at("vars.item", Shape::Same);
        }
        let shape = if from.is_error_output(wire.output) { Shape::Error } else { self.shapes[wire.from] };
        Place::at(output(&self.ids[wire.from]), shape)
    }

    fn incoming(&self, node: usize) -> Named {
        let wires: Vec<&Wire> = self.wiring.incoming(node).collect();
        let Some(first) = wires.first() else { return Ok(Place::at("input", Shape::Same)) };
        if wires.iter().all(|wire| self.node(wire.from).is_trigger()) {
            return Ok(Place::at("input", self.by(first).shape));
        }
        let mut places: Vec<Place> = Vec::new();
        for place in wires.iter().map(|wire| self.by(wire)) {
            if places.len() <= MAX_SOURCES && !places.iter().any(|known| known.paths == place.paths) {
                places.push(place);
            }
        }
        if places.len() == 1 {
            return Ok(places.remove(0));
        }
        if places.len() > MAX_SOURCES || places.iter().any(|place| place.paths[0] == "vars.item") {
            return Err("what came in may come from too many nodes to name it".to_owned());
        }
        let titles = wires.iter().take(MAX_TITLES).map(|wire| clipped(self.node(wire.from).name, MAX_TITLE_CHARS));
        let titles = clipped(&titles.collect::<Vec<_>>().join(", "), 100);
        Ok(Place {
            shape: places[0].shape,
            paths: places.into_iter().flat_map(|place| place.paths).collect(),
            note: Some(format!("the value of the first that ran of {titles} is taken")),
        })
    }

    /// What came to a node that did nothing with it.
    fn passed(&self, place: usize) -> Named {
        let led = self.document.wires.iter().filter(|wire| wire.to == place && wire.kind == "main");
        let mut steps = led.filter(|wire| self.wiring.roles[wire.from] == Role::Step);
        let only = steps.next().filter(|_| steps.next().is_none());
        only.map(|wire| self.by(wire)).ok_or_else(|| format!("`{}` was taken out", clip(self.node(place).name)))
    }
}

/// How the value of a node is shaped. Some hand on what came in.
fn shape_of(document: &Document, wiring: &Wiring, mut node: usize) -> Shape {
    for _ in 0..MAX_HOPS {
        if let Some(shape) = shape(&document.nodes[node]) {
            return shape;
        }
        match wiring.incoming(node).next() {
            Some(wire) => node = wire.from,
            None => break,
        }
    }
    Shape::Same
}

impl<'w, 'd> Context<'w, 'd> {
    pub fn source(&self) -> &'w Source<'d> {
        self.workflow.node(self.node)
    }

    pub fn id(&self) -> &'w str {
        &self.workflow.ids[self.node]
    }

    pub fn parameter(&self, name: &str) -> &'d Value {
        &self.source().parameters[name]
    }

    /// What was kept to try the workflow with. Of several nodes with one name it is the first's.
    pub fn pinned(&self) -> &'d [Value] {
        let name = self.source().name;
        let is_first = self.workflow.places.get(name) == Some(&self.node);
        if is_first { list(&self.workflow.document.pinned[name]) } else { &[] }
    }

    /// A node as its own part sees it.
    pub fn part(&self, node: usize) -> Self {
        Self { workflow: self.workflow, node }
    }

    /// The first part of a kind that the node has.
    pub fn first_part(&self, kind: &str) -> Option<Self> {
        self.workflow.wiring.parts(self.node, kind).next().map(|part| self.part(part))
    }

    pub fn pieces(&self, value: &Value) -> Pieces {
        pieces(&said(value), self)
    }

    /// A text with places to fill.
    pub fn jinja(&self, value: &Value, notes: &mut Notes) -> String {
        match value {
            Value::Array(_) | Value::Object(_) => written::plain(&value.to_string()),
            value => self.pieces(value).jinja(notes),
        }
    }

    /// A value, by an expression.
    pub fn cel(&self, value: &Value, notes: &mut Notes) -> String {
        match value {
            Value::String(text) if text.starts_with('=') => self.pieces(value).cel(notes),
            value => self.deep(value, notes, 0),
        }
    }

    /// JSON, or a text that is meant as JSON, but for secrets that stand in it in clear.
    pub fn json(&self, value: &Value, notes: &mut Notes, secrets: &mut Vec<String>) -> Option<String> {
        match value {
            Value::String(_) => json_text::cel(&self.pieces(value), notes, secrets),
            value => Some(self.cel(value, notes)),
        }
    }

    /// Expressions may stand anywhere within a value.
    fn deep(&self, value: &Value, notes: &mut Notes, depth: usize) -> String {
        match value {
            Value::String(text) if text.starts_with('=') => self.pieces(value).cel(notes),
            Value::Array(items) if depth < MAX_HOPS => {
                let items: Vec<String> = items.iter().map(|item| self.deep(item, notes, depth + 1)).collect();
                format!("[{}]", items.join(", "))
            }
            Value::Object(entries) if depth < MAX_HOPS => {
                let entries = entries
                    .iter()
                    .map(|(name, entry)| format!("{}: {}", written::quoted(name), self.deep(entry, notes, depth + 1)));
                format!("{{{}}}", entries.collect::<Vec<_>>().join(", "))
            }
            other => written::value(other),
        }
    }

    /// The expression for what came in.
    pub fn incoming(&self, notes: &mut Notes) -> String {
        let mut note_all = |place: &Place| {
            if let Some(text) = &place.note {
                note(notes, text.clone());
            }
        };
        let Ok(place) = self.names_json() else { return "input".to_owned() };
        note_all(&place);
        let mut paths = place.paths.iter().rev();
        let Some(last) = paths.next() else { return "input".to_owned() };
        let body = if place.shape == Shape::Answer { ".body" } else { "" };
        paths.fold(format!("{last}{body}"), |rest, path| format!("has({path}) ? {path}{body} : ({rest})"))
    }

    /// What came of an `element` of the loop that leads here when it is done; none where something else leads here.
    pub fn result_of_loop(&self, notes: &mut Notes) -> Option<String> {
        let wiring = &self.workflow.wiring;
        let only = wiring.incoming(self.node).next().filter(|wire| wiring.done(wire.from) == Some(wire.output))?;
        if wiring.incoming(self.node).nth(1).is_some() {
            return None;
        }
        let backs = wiring.wires.iter().filter(|wire| wire.to == only.from && wiring.is_back(wire));
        let shapes: Vec<Shape> = backs.map(|wire| self.workflow.by(wire).shape).collect();
        let all = |wanted: Shape| shapes.iter().all(|shape| *shape == wanted);
        if all(Shape::Answer) {
            return Some("element.body".to_owned());
        }
        if !all(Shape::Same) {
            note(notes, "its elements are what the last node of the loop gives: see their form");
        }
        Some("element".to_owned())
    }

    fn names_json(&self) -> Named {
        let workflow = self.workflow;
        // A part of an agent sees what its agent sees.
        let node = match workflow.wiring.roles[self.node] {
            Role::PartOf(whole) => whole,
            _ => self.node,
        };
        workflow.incoming[node].get_or_init(|| workflow.incoming(node)).clone()
    }
}

impl Names for Context<'_, '_> {
    fn json(&self) -> Result<Place, String> {
        self.names_json()
    }

    fn node(&self, name: &str) -> Result<Place, String> {
        let workflow = self.workflow;
        let Some(&place) = workflow.places.get(name) else {
            return Err(format!("there is no node `{}`", clip(name)));
        };
        match workflow.wiring.roles[place] {
            Role::Step if workflow.wiring.is_loop(place) && workflow.within[self.node].contains(&place) => {
                Ok(Place::at("vars.item", Shape::Same))
            }
            Role::Step => Ok(match workflow.wiring.before_choice(&workflow.document, place) {
                Some(wire) => workflow.by(wire),
                None => Place::at(output(&workflow.ids[place]), workflow.shapes[place]),
            }),
            Role::Passed => workflow.passed[place].get_or_init(|| workflow.passed(place)).clone(),
            Role::Gone | Role::PartOf(_) => Err(format!("`{}` has no value of its own here", clip(name))),
        }
    }

    fn count(&self) -> bool {
        let left = self.workflow.left.get();
        self.workflow.left.set(left.saturating_sub(1));
        left > 0
    }

    fn is_in_loop(&self) -> bool {
        !self.workflow.within[self.node].is_empty()
    }
}

fn clip(name: &str) -> String {
    clipped(name, 60)
}
