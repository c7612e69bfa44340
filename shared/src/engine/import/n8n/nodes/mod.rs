//! n8n's types of nodes, and what each becomes.

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

use super::super::loose::{clipped, text};
use super::super::made::{Made, TOO_LONG};
use super::context::Context;
use super::document::Source;
use super::expressions::Shape;

pub use triggers::PINNED;

/// What is advised where no service is called.
const AS_VALUES: &str = "write it with transform or template";

/// What a node becomes, without what all nodes have in common.
pub fn make(node: Context) -> Made {
    let source = node.source();
    if source.is_too_long {
        return Made::unsupported(TOO_LONG);
    }
    if is_sent_and_waited_for(source) {
        return messages::review(node);
    }
    match source.kind {
        "webhook" => triggers::webhook(node),
        _ if keeps_pinned(source) => triggers::input(node),
        "scheduleTrigger" | "cron" | "interval" => schedule::schedule(node),
        kind if is_messaging(kind) && kind.ends_with("Trigger") => triggers::message(node),
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
        kind if is_messaging(kind) => messages::send(node),
        "code" | "function" | "functionItem" => {
            Made::unsupported("programs are not carried over: write it with transform, template or http")
        }
        "" => Made::unsupported("it has no type"),
        kind if source.is_trigger() => {
            Made::unsupported(format!("there is no trigger for `{}` here: start the run by webhook", clipped(kind, 60)))
        }
        kind if is_of_values(kind) => {
            Made::unsupported(format!("there is no match for the type `{kind}`: {AS_VALUES}"))
        }
        kind => Made::unsupported(format!(
            "there is no match for the type `{}`: call its service by http",
            clipped(kind, 60)
        )),
    }
}

/// Whether what was pinned to it becomes its example.
pub fn keeps_pinned(source: &Source) -> bool {
    matches!(source.kind, "manualTrigger" | "start" | "formTrigger" | "executeWorkflowTrigger" | "evaluationTrigger")
}

/// How the value of a node differs from what it was; none where it hands on what came in.
pub fn shape(source: &Source) -> Option<Shape> {
    if is_sent_and_waited_for(source) {
        return Some(Shape::Review);
    }
    match source.kind {
        "if" | "filter" | "switch" => None,
        "wait" => (!flow::is_delay(source)).then_some(Shape::Review),
        "form" => Some(Shape::Review),
        "webhook" => Some(Shape::Call),
        "httpRequest" if source.parameters["options"]["response"]["response"]["fullResponse"] == true => {
            Some(Shape::FullAnswer)
        }
        "httpRequest" => Some(Shape::Answer),
        "merge" => Some(Shape::List),
        _ if source.is_chat() => Some(Shape::Message),
        kind if is_messaging(kind) && kind.ends_with("Trigger") => Some(Shape::Message),
        "agent"
        | "chainLlm"
        | "chainSummarization"
        | "informationExtractor"
        | "chainRetrievalQa"
        | "openAi"
        | "anthropic"
        | "googleGemini"
        | "ollama"
        | "mistralAi" => Some(Shape::Text),
        kind if kind.starts_with("vectorStore") => Some(Shape::Passages),
        _ => Some(Shape::Same),
    }
}

fn is_sent_and_waited_for(source: &Source) -> bool {
    text(&source.parameters["operation"]) == "sendAndWait"
}

/// Whether it calls no service, and only makes values of others.
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

fn is_messaging(kind: &str) -> bool {
    matches!(kind.trim_end_matches("Trigger"), "slack" | "telegram" | "whatsApp")
}
