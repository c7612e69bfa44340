//! What is the same in two requests to a service although it is written in another way.

use serde_json::{Value, json};

use crate::mail;

/// The same method of an API under two addresses.
const PATHS: [(&str, &str); 11] = [
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
    // The title of a sheet may have quotes.
    ("'", ""),
];
/// Services that answer the same with an end of the path and without it.
const ENDS: [(&str, &str); 3] =
    [(".zendesk.com/api/v2/", ".json"), ("oauth.reddit.com/", ".json"), ("api.monday.com/v2", "/")];
/// Parameters that a credential adds, that the method does not have, or that are its defaults. The folder of data of apps is not a drive of a user, and
/// shared drives may be given where there are none.
const IGNORED_QUERY: [(&str, &str); 20] = [
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
    // These lists have no limit: n8n cuts them.
    ("api.clickup.com/", "limit="),
    ("api.trello.com/", "limit="),
    ("/tasks/", "showDeleted=false"),
    ("/tasks/", "showHidden=false"),
    ("/tasks/", "showCompleted=true"),
];
/// Fields of a body that are the default of the API, or that it does not have.
const IGNORED_FIELDS: [(&str, &str); 19] = [
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
    ("notify_all", "false"),
    ("assignees", r#"{"add":[],"rem":[]}"#),
    ("sorts", "[]"),
    ("page_size", "100"),
];
/// Services for which an empty parameter is none.
const WITHOUT_EMPTY: [&str; 2] = ["hn.algolia.com/", "api.trello.com/"];

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
    // n8n reads the name of the title of a database. The id of this property is always `title`.
    let is_of_page = |request: &Value| request["path"] == "api.notion.com/v1/pages";
    let has_page = requests.iter().any(is_of_page);
    let is_schema = |request: &Value| {
        request["method"] == "GET" && request["path"].as_str().unwrap().starts_with("api.notion.com/v1/databases/")
    };
    let kept = requests
        .into_iter()
        .filter(|request| !is_of_sheet(request) || !(is_preparation(request) || (has_append && is_read(request))))
        .filter(|request| !(has_page && is_schema(request)));
    kept.map(|request| with_query(appended_rows(&request).unwrap_or(request))).collect()
}

/// The request with what Trello reads from the query or from the body in its query, and with the conditions of Supabase.
fn with_query(mut request: Value) -> Value {
    let path = request["path"].as_str().unwrap().to_owned();
    let mut pairs: Vec<String> = request["query"].as_str().unwrap().split('&').map(str::to_owned).collect();
    if path.contains(".supabase.co/rest/v1/") {
        pairs = pairs.iter().filter(|pair| !pair.is_empty()).flat_map(|pair| conditions(pair)).collect();
    } else if path.starts_with("api.trello.com/") {
        let fields = request["body"].as_object().into_iter().flatten();
        pairs.extend(fields.map(|(name, value)| format!("{name}={}", value.as_str().unwrap_or(&value.to_string()))));
        request["body"] = json!("");
    } else {
        return request;
    }
    pairs.retain(|pair| !pair.is_empty() && !pair.ends_with('='));
    pairs.sort();
    request["query"] = json!(pairs.join("&"));
    request
}

/// The conditions of a parameter of Supabase: `and=(a.eq.1,b.eq.2)` is `a=eq.1&b=eq.2`, and one of one condition is this one.
fn conditions(pair: &str) -> Vec<String> {
    let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
    let (mut parts, mut depth, mut is_quoted) = (vec![String::new()], 0, false);
    for character in value.strip_prefix('(').and_then(|list| list.strip_suffix(')')).unwrap_or(value).chars() {
        match character {
            '"' => is_quoted = !is_quoted,
            '(' if !is_quoted => depth += 1,
            ')' if !is_quoted => depth -= 1,
            _ => {}
        }
        match character {
            '"' => {}
            ',' if depth == 0 && !is_quoted => parts.push(String::new()),
            other => parts.last_mut().unwrap().push(other),
        }
    }
    match name {
        "and" => parts,
        "or" if parts.len() == 1 => parts,
        "or" => vec![format!("or({})", parts.join(","))],
        "select" | "order" | "limit" | "offset" => vec![pair.to_owned()],
        name => vec![format!("{name}.{value}")],
    }
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
    let is_empty = |pair: &String| WITHOUT_EMPTY.iter().any(|part| path.contains(part)) && pair.ends_with('=');
    pairs.retain(|pair| !pair.is_empty() && !changes_nothing(pair) && !is_empty(pair));
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
    if path.starts_with("api.twilio.com/") {
        let mut pairs: Vec<String> = body.as_str().unwrap_or_default().split('&').map(decode).collect();
        pairs.retain(|pair| !pair.ends_with('='));
        pairs.sort();
        return json!(pairs);
    }
    if let Some(fields) = body.as_object_mut() {
        let is_empty = |value: &Value| value.is_null() || *value == json!([]) || *value == json!({});
        fields.retain(|name, value| !EMPTY.contains(&name.as_str()) || !is_empty(value));
        fields.retain(|name, value| !IGNORED_FIELDS.contains(&(name.as_str(), value.to_string().as_str())));
    }
    if path.contains("api.notion.com/") {
        body = of_notion(path, body);
    }
    for pointer in ["/raw", "/message/raw"] {
        if let Some(raw) = body.pointer_mut(pointer) {
            *raw = mail::normalize(raw.as_str().unwrap_or_default());
        }
    }
    // An empty object says nothing more than no body.
    if body == json!({}) { json!("") } else { with_numbers(body) }
}

/// The body as the newest version of the API of Notion reads it: `text` became `rich_text`, and `phone` became `phone_number`.
fn of_notion(path: &str, mut body: Value) -> Value {
    let is_search = path.ends_with("/v1/search");
    let is_new = body["parent"].is_object();
    let Some(fields) = body.as_object_mut() else { return body };
    if is_search {
        // n8n reads the whole list, and cuts it.
        fields.remove("page_size");
    }
    if let Some(icon) = fields.get_mut("icon").and_then(Value::as_object_mut) {
        icon.remove("type");
    }
    let rename = |value: &mut Value, old: &str, new: &str| {
        let value = value.as_object_mut().unwrap();
        if let Some(content) = value.remove(old) {
            value.insert(new.to_owned(), content);
        }
    };
    for block in fields.get_mut("children").and_then(Value::as_array_mut).into_iter().flatten() {
        let kind = block["type"].as_str().unwrap().to_owned();
        rename(&mut block[kind.as_str()], "text", "rich_text");
    }
    for filter in fields.get_mut("filter").and_then(Value::as_object_mut).into_iter().flat_map(|one| one.values_mut()) {
        for condition in filter.as_array_mut().into_iter().flatten() {
            rename(condition, "text", "rich_text");
            rename(condition, "phone", "phone_number");
        }
    }
    let properties = fields.get_mut("properties").map(Value::take);
    let properties = properties.iter().flat_map(|properties| properties.as_object().unwrap());
    let properties = properties.map(|(name, value)| {
        let mut value = value.clone();
        if value.is_array() {
            value = json!({"title": value});
        }
        // A property has one type, as an icon has.
        value.as_object_mut().unwrap().remove("type");
        let is_title = is_new && value["title"].is_array();
        (if is_title { "title" } else { name }.to_owned(), value)
    });
    let properties: serde_json::Map<String, Value> = properties.collect();
    if !properties.is_empty() {
        fields.insert("properties".to_owned(), properties.into());
    }
    body
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
