//! Dify's node types, with the converter of each.

mod code;
mod data;
mod files;
mod http;
mod logic;
mod model;
mod people;
mod schedule;
mod tools;
mod triggers;

use super::super::lenient::truncate;
use super::super::translation::{TOO_LONG, Translation};
use super::context::Context;

pub use model::named_model;
pub use triggers::schema;

/// Converts a node, without the policies that all nodes have. Outputs are named like Dify's handles.
pub fn translate(node: Context) -> Translation {
    match node.source().kind {
        _ if node.source().is_too_long => Translation::unsupported(TOO_LONG),
        "start" => triggers::start(node),
        "trigger-webhook" => triggers::webhook(node),
        "trigger-schedule" => schedule::schedule(node),
        "trigger-plugin" => {
            Translation::unsupported_trigger("this plugin's trigger is not supported: start the run by webhook")
        }
        "llm" => model::llm(node),
        "parameter-extractor" => model::extractor(node),
        "question-classifier" => model::classifier(node),
        "agent" => model::agent(node),
        "knowledge-retrieval" => model::retrieval(node),
        "tool" => tools::tool(node),
        "if-else" => logic::switch(node),
        "iteration" => logic::iteration(node),
        "loop" => logic::repeat(node),
        "variable-aggregator" | "variable-assigner" => logic::first_of(node),
        "assigner" => data::assigner(node),
        "template-transform" => data::template(node),
        "list-operator" => data::list_operator(node),
        "http-request" => http::http(node),
        "answer" => people::answer(node),
        "end" => people::end(node),
        "human-input" => people::review(node),
        "code" => code::code(node),
        "document-extractor" => files::document_extractor(node),
        "datasource" | "datasource-empty" | "knowledge-index" => {
            Translation::unsupported("workflows cannot add documents to a source")
        }
        "" => Translation::unsupported("the node has no type"),
        kind => Translation::unsupported(format!(
            "the type `{}` is not supported: call its service by http",
            truncate(kind, 60)
        )),
    }
}
