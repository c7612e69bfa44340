//! What the name of a value says about it, and whether a text has a secret in clear.

use super::is_secret;

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
