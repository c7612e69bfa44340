//! What the converter of one node can see of the app.

use serde_json::Value;

use super::super::lenient::{list, scalar_text, text, truncate};
use super::super::notes::{Notes, header_problem};
use super::super::pieces::Placeholder;
use super::super::syntax::{member, output};
use super::document::{Document, SourceNode};

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
type PathResult = Result<(String, Option<String>), String>;

fn plain_path(path: String) -> PathResult {
    Ok((path, None))
}

impl<'a, 'd> Context<'a, 'd> {
    pub fn source(&self) -> &'a SourceNode<'d> {
        &self.app.document.nodes[self.node]
    }

    pub fn id(&self) -> &'a str {
        &self.app.ids[self.node]
    }

    pub fn data(&self, name: &str) -> &'d Value {
        &self.source().data[name]
    }

    /// The CEL expression for a selector such as `["1711528914102", "text"]`.
    pub fn selector_cel(&self, selector: &Value, notes: &mut Notes) -> String {
        self.placeholder(selector).cel(notes)
    }

    pub fn placeholder(&self, selector: &Value) -> Placeholder {
        let parts: Vec<String> = list(selector).iter().take(20).map(scalar_text).collect();
        self.selector_placeholder(&parts.iter().map(String::as_str).collect::<Vec<_>>())
    }

    /// The value that a selector names, in both languages.
    pub fn selector_placeholder(&self, parts: &[&str]) -> Placeholder {
        let original = format!("{{{{#{}#}}}}", truncate(&parts.join("."), 200));
        match self.path(parts) {
            Ok((path, note)) => {
                let notes = note.into_iter().collect();
                Placeholder { original, cel: Ok(path.clone()), jinja: Ok(path), json_value: None, notes }
            }
            Err(why) => Placeholder::untranslatable(original, why),
        }
    }

    fn path(&self, parts: &[&str]) -> PathResult {
        let [first, rest @ ..] = parts else { return Err("the selector is empty".to_owned()) };
        match (*first, rest) {
            ("sys", [name, rest @ ..]) => self.system(name).map(|(path, note)| (append_members(path, rest), note)),
            ("env" | "conversation", [name, rest @ ..]) => {
                let note = format!("variables are not imported: replace `vars.{name}` by its value");
                Ok((append_members(member("vars", name), rest), Some(note)))
            }
            // Inside the start node, system variables have its id as a prefix.
            (_, [name, rest @ ..]) if name.starts_with("sys.") => {
                self.system(&name["sys.".len()..]).map(|(path, note)| (append_members(path, rest), note))
            }
            (_, ["sys", name, rest @ ..]) => self.system(name).map(|(path, note)| (append_members(path, rest), note)),
            ("rag", _) => Err("knowledge pipelines are not supported".to_owned()),
            (id, rest) => match self.app.document.indexes.get(id) {
                Some(&place) => self.node_path(place, rest),
                None => Err("the node does not exist".to_owned()),
            },
        }
    }

    /// Dify's system variables. Here they must come with the run's input; a message has only its text.
    fn system(&self, name: &str) -> PathResult {
        let document = &self.app.document;
        let start = document.nodes.iter().position(|node| node.kind == "start");
        let start = start.map(|place| output(&self.app.ids[place]));
        match (name, start) {
            ("workflow_run_id", _) => plain_path("run.id".to_owned()),
            (_, None) => Err("no trigger gives this value".to_owned()),
            ("query", Some(start)) if document.is_chat() => plain_path(member(&start, "text")),
            (name, Some(_)) if document.is_chat() => {
                Err(format!("only the text of a message is available, not its `{}`", truncate(name, 40)))
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

    fn node_path(&self, place: usize, rest: &[&str]) -> PathResult {
        let node = &self.app.document.nodes[place];
        let path = output(&self.app.ids[place]);
        let ([key, after @ ..], output_path) = (rest, path.clone()) else { return plain_path(path) };
        let refuse = |why: &str| Err(why.to_owned());
        match (node.kind, *key) {
            // On the error branch, the value of a node is its error.
            (_, "error_message") if text(&node.data["error_strategy"]) == "fail-branch" => {
                plain_path(member(&output_path, "message"))
            }
            (_, "error_type") if text(&node.data["error_strategy"]) == "fail-branch" => {
                plain_path(member(&output_path, "code"))
            }
            ("trigger-webhook", "_webhook_raw") => match after {
                ["query_params", within @ ..] => plain_path(append_members(member(&output_path, "query"), within)),
                ["headers", name, ..] => {
                    plain_path(append_members(output_path, &header_part(name)?.each_ref().map(String::as_str)))
                }
                _ => plain_path(append_members(output_path, after)),
            },
            ("trigger-webhook", key) => {
                let part = webhook_part(node, key)?;
                plain_path(append_members(append_members(output_path, &part.each_ref().map(String::as_str)), after))
            }
            ("llm", "usage" | "reasoning_content" | "finish_reason") => {
                refuse("only the text of an answer is available")
            }
            ("llm", "text" | "structured_output") => plain_path(append_members(output_path, after)),
            ("agent" | "template-transform", "text" | "output") => plain_path(append_members(output_path, after)),
            ("agent", _) => refuse("only the answer of an agent is available"),
            ("knowledge-retrieval", "result") => {
                let note = (!after.is_empty()).then_some("passages have another shape here: check the paths into them");
                Ok((append_members(output_path, after), note.map(str::to_owned)))
            }
            ("http-request", "body") => plain_path(append_members(member(&output_path, "body"), after)),
            ("http-request", "status_code") => plain_path(member(&output_path, "status")),
            ("http-request", "headers") => plain_path(append_members(member(&output_path, "headers"), after)),
            ("http-request", _) => refuse("files are not supported"),
            ("question-classifier", "class_name") => plain_path(member(&output_path, "class")),
            ("question-classifier", _) => refuse("only the name of the chosen class is available"),
            ("parameter-extractor", "__is_success" | "__reason" | "__usage") => {
                refuse("a failed extraction fails the node, so there is no success flag")
            }
            ("variable-aggregator" | "variable-assigner", "output") => plain_path(append_members(output_path, after)),
            ("variable-aggregator" | "variable-assigner", group) => {
                let after = if after.first() == Some(&"output") { &after[1..] } else { after };
                plain_path(append_members(member(&output_path, group), after))
            }
            ("iteration", "item") if self.is_within(place) => plain_path(append_members("vars.item".to_owned(), after)),
            ("iteration", "index") | ("loop", "loop_round") if self.is_within(place) => {
                plain_path("vars.index".to_owned())
            }
            ("iteration", "output") => plain_path(append_members(output_path, after)),
            ("loop", _) => refuse("loop variables are not supported"),
            ("human-input", "__action_id") => plain_path(member(&output_path, "decision")),
            ("human-input", name) => plain_path(append_members(member(&member(&output_path, "fields"), name), after)),
            ("start", _) if self.app.document.is_chat() => refuse("there is no form before the conversation"),
            _ => plain_path(append_members(output_path, rest)),
        }
    }

    fn is_within(&self, of: usize) -> bool {
        self.app.document.is_within(self.node, of)
    }
}

/// The part of a call that a variable of a webhook names. Its variables have the names of body fields, headers and query
/// parameters, with `_` for `-`.
fn webhook_part(webhook: &SourceNode, name: &str) -> Result<[String; 2], String> {
    let find = |kind: &str| {
        let names = list(&webhook.data[kind]).iter().map(|field| scalar_text(&field["name"]));
        names.into_iter().find(|known| known.replace('-', "_") == name.replace('-', "_"))
    };
    if let Some(field) = find("body") {
        return Ok(["body".to_owned(), field]);
    }
    if let Some(parameter) = find("params") {
        return Ok(["query".to_owned(), parameter]);
    }
    match find("headers") {
        Some(header) => header_part(&header),
        None => Ok(["body".to_owned(), name.to_owned()]),
    }
}

fn header_part(name: &str) -> Result<[String; 2], String> {
    header_problem(name).map_or_else(|| Ok(["headers".to_owned(), name.to_ascii_lowercase()]), Err)
}

fn append_members(path: String, members: &[&str]) -> String {
    members.iter().fold(path, |path, name| member(&path, name))
}
