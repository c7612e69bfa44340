//! The table as the documents print it.

use std::fmt::Write;

use super::{CHAT, EMBEDDINGS, Parameter, Rule};

/// Markdown: how to read it, and a table for each call.
pub fn markdown() -> String {
    let mut text = String::from(
        "*sent*: as it came. *dropped*: left out and named in `X-Svc-Dropped`; with `unsupported: \"reject\"` in the \
         catalog the request is refused instead. *refused*: 400 `parameter_not_supported`. Values that ask for nothing \
         (`n: 1`, `store: false`, a penalty of 0) are neither. A parameter that is not listed is sent to providers of \
         OpenAI's kind and dropped for the others; a request may have 64 of them.\n",
    );
    for (title, table) in [("Chat completions", &CHAT[..]), ("Embeddings", &EMBEDDINGS[..])] {
        let _ = write!(
            text,
            "\n{title}:\n\n| parameter | OpenAI's kind | Anthropic | Gemini | Bedrock |\n|---|---|---|---|---|\n"
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
