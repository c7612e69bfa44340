//! What is the same in two requests to a service although it is written in another way.

mod notion;
mod shapes;
mod tables;

use serde_json::{Value, json};

use crate::mail;
use shapes::{appended_rows, with_numbers, with_query, with_variables};
use tables::*;

/// The requests in the order of their paths, without those that only find out what the import knows or asks for at once.
pub fn compared(requests: Vec<Value>) -> Vec<Value> {
    let is_of_sheet = |request: &Value| request["path"].as_str().unwrap().starts_with("sheets.googleapis.com/");
    let appends = |request: &Value| is_of_sheet(request) && appended_rows(request).is_some();
    let has_append = requests.iter().any(appends);
    let is_read = |request: &Value| {
        request["method"] == "GET" || request["path"].as_str().unwrap().ends_with(":batchGetByDataFilter")
    };
    // n8n reads the titles of the sheets, and adds empty rows before it fills them.
    let is_preparation = |request: &Value| {
        request["query"] == "fields=sheets.properties"
            || request["body"]["requests"][0].get("appendDimension").is_some()
    };
    // n8n reads the name of the title of a database. The id of this property is always `title`.
    let is_of_page = |request: &Value| request["path"] == "api.notion.com/v1/pages";
    let has_page = requests.iter().any(is_of_page);
    let is_schema = |request: &Value| {
        request["method"] == "GET" && request["path"].as_str().unwrap().starts_with("api.notion.com/v1/databases/")
    };
    // It reads which types of issues are subtasks, too.
    let is_of_types = |request: &Value| request["path"].as_str().unwrap().ends_with("/rest/api/2/issuetype");
    let kept = requests
        .into_iter()
        .filter(|request| !(is_of_types(request) || (has_page && is_schema(request))))
        .filter(|request| !is_of_sheet(request) || !(is_preparation(request) || (has_append && is_read(request))));
    kept.map(|request| with_query(appended_rows(&request).unwrap_or(request))).collect()
}

/// The query in the order of its names, without what changes nothing.
pub fn query_of(path: &str, query: &str) -> String {
    let mut pairs: Vec<String> = query.split('&').map(|pair| decode(pair).replace(", ", ",")).collect();
    let changes_nothing = |pair: &String| {
        IGNORED_QUERY.iter().any(|(part, ignored)| path.contains(part) && pair.starts_with(ignored))
            || (pair.starts_with("dateTimeRenderOption=") && query.contains("=FORMATTED_VALUE"))
    };
    let is_empty = |pair: &String| WITHOUT_EMPTY.iter().any(|part| path.contains(part)) && pair.ends_with('=');
    pairs.retain(|pair| !pair.is_empty() && !changes_nothing(pair) && !is_empty(pair));
    if path.contains(".salesforce.com/") {
        // A query may have more spaces than it needs.
        pairs.iter_mut().for_each(|pair| *pair = pair.split_whitespace().collect::<Vec<_>>().join(" "));
    }
    pairs.sort_by_key(|pair| pair.split('=').next().unwrap_or_default().to_owned());
    pairs.join("&")
}

/// The path in its decoded form.
pub fn path_of(path: &str) -> String {
    let end = ENDS.iter().find(|(address, _)| path.contains(address)).map(|(_, end)| *end);
    let path = end.and_then(|end| path.strip_suffix(end)).unwrap_or(path);
    PATHS.iter().fold(decode(path), |path, (one, same)| path.replace(one, same))
}

/// The body, with a mail in its normal form.
pub fn body_of(path: &str, mut body: Value) -> Value {
    if path.ends_with(":clear") {
        return json!("");
    }
    if ["api.twilio.com/", "api.stripe.com/"].iter().any(|host| path.starts_with(host)) {
        let mut pairs: Vec<String> = body.as_str().unwrap_or_default().split('&').map(decode).collect();
        pairs.retain(|pair| !pair.ends_with('='));
        pairs.sort();
        return json!(pairs);
    }
    if path.starts_with("api.monday.com/") {
        return with_variables(&body);
    }
    if let Some(fields) = body.as_object_mut() {
        let is_empty = |value: &Value| value.is_null() || *value == json!([]) || *value == json!({});
        fields.retain(|name, value| !EMPTY.contains(&name.as_str()) || !is_empty(value));
        fields.retain(|name, value| !IGNORED_FIELDS.contains(&(name.as_str(), value.to_string().as_str())));
        let is_default = |name: &str, value: &Value| {
            let is_meant = |(end, field, given): &(&str, &str, &str)| {
                path.ends_with(end) && name == *field && value.to_string().starts_with(given)
            };
            IGNORED_FIELDS_OF.iter().any(is_meant)
        };
        fields.retain(|name, value| !is_default(name, value));
    }
    if path.contains("api.notion.com/") {
        body = notion::newest(path, body);
    }
    for pointer in ["/raw", "/message/raw"] {
        if let Some(raw) = body.pointer_mut(pointer) {
            *raw = mail::normalize(raw.as_str().unwrap_or_default());
        }
    }
    // An empty object says nothing more than no body.
    if body == json!({}) { json!("") } else { with_numbers(body) }
}

fn decode(text: &str) -> String {
    mail::unquote(text, '%')
}
