//! Validation of the headers that users configure for outbound calls.

use super::expression::{ITEM_VARIABLES, VARIABLES};
use super::language::Translated;
use super::secret_name;

/// Headers that control the framing and routing of a message. On a shared connection, setting them would allow request
/// smuggling.
const TRANSPORT: [&str; 12] = [
    "connection",
    "content-length",
    "expect",
    "host",
    "http2-settings",
    "keep-alive",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

pub const SET_BY_PLATFORM: Translated = Translated::new("is set by the platform", "lo fija la plataforma");

/// The reason why users cannot set a header of this name, or `None`.
pub fn problem(name: &str) -> Option<Translated> {
    let is_token = |c: u8| c.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&c);
    if name.is_empty() || !name.bytes().all(is_token) {
        return Some(Translated::new("is not a valid header name", "no es un nombre de cabecera válido"));
    }
    TRANSPORT.contains(&name.to_ascii_lowercase().as_str()).then_some(SET_BY_PLATFORM)
}

/// The schemes with which the value of any header is recognized as a credential.
const SCHEMES: [&str; 2] = ["Bearer", "Basic"];

/// Whether a header contains a plain-text secret. A value with a `{{…}}` placeholder is not one: it is filled in later.
pub fn is_secret(name: &str, value: &str) -> bool {
    !value.is_empty() && !value.contains("{{") && (secret_name::is_secret(name) || has_credentials(value))
}

/// Whether the JavaScript that gives the value of a header contains a plain-text secret: a text with credentials, or, in a
/// header for secrets, no variable from which the secret could come.
pub fn is_secret_in_js(name: &str, source: &str) -> bool {
    let reads_variables = VARIABLES.iter().chain(&ITEM_VARIABLES).any(|variable| source.contains(variable));
    let texts = source.split(['\'', '"', '`']);
    let has_text = |text: &str| has_credentials(text) && !text.contains("${");
    (secret_name::is_secret(name) && !reads_variables) || texts.into_iter().any(has_text)
}

/// Whether a text is like `Bearer abc`.
fn has_credentials(value: &str) -> bool {
    let mut words = value.split_whitespace();
    let has_scheme = words.next().is_some_and(|word| SCHEMES.iter().any(|scheme| word.eq_ignore_ascii_case(scheme)));
    has_scheme && words.next().is_some() && words.next().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_recognized_by_name_and_value() {
        for (name, value) in
            [("Authorization", "anything"), ("X-Api-Key", "k"), ("cookie", "a=b"), ("x-custom", "bearer abc")]
        {
            assert!(is_secret(name, value), "{name}: {value}");
        }
        for (name, value) in [
            ("X-Api-Key", ""),
            ("X-Api-Key", "{{ vars.key }}"),
            ("accept", "text/plain"),
            ("x-custom", "Basic information for all"),
            ("Idempotency-Key", "1"),
        ] {
            assert!(!is_secret(name, value), "{name}: {value}");
        }
    }

    #[test]
    fn secrets_in_javascript_are_recognized() {
        for (name, source) in [
            ("Authorization", "'Token abc'"),
            ("X-Api-Key", "atob('YWJj')"),
            ("x-custom", "`Bearer abc`"),
            ("x-custom", "input.a ? 'Basic YTpi' : ''"),
            ("Authorization", "$json.a ? 'Bearer abc' : ''"),
        ] {
            assert!(is_secret_in_js(name, source), "{name}: {source}");
        }
        for (name, source) in [
            ("Authorization", "'Bearer ' + input.token"),
            ("Authorization", "`Bearer ${nodes.login.output.token}`"),
            ("Authorization", "$text`Bearer ${() => $json.access_token}`"),
            ("X-Api-Key", "$('Log in').item.json.key"),
            ("accept", "'text/plain'"),
        ] {
            assert!(!is_secret_in_js(name, source), "{name}: {source}");
        }
    }
}
