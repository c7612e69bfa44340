//! Renders the parameter table as Markdown, for the README and the API documents.

use std::fmt::Write;

use super::{CHAT, EMBEDDINGS, IMAGES, RERANK, Rule, SPEECH, TRANSCRIPTIONS};
use domain::provider::UpstreamApi;

/// Returns the legend, and one table for each kind of call.
pub fn markdown() -> String {
    let mut text = String::from(
        "*sent*: forwarded unchanged. *dropped*: left out and listed in `X-Svc-Dropped`; with `unsupported: \
         \"reject\"` in the catalog the request is refused instead. *refused*: 400 `parameter_not_supported`. A \
         value that is changed to the nearest one is listed in `X-Svc-Adjusted`, and refused as well with \
         `unsupported: \"reject\"`. Values that request the default (`n: 1`, `store: false`, a penalty of 0) are \
         neither refused nor listed. A parameter that is not in the table is sent to OpenAI-compatible providers and \
         dropped for the others; a request may have up to 64 of them. What the model's `unsupported_parameters` name \
         is dropped, whatever the table says. *OpenAI's responses* are deployments with `dialect: \"responses\"`.\n",
    );
    let tables = [
        ("Chat completions", &CHAT[..], &ALL_COLUMNS[..]),
        ("Embeddings", &EMBEDDINGS[..], &COLUMNS_OF_OTHERS[..]),
        ("Images, and their edits", &IMAGES[..], &COLUMNS_OF_OTHERS[..]),
        ("Reranking", &RERANK[..], &COLUMNS_OF_OTHERS[..]),
        ("Transcriptions and translations of audio", &TRANSCRIPTIONS[..], &COLUMNS_OF_OTHERS[..]),
        ("Speech", &SPEECH[..], &COLUMNS_OF_OTHERS[..]),
    ];
    for (title, table, columns) in tables {
        let heads: Vec<_> = columns.iter().map(|(head, _)| *head).collect();
        let rules = "---|".repeat(columns.len() + 1);
        let _ = write!(text, "\n{title}:\n\n| parameter | {} |\n|{rules}\n", heads.join(" | "));
        for parameter in table {
            let cells: Vec<_> = columns.iter().map(|(_, api)| cell(parameter.rule(*api))).collect();
            let _ = writeln!(text, "| `{}` | {} |", parameter.name, cells.join(" | "));
        }
    }
    text
}

type Column = (&'static str, UpstreamApi);

const OPENAI: Column = ("OpenAI-compatible", UpstreamApi::OpenAi);
const ANTHROPIC: Column = ("Anthropic", UpstreamApi::Anthropic);
const GEMINI: Column = ("Gemini", UpstreamApi::Gemini);
const BEDROCK: Column = ("Bedrock", UpstreamApi::Bedrock);
const ALL_COLUMNS: [Column; 5] =
    [OPENAI, ("OpenAI's responses", UpstreamApi::OpenAiResponses), ANTHROPIC, GEMINI, BEDROCK];
/// Only chats have a dialect.
const COLUMNS_OF_OTHERS: [Column; 4] = [OPENAI, ANTHROPIC, GEMINI, BEDROCK];

fn cell(rule: Rule) -> &'static str {
    match rule {
        Rule::Sent => "sent",
        Rule::Mapped(text) | Rule::Adapted(text) => text,
        Rule::Dropped => "dropped",
        Rule::Refused(_) => "refused",
    }
}
