//! The header `X-Svc-Tags`: tags of calls, for the log of calls.

use axum::http::HeaderMap;
use axum::http::header::HeaderName;
use domain::call_facts::CallLabels;
use domain::{Error, Result};

pub const X_SVC_TAGS: HeaderName = HeaderName::from_static("x-svc-tags");

/// The tags of a request's header. A wrong header is refused.
pub fn call_tags(headers: &HeaderMap) -> Result<Vec<String>> {
    let mut tags: Vec<String> = Vec::new();
    for header in headers.get_all(&X_SVC_TAGS) {
        let refusal = || {
            let problem = "must have at most 10 tags, separated by commas, each of at most 64 visible characters";
            Error::invalid_query("X-Svc-Tags", problem)
        };
        let text = header.to_str().map_err(|_| refusal())?;
        for tag in text.split(',').map(str::trim).filter(|tag| !tag.is_empty()) {
            if !tags.iter().any(|known| known == tag) {
                tags.push(tag.to_owned());
            }
        }
        if tags.len() > CallLabels::MAX_TAGS || tags.iter().any(|tag| !is_tag(tag)) {
            return Err(refusal());
        }
    }
    Ok(tags)
}

pub fn is_tag(tag: &str) -> bool {
    tag.chars().count() <= CallLabels::MAX_TAG_LENGTH && !tag.chars().any(char::is_control)
}
