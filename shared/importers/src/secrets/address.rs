//! Removes user info and secret query parameters from URLs.

use super::{MAX_NAME_BYTES, is_secret};

/// The URL without user info and secret parameters, and what was removed.
pub fn remove_url_secrets(address: &str) -> (String, Vec<String>) {
    let (address, has_user) = remove_user_info(address, "");
    let (address, parameters) = remove_secret_parameters(&address);
    let user = has_user.then(|| "login in the address".to_owned());
    let parameters = parameters.into_iter().map(|name| format!("query parameter {name}"));
    (address, user.into_iter().chain(parameters).collect())
}

/// Replaces the user info of `https://user:password@host`.
pub fn remove_user_info(text: &str, instead: &str) -> (String, bool) {
    let (mut kept, mut from, mut has_one) = (String::with_capacity(text.len()), 0, false);
    let mut reader = Reader::new(text);
    while let Some(start) = text[from..].find("://").map(|at| from + at + 3) {
        kept.push_str(&text[from..start]);
        let (_, behind) = reader.span(start, &['/', '?', '#']);
        if behind > start {
            has_one = true;
            kept.push_str(instead);
        }
        from = behind;
    }
    kept.push_str(&text[from..]);
    (kept, has_one)
}

/// Scans a URL from left to right.
struct Reader<'t> {
    text: &'t str,
    /// The end of the last skipped placeholder. Braces before it belong to that placeholder.
    placeholder_end: usize,
}

impl<'t> Reader<'t> {
    fn new(text: &'t str) -> Self {
        Self { text, placeholder_end: 0 }
    }

    /// The end of a part: at one of `ends`, or at a character that ends any URL. Also the position after the last `@` in the
    /// part, or the start of the part when there is none.
    fn span(&mut self, start: usize, ends: &[char]) -> (usize, usize) {
        let (mut at, mut behind) = (start, start);
        while let Some(c) = self.text[at..].chars().next() {
            if at >= self.placeholder_end && self.text[at..].starts_with("{{") {
                // A placeholder that does not close is plain text, and so is everything after it.
                let end = self.text[at..].find("}}").map(|end| at + end + 2);
                self.placeholder_end = end.unwrap_or(self.text.len());
                at = end.unwrap_or(at);
                continue;
            }
            if ends.contains(&c) || c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '<' | '>') {
                break;
            }
            at += c.len_utf8();
            if c == '@' {
                behind = at;
            }
        }
        (at, behind)
    }
}

/// Removes secret parameters: `?api_key=…&page=2` becomes `?page=2`, and the name is returned.
fn remove_secret_parameters(text: &str) -> (String, Vec<String>) {
    let (mut kept, mut from, mut names) = (String::with_capacity(text.len()), 0, Vec::new());
    let mut reader = Reader::new(text);
    while let Some(sign) = text[from..].find(['?', '&']).map(|at| from + at) {
        kept.push_str(&text[from..sign]);
        from = sign + 1;
        let (mut is_last, mut computed) = (false, None);
        while let Some(name) = secret_parameter(&text[from..]).filter(|_| !is_last) {
            let value = from + name.len() + 1;
            let (end, _) = reader.span(value, &['&', '#']);
            if is_computed(&text[value..end]) {
                computed = Some(from..end);
                break;
            }
            names.push(name.to_owned());
            from = end;
            is_last = !text[from..].starts_with('&');
            from += usize::from(!is_last);
        }
        if !is_last {
            kept.push_str(&text[sign..=sign]);
        }
        if let Some(parameter) = computed {
            from = parameter.end;
            kept.push_str(&text[parameter]);
        }
    }
    kept.push_str(&text[from..]);
    (kept, names)
}

/// Whether the value is one placeholder.
fn is_computed(value: &str) -> bool {
    value.strip_prefix("{{").and_then(|rest| rest.split_once("}}")).is_some_and(|(_, behind)| behind.is_empty())
}

/// The name of the parameter at the start of the text, if it is secret.
fn secret_parameter(text: &str) -> Option<&str> {
    let window = &text[..text.floor_char_boundary(MAX_NAME_BYTES)];
    let (name, _) = window.split_once('=')?;
    let is_name = name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '[' | ']' | '%'));
    // `name==` is a comparison inside an expression, not a parameter.
    let is_compared = text[name.len()..].starts_with("==");
    (is_name && !is_compared && is_secret(name)).then_some(name)
}
