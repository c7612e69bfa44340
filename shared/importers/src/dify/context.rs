//! What the converter of one node can see of the app.

use serde_json::Value;

use super::super::lenient::{list, scalar_text, text, truncate};
use super::super::notes::{Notes, header_problem};
use super::super::pieces::Placeholder;
use super::super::syntax::{cel_literal, member, optional_path, output};
pub use super::app::App;
use super::app::{SECRET, Start};
use super::document::SourceNode;

#[derive(Clone, Copy)]
pub struct Context<'a, 'd> {
    pub app: &'a App<'d>,
    pub node: usize,
}

/// A path into a value, with a note for the report.
type PathResult = Result<(String, Option<String>), String>;

/// A variable that was never selected is null, as in Dify.
fn unset() -> PathResult {
    Ok(("null".to_owned(), Some("one of its variables is not selected: it is null".to_owned())))
}

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

    /// The JavaScript for a selector. It gives undefined for a value that a run does not have.
    pub fn selector_javascript(&self, selector: &Value, notes: &mut Notes) -> String {
        let parts: Vec<String> = list(selector).iter().take(20).map(scalar_text).collect();
        let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        if let ["env", name] = parts[..]
            && let Ok(value) = self.app.environment(name)
        {
            return value.to_string();
        }
        if let ["conversation", name, rest @ ..] = &parts[..]
            && let Some(paths) = self.app.conversation_paths(self.node, name)
        {
            let paths: Vec<String> = paths.into_iter().map(|path| optional_path(&append_members(path, rest))).collect();
            return paths.join(" ?? ");
        }
        optional_path(&self.selector_cel(selector, notes))
    }

    /// The conversation variable with the value that it has before this node.
    fn conversation_placeholder(&self, original: String, name: &str, rest: &[&str]) -> Placeholder {
        let Some(mut paths) = self.app.conversation_paths(self.node, name) else {
            return Placeholder::untranslatable(original, "the conversation variable does not exist");
        };
        let first = append_members(paths.pop().unwrap_or_default(), rest);
        let names: Vec<String> = paths.iter().rev().map(|path| append_members(path.clone(), rest)).collect();
        let cel = names.iter().fold(first.clone(), |other, path| format!("(has({path}) ? {path} : {other})"));
        let jinja = names.iter().fold(first, |other, path| format!("({path} if {path} is defined else {other})"));
        Placeholder { original, cel: Ok(cel), jinja: Ok(jinja), json_value: None, notes: Notes::new() }
    }

    pub fn placeholder(&self, selector: &Value) -> Placeholder {
        let parts: Vec<String> = list(selector).iter().take(20).map(scalar_text).collect();
        self.selector_placeholder(&parts.iter().map(String::as_str).collect::<Vec<_>>())
    }

    /// The value that a selector names, in both languages.
    pub fn selector_placeholder(&self, parts: &[&str]) -> Placeholder {
        let original = format!("{{{{#{}#}}}}", truncate(&parts.join("."), 200));
        if let ["conversation", name, rest @ ..] = parts {
            return self.conversation_placeholder(original, name, rest);
        }
        match self.path(parts) {
            Ok((path, note)) => {
                let notes = note.into_iter().collect();
                // Jinja has another word for null.
                let jinja = if path == "null" { "none".to_owned() } else { path.clone() };
                Placeholder { original, cel: Ok(path), jinja: Ok(jinja), json_value: None, notes }
            }
            Err(why) => Placeholder::untranslatable(original, why),
        }
    }

    fn path(&self, parts: &[&str]) -> PathResult {
        let [first, rest @ ..] = parts else { return unset() };
        if first.is_empty() && rest.is_empty() {
            return unset();
        }
        match (*first, rest) {
            ("sys", [name, rest @ ..]) => self.system(name).map(|(path, note)| (append_members(path, rest), note)),
            ("env", [name, ..]) => match self.app.environment(name) {
                Ok(value) => plain_path(cel_literal(value)),
                Err(why) if why == SECRET => {
                    let note = format!("the secret `{}` is left out: it is an empty text here", truncate(name, 60));
                    Ok(("''".to_owned(), Some(note)))
                }
                Err(why) => Err(why),
            },
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

    /// Dify's system variables. They come with the run's input, or with the message.
    fn system(&self, name: &str) -> PathResult {
        let start = self.app.start_node().map(|place| output(&self.app.ids[place]));
        let Some(start) = start.filter(|_| name != "workflow_run_id") else {
            return match name {
                "workflow_run_id" => plain_path("run.id".to_owned()),
                _ => Err("no trigger gives this value".to_owned()),
            };
        };
        match (self.app.start, name) {
            (Start::Message, "query") => plain_path(member(&start, "text")),
            (Start::Message, "user_id") => plain_path(format!("{start}.participant.id")),
            (Start::Message, "conversation_id") => plain_path(member(&start, "threadId")),
            (Start::Message, "files") => {
                let note = "the files of a message are only names and types here".to_owned();
                Ok((member(&start, "attachments"), Some(note)))
            }
            (_, "app_id" | "workflow_id") => plain_path("''".to_owned()),
            (_, "timestamp") => plain_path("run.startedAt".to_owned()),
            (Start::Message, name) => Err(format!("a message has no `{}`", truncate(name, 40))),
            (_, name) if self.app.system.contains(name) => plain_path(member(&start, name)),
            (_, name) => Err(format!("runs have no `{}`", truncate(name, 40))),
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
            ("agent", "files" | "json") => Ok((
                "[]".to_owned(),
                Some("an agent gives only its answer, so its files and data are empty".to_owned()),
            )),
            ("agent", _) => refuse("only the answer of an agent is available"),
            ("knowledge-retrieval", "result") => {
                let is_own = !after.is_empty() && !self.app.read_passages.contains(node.id);
                let note = is_own.then_some("passages have another shape here: check the paths into them");
                Ok((append_members(output_path, after), note.map(str::to_owned)))
            }
            ("http-request", "body") => plain_path(append_members(member(&output_path, "body"), after)),
            ("http-request", "status_code") => plain_path(member(&output_path, "status")),
            ("http-request", "headers") => plain_path(append_members(member(&output_path, "headers"), after)),
            ("http-request", "files") => {
                Ok(("[]".to_owned(), Some("a call gives its body as a text, so its files are empty".to_owned())))
            }
            ("http-request", _) => refuse("a call has no such value"),
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
