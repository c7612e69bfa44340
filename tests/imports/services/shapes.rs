//! Requests that say the same in another shape.

use serde_json::{Value, json};

/// The request with what Trello reads from the query or from the body in its query, and with the conditions of Supabase.
pub fn with_query(mut request: Value) -> Value {
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
    let mut characters =
        value.strip_prefix('(').and_then(|list| list.strip_suffix(')')).unwrap_or(value).chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '"' => is_quoted = !is_quoted,
            '(' if !is_quoted => depth += 1,
            ')' if !is_quoted => depth -= 1,
            _ => {}
        }
        match character {
            // A list in quotes is a text.
            '"' if characters.peek() != Some(&'(') => {}
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
pub fn appended_rows(request: &Value) -> Option<Value> {
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

/// The words of a query in GraphQL, with the values of its variables. The names of these are free.
pub fn with_variables(body: &Value) -> Value {
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
pub fn with_numbers(mut body: Value) -> Value {
    let text = body.to_string();
    if let Some((_, number)) = text.split_once("\"sheetId\":\"")
        && let Some((number, _)) = number.split_once('"')
    {
        let (one, same) = (format!("\"sheetId\":\"{number}\""), format!("\"sheetId\":{number}"));
        body = serde_json::from_str(&text.replace(&one, &same)).unwrap();
    }
    body
}
