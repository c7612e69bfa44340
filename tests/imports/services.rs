//! What is the same in two requests to a service although it is written in another way.

use serde_json::{Value, json};

use crate::mail;

/// The same method of an API under two addresses.
const PATHS: &[(&str, &str)] = &[
    ("gmail.googleapis.com/", "www.googleapis.com/"),
    ("tasks.googleapis.com/", "www.googleapis.com/"),
    ("youtube.googleapis.com/", "www.googleapis.com/"),
    ("graph.facebook.com/v13.0/", "graph.facebook.com/v23.0/"),
    ("graph.facebook.com/v21.0/", "graph.facebook.com/v23.0/"),
    ("graph.microsoft.com/beta/", "graph.microsoft.com/v1.0/"),
    ("/me/drive/items/root/", "/me/drive/root/"),
    ("api.twitter.com/2/", "api.x.com/2/"),
    ("api.todoist.com/rest/v2/", "api.todoist.com/api/v1/"),
    (".salesforce.com/services/data/v59.0/", ".salesforce.com/services/data/v62.0/"),
    (".myshopify.com/admin/api/2024-07//", ".myshopify.com/admin/api/2026-01/"),
    // The names of objects may have small letters.
    ("/sobjects/account", "/sobjects/Account"),
    ("/sobjects/case", "/sobjects/Case"),
    ("/sobjects/contact", "/sobjects/Contact"),
    ("/sobjects/lead", "/sobjects/Lead"),
    ("/sobjects/opportunity", "/sobjects/Opportunity"),
    ("/sobjects/task", "/sobjects/Task"),
    // A search has the same answer in both versions.
    ("api.pipedrive.com/v1/deals/search", "api.pipedrive.com/api/v2/deals/search"),
    ("api.pipedrive.com/v1/organizations/search", "api.pipedrive.com/api/v2/organizations/search"),
    ("api.pipedrive.com/v1/persons/search", "api.pipedrive.com/api/v2/persons/search"),
    // The title of a sheet may have quotes.
    ("'", ""),
];
/// Services that answer the same with an end of the path and without it.
const ENDS: &[(&str, &str)] =
    &[(".zendesk.com/api/v2/", ".json"), ("oauth.reddit.com/", ".json"), ("api.monday.com/v2", "/")];
