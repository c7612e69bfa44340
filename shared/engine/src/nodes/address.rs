//! Validates the URLs of node configurations that have placeholders.

use domain::address::{INVALID, problem};
use domain::language::Translated;

use super::fields::Jinja;

/// Returns what is wrong with a URL that has placeholders. Their values are checked at runtime.
pub fn template_problem(address: &Jinja) -> Option<Translated> {
    let parts = address.literal_parts();
    let first = match parts[..] {
        [only] => return problem(only),
        ref parts => parts[0],
    };
    if first.is_empty() {
        return None;
    }
    let Some(rest) = behind_scheme(first) else { return Some(INVALID) };
    let is_missing = host(rest).is_empty() && !rest.is_empty();
    (is_missing || host(rest).contains(char::is_whitespace)).then_some(INVALID)
}

fn host(rest: &str) -> &str {
    rest.split(['/', '?', '#']).next().unwrap_or_default()
}

fn behind_scheme(address: &str) -> Option<&str> {
    address.strip_prefix("https://").or_else(|| address.strip_prefix("http://"))
}
