//! Validation of the headers that users configure for outbound calls.

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
    let mut words = value.split_whitespace();
    let has_scheme = words.next().is_some_and(|word| SCHEMES.iter().any(|scheme| word.eq_ignore_ascii_case(scheme)));
    let has_credentials = has_scheme && words.next().is_some() && words.next().is_none();
    !value.is_empty() && !value.contains("{{") && (secret_name::is_secret(name) || has_credentials)
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
}