/// Parameters that a credential adds, that the method does not have, or that are its defaults. The folder of data of apps is not a drive of a user, and
/// shared drives may be given where there are none.
const IGNORED_QUERY: &[(&str, &str)] = &[
    ("", "access_token=secret"),
    ("", "APPID=secret"),
    ("oauth.reddit.com/", "api_type=json"),
    ("/gmail/v1/users/me/messages/send", "format="),
    ("/drive/v3/files", "supportsTeamDrives=true"),
    ("/drive/v3/files", "supportsAllDrives="),
    ("/drive/v3/files", "spaces="),
    ("/drive/v3/files", "maxResults="),
    ("/drive/v3/files/", "corpora="),
    ("/drive/v3/files/", "includeItemsFromAllDrives="),
    ("/gmail/", "metadataHeaders="),
    ("/gmail/v1/users/me/messages/", "maxResults="),
    ("/gmail/v1/users/me/messages/", "q="),
    ("/gmail/v1/users/me/messages/", "labelIds="),
    ("/gmail/v1/users/me/messages/", "includeSpamTrash="),
    ("/tasks/", "showDeleted=false"),
    ("/tasks/", "showHidden=false"),
    ("/tasks/", "showCompleted=true"),
    ("/deals/search", "exact_match=false"),
    ("/rest/api/2/issue/", "deleteSubtasks=false"),
];
/// Fields of a body that are the default of the API, or that it does not have.
const IGNORED_FIELDS: &[(&str, &str)] = &[
    ("includeLinkToWorkflow", "false"),
    ("copyRequiresWriterPermission", "false"),
    ("allowFileDiscovery", "false"),
    ("saveToSentItems", "true"),
    ("reply_broadcast", "false"),
    ("labelListVisibility", "\"labelShow\""),
    ("messageListVisibility", "\"show\""),
    ("mail_settings", r#"{"sandbox_mode":{"enable":false}}"#),
    ("parents", r#"["root"]"#),
    ("parents", "[]"),
    ("attachments", "[]"),
    ("props", r#"{"attachments":[]}"#),
    ("recurrence", "[]"),
    ("sheets", "[]"),
    ("content", "\"\""),
];
/// The same for the method with this end of its path. A value may be left out here.
const IGNORED_FIELDS_OF: [(&str, &str, &str); 8] = [
    // New issues of GitHub and GitLab.
    ("/issues", "labels", "[]"),
    ("/issues", "labels", "\"\""),
    ("/issues", "assignees", "[]"),
    ("/issues", "assignee_ids", "[]"),
    ("/issues", "due_date", "\"\""),
    // The id of the list is in the address.
    ("/members", "listId", ""),
    // `sorts` says both.
    ("/contacts/search", "sortBy", ""),
    ("/contacts/search", "direction", ""),
];

/// Fields of bodies that say nothing more than no field if they are empty: those of Notion and of GraphQL.
const EMPTY: [&str; 3] = ["children", "variables", "operationName"];

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
    // n8n reads which types of issues are subtasks.
    let is_of_types = |request: &Value| request["path"].as_str().unwrap().ends_with("/rest/api/2/issuetype");
    let kept = requests
        .into_iter()
        .filter(|request| !is_of_types(request))
        .filter(|request| !is_of_sheet(request) || !(is_preparation(request) || (has_append && is_read(request))));
    kept.map(|request| appended_rows(&request).unwrap_or(request)).collect()
}

/// The rows that a request adds at the end of a sheet: n8n computes where, or appends.
fn appended_rows(request: &Value) -> Option<Value> {
    let path = request["path"].as_str().unwrap();
    let rows = request["body"]["values"].as_array()?;
    let is_append = path.ends_with(":append") || (request["method"] == "PUT" && !path.ends_with("!1:1"));
    // An empty cell of a new row is empty.
    let cell = |cell: &Value| if cell.is_null() { json!("") } else { cell.clone() };
    let rows = rows.iter().map(|row| row.as_array().map(|row| row.iter().map(cell).collect::<Vec<_>>()));
    let rows: Vec<_> = rows.collect();
    let query = request["query"].as_str().unwrap().replace("insertDataOption=INSERT_ROWS", "");
    is_append.then(|| json!({"path": "rows", "query": query.trim_matches('&'), "values": rows}))
}

/// The query in the order of its names, without what changes nothing.
pub fn query_of(path: &str, query: &str) -> String {
    let mut pairs: Vec<String> = query.split('&').map(|pair| decode(pair).replace(", ", ",")).collect();
    let changes_nothing = |pair: &String| {
        IGNORED_QUERY.iter().any(|(part, ignored)| path.contains(part) && pair.starts_with(ignored))
            || (pair.starts_with("dateTimeRenderOption=") && query.contains("=FORMATTED_VALUE"))
    };
    pairs.retain(|pair| !changes_nothing(pair));
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
    for pointer in ["/raw", "/message/raw"] {
        if let Some(raw) = body.pointer_mut(pointer) {
            *raw = mail::normalize(raw.as_str().unwrap_or_default());
        }
    }
    // An empty object says nothing more than no body.
    if body == json!({}) { json!("") } else { with_numbers(body) }
}

/// The words of a query in GraphQL, with the values of its variables. The names of these are free.
fn with_variables(body: &Value) -> Value {
    let query = body["query"].as_str().unwrap_or_default();
    let (head, selection) = query.split_once('{').unwrap_or_default();
    let mut parts = selection.split('$');
    let mut text = format!("{} {}", head.split('(').next().unwrap_or_default(), parts.next().unwrap_or_default());
    for part in parts {
        let end = part.find(|character: char| !character.is_ascii_alphanumeric()).unwrap_or(part.len());
        let (name, rest) = part.split_at(end);
        text.push_str(&format!("{}{rest}", body["variables"][name]));
    }
    let spaced = "(){}[]:".chars().fold(text.replace(',', " "), |text, sign| text.replace(sign, &format!(" {sign} ")));
    spaced.split_whitespace().collect()
}

/// The body with the numbers of sheets as numbers.
fn with_numbers(mut body: Value) -> Value {
    let text = body.to_string();
    if let Some((_, number)) = text.split_once("\"sheetId\":\"")
        && let Some((number, _)) = number.split_once('"')
    {
        let (one, same) = (format!("\"sheetId\":\"{number}\""), format!("\"sheetId\":{number}"));
        body = serde_json::from_str(&text.replace(&one, &same)).unwrap();
    }
    body
}

fn decode(text: &str) -> String {
    mail::unquote(text, '%')
}
