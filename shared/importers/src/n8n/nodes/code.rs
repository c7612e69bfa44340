//! Translates nodes with code. JavaScript stays as it is; other languages cannot run here.

use engine::script::tokens::{self, Kind};
use serde_json::json;

use crate::lenient::text;
use crate::n8n::context::Context;
use crate::n8n::policies::OnError;
use crate::notes::{Notes, note};
use crate::script;
use crate::translation::Translation;

/// What the sandbox does not have, and what to do instead.
const MISSING: [(&str, &str); 7] = [
    ("require(", "modules: write the code without `require`"),
    ("import(", "modules: write the code without `import`"),
    ("$helpers", "HTTP calls: make them with an http node"),
    ("this.helpers", "`this.helpers`: make calls with an http node, and read files from `$binary`"),
    ("fetch(", "HTTP calls: make them with an http node"),
    ("axios", "HTTP calls: make them with an http node"),
    ("process.env", "environment variables: write the value into the code"),
];

/// The tokens of a pattern such as `{ a, b }` that are read for its names.
const MAX_PATTERN_TOKENS: usize = 200;

pub fn code(node: Context) -> Translation {
    let (kind, language) = (node.source().kind, text(node.parameter("language")));
    if language.starts_with("python") {
        return python(text(node.parameter("pythonCode")));
    }
    let source =
        ["jsCode", "functionCode"].map(|name| text(node.parameter(name))).into_iter().find(|code| !code.is_empty());
    let source = source.unwrap_or("return items;").trim_end();
    let (call, parameter) = match kind {
        "function" => ("function(async (items)", "items"),
        "functionItem" => ("functionItem(async (item)", "item"),
        _ if text(node.parameter("mode")) == "runOnceForEachItem" => ("each(async ()", ""),
        _ => ("all(async ()", ""),
    };
    // In n8n, the items are a global variable, so code may have a variable of the same name. Within a block, it may here, too.
    let (open, close) = if declares(source, parameter) { ("{{", "}}") } else { ("{", "}") };
    let on_error = OnError::read(node);
    let policy = on_error.map(|on_error| format!(", \"{}\"", on_error.of_item())).unwrap_or_default();
    // The code begins in the second line: the library counts its lines from there (`nodes/code.js`).
    let javascript = format!("return n8n.{call} => {open}\n{source}\n{close}{policy});");
    let mut notes = Notes::new();
    for (_, what) in MISSING.iter().filter(|(word, _)| calls(source, word)) {
        note(&mut notes, format!("its code needs {what}"));
    }
    if calls(source, "setTimeout(") {
        note(&mut notes, "the waits in its code are skipped: wait with a delay node where the time matters");
    }
    let translation = Translation::new("code", json!({"javascript": javascript})).with_notes(notes);
    if on_error == Some(OnError::Branch) { translation.with_error_port() } else { translation }
}

/// Whether the code declares a variable of this name outside the head of a loop.
fn declares(source: &str, name: &str) -> bool {
    let Some(tokens) = tokens::read(source) else { return false };
    let text = |index: usize| tokens.get(index).map_or("", |token| token.text(source));
    let end_of_pattern =
        |start: usize| (start..start + MAX_PATTERN_TOKENS).find(|&index| ["=", ";", ""].contains(&text(index)));
    (0..tokens.len()).any(|index| {
        let is_declaration = ["const", "let", "class"].contains(&text(index));
        let in_loop = index > 0 && text(index - 1) == "(";
        let names = match tokens.get(index + 1).map(|token| token.kind) {
            Some(Kind::Open) => index + 1..end_of_pattern(index + 1).unwrap_or_default(),
            _ => index + 1..index + 2,
        };
        is_declaration && !in_loop && names.into_iter().any(|index| text(index) == name && !name.is_empty())
    })
}

/// Whether the code has the word, and not as the end of another one.
fn calls(source: &str, word: &str) -> bool {
    let begins = |at: usize| !source[..at].ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '$'));
    source.match_indices(word).any(|(at, _)| begins(at))
}

fn python(source: &str) -> Translation {
    let javascript = script::to_be_written(source, "");
    let why = "code runs in JavaScript only: the node has its Python as a comment, write it in JavaScript";
    Translation::new("code", json!({"javascript": javascript})).with_notes([why])
}

/// Passes the items on, for nodes that name this one.
pub fn pass(node: Context) -> Translation {
    let translation = Translation::new("code", json!({"javascript": "return $input.all();"}));
    match node.source().is_disabled {
        true => translation.with_notes(["it was disabled: it passes its items on"]),
        false => translation,
    }
}
