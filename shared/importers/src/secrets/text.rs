//! Removes secrets from free text: headers, JSON, program code.

use super::address::remove_user_info;
use super::names::{Name, holds_clear_text};
use super::{MAX_NAME_BYTES, REDACTED, is_secret};

/// A shorter literal in code is no secret.
const MIN_SECRET_CHARS: usize = 6;
/// How the keys of well-known services begin.
const KEY_PREFIXES: [&str; 22] = [
    "sk-",
    "sk_live_",
    "sk_test_",
    "rk_live_",
    "AKIA",
    "AIza",
    "ghp_",
    "github_pat_",
    "glpat-",
    "xoxb-",
    "xoxp-",
    "SG.",
    "eyJhbGciOi",
    "apify_api_",
    "gsk_",
    "hf_",
    "ntn_",
    "pk_live_",
    "shpat_",
    "tvly-",
    "xapp-",
    "ya29.",
];
const MIN_KEY_BYTES: usize = 16;

/// Removes secrets from a text of any kind: headers, a URL, JSON or code.
pub fn redact_text(text: &str) -> String {
    let (text, _) = remove_user_info(text, "(left out)@");
    redact_tokens(&redact_pairs(&text, |_, sign, after, begins_line| measure_value(after, sign == b':', begins_line)))
}

/// Removes secrets from a JSON template, in which placeholders are no secrets. Also returns the names of what was removed.
pub fn redact_json(text: &str) -> (String, Vec<String>) {
    let mut names = Vec::new();
    let kept = redact_pairs(text, |name, _, after, _| {
        let (length, replaced) = measure_json(name, after);
        if length > 0 {
            names.push(name.to_owned());
        }
        (length, replaced)
    });
    (kept, names)
}

/// Removes secrets from code that will run, so only literals are replaced.
pub fn redact_code(code: &str) -> String {
    let (code, _) = remove_user_info(code, "(left out)@");
    redact_tokens(&redact_pairs(&code, |name, _, after, _| measure_literal(name, after)))
}

/// Removes the values of `name: value` and `name=value`, quoted or not. `measure` gives the length of the value of a secret, and its
/// replacement.
fn redact_pairs(text: &str, mut measure: impl FnMut(&str, u8, &str, bool) -> (usize, String)) -> String {
    let (mut kept, mut from) = (String::with_capacity(text.len()), 0);
    while let Some(sign) = text[from..].find([':', '=']).map(|at| from + at) {
        let after = text[sign..].trim_start_matches([':', '=', '>']).trim_start_matches([' ', '\t']);
        let start = text.len() - after.len();
        kept.push_str(&text[from..start]);
        from = start;
        let (name, begins_line) = name_before(&text[..sign]);
        if is_secret(name) {
            let (length, replaced) = measure(name, text.as_bytes()[sign], after, begins_line);
            kept.push_str(&replaced);
            from += length;
        }
    }
    kept.push_str(&text[from..]);
    kept
}

/// The name before a `:` or `=`, and whether it starts its line.
fn name_before(text: &str) -> (&str, bool) {
    let named = text.trim_end_matches([' ', '\t']);
    let name = named.trim_end_matches(['"', '\'', '`', '\\']);
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    let mut start = name.len();
    for (at, c) in name.char_indices().rev().take(MAX_NAME_BYTES) {
        if !is_part(c) {
            break;
        }
        start = at;
    }
    let line = name[..start].trim_end_matches([' ', '\t']);
    (&name[start..], named.len() == name.len() && (line.is_empty() || line.ends_with('\n')))
}

/// The length of the value that starts here, and its replacement.
fn measure_value(text: &str, is_listed: bool, begins_line: bool) -> (usize, String) {
    let quoted = text.trim_start_matches('\\');
    let escapes = text.len() - quoted.len();
    let length = |end: Option<usize>| end.unwrap_or(text.len());
    match quoted.chars().next() {
        _ if begins_line => (length(text.find('\n')), REDACTED.to_owned()),
        Some(quote @ ('"' | '\'' | '`')) => {
            let mut is_escaped = false;
            let close = quoted.char_indices().skip(1).find(|(_, c)| {
                let is_close = *c == quote && !is_escaped;
                // An escaped quote is closed by an escaped quote.
                is_escaped = escapes == 0 && *c == '\\' && !is_escaped;
                is_close
            });
            (length(close.map(|(at, _)| escapes + at + 1)), format!("{quote}{REDACTED}{quote}"))
        }
        // The fields inside objects and lists are checked one by one.
        Some('{' | '[') if !text.starts_with("{{") => (0, String::new()),
        None | Some('\n') => (0, String::new()),
        _ if is_listed => (length(text.find(['\n', '"', '\'', '`'])), REDACTED.to_owned()),
        _ => {
            let ends =
                |c: char| c.is_whitespace() || matches!(c, '&' | '#' | ',' | ';' | ')' | ']' | '}' | '"' | '\'' | '`');
            (length(text.find(ends)), REDACTED.to_owned())
        }
    }
}

