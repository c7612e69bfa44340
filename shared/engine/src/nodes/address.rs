//! Validates the URLs in node configurations.

use url::Url;

use super::fields::Jinja;

const UNKNOWN: &str = "must begin with http:// or https://";
const WRONG: &str = "is not a valid URL; write one such as https://example.com/orders";

/// Returns what is wrong with a URL without placeholders.
pub fn problem(address: &str) -> Option<&'static str> {
    let Some(rest) = behind_scheme(address) else { return Some(UNKNOWN) };
    // The `url` crate reads URLs as browsers do, and accepts almost anything.
    let is_plain = address.trim_end() == address && !address.contains(char::is_control);
    (!is_plain || host(rest).is_empty() || Url::parse(address).is_err()).then_some(WRONG)
}

/// Returns what is wrong with a URL that has placeholders. Their values are checked at runtime.
pub fn template_problem(address: &Jinja) -> Option<&'static str> {
    let parts = address.literal_parts();
    let first = match parts[..] {
        [only] => return problem(only),
        ref parts => parts[0],
    };
    if first.is_empty() {
        return None;
    }
    let Some(rest) = behind_scheme(first) else { return Some(UNKNOWN) };
    let is_missing = host(rest).is_empty() && !rest.is_empty();
    (is_missing || host(rest).contains(char::is_whitespace)).then_some(WRONG)
}

fn host(rest: &str) -> &str {
    rest.split(['/', '?', '#']).next().unwrap_or_default()
}

fn behind_scheme(address: &str) -> Option<&str> {
    address.strip_prefix("https://").or_else(|| address.strip_prefix("http://"))
}
