//! Secret detection. No secret may reach a draft or a report. A value counts as secret by its name, as user info in a URL,
//! or after the word `Bearer`. A false positive costs a look at the original; a false negative leaks a secret.

mod address;
mod text;

use serde_json::Value;

use super::pieces::{Notes, note};

pub use address::without_secrets;
pub use text::shown_text;

/// What replaces a removed value.
const LEFT_OUT: &str = "(left out)";

/// Words in the names of secrets: `X-Api-Key`, `access_token`, `clientSecret`.
const WORDS: [&str; 24] = [
    "apikey",
    "auth",
    "authorization",
    "bearer",
    "cookie",
    "cookies",
    "credential",
    "credentials",
    "jwt",
    "key",
    "keys",
    "oauth",
    "pass",
    "passcode",
    "passphrase",
    "passwd",
    "password",
    "passwords",
    "pwd",
    "secret",
    "secrets",
    "sig",
    "signature",
    "token",
];
/// Endings of words that are written together: `accesstoken`.
const ENDINGS: [&str; 11] = [
    "accesskey",
    "apikey",
    "authkey",
    "authorization",
    "cookie",
    "password",
    "privatekey",
    "secret",
    "secretkey",
    "signature",
    "token",
];
/// A longer name is not a name.
const MAX_NAME_BYTES: usize = 100;

/// Whether the name is one of a secret.
pub fn is_secret(name: &str) -> bool {
    let words = words(name);
    // `genericAuthType` names a kind of authentication, and an idempotency key grants no access.
    let is_other = words.last().is_some_and(|word| word == "type") || words.iter().any(|word| word == "idempotency");
    let is_known = |word: &String| WORDS.contains(&word.as_str()) || ENDINGS.iter().any(|end| word.ends_with(end));
    !is_other && words.iter().any(is_known)
}

/// The words of a name in lower case. Digits and punctuation separate words, and a capital starts one.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let (mut before, mut chars) = (' ', name.chars().peekable());
    while let Some(c) = chars.next() {
        let is_begun =
            c.is_uppercase() && (!before.is_uppercase() || chars.peek().is_some_and(|next| next.is_lowercase()));
        match words.last_mut() {
            Some(word) if c.is_alphabetic() && !is_begun => word.extend(c.to_lowercase()),
            _ => words.push(c.to_lowercase().filter(|c| c.is_alphabetic()).collect()),
        }
        before = c;
    }
    words.retain(|word| !word.is_empty());
    words
}

/// The fields without plain-text secrets. The names of removed fields are added to `secrets`.
pub fn without_clear<N: AsRef<str>, V>(
    fields: Vec<(N, V)>,
    is_clear: impl Fn(&V) -> bool,
    secrets: &mut Vec<String>,
) -> Vec<(N, V)> {
    let (kept, left_out): (Vec<_>, Vec<_>) =
        fields.into_iter().partition(|(name, value)| !(is_secret(name.as_ref()) && is_clear(value)));
    secrets.extend(left_out.into_iter().map(|(name, _)| name.as_ref().to_owned()));
    kept
}

/// A text body without secrets. A body with placeholders is kept as it is.
pub fn without_clear_text(body: &str, notes: &mut Notes) -> String {
    let kept = if body.contains("{{") { body.to_owned() } else { shown_text(body) };
    if kept != body {
        note(notes, "what looks like a secret in its body is left out");
    }
    kept
}

/// The original node without its secrets.
pub fn shown(original: &Value) -> Value {
    match original {
        Value::String(text) => shown_text(text).into(),
        Value::Array(items) => items.iter().map(shown).collect(),
        Value::Object(entries) => {
            // `{"name": "X-Api-Key", "value": "…"}`
            let named = ["name", "key"].iter().filter_map(|field| entries.get(*field)?.as_str());
            let is_pair = named.into_iter().any(is_secret);
            let entry = |(name, entry): (&String, &Value)| {
                let is_value = is_pair && name.to_ascii_lowercase().contains("value");
                (name.clone(), if is_value || is_secret(name) { blank(entry) } else { shown(entry) })
            };
            Value::Object(entries.iter().map(entry).collect())
        }
        other => other.clone(),
    }
}

/// The value with everything removed except its type and the name of its header.
fn blank(value: &Value) -> Value {
    match value {
        Value::String(text) if text.is_empty() => value.clone(),
        Value::String(_) | Value::Number(_) => LEFT_OUT.into(),
        Value::Array(items) => items.iter().map(blank).collect(),
        Value::Object(entries) => {
            let is_kept = |name: &str| matches!(name, "type" | "header");
            let entry = |(name, entry): (&String, &Value)| {
                (name.clone(), if is_kept(name) { shown(entry) } else { blank(entry) })
            };
            Value::Object(entries.iter().map(entry).collect())
        }
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests;
