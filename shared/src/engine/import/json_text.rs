//! JSON that is written as a text with places to fill: `{"name": "{{ … }}", "age": {{ … }}}`.

use serde_json::Value;

use super::loose::is_empty;
use super::pieces::{Notes, Piece, Pieces};
use super::secrets::is_secret;
use super::written;

/// Stand around the number of what is filled in, while the text is read as JSON. Private characters: a text that has
/// them, or that JSON would read as having them, is none that is read here. So each number stands there once. The last
/// is the first of what stands outside of quotes.
const MARKS: [char; 3] = ['\u{f8f0}', '\u{f8f1}', '\u{f8f2}'];

/// What is found out while it is read.
#[derive(Default)]
struct Found {
    notes: Notes,
    secrets: Vec<String>,
}

/// The expression that makes the same value; none where the text is no JSON. Secrets that stand there in clear are left
/// out, and named.
pub fn cel(pieces: &Pieces, notes: &mut Notes, secrets: &mut Vec<String>) -> Option<String> {
    if let Some(filled) = pieces.sole() {
        return Some(filled.json(notes));
    }
    let json: Value = serde_json::from_str(&marked(pieces)?).ok()?;
    // Only what is used is noted.
    let mut found = Found::default();
    let cel = value(&json, pieces, &mut found);
    found.notes.into_iter().for_each(|one| super::pieces::note(notes, one));
    secrets.append(&mut found.secrets);
    Some(cel)
}

/// The text with a mark for each place: within quotes as it is, outside of them in quotes of its own.
fn marked(pieces: &Pieces) -> Option<String> {
    let (mut text, mut in_quotes, mut is_escaped) = (String::new(), false, false);
    for (index, piece) in pieces.0.iter().enumerate() {
        match piece {
            Piece::Text(said) if said.contains(MARKS) || has_escaped_mark(said) => return None,
            Piece::Text(said) => {
                for c in said.chars() {
                    in_quotes ^= c == '"' && !is_escaped;
                    is_escaped = c == '\\' && !is_escaped;
                    text.push(c);
                }
            }
            Piece::Filled(_) => {
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

/// As deep as JSON may be, which its reader bounds.
fn value(json: &Value, pieces: &Pieces, found: &mut Found) -> String {
    match json {
        Value::String(text) => filled(text, pieces, &mut found.notes),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(|item| value(item, pieces, found)).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(entries) => {
            let mut kept = Vec::new();
            for (name, entry) in entries {
                if is_secret(name) && is_clear(entry) {
                    found.secrets.push(name.clone());
                    continue;
                }
                let name = filled(name, pieces, &mut found.notes);
                kept.push(format!("{name}: {}", value(entry, pieces, found)));
            }
            format!("{{{}}}", kept.join(", "))
        }
        other => written::value(other),
    }
}

/// Whether it says something, all of which stands there as it is.
fn is_clear(json: &Value) -> bool {
    let is_plain = |json: &Value| !json.to_string().contains(MARKS);
    !matches!(json, Value::Null | Value::Bool(_)) && !is_empty(json) && is_plain(json)
}

/// A text with the marks taken out again.
fn filled(text: &str, pieces: &Pieces, notes: &mut Notes) -> String {
    let mut parts = Vec::new();
    for part in text.split_inclusive(MARKS[1]) {
        let (said, place) = match part.split_once([MARKS[0], MARKS[2]]) {
            Some((said, place)) => (said, place.trim_end_matches(MARKS[1]).parse::<usize>().ok()),
            None => (part, None),
        };
        if !said.is_empty() {
            parts.push(Piece::Text(said.to_owned()));
        }
        parts.extend(place.and_then(|place| pieces.0.get(place)).cloned());
    }
    let pieces = Pieces(parts);
    match pieces.sole() {
        Some(filled) if text.starts_with(MARKS[2]) => filled.json(notes),
        // `"{{ x }}"` is `x` itself: what it is is better kept than made a text.
        _ => pieces.cel(notes),
    }
}
