//! Renders the parameter table as Markdown, for the README and the API documents.

use std::fmt::Write;

use super::{CHAT, EMBEDDINGS, IMAGES, Parameter, RERANK, Rule};

/// Returns the legend, and one table for each kind of call.
pub fn markdown() -> String {
    let mut text = String::from(
        "*sent*: forwarded unchanged. *dropped*: left out and listed in `X-Svc-Dropped`; with `unsupported: \
         \"reject\"` in the catalog the request is refused instead. *refused*: 400 `parameter_not_supported`. Values \
         that request the default (`n: 1`, `store: false`, a penalty of 0) are neither refused nor listed. A parameter \
         that is not in the table is sent to OpenAI-compatible providers and dropped for the others; a request may \
         have up to 64 of them.\n",
    );
    let tables = [
        ("Chat completions", &CHAT[..]),
        ("Embeddings", &EMBEDDINGS[..]),
        ("Images", &IMAGES[..]),
        ("Reranking", &RERANK[..]),
    ];
    for (title, table) in tables {
        let _ = write!(
            text,
            "\n{title}:\n\n| parameter | OpenAI-compatible | Anthropic | Gemini | Bedrock |\n|---|---|---|---|---|\n"
        );
        for Parameter { name, openai, anthropic, gemini, bedrock } in table {
            let cells = [openai, anthropic, gemini, bedrock].map(cell);
            let _ = writeln!(text, "| `{name}` | {} |", cells.join(" | "));
        }
    }
    text
}

fn cell(rule: &Rule) -> &'static str {
    match rule {
        Rule::Sent => "sent",
        Rule::Mapped(text) | Rule::Adapted(text) => text,
        Rule::Dropped => "dropped",
        Rule::Refused(_) => "refused",
    }
}
