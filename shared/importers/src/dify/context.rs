//! What the converter of one node can see of the app.

use serde_json::Value;

use super::super::lenient::{clipped, list, scalar_text, text};
use super::super::pieces::{Notes, Placeholder};
use super::super::syntax::{member, output, quoted};
use super::document::{Document, Node};
use super::texts;

pub struct App<'d> {
    pub document: Document<'d>,
    /// The id of each node in the draft, also of those that are left out.
    pub ids: Vec<String>,
}

#[derive(Clone, Copy)]
pub struct Context<'a, 'd> {
    pub app: &'a App<'d>,
    pub node: usize,
}

/// A path into a value, with a note for the report.
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

    /// A template in Jinja.
    pub fn jinja(&self, value: &Value, notes: &mut Notes) -> String {
        texts::pieces(&scalar_text(value), self).jinja(notes)
    }

    /// The CEL expression for a selector such as `["1711528914102", "text"]`.
    pub fn selected(&self, selector: &Value, notes: &mut Notes) -> String {
        self.filled(selector).cel(notes)
    }

    pub fn filled(&self, selector: &Value) -> Placeholder {
        let parts: Vec<String> = list(selector).iter().take(20).map(scalar_text).collect();
        self.named(&parts.iter().map(String::as_str).collect::<Vec<_>>())
    }

    /// The value that a selector names, in both languages.
    pub fn named(&self, parts: &[&str]) -> Placeholder {
        let original = format!("{{{{#{}#}}}}", clipped(&parts.join("."), 200));
        match self.path(parts) {
            Ok((path, note)) => {
                let notes = note.into_iter().collect();
                Placeholder { original, cel: Ok(path.clone()), jinja: Ok(path), count_json: None, notes }
            }
            Err(why) => Placeholder::untranslatable(original, why),
        }
    }

    fn path(&self, parts: &[&str]) -> Found {
        let [first, rest @ ..] = parts else { return Err("the selector is empty".to_owned()) };
        match (*first, rest) {
            ("sys", [name, rest @ ..]) => self.system(name).map(|(path, note)| (below(path, rest), note)),
            ("env" | "conversation", [name, rest @ ..]) => {
                let note = format!("variables are not imported: replace `vars.{name}` by its value");
                Ok((below(member("vars", name), rest), Some(note)))
            }
            // Inside the start node, system variables have its id as a prefix.
            (_, [name, rest @ ..]) if name.starts_with("sys.") => {
                self.system(&name["sys.".len()..]).map(|(path, note)| (below(path, rest), note))
            }
            (_, ["sys", name, rest @ ..]) => self.system(name).map(|(path, note)| (below(path, rest), note)),
            ("rag", _) => Err("knowledge pipelines are not supported".to_owned()),
            (id, rest) => match self.app.document.places.get(id) {
                Some(&place) => self.of_node(place, rest),
                None => Err("the node does not exist".to_owned()),
            },
        }
    }

    /// Dify's system variables. Here they must come with the run's input; a message has only its text.
    fn system(&self, name: &str) -> Found {
        let document = &self.app.document;
        let start = document.nodes.iter().position(|node| node.kind == "start");
        let start = start.map(|place| output(&self.app.ids[place]));
        match (name, start) {
            ("workflow_run_id", _) => found("run.id".to_owned()),
            (_, None) => Err("no trigger gives this value".to_owned()),
            ("query", Some(start)) if document.is_chat() => found(member(&start, "text")),
            (name, Some(_)) if document.is_chat() => {
                Err(format!("only the text of a message is available, not its `{}`", clipped(name, 40)))
            }
            ("files", Some(start)) => {
                let note = "files must be part of the run's input".to_owned();
                Ok((member(&start, "files"), Some(note)))
            }
            (name, Some(start)) => {
                Ok((member(&start, name), Some(format!("`{name}` must be part of the run's input"))))
            }
        }
    }

    fn of_node(&self, place: usize, rest: &[&str]) -> Found {
        let node = &self.app.document.nodes[place];
        let path = output(&self.app.ids[place]);
        let ([key, after @ ..], whole) = (rest, path.clone()) else { return found(path) };
        let refused = |why: &str| Err(why.to_owned());
        match (node.kind, *key) {
            // On the error branch, the value of a node is its error.
            (_, "error_message") if text(&node.data["error_strategy"]) == "fail-branch" => {
                found(member(&whole, "message"))
            }
            (_, "error_type") if text(&node.data["error_strategy"]) == "fail-branch" => found(member(&whole, "code")),
            ("trigger-webhook", "_webhook_raw") if after.first() == Some(&"body") => found(below(whole, &after[1..])),
            ("trigger-webhook", key) if !is_in_body(node, key) => refused("only the body of a call is available"),
            ("llm", "usage" | "reasoning_content" | "finish_reason") => {
                refused("only the text of an answer is available")
            }
            ("llm", "text" | "structured_output") => found(below(whole, after)),
            ("agent" | "template-transform", "text" | "output") => found(below(whole, after)),
            ("agent", _) => refused("only the answer of an agent is available"),
            ("knowledge-retrieval", "result") => {
                let note = (!after.is_empty()).then_some("passages have another shape here: check the paths into them");
                Ok((below(whole, after), note.map(str::to_owned)))
            }
            ("http-request", "body") => found(below(member(&whole, "body"), after)),
            ("http-request", "status_code") => found(member(&whole, "status")),
            ("http-request", "headers") => found(below(member(&whole, "headers"), after)),
            ("http-request", _) => refused("files are not supported"),
            ("question-classifier", "class_name") => found(member(&whole, "class")),
            ("question-classifier", _) => refused("only the name of the chosen class is available"),
            ("parameter-extractor", "__is_success" | "__reason" | "__usage") => {
                refused("a failed extraction fails the node, so there is no success flag")
            }
            ("variable-aggregator" | "variable-assigner", "output") => found(below(whole, after)),
            ("variable-aggregator" | "variable-assigner", group) => {
                let after = if after.first() == Some(&"output") { &after[1..] } else { after };
                found(below(member(&whole, group), after))
            }
            ("iteration", "item") if self.is_within(place) => found(below("vars.item".to_owned(), after)),
            ("iteration", "index") | ("loop", "loop_round") if self.is_within(place) => found("vars.index".to_owned()),
            ("iteration", "output") => found(below(whole, after)),
            ("loop", _) => refused("loop variables are not supported"),
            ("human-input", "__action_id") => found(member(&whole, "decision")),
            ("human-input", name) => found(below(member(&member(&whole, "fields"), name), after)),
            ("start", _) if self.app.document.is_chat() => refused("there is no form before the conversation"),
            _ => found(below(whole, rest)),
        }
    }

    fn is_within(&self, of: usize) -> bool {
        self.app.document.is_within(self.node, of)
    }
}

/// Whether a webhook's variable is in the body. Its headers and query parameters are variables too, by name.
fn is_in_body(webhook: &Node, name: &str) -> bool {
    let has = |kind: &str| {
        list(&webhook.data[kind])
            .iter()
            .any(|field| scalar_text(&field["name"]).replace('-', "_") == name.replace('-', "_"))
    };
    has("body") || !(name == "_webhook_raw" || has("headers") || has("params"))
}

fn below(path: String, members: &[&str]) -> String {
    members.iter().fold(path, |path, name| member(&path, name))
}

/// Translates `{type: "mixed" | "variable" | "constant", value}`, the parameters of tools and agents.
pub fn given(node: Context, parameter: &Value, notes: &mut Notes) -> String {
    let value = if parameter.is_object() { &parameter["value"] } else { parameter };
    match (text(&parameter["type"]), value) {
        ("variable", selector @ Value::Array(_)) => node.selected(selector, notes),
        (_, Value::String(text)) => match texts::pieces(text, &node) {
            pieces if pieces.0.is_empty() => quoted(text),
            pieces => pieces.cel(notes),
        },
        (_, other) => super::super::syntax::value(other),
    }
}
