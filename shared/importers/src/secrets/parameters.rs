//! Removes secrets from the parameters of a node that is translated: literal values of names such as `client_secret`, logins and
//! parameters in URLs, and keys of well-known services. Values that a run computes are no secrets.

use serde_json::{Map, Value};

use super::super::lenient::truncate;
use super::text::{redact_code, redact_json};
use super::{REDACTED, is_secret, remove_url_secrets};

/// The most removed secrets that are reported for one node.
const MAX_REMOVED: usize = 40;
const MAX_NAME_CHARS: usize = 80;

/// The parameters of a node without secrets.
#[derive(Debug, Default)]
pub struct CleanParameters {
    pub value: Value,
    /// What was removed, such as `header X-Api-Key`.
    pub removed: Vec<String>,
    /// What the names within the current parameter are.
    kind: &'static str,
}

/// The parameters whose names are those of the user.
const KINDS: [(&str, &str); 7] = [
    ("header", "header "),
    ("jsonHeaders", "header "),
    ("query", "query parameter "),
    ("jsonQuery", "query parameter "),
    ("body", "body field "),
    ("jsonBody", "body field "),
    ("", "field "),
];

/// Whether a text is what replaces a removed value.
pub fn is_removed(value: &Value) -> bool {
    value == REDACTED
}

impl CleanParameters {
    pub fn new(parameters: &Value) -> Self {
        let mut clean = Self::default();
        let Value::Object(entries) = parameters else { return Self { value: parameters.clone(), ..clean } };
        let mut kept = Map::new();
        for (name, entry) in entries {
            clean.kind = KINDS.iter().find(|(start, _)| name.starts_with(start)).map_or("", |(_, kind)| kind);
            let only = Map::from_iter([(name.clone(), entry.clone())]);
            kept.extend(clean.clean_object(&only));
        }
        Self { value: kept.into(), ..clean }
    }

    fn clean(&mut self, value: &Value) -> Value {
        match value {
            Value::String(text) => self.clean_text(text).into(),
            Value::Array(items) => items.iter().map(|item| self.clean(item)).collect(),
            Value::Object(entries) => Value::Object(self.clean_object(entries)),
            other => other.clone(),
        }
    }

    fn clean_object(&mut self, entries: &Map<String, Value>) -> Map<String, Value> {
        // `{"name": "client_secret", "value": "…"}`
        let named = ["name", "key"].into_iter().filter_map(|field| entries.get(field)?.as_str());
        let named = named.into_iter().find(|name| Name::read(name).is_some()).map(str::to_owned);
        let clean = entries.iter().map(|(name, entry)| {
            let is_value = name.to_ascii_lowercase().contains("value");
            let of = match &named {
                Some(named) if is_value => Some(named.as_str()),
                // Most parameters with a name such as `outputKey` name a field.
                _ => Some(name.as_str()).filter(|name| Name::read(name) == Some(Name::Secret)),
            };
            let kept = match (of, entry) {
                (Some(of), entry) if holds_secret(of, entry) => self.remove(of),
                // The names within are those of the user.
                (_, Value::Object(fields)) if name == "value" => Value::Object(self.clean_fields(fields)),
                (_, entry) => self.clean(entry),
            };
            (name.clone(), kept)
        });
        clean.collect()
    }

    /// The fields of a value that the user has named.
    fn clean_fields(&mut self, fields: &Map<String, Value>) -> Map<String, Value> {
        let clean = fields.iter().map(|(name, field)| {
            (name.clone(), if holds_secret(name, field) { self.remove(name) } else { self.clean(field) })
        });
        clean.collect()
    }

    fn clean_text(&mut self, text: &str) -> String {
        let sign = if text.starts_with('=') { "=" } else { "" };
        let written = &text[sign.len()..];
        let start = written.trim_start();
        let is_url = ["http://", "https://"].iter().any(|scheme| start.starts_with(scheme));
        let is_json = start.starts_with(['{', '[']) && !start.starts_with("{{");
        let (kept, names) = match (is_url, is_json) {
            (true, _) => remove_url_secrets(written),
            (_, true) => redact_json(written),
            _ => (written.to_owned(), Vec::new()),
        };
        let kind = if is_url { "" } else { self.kind };
        names.iter().for_each(|name| self.report(kind, name));
        let clean = redact_code(&kept);
        if clean != kept {
            self.report("", "key in a text");
        }
        format!("{sign}{clean}")
    }

