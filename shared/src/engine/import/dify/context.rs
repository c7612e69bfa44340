//! What is known of the app while one of its nodes is looked at.

use serde_json::Value;

use super::super::loose::{clipped, list, said, text};
use super::super::pieces::{Filled, Notes};
use super::super::written::{member, output, quoted};
use super::document::{Document, Node};
use super::texts;

pub struct App<'d> {
    pub document: Document<'d>,
    /// The id each node has, or would have.
    pub ids: Vec<String>,
}

#[derive(Clone, Copy)]
pub struct Context<'a, 'd> {
    pub app: &'a App<'d>,
    pub node: usize,
}

/// A path into a value, and what is to be said of it.
type Found = Result<(String, Option<String>), String>;

fn found(path: String) -> Found {
    Ok((path, None))
}

impl<'a, 'd> Context<'a, 'd> {
    pub fn source(&self) -> &'a Node<'d> {
        &self.app.document.nodes[self.node]
    }

    pub fn id(&self) -> &'a str {
        &self.app.ids[self.node]
    }

    pub fn data(&self, name: &str) -> &'d Value {
        &self.source().data[name]
    }

    /// A text with places to fill.
    pub fn jinja(&self, value: &Value, notes: &mut Notes) -> String {
        texts::pieces(&said(value), self).jinja(notes)
    }

    /// A value that a selector points at, `["1711528914102", "text"]`; an expression.
    pub fn selected(&self, selector: &Value, notes: &mut Notes) -> String {
        self.filled(selector).cel(notes)
    }

    pub fn filled(&self, selector: &Value) -> Filled {
        let parts: Vec<String> = list(selector).iter().take(20).map(said).collect();
        self.named(&parts.iter().map(String::as_str).collect::<Vec<_>>())
    }

    /// What the parts of a selector name, in both languages.
    pub fn named(&self, parts: &[&str]) -> Filled {
        let original = format!("{{{{#{}#}}}}", clipped(&parts.join("."), 200));
        match self.path(parts) {
            Ok((path, note)) => {
                let notes = note.into_iter().collect();
                Filled { original, cel: Ok(path.clone()), jinja: Ok(path), of_json: None, notes }
            }
            Err(why) => Filled::untold(original, why),
        }
    }

    fn path(&self, parts: &[&str]) -> Found {
        let [first, rest @ ..] = parts else { return Err("it names nothing".to_owned()) };
        match (*first, rest) {
            ("sys", [name, rest @ ..]) => self.system(name).map(|(path, note)| (below(path, rest), note)),
            ("env" | "conversation", [name, rest @ ..]) => {
                let note = format!("`vars.{name}` is never there: variables are not imported, write what it stood for");
                Ok((below(member("vars", name), rest), Some(note)))
            }
            // Within the start node they have its id before them.
            (_, [name, rest @ ..]) if name.starts_with("sys.") => {
                self.system(&name["sys.".len()..]).map(|(path, note)| (below(path, rest), note))
            }
            (_, ["sys", name, rest @ ..]) => self.system(name).map(|(path, note)| (below(path, rest), note)),
            ("rag", _) => Err("pipelines of knowledge have no match here".to_owned()),
            (id, rest) => match self.app.document.places.get(id) {
                Some(&place) => self.of_node(place, rest),
                None => Err("there is no such node".to_owned()),
            },
        }
    }

    /// What Dify itself gives a run. Here it comes with what the run begins with, of which a message has but its text.
    fn system(&self, name: &str) -> Found {
        let document = &self.app.document;
        let start = document.nodes.iter().position(|node| node.kind == "start");
        let start = start.map(|place| output(&self.app.ids[place]));
        match (name, start) {
            ("workflow_run_id", _) => found("run.id".to_owned()),
            (_, None) => Err("nothing here begins a run with it".to_owned()),
            ("query", Some(start)) if document.is_chat() => found(member(&start, "text")),
            (name, Some(_)) if document.is_chat() => {
                Err(format!("of a message only its text is a value here, not its `{}`", clipped(name, 40)))
            }
            ("files", Some(start)) => {
                let note = "files come with the input, as the run was given them".to_owned();
                Ok((member(&start, "files"), Some(note)))
            }
            (name, Some(start)) => Ok((member(&start, name), Some(format!("`{name}` is to come with the input")))),
        }
    }

    fn of_node(&self, place: usize, rest: &[&str]) -> Found {
        let node = &self.app.document.nodes[place];
        let path = output(&self.app.ids[place]);
        let ([key, after @ ..], whole) = (rest, path.clone()) else { return found(path) };
        let refused = |why: &str| Err(why.to_owned());
        match (node.kind, *key) {
            // Where it goes on after a failure, its value is the error.
            (_, "error_message") if text(&node.data["error_strategy"]) == "fail-branch" => {
                found(member(&whole, "message"))
            }
            (_, "error_type") if text(&node.data["error_strategy"]) == "fail-branch" => found(member(&whole, "code")),
            ("trigger-webhook", "_webhook_raw") if after.first() == Some(&"body") => found(below(whole, &after[1..])),
            ("trigger-webhook", key) if !is_in_body(node, key) => refused("of a call only its body is a value here"),
            ("llm", "usage" | "reasoning_content" | "finish_reason") => {
                refused("of an answer only its text is a value here")
            }
            ("llm", "text" | "structured_output") => found(below(whole, after)),
            ("agent" | "template-transform", "text" | "output") => found(below(whole, after)),
            ("agent", _) => refused("of an agent only its answer is a value here"),
            ("knowledge-retrieval", "result") => {
                let note = (!after.is_empty())
                    .then_some("passages have another form here: the paths into them are to be checked");
                Ok((below(whole, after), note.map(str::to_owned)))
            }
            ("http-request", "body") => found(below(member(&whole, "body"), after)),
            ("http-request", "status_code") => found(member(&whole, "status")),
            ("http-request", "headers") => found(below(member(&whole, "headers"), after)),
            ("http-request", _) => refused("files are not carried along here"),
            ("question-classifier", "class_name") => found(member(&whole, "class")),
            ("question-classifier", _) => refused("of a choice only the name of the class is a value here"),
            ("parameter-extractor", "__is_success" | "__reason" | "__usage") => {
                refused("what cannot be extracted fails here")
            }
            ("variable-aggregator" | "variable-assigner", "output") => found(below(whole, after)),
            ("variable-aggregator" | "variable-assigner", group) => {
                let after = if after.first() == Some(&"output") { &after[1..] } else { after };
                found(below(member(&whole, group), after))
            }
            ("iteration", "item") if self.is_within(place) => found(below("vars.item".to_owned(), after)),
            ("iteration", "index") | ("loop", "loop_round") if self.is_within(place) => found("vars.index".to_owned()),
            ("iteration", "output") => found(below(whole, after)),
            ("loop", _) => refused("a loop has no variables of its own here"),
            ("human-input", "__action_id") => found(member(&whole, "decision")),
            ("human-input", name) => found(below(member(&member(&whole, "fields"), name), after)),
            ("start", _) if self.app.document.is_chat() => refused("nothing is asked before the conversation here"),
            _ => found(below(whole, rest)),
        }
    }

    fn is_within(&self, of: usize) -> bool {
        self.app.document.is_within(self.node, of)
    }
}

/// Of a call its headers and parameters are variables too, by their names.
fn is_in_body(webhook: &Node, name: &str) -> bool {
    let has = |kind: &str| {
        list(&webhook.data[kind]).iter().any(|field| said(&field["name"]).replace('-', "_") == name.replace('-', "_"))
    };
    has("body") || !(name == "_webhook_raw" || has("headers") || has("params"))
}

fn below(path: String, members: &[&str]) -> String {
    members.iter().fold(path, |path, name| member(&path, name))
}

/// Of `{type: "mixed" | "variable" | "constant", value}`, as tools and agents have them.
pub fn given(node: Context, parameter: &Value, notes: &mut Notes) -> String {
    let value = if parameter.is_object() { &parameter["value"] } else { parameter };
    match (text(&parameter["type"]), value) {
        ("variable", selector @ Value::Array(_)) => node.selected(selector, notes),
        (_, Value::String(text)) => match texts::pieces(text, &node) {
            pieces if pieces.0.is_empty() => quoted(text),
            pieces => pieces.cel(notes),
        },
        (_, other) => super::super::written::value(other),
    }
}
