//! n8n's node types, with the translator of each.

mod agents;
mod ai;
mod chains;
mod code;
pub mod data;
mod files;
mod flow;
mod forms;
mod hooks;
mod http;
mod media;
mod messages;
mod parsers;
mod poll;
mod respond;
mod schedule;
mod seen;
mod triggers;

use super::context::Context;
use super::document::{REPEAT, SourceNode};
use super::javascript::expression;
use super::{policies, services};
use crate::lenient::{text, truncate};
use crate::translation::{TOO_LONG, Translation};

pub use agents::is_part;
pub use ai::model_name;
pub use chains::schema;
pub use parsers::fixes_answers;
pub use respond::{last_output, result};
pub use triggers::PINNED;

/// Translates a node, with the policies that all nodes have.
pub fn translate(node: Context) -> Translation {
    let mut translation = match node.source().is_too_long {
        true => Translation::unsupported(TOO_LONG),
        false => translate_type(node),
    };
    if translation.placeholder().is_none() {
        let formatting = messages::formatting(node, &translation);
        translation = translation.with_notes(formatting);
        policies::set(node, &mut translation);
        translation = translation.with_removed_secrets("", node.workflow.parameters[node.node].removed.clone());
    }
    translation
}

fn translate_type(node: Context) -> Translation {
    let source = node.source();
    if source.passes_items_on() {
        return code::pass(node);
    }
    if source.waits_for_answer() {
        return messages::review(node);
    }
    let answer = || messages::answer(node).filter(|_| source.is_messaging());
    let bot = || {
        let bot = || services::translate_bot(source.version, node.parameters(), &expression);
        messages::needs_bot(node).then(bot).flatten()
    };
    let service = || services::translate(source.kind, source.version, node.parameters(), &expression);
    let translation = match source.is_trigger() {
        true => hooks::hook(node).or_else(|| poll::poll(node)),
        false => bot().or_else(answer).or_else(service),
    };
    if let Some(translation) = translation {
        return translation;
    }
    match source.kind {
        "webhook" => triggers::webhook(node),
        "formTrigger" => triggers::form(node),
        "errorTrigger" => triggers::error(),
        _ if uses_pinned_data(source) => triggers::input(node),
        "scheduleTrigger" | "cron" | "interval" => schedule::schedule(node),
        kind if source.is_messaging() && kind.ends_with("Trigger") => triggers::message(node),
        _ if source.is_chat() => triggers::message(node),
        "code" | "function" | "functionItem" | "aiTransform" => code::code(node),
        "extractFromFile" | "convertToFile" | "spreadsheetFile" | "readPDF" => files::file(node),
        "writeBinaryFile" => files::kept(node),
        "readWriteFile" if text(node.parameter("operation")) == "write" => files::kept(node),
        kind if data::is_data(kind) => data::data(node),
        "httpRequest" => http::http(node),
        "splitInBatches" => flow::batches(node),
        REPEAT => flow::repeat(),
        "wait" => flow::wait(node),
        "executeWorkflow" => flow::workflow(node),
        "stopAndError" => flow::fail(node),
        "respondToWebhook" => respond::respond(node),
        "form" => forms::form(node),
        "agent" => agents::agent(node),
        "chainLlm"
        | "chainSummarization"
        | "informationExtractor"
        | "sentimentAnalysis"
        | "textClassifier"
        | "chainRetrievalQa" => chains::chain(node),
        "openAi" | "anthropic" | "googleGemini" | "ollama" | "mistralAi" => {
            media::media(node).unwrap_or_else(|| ai::service(node))
        }
        "guardrails" => ai::guard(node),
        kind if kind.starts_with("vectorStore") => ai::retrieval(node),
        "" => Translation::unsupported("the node has no type"),
        kind if source.is_trigger() => Translation::unsupported_trigger(format!(
            "the trigger `{}` is not supported: start the run by webhook",
            truncate(kind, 60)
        )),
        kind => {
            let what = ["resource", "operation"].map(|name| text(node.parameter(name))).join(" ");
            let what = if what.trim().is_empty() {
                String::new()
            } else {
                format!("the operation `{}` of ", truncate(what.trim(), 60))
            };
            let kind = truncate(kind, 60);
            Translation::unsupported(format!("{what}the type `{kind}` is not supported: call its service by http"))
        }
    }
}

/// Whether the result of a node depends on which items it gets together.
pub fn combines_items(node: Context) -> bool {
    let source = node.source();
    let combines = match source.kind {
        "code" => text(node.parameter("mode")) != "runOnceForEachItem",
        "function" | "aggregate" | "summarize" | "itemLists" | "limit" | "sort" | "removeDuplicates"
        | "splitInBatches" | "convertToFile" => true,
        _ => false,
    };
    combines || source.raw["executeOnce"] == true
}

/// Whether the pinned data becomes the node's example.
pub fn uses_pinned_data(source: &SourceNode) -> bool {
    matches!(source.kind, "manualTrigger" | "start" | "executeWorkflowTrigger" | "evaluationTrigger")
}