    fn remove(&mut self, name: &str) -> Value {
        self.report(self.kind, name);
        REDACTED.into()
    }

    fn report(&mut self, kind: &str, name: &str) {
        let name = format!("{kind}{}", truncate(name.trim(), MAX_NAME_CHARS));
        if self.removed.len() < MAX_REMOVED && !self.removed.contains(&name) {
            self.removed.push(name);
        }
    }
}

/// What a name says about its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Name {
    /// The value is a secret.
    Secret,
    /// The value may be a secret, or the name of a field.
    Key,
}

impl Name {
    /// None if the value is no secret. The tokens of pages are none, and neither is what only describes a secret.
    pub(super) fn read(name: &str) -> Option<Self> {
        const PAGES: [&str; 4] = ["page", "next", "sync", "continuation"];
        const OTHERS: [&str; 20] = [
            "address", "column", "count", "expiry", "field", "file", "files", "format", "header", "id", "length",
            "level", "limit", "name", "path", "prefix", "status", "uri", "url", "valid",
        ];
        const SECRET_KEYS: [&str; 7] = ["api", "access", "auth", "encryption", "private", "secret", "subscription"];
        if !is_secret(name) {
            return None;
        }
        let lower = name.trim().to_lowercase();
        let last = name.trim().rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
        let last = last.rfind(char::is_uppercase).map_or(last, |start| &last[start..]).to_lowercase();
        let is_page = lower.ends_with("token") && PAGES.iter().any(|page| lower.contains(page));
        if is_page || OTHERS.contains(&last.as_str()) {
            return None;
        }
        let of = lower
            .trim_end_matches('s')
            .strip_suffix("key")
            .map(|of| of.trim_end_matches(|c: char| !c.is_alphanumeric()));
        Some(match of {
            Some(of) if !SECRET_KEYS.iter().any(|word| of.ends_with(word)) => Self::Key,
            _ => Self::Secret,
        })
    }

    /// Whether a literal value of the name is a secret.
    pub(super) fn has_secret(self, literal: &str) -> bool {
        let is_url = ["http://", "https://"].iter().any(|scheme| literal.starts_with(scheme));
        !literal.is_empty() && !is_url && (self == Self::Secret || is_random(literal))
    }
}

/// Whether a text looks like a key: it is long, and has letters and digits.
fn is_random(text: &str) -> bool {
    const MIN_CHARS: usize = 16;
    let has = |is: fn(&char) -> bool| text.chars().any(|c| is(&c));
    text.len() >= MIN_CHARS
        && !has(|c| c.is_whitespace())
        && has(char::is_ascii_digit)
        && has(char::is_ascii_alphabetic)
}

/// Whether the value of a name is a secret in clear, and not computed.
fn holds_secret(name: &str, value: &Value) -> bool {
    let Some(name) = Name::read(name) else { return false };
    match value {
        Value::Number(_) => name == Name::Secret,
        Value::String(text) if text.starts_with('=') => name == Name::Secret && holds_clear_text(&text[1..]),
        Value::String(text) => name.has_secret(text),
        _ => false,
    }
}

/// Whether a template has more than expressions without literals, and a word such as `Bearer` before them.
pub(super) fn holds_clear_text(template: &str) -> bool {
    let (mut rest, mut literal) = (template, String::new());
    while let Some((before, code)) = rest.split_once("{{") {
        literal.push_str(before);
        let (code, after) = code.split_once("}}").unwrap_or((code, ""));
        if has_literal(code) {
            return true;
        }
        rest = after;
    }
    literal.push_str(rest);
    const SCHEMES: [&str; 7] = ["", "bearer", "basic", "token", "apikey", "key", "bot"];
    !SCHEMES.contains(&literal.trim().to_ascii_lowercase().as_str())
}

