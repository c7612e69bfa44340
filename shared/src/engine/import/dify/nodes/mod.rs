//! Dify's types of nodes, and what each becomes.

mod data;
mod http;
mod logic;
mod model;
mod people;
mod schedule;
mod triggers;

use super::super::loose::clipped;
use super::super::made::{Made, TOO_LONG};
use super::context::Context;

pub use model::named_model;
pub use triggers::schema;

/// What a node becomes, without what all nodes have in common. Its outputs are named as its handles are.
pub fn make(node: Context) -> Made {
    match node.source().kind {
        _ if node.source().is_too_long => Made::unsupported(TOO_LONG),
        "start" => triggers::start(node),
        "trigger-webhook" => triggers::webhook(node),
        "trigger-schedule" => schedule::schedule(node),
        "trigger-plugin" => Made::unsupported("there is no trigger for this plugin here: start the run by webhook"),
        "llm" => model::llm(node),
        "parameter-extractor" => model::extractor(node),
        "question-classifier" => model::classifier(node),
        "agent" => model::agent(node),
        "knowledge-retrieval" => model::retrieval(node),
        "tool" => model::tool(node),
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
        "code" => Made::unsupported("programs are not carried over: write it with transform, template or http"),
        "document-extractor" => Made::unsupported("files are not read by a workflow: send their text as input"),
        "datasource" | "datasource-empty" | "knowledge-index" => {
            Made::unsupported("documents are put into sources elsewhere, not by a workflow")
        }
        "" => Made::unsupported("it has no type"),
        kind => Made::unsupported(format!(
            "there is no match for the type `{}`: call its service by http",
            clipped(kind, 60)
        )),
    }
}