/// The length of a literal that is a secret, and its replacement.
fn measure_literal(name: &str, text: &str) -> (usize, String) {
    if !text.starts_with(['"', '\'', '`']) {
        return (0, String::new());
    }
    let (length, replacement) = measure_value(text, false, false);
    let literal = text[..length].trim_matches(['"', '\'', '`']);
    let is_long = literal.chars().count() > MIN_SECRET_CHARS && !literal.contains(char::is_whitespace);
    // A text with computed parts is a secret only if it looks like one.
    let is_joined = literal.contains("${") || text[length..].trim_start().starts_with('+');
    let is_clear = !is_joined || literal.contains(|c: char| c.is_ascii_digit());
    let is_secret = is_long && is_clear && Name::read(name).is_some_and(|name| name.has_secret(literal));
    if is_secret { (length, replacement) } else { (0, String::new()) }
}

/// The length of a literal value of a secret name in JSON, and its replacement.
fn measure_json(name: &str, text: &str) -> (usize, String) {
    let quoted = text.trim_start_matches('\\');
    if quoted.starts_with('"') {
        let (length, replaced) = measure_value(text, false, false);
        let value = text[..length].trim_matches(['"', '\\']);
        let is_clear = holds_clear_text(value) && Name::read(name).is_some_and(|name| name.has_secret(value));
        return if is_clear { (length, replaced) } else { (0, String::new()) };
    }
    let length = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let length = if Name::read(name) == Some(Name::Secret) { length } else { 0 };
    (length, if length > 0 { format!("\"{REDACTED}\"") } else { String::new() })
}

fn is_key_part(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.')
}

/// Removes the keys of well-known services, and the tokens of Telegram bots, such as `123456:AAF…`.
fn redact_keys(text: &str) -> String {
    const MIN_BOT_BYTES: usize = 30;
    let mut kept = String::with_capacity(text.len());
    let mut number = 0..0;
    for run in text.split_inclusive(|c| !is_key_part(c)) {
        let word = run.trim_end_matches(|c| !is_key_part(c));
        // `%3D` is a coded sign.
        let start = if kept.ends_with('%') { word.get(2..).unwrap_or_default() } else { word };
        let is_key = start.len() >= MIN_KEY_BYTES && KEY_PREFIXES.iter().any(|prefix| start.starts_with(prefix));
        let is_bot = !number.is_empty() && word.len() >= MIN_BOT_BYTES;
        if is_bot {
            kept.truncate(number.start);
        }
        kept.push_str(if is_key || is_bot { REDACTED } else { word });
        let digits = word.len() - word.trim_end_matches(|c: char| c.is_ascii_digit()).len();
        number = if digits >= 6 && run.ends_with(':') { kept.len() - digits..kept.len() } else { 0..0 };
        kept.push_str(&run[word.len()..]);
    }
    kept
}

/// Removes keys of well-known services and tokens after `Bearer`. A word after `Basic` is removed if it looks like a token.
fn redact_tokens(text: &str) -> String {
    let text = redact_keys(text);
    let mut is_token: fn(&str) -> bool = |_| false;
    let mut kept = String::with_capacity(text.len());
    for part in text.split_inclusive(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`')) {
        let word = part.trim_end_matches(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`'));
        let is_left_out = !word.is_empty() && is_token(word) && !word.starts_with(REDACTED) && word != "(left";
        kept.push_str(if is_left_out { REDACTED } else { word });
        kept.push_str(&part[word.len()..]);
        let last = word.rsplit(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default();
        is_token = match last {
            last if last.eq_ignore_ascii_case("bearer") => |word| {
                let is_word = |word: &str| word.len() < 20 && word.chars().skip(1).all(|c| c.is_ascii_lowercase());
                word.len() > 2 && !word.starts_with(['{', '$']) && !is_word(word)
            },
            last if last.eq_ignore_ascii_case("basic") => |word| {
                word.len() > 5 && word.chars().skip(1).any(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '=')
            },
            _ => |_| false,
        };
    }
    kept
}
