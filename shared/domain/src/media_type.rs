//! Media types, such as `text/html`: what a file or the body of a message is.

use http::HeaderMap;
use http::header::CONTENT_TYPE;

/// The media type that the header `Content-Type` names, in lower case and without parameters. Empty if there is none.
pub fn of_headers(headers: &HeaderMap) -> String {
    let named = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    named.map(without_parameters).unwrap_or_default()
}

/// Turns `Text/HTML; charset=utf-8` into `text/html`.
pub fn without_parameters(named: &str) -> String {
    named.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}
