//! Removes secrets from the parameters of a node that is translated: literal values of names such as `client_secret`, logins and
//! parameters in URLs, and keys of well-known services. Values that a run computes are no secrets.

use serde_json::{Map, Value};

use super::super::lenient::truncate;
use super::names::{Name, holds_clear_text};
use super::text::{redact_code, redact_json};
use super::{REDACTED, is_value_of_name, pair_names, remove_url_secrets};

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
        let named = pair_names(entries).find(|name| Name::read(name).is_some()).map(str::to_owned);
        let clean = entries.iter().map(|(name, entry)| {
            let is_value = name.to_ascii_lowercase().contains("value");
            let of = match &named {
                Some(named) if is_value => Some(named.as_str()),
                _ if is_value_of_name(entries, name) => None,
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
            "filters": [{"keyName": "city", "condition": "eq", "keyValue": "Bonn"}],
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
            {"name": "key", "value": "S3CRET-0123456789"}, {"keyName": "api_token", "keyValue": "S3CRET"},
            {"keyName": {"__rl": true, "value": "city"}, "keyValue": "S3CRET"}, {"keyName": null, "keyValue": "S3CRET"},
            {"keyName": "={{ $json.k }}", "keyValue": "S3CRET"},
        ], "value": {"api_key": "S3CRET"}, "secret": "S3CRET", "password": 12345,
            "url": "https://me:S3CRET@x/?token=S3CRET&page=2",
            "body": "={\"apiKey\": \"S3CRET\", \"auth\": {\"password\": 12345, \"as\": {{ $json.as }}}}",
            "code": "call('sk-proj-0123456789abcdef', 'https://api.telegram.org/bot123456789:AAF-0123456789012345678901234567890/x')"});
        let clean = CleanParameters::new(&given);
        let kept = json!({"list": [
            {"name": "client_secret", "value": "(left out)"}, {"name": "X-Api-Key", "value": "(left out)"},
            {"name": "Authorization", "value": "(left out)"}, {"name": "pin", "stringValue": "1"},
            {"name": "key", "value": "(left out)"}, {"keyName": "api_token", "keyValue": "(left out)"},
            {"keyName": {"__rl": true, "value": "city"}, "keyValue": "(left out)"}, {"keyName": null, "keyValue": "(left out)"},
            {"keyName": "={{ $json.k }}", "keyValue": "(left out)"},
        ], "value": {"api_key": "(left out)"}, "secret": "(left out)", "password": "(left out)", "url": "https://x/?page=2",
            "body": "={\"apiKey\": \"(left out)\", \"auth\": {\"password\": \"(left out)\", \"as\": {{ $json.as }}}}",
            "code": "call('(left out)', 'https://api.telegram.org/bot(left out)/x')"});
        assert_eq!(clean.value, kept);
        let names = [
            "field client_secret",
            "field X-Api-Key",
            "field Authorization",
            "field key",
            "field api_token",
            "field keyValue",
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
