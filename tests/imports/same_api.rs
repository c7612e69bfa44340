//! Requests that are written in different ways, and are the same for the service.

use serde_json::{Value, json};

/// Addresses of n8n, and the ones of the same API here.
const ADDRESSES: [(&str, &str); 3] = [
    ("api.twitter.com/2/", "api.x.com/2/"),
    ("api.todoist.com/rest/v2/", "api.todoist.com/api/v1/"),
    (".salesforce.com/services/data/v59.0/", ".salesforce.com/services/data/v62.0/"),
];
/// Services that answer the same with an end of the address and without it.
const ENDS: [(&str, &str); 3] =
    [(".zendesk.com/api/v2/", ".json"), ("oauth.reddit.com/", ".json"), ("api.monday.com/v2", "/")];
/// What credentials add, which have no part in an import, and what Reddit reads only when it is written to.
const IGNORED: [&str; 3] = ["access_token=secret", "APPID=secret", "api_type=json"];
/// Fields of bodies that say nothing more than no field if they are empty: those of Notion and of GraphQL.
const EMPTY: [&str; 3] = ["children", "variables", "operationName"];

pub fn path(path: &str) -> String {
    let end = ENDS.iter().find(|(address, _)| path.contains(address)).map(|(_, end)| *end);
    let path = end.and_then(|end| path.strip_suffix(end)).unwrap_or(path);
    ADDRESSES.iter().fold(path.to_owned(), |path, (theirs, ours)| path.replacen(theirs, ours, 1))
}

/// The parameters in one order. A space is `+` or `%20`.
pub fn query(query: &str) -> String {
    let query = query.replace('+', "%20");
    let mut parameters: Vec<&str> =
        query.split('&').filter(|parameter| !parameter.is_empty() && !IGNORED.contains(parameter)).collect();
    parameters.sort_unstable();
    parameters.join("&")
}

/// An empty object says nothing more than no body.
pub fn body(mut body: Value) -> Value {
    if let Value::Object(fields) = &mut body {
        let is_empty = |value: &Value| value.is_null() || *value == json!([]) || *value == json!({});
        fields.retain(|name, value| !EMPTY.contains(&name.as_str()) || !is_empty(value));
    }
    if body == json!({}) { json!("") } else { body }
}
