//! Translates JSON templates with placeholders, `{"name": "{{ … }}", "age": {{ … }}}`, to CEL.

use serde_json::Value;

use super::lenient::is_empty;
use super::notes::Notes;
use super::pieces::{Piece, Pieces};
use super::secrets::is_secret;
use super::syntax;

/// Private-use characters that mark a placeholder's index while the text is parsed as JSON: the opening mark inside quotes,
/// the closing mark, and the opening mark outside quotes. A text that already contains them is refused, so every index
/// occurs once.
const MARKS: [char; 3] = ['\u{f8f0}', '\u{f8f1}', '\u{f8f2}'];

/// What is collected while the JSON is translated.
#[derive(Default)]
struct Collected {
    notes: Notes,
    secrets: Vec<String>,
}

/// The CEL expression for the same value. None when the text is not JSON. Secrets in plain text are removed, and their
/// names are added to `secrets`.
pub fn cel(pieces: &Pieces, notes: &mut Notes, secrets: &mut Vec<String>) -> Option<String> {
    if pieces.single_placeholder().is_some() {
        return Some(pieces.cel(notes));
    }
    let json: Value = serde_json::from_str(&mark_placeholders(pieces)?).ok()?;
    // The notes count only when the translation is used.
    let mut found = Collected::default();
    let cel = translate_value(&json, pieces, &mut found);
    found.notes.into_iter().for_each(|one| super::notes::note(notes, one));
    secrets.append(&mut found.secrets);
    Some(cel)
}

/// The text with every placeholder replaced by its mark. A mark outside quotes gets quotes, so that the JSON parses.
fn mark_placeholders(pieces: &Pieces) -> Option<String> {
    let (mut text, mut in_quotes, mut is_escaped) = (String::new(), false, false);
    for (index, piece) in pieces.0.iter().enumerate() {
        match piece {
            Piece::Text(literal) if literal.contains(MARKS) || has_escaped_mark(literal) => return None,
            Piece::Text(literal) => {
                for c in literal.chars() {
                    in_quotes ^= c == '"' && !is_escaped;
                    is_escaped = c == '\\' && !is_escaped;
                    text.push(c);
                }
            }
            Piece::Placeholder(_) => {
                let (quote, mark) = if in_quotes { ("", MARKS[0]) } else { ("\"", MARKS[2]) };
                text.push_str(&format!("{quote}{mark}{index}{}{quote}", MARKS[1]));
            }
        }
    }
    Some(text)
}

fn has_escaped_mark(text: &str) -> bool {
    let mut escapes = text.match_indices("\\u").map(|(at, _)| &text.as_bytes()[at + 2..]);
    escapes.any(|digits| digits.get(..3).is_some_and(|digits| digits.eq_ignore_ascii_case(b"f8f")))
}

/// Recurses. The JSON parser bounds the depth.
fn translate_value(json: &Value, pieces: &Pieces, found: &mut Collected) -> String {
    match json {
        Value::String(text) => translate_string(text, pieces, &mut found.notes),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(|item| translate_value(item, pieces, found)).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(entries) => {
            let mut kept = Vec::new();
            for (name, entry) in entries {
                if is_secret(name) && is_clear(entry) {
                    found.secrets.push(name.clone());
                    continue;
                }
                let name = translate_string(name, pieces, &mut found.notes);
                kept.push(format!("{name}: {}", translate_value(entry, pieces, found)));
            }
            format!("{{{}}}", kept.join(", "))
        }
        other => syntax::cel_literal(other),
    }
}

/// Whether the value is not empty and has no placeholder.
fn is_clear(json: &Value) -> bool {
    let is_plain = |json: &Value| !json.to_string().contains(MARKS);
    !matches!(json, Value::Null | Value::Bool(_)) && !is_empty(json) && is_plain(json)
}

/// The expression for a string with marks.
fn translate_string(text: &str, pieces: &Pieces, notes: &mut Notes) -> String {
    let mut parts = Vec::new();
    for part in text.split_inclusive(MARKS[1]) {
        let (literal, index) = match part.split_once([MARKS[0], MARKS[2]]) {
            Some((literal, index)) => (literal, index.trim_end_matches(MARKS[1]).parse::<usize>().ok()),
            None => (part, None),
        };
        if !literal.is_empty() {
            parts.push(Piece::Text(literal.to_owned()));
        }
        parts.extend(index.and_then(|index| pieces.0.get(index)).cloned());
    }
    // `"{{ x }}"` becomes `x` with its own type, not a string.
    Pieces(parts).cel(notes)
}
