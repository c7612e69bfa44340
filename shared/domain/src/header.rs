//! Headers that users may give to the calls they make.

use super::secret_name;

/// What says where a message ends and whom it is for: to set it is to speak for others on a connection that is shared.
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

/// Why a header of that name cannot be set.
pub fn problem(name: &str) -> Option<&'static str> {
    let is_token = |c: u8| c.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&c);
    if name.is_empty() || !name.bytes().all(is_token) {
        return Some("is no name of a header");
    }
    TRANSPORT.contains(&name.to_ascii_lowercase().as_str()).then_some("is set by the platform")
}

/// How a value begins that authenticates somebody, whatever its header is called.
const SCHEMES: [&str; 2] = ["Bearer", "Basic"];

/// Whether a header holds a secret in clear. A value with a place to fill in is none: the secret is elsewhere.
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
    fn names_and_values_tell_secrets() {
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
