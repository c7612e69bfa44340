//! Translates nodes with code. JavaScript stays as it is; other languages cannot run here.

use serde_json::json;

use crate::lenient::text;
use crate::n8n::context::Context;
use crate::notes::{Notes, note};
use crate::translation::Translation;
use engine::nodes::{ERROR, OUT};

/// What the sandbox does not have, and what to do instead.
const MISSING: [(&str, &str); 8] = [
    ("require(", "modules: write the code without `require`"),
    ("import(", "modules: write the code without `import`"),
    ("$helpers", "HTTP calls: make them with an http node"),
    ("this.helpers", "`this.helpers`: make calls with an http node, and read files from `$binary`"),
    ("fetch(", "HTTP calls: make them with an http node"),
    ("axios", "HTTP calls: make them with an http node"),
    ("setTimeout(", "timers: wait with a delay node"),
    ("process.env", "environment variables: write the value into the code"),
];

pub fn code(node: Context) -> Translation {
    let (kind, language) = (node.source().kind, text(node.parameter("language")));
    if language.starts_with("python") {
        return python(text(node.parameter("pythonCode")));
    }
    let source =
        ["jsCode", "functionCode"].map(|name| text(node.parameter(name))).into_iter().find(|code| !code.is_empty());
    let source = source.unwrap_or("return items;").trim_end();
    let is_each = kind == "functionItem" || text(node.parameter("mode")) == "runOnceForEachItem";
    let on_error = text(&node.source().raw["onError"]);
    let policy = match on_error {
        "continueRegularOutput" => ", \"item\"",
        "continueErrorOutput" => ", \"branch\"",
        _ => "",
    };
    let javascript = match kind {
        "functionItem" => format!("return n8n.each(async (item = $json) => {{\n{source}\n}}{policy});"),
        _ if is_each => format!("return n8n.each(async () => {{\n{source}\n}}{policy});"),
        _ => source.to_owned(),
    };
    let mut notes = Notes::new();
    for (_, what) in MISSING.iter().filter(|(word, _)| calls(source, word)) {
        note(&mut notes, format!("its code needs {what}"));
    }
    let translation = Translation::new("code", json!({"javascript": javascript})).with_notes(notes);
    match is_each && on_error == "continueErrorOutput" {
        true => translation.with_outputs(&[OUT, ERROR]).with_exits([("0", 0, OUT), (ERROR, 0, ERROR)]),
        false => translation,
    }
}

/// Whether the code has the word, and not as the end of another one.
fn calls(source: &str, word: &str) -> bool {
    let begins = |at: usize| !source[..at].ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '$'));
    source.match_indices(word).any(|(at, _)| begins(at))
}

/// A node that keeps the code for the person who writes it in JavaScript. Its runs fail until then.
fn python(source: &str) -> Translation {
    let lines: String = source.trim_end().lines().map(|line| format!("// {line}\n")).collect();
    let javascript = format!(
        "// Write this in JavaScript, and remove the last line.\n{lines}\
         throw new Error('the code of this node is not JavaScript: write it in JavaScript');"
    );
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
