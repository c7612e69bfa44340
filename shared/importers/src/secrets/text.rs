//! Removes secrets from free text: headers, JSON, program code.

use super::address::remove_user_info;
use super::{MAX_NAME_BYTES, REDACTED, is_secret};

/// A shorter literal in code is no secret.
const MIN_SECRET_CHARS: usize = 6;
/// How the keys of well-known services begin.
const KEY_PREFIXES: [&str; 12] = [
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
];
const MIN_KEY_BYTES: usize = 16;

/// Removes secrets from a text of any kind: headers, a URL, JSON or code.
pub fn redact_text(text: &str) -> String {
    let (text, _) = remove_user_info(text, "(left out)@");
    redact_tokens(&redact_pairs(&text, |_, sign, after, begins_line| measure_value(after, sign == b':', begins_line)))
}

/// Removes secrets from code that will run, so only literals are replaced.
pub fn redact_code(code: &str) -> String {
    let (code, _) = remove_user_info(code, "(left out)@");
    redact_tokens(&redact_pairs(&code, |name, _, after, _| measure_literal(name, after)))
}

/// Removes the values of `name: value` and `name=value`, quoted or not. `measure` gives the length of the value of a secret, and its
/// replacement.
fn redact_pairs(text: &str, measure: impl Fn(&str, u8, &str, bool) -> (usize, String)) -> String {
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
    let literal = &text[1..length];
    let is_long = literal.chars().count() > MIN_SECRET_CHARS && !literal.contains(char::is_whitespace);
    // `key` often names a field.
    let is_secret = is_long && (!name.eq_ignore_ascii_case("key") || literal.contains(|c: char| c.is_ascii_digit()));
    if is_secret { (length, replacement) } else { (0, String::new()) }
}

/// Whether a word is a key of a well-known service.
fn is_key(word: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    word.len() >= MIN_KEY_BYTES
        && word.chars().all(is_part)
        && KEY_PREFIXES.iter().any(|prefix| word.starts_with(prefix))
}

/// Removes keys of well-known services and the token after `Bearer`. A word after `Basic` is removed if it looks like a token.
fn redact_tokens(text: &str) -> String {
    let mut is_token: fn(&str) -> bool = |_| false;
    let mut kept = String::with_capacity(text.len());
    for part in text.split_inclusive(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`')) {
        let word = part.trim_end_matches(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`'));
        let is_left_out =
            !word.is_empty() && (is_token(word) || is_key(word)) && !word.starts_with(REDACTED) && word != "(left";
        kept.push_str(if is_left_out { REDACTED } else { word });
        kept.push_str(&part[word.len()..]);
        let last = word.rsplit(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default();
        is_token = match last {
            last if last.eq_ignore_ascii_case("bearer") => |word| word.len() > 2 && !word.starts_with(['{', '$']),
            last if last.eq_ignore_ascii_case("basic") => |word| {
                word.len() > 5 && word.chars().skip(1).any(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '=')
            },
            _ => |_| false,
        };
    }
    kept
}
