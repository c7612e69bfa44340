//! Limits on the user input that errors repeat: messages, field names and details are shortened here.

use std::borrow::Cow;

use serde_json::Value;

use super::text::{MAX_ECHO_CHARS, shorten, shorten_to};

pub const MOST_FIELD_CHARS: usize = 300;
pub const MOST_MESSAGE_CHARS: usize = 2_000;

/// Shortens the long names in the path of a field.
pub fn shorten_field(path: &str) -> Cow<'_, str> {
    if path.len() <= MAX_ECHO_CHARS {
        return Cow::Borrowed(path);
    }
    let names: Vec<Cow<str>> = path.split('.').take(MOST_FIELD_CHARS).map(shorten).collect();
    Cow::Owned(shorten_to(&names.join("."), MOST_FIELD_CHARS).into_owned())
}

/// Shortens the texts that a message quotes: `unknown field `aaa…`, expected …`.
pub fn shorten_message(text: &str) -> Cow<'_, str> {
    if text.len() <= MAX_ECHO_CHARS {
        return Cow::Borrowed(text);
    }
    let (mut shown, mut rest) = (String::new(), text);
    while let Some(quote) = rest.find(['`', '"']).filter(|_| shown.len() <= 4 * MOST_MESSAGE_CHARS) {
        let (before, quoted) = rest.split_at(quote + 1);
        let end = end_of_quoted(quoted, rest.as_bytes()[quote]);
        shown.push_str(before);
        shown.push_str(&shorten(&quoted[..end]));
        let after = quoted.len().min(end + 1);
        shown.push_str(&quoted[end..after]);
        rest = &quoted[after..];
    }
    shown.push_str(rest);
    Cow::Owned(shorten_to(&shown, MOST_MESSAGE_CHARS).into_owned())
}

/// The index of the closing quote. Double quotes within the text are escaped.
fn end_of_quoted(text: &str, quote: u8) -> usize {
    let mut is_escaped = false;
    let end = text.bytes().position(|byte| {
        let ends = byte == quote && !is_escaped;
        is_escaped = quote == b'"' && byte == b'\\' && !is_escaped;
        ends
    });
    end.unwrap_or(text.len())
}

/// Limits the details of an error to `most_bytes` of JSON. A list keeps its first entries; long texts are shortened.
pub fn shorten_details(details: &Value, most_bytes: usize) -> Value {
    let mut left = most_bytes;
    match details {
        Value::Array(items) => {
            let items = items.iter().map(shorten_texts);
            items.take_while(|item| take_bytes(&mut left, item)).collect()
        }
        other => Some(shorten_texts(other)).filter(|other| take_bytes(&mut left, other)).unwrap_or_default(),
    }
}

fn take_bytes(left: &mut usize, part: &Value) -> bool {
    let after = left.checked_sub(part.to_string().len() + 1);
    *left = after.unwrap_or_default();
    after.is_some()
}

fn shorten_texts(value: &Value) -> Value {
    match value {
        Value::String(text) => shorten_message(text).into(),
        Value::Array(items) => items.iter().map(shorten_texts).collect(),
        Value::Object(entries) => {
            entries.iter().map(|(name, value)| (shorten(name).into_owned(), shorten_texts(value))).collect()
        }
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn quoted_texts_are_shortened_and_the_rest_is_kept() {
        let long = "ä".repeat(5_000);
        let cut = "ä".repeat(MAX_ECHO_CHARS);
        let shown = shorten_message(&format!("unknown field `{long}`, expected one of `a`, `b`")).into_owned();
        assert_eq!(shown, format!("unknown field `{cut}…`, expected one of `a`, `b`"));
        let shown =
            shorten_message(&format!("invalid type: string {:?}, expected u64", format!("\"{long}\""))).into_owned();
        assert!(shown.ends_with("…\", expected u64"), "{shown}");
        for hostile in ["`".repeat(9_000), "\"\\".repeat(9_000), format!("`{long}"), long.clone()] {
            assert!(shorten_message(&hostile).chars().count() <= MOST_MESSAGE_CHARS + 1);
        }
        assert_eq!(shorten_message("short `x`"), "short `x`");
    }

    #[test]
    fn long_names_in_a_path_are_shortened() {
        let long = "x".repeat(5_000);
        assert_eq!(shorten_field(&format!("config.{long}.url")), format!("config.{}….url", "x".repeat(MAX_ECHO_CHARS)));
        assert!(shorten_field(&"a.".repeat(100_000)).chars().count() <= MOST_FIELD_CHARS + 1);
    }

    #[test]
    fn details_keep_as_many_entries_as_fit() {
        let entries = json!(vec![json!({"message": "x".repeat(1_000)}); 100]);
        let kept = shorten_details(&entries, 10_000);
        assert!((5..10).contains(&kept.as_array().unwrap().len()));
        assert!(kept.to_string().len() <= 10_000);
        assert_eq!(shorten_details(&json!({"line": 3}), 100), json!({"line": 3}));
        assert_eq!(shorten_details(&json!({"line": "x".repeat(1_000)}), 100), Value::Null);
    }
}
