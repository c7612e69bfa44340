//! n8n's node types, with the converter of each.

mod ai;
mod chains;
mod conditions;
mod flow;
mod http;
mod logic;
mod messages;
mod schedule;
mod set;
mod triggers;

use super::super::lenient::truncate;
use super::super::translation::{TOO_LONG, Translation};
use super::context::Context;
use super::document::SourceNode;

pub use triggers::PINNED;

/// The advice for nodes that call no service.
const AS_VALUES: &str = "use transform or template instead";

/// Converts a node, without the policies that all nodes have.
pub fn translate(node: Context) -> Translation {
    let source = node.source();
    if source.is_too_long {
        return Translation::unsupported(TOO_LONG);
    }
    if source.waits_for_answer() {
        return messages::review(node);
    }
    match source.kind {
        "webhook" => triggers::webhook(node),
        _ if uses_pinned_data(source) => triggers::input(node),
        "scheduleTrigger" | "cron" | "interval" => schedule::schedule(node),
        kind if source.is_messaging() && kind.ends_with("Trigger") => triggers::message(node),
        _ if source.is_chat() => triggers::message(node),
        "httpRequest" => http::http(node),
        "if" => logic::condition(node),
        "filter" => logic::filter(node),
        "switch" => logic::switch(node),
        "set" => set::set(node),
        "splitInBatches" => flow::each(node),
        "splitOut" | "itemLists" => flow::split_out(node),
        "aggregate" => flow::aggregate(node),
        "limit" => flow::limit(node),
        "merge" => flow::merge(node),
        "wait" => flow::wait(node),
        "executeWorkflow" => flow::workflow(node),
        "stopAndError" => flow::fail(node),
        "respondToWebhook" => flow::respond(node),
        "form" => messages::form(node),
        "agent" => ai::agent(node),
        "chainLlm"
        | "chainSummarization"
        | "informationExtractor"
        | "sentimentAnalysis"
        | "textClassifier"
        | "chainRetrievalQa" => chains::chain(node),
        "openAi" | "anthropic" | "googleGemini" | "ollama" | "mistralAi" => ai::service(node),
        "guardrails" => ai::guard(node),
        kind if kind.starts_with("vectorStore") => ai::retrieval(node),
        _ if source.is_messaging() => messages::send(node),
        "code" | "function" | "functionItem" => {
            Translation::unsupported("code is not supported: use transform, template or http instead")
        }
        "" => Translation::unsupported("the node has no type"),
        kind if source.is_trigger() => Translation::unsupported_trigger(format!(
            "the trigger `{}` is not supported: start the run by webhook",
            truncate(kind, 60)
        )),
        kind if is_of_values(kind) => {
            Translation::unsupported(format!("the type `{kind}` is not supported: {AS_VALUES}"))
        }
        kind => Translation::unsupported(format!(
            "the type `{}` is not supported: call its service by http",
            truncate(kind, 60)
        )),
    }
}

/// Whether the pinned data becomes the node's example.
pub fn uses_pinned_data(source: &SourceNode) -> bool {
    matches!(source.kind, "manualTrigger" | "start" | "formTrigger" | "executeWorkflowTrigger" | "evaluationTrigger")
}

/// Whether the node only computes values, without calling a service.
fn is_of_values(kind: &str) -> bool {
    const KINDS: [&str; 10] = [
        "compareDatasets",
        "dateTime",
        "html",
        "markdown",
        "moveBinaryData",
        "removeDuplicates",
        "renameKeys",
        "sort",
        "summarize",
        "xml",
    ];
    KINDS.contains(&kind)
}
