//! Names of headers that users may give to the calls they make.

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
