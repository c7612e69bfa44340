//! Requests that are written in different ways, and are the same for the service.

use serde_json::{Value, json};

/// Addresses of n8n, and the ones of the same API here.
const ADDRESSES: [(&str, &str); 2] =
    [("api.twitter.com/2/", "api.x.com/2/"), ("api.todoist.com/rest/v2/", "api.todoist.com/api/v1/")];
/// Zendesk answers the same with this end and without it.
const ZENDESK: (&str, &str) = (".zendesk.com/api/v2/", ".json");
/// What the credential of Facebook adds, which has no part in an import.
const FACEBOOK_TOKEN: &str = "access_token=secret";

pub fn path(path: &str) -> String {
    let path = match path.contains(ZENDESK.0) {
        true => path.strip_suffix(ZENDESK.1).unwrap_or(path),
        false => path,
    };
    ADDRESSES.iter().fold(path.to_owned(), |path, (theirs, ours)| path.replacen(theirs, ours, 1))
}

/// The parameters in one order. A space is `+` or `%20`.
pub fn query(query: &str) -> String {
    let query = query.replace('+', "%20");
    let mut parameters: Vec<&str> =
        query.split('&').filter(|parameter| !parameter.is_empty() && *parameter != FACEBOOK_TOKEN).collect();
    parameters.sort_unstable();
    parameters.join("&")
}

/// An empty object says nothing more than no body.
pub fn body(body: Value) -> Value {
    if body == json!({}) { json!("") } else { body }
}
