//! Secret detection. No secret may reach a draft or a report. A value counts as secret by its name, as user info in a URL,
//! after the word `Bearer`, or as a key of a well-known service. A false positive costs a look at the original; a false negative leaks a secret.

mod address;
mod names;
mod parameters;
mod text;

use domain::credential::Credential;
use serde_json::{Map, Value};

use super::notes::{Notes, note};

pub use address::remove_url_secrets;
pub use domain::secret_name::is_secret;
pub use parameters::{CleanParameters, is_removed};
pub use text::{redact_code, redact_text};

/// What replaces a removed value.
const REDACTED: &str = "(left out)";
/// A longer name is not a name.
const MAX_NAME_BYTES: usize = 100;

/// The fields without plain-text secrets. The names of removed fields are added to `secrets`.
pub fn remove_plain_secrets<N: AsRef<str>, V>(
    fields: Vec<(N, V)>,
    is_clear: impl Fn(&V) -> bool,
    secrets: &mut Vec<String>,
) -> Vec<(N, V)> {
    let (kept, left_out): (Vec<_>, Vec<_>) =
        fields.into_iter().partition(|(name, value)| !(is_secret(name.as_ref()) && is_clear(value)));
    secrets.extend(left_out.into_iter().map(|(name, _)| name.as_ref().to_owned()));
    kept
}

/// The URL with the place of a credential where a secret was removed from its path; none if none was.
pub fn with_path_place(address: &str) -> Option<String> {
    let removed = format!("{REDACTED}/");
    address.contains(&removed).then(|| address.replace(&removed, &format!("{}/", Credential::PATH_PLACE)))
}

/// A text body without secrets. A body with placeholders is kept as it is.
pub fn redact_body(body: &str, notes: &mut Notes) -> String {
    let kept = if body.contains("{{") { body.to_owned() } else { redact_text(body) };
    if kept != body {
        note(notes, "what looks like a secret in its body is left out");
    }
    kept
}

/// The original node without its secrets.
pub fn redact(original: &Value) -> Value {
    match original {
        Value::String(text) => redact_text(text).into(),
        Value::Array(items) => items.iter().map(redact).collect(),
        Value::Object(entries) => {
            let is_pair = pair_names(entries).any(is_secret);
            let entry = |(name, entry): (&String, &Value)| {
                let is_value = is_pair && name.to_ascii_lowercase().contains("value");
                let is_secret = is_value || (is_secret(name) && !is_value_of_name(entries, name));
                (name.clone(), if is_secret { redact_value(entry) } else { redact(entry) })
            };
            Value::Object(entries.iter().map(entry).collect())
        }
        other => other.clone(),
    }
}

/// The names in a pair such as `{"name": "X-Api-Key", "value": "…"}`.
fn pair_names(entries: &Map<String, Value>) -> impl Iterator<Item = &str> {
    ["name", "key", "keyName"].into_iter().filter_map(|field| entries.get(field)?.as_str())
}

/// Whether the field is the value in `{"keyName": "city", "keyValue": "…"}`, in which only `keyName` tells what it is.
fn is_value_of_name(entries: &Map<String, Value>, field: &str) -> bool {
    let is_known = |name: &str| !name.is_empty() && !name.starts_with('=');
    field == "keyValue" && entries.get("keyName").and_then(Value::as_str).is_some_and(is_known)
}

/// The value with everything removed except its type and the name of its header.
fn redact_value(value: &Value) -> Value {
    match value {
        Value::String(text) if text.is_empty() => value.clone(),
        Value::String(_) | Value::Number(_) => REDACTED.into(),
        Value::Array(items) => items.iter().map(redact_value).collect(),
        Value::Object(entries) => {
            let is_kept = |name: &str| matches!(name, "type" | "header");
            let entry = |(name, entry): (&String, &Value)| {
                (name.clone(), if is_kept(name) { redact(entry) } else { redact_value(entry) })
            };
            Value::Object(entries.iter().map(entry).collect())
        }
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests;
