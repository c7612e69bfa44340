//! Dify's templates: `{{#1711528914102.text#}}` is a placeholder, and everything else is literal text.

use std::collections::{BTreeSet, HashSet};

use serde_json::Value;

use super::super::lenient::{list, scalar_text, text, truncate};
use super::super::notes::{Notes, note};
use super::super::pieces::{Piece, Pieces, Placeholder, TOO_MANY, untranslated_marker};
use super::super::syntax;
use super::context::Context;
use engine::expression::JinjaTemplate;

/// The most pieces of one template.
const MAX_PIECES: usize = 400;
const MAX_SELECTOR_BYTES: usize = 300;

impl Context<'_, '_> {
    /// A template in Jinja.
    pub fn jinja(&self, value: &Value, notes: &mut Notes) -> String {
        pieces(&scalar_text(value), self).jinja(notes)
    }
}

pub fn pieces(text: &str, node: &Context) -> Pieces {
    let mut pieces = Vec::new();
    let (mut rest, mut from) = (text, 0);
    while let Some(start) = rest[from..].find("{{#").map(|start| from + start) {
        let after = &rest[start + 3..];
        let window = &after[..after.floor_char_boundary(MAX_SELECTOR_BYTES)];
        let Some(end) = window.find("#}}").filter(|end| is_selector(&after[..*end])) else {
            from = start + 3;
            continue;
        };
        if pieces.len() >= MAX_PIECES {
            pieces.push(Piece::Placeholder(Placeholder::untranslatable(rest.to_owned(), TOO_MANY)));
            rest = "";
            break;
        }
        if start > 0 {
            pieces.push(Piece::Text(rest[..start].to_owned()));
        }
        let parts: Vec<&str> = after[..end].split('.').collect();
        let placeholder = match &parts[..] {
            ["context"] => node.placeholder(&node.data("context")["variable_selector"]),
            parts => node.selector_placeholder(parts),
        };
        pieces.push(Piece::Placeholder(placeholder));
        (rest, from) = (&after[end + 3..], 0);
    }
    if !rest.is_empty() {
        pieces.push(Piece::Text(rest.to_owned()));
    }
    Pieces(pieces)
}

fn is_selector(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | '_' | '-'))
}

/// A Jinja template whose variables are bound to selectors.
pub fn template(node: Context, template: &str, variables: &Value, notes: &mut Notes) -> String {
    let mut written = String::new();
    for variable in list(variables).iter().take(100) {
        let name = text(&variable["variable"]);
        let is_word = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
            && name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        let placeholder = node.placeholder(&variable["value_selector"]);
        match (is_word, placeholder.jinja) {
            (true, Ok(path)) => written.push_str(&format!("{{% set {name} = {path} %}}")),
            (true, Err(why)) => {
                note(notes, format!("`{name}` is not bound: {why}"));
                written.push_str(&format!("{{% set {name} = {} %}}", untranslated_marker(&placeholder.original)));
            }
            (false, _) => note(notes, format!("`{}` is not a valid variable name", scalar_text(&variable["variable"]))),
        }
        placeholder.notes.into_iter().for_each(|text| note(notes, text));
    }
    // An unbound name prints nothing in Dify and is an error here. It must not match one of our names by chance.
    let bound: HashSet<&str> = list(variables).iter().map(|variable| text(&variable["variable"])).collect();
    let read = JinjaTemplate::parse(template);
    let unbound: BTreeSet<Box<str>> =
        read.iter().flat_map(JinjaTemplate::references).map(|named| named.variable).collect();
    for name in unbound.iter().filter(|name| !bound.contains(&***name)) {
        note(notes, format!("`{}` is not bound to a value: replace it", truncate(name, 60)));
        if matches!(&**name, "input" | "nodes" | "run" | "vars") {
            written.push_str(&format!("{{% set {name} = {} %}}", untranslated_marker(name)));
        }
    }
    written.push_str(template);
    written
}

/// A part of a prompt, in either template language.
pub fn prompt(node: Context, part: &Value, variables: &Value, notes: &mut Notes) -> String {
    match text(&part["edition_type"]) {
        "jinja2" => template(node, text(&part["jinja2_text"]), variables, notes),
        _ => node.jinja(&without_files(&scalar_text(&part["text"])).into(), notes),
    }
}

/// A prompt without the places of files, which print nothing.
pub fn without_files(text: &str) -> String {
    text.replace("{{#sys.files#}}", "")
}

/// Translates `{type: "mixed" | "variable" | "constant", value}`, the parameters of tools and agents.
pub fn parameter(node: Context, parameter: &Value, notes: &mut Notes) -> String {
    let value = if parameter.is_object() { &parameter["value"] } else { parameter };
    match (text(&parameter["type"]), value) {
        ("variable", selector @ Value::Array(_)) => node.selector_cel(selector, notes),
        (_, Value::String(text)) => match pieces(text, &node) {
            pieces if pieces.0.is_empty() => syntax::quote(text),
            pieces => pieces.cel(notes),
        },
        (_, other) => syntax::cel_literal(other),
    }
}

/// Literal text.
pub fn literal(text: &str) -> String {
    syntax::escape_jinja(text)
}