/// Whether code has a text that may be a secret. The names of nodes and fields are none.
fn has_literal(code: &str) -> bool {
    const MIN_BYTES: usize = 6;
    const OTHER: [&str; 5] = ["base64", "base64url", "bearer", "basic", "utf-8"];
    let mut rest = code;
    while let Some(open) = rest.find(['"', '\'', '`']) {
        let (before, quoted) = rest.split_at(open);
        let quote = quoted.chars().next().unwrap_or('"');
        let (text, after) = quoted[1..].split_once(quote).unwrap_or((&quoted[1..], ""));
        let before = before.trim_end();
        let is_name = before.ends_with('[') || ["$(", "$items("].iter().any(|call| before.ends_with(call));
        let is_word = text.trim_end().len() >= MIN_BYTES && !text.trim().contains(char::is_whitespace);
        if !is_name && is_word && !OTHER.contains(&text.trim().to_ascii_lowercase().as_str()) {
            return true;
        }
        rest = after;
    }
    false
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn computed_values_are_no_secrets() {
        let given = json!({"list": [
            {"name": "Authorization", "value": "=Bearer {{ $json.token }}"},
            {"name": "Authorization", "value": "=Bearer {{ $('Log In').item.json['access_token'] }}"},
            {"name": "Authorization", "value": "={{ 'Basic ' + Buffer.from($json.a).toString('base64') }}"},
            {"name": "pageToken", "value": "abc"}, {"name": "token", "value": ""},
        ], "keys": {"key": [{"currentKey": "a", "newKey": "b"}]}, "value": {"token": "={{ $json.t }}", "a": 1},
            "url": "=https://x/?token={{ $json.t }}&page=2", "outputKey": "Billing",
            "body": "={\"token\": \"{{ $json.t }}\", \"auth\": \"Bearer {{ $json.t }}\", \"key\": {{ $json.k }}, \"pass\": null}",
            "text": "Ask for the token: a word", "fields": [{"name": "key", "value": "status"}, {"name": "auth_url", "value": "https://x"}],
            "code": "const redisKey = `price:${a}`; document.cookie = 'token=' + a; const headerKey = 'name'; 'no bearer token'"});
        let clean = CleanParameters::new(&given);
        assert_eq!((clean.value, clean.removed), (given, Vec::new()));
    }

    #[test]
    fn clear_values_of_secret_names_are_removed() {
        let given = json!({"list": [
            {"name": "client_secret", "value": "S3CRET"}, {"name": "X-Api-Key", "value": "={{ 'S3CRET'.trim() }}"},
            {"name": "Authorization", "value": "=Bearer S3CRET"}, {"name": "pin", "stringValue": "1"},
            {"name": "key", "value": "S3CRET-0123456789"},
        ], "value": {"api_key": "S3CRET"}, "secret": "S3CRET", "password": 12345,
            "url": "https://me:S3CRET@x/?token=S3CRET&page=2",
            "body": "={\"apiKey\": \"S3CRET\", \"auth\": {\"password\": 12345, \"as\": {{ $json.as }}}}",
            "code": "call('sk-proj-0123456789abcdef', 'https://api.telegram.org/bot123456789:AAF-0123456789012345678901234567890/x')"});
        let clean = CleanParameters::new(&given);
        let kept = json!({"list": [
            {"name": "client_secret", "value": "(left out)"}, {"name": "X-Api-Key", "value": "(left out)"},
            {"name": "Authorization", "value": "(left out)"}, {"name": "pin", "stringValue": "1"},
            {"name": "key", "value": "(left out)"},
        ], "value": {"api_key": "(left out)"}, "secret": "(left out)", "password": "(left out)", "url": "https://x/?page=2",
            "body": "={\"apiKey\": \"(left out)\", \"auth\": {\"password\": \"(left out)\", \"as\": {{ $json.as }}}}",
            "code": "call('(left out)', 'https://api.telegram.org/bot(left out)/x')"});
        assert_eq!(clean.value, kept);
        let names = [
            "field client_secret",
            "field X-Api-Key",
            "field Authorization",
            "field key",
            "field api_key",
            "field secret",
            "field password",
            "login in the address",
            "query parameter token",
            "body field apiKey",
            "body field password",
            "key in a text",
        ];
        assert_eq!(clean.removed, names);
    }
}
