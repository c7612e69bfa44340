//! The versions of the API of Notion.

use serde_json::{Value, json};

/// The body as the newest version of the API of Notion reads it: `text` became `rich_text`, and `phone` became `phone_number`.
pub fn newest(path: &str, mut body: Value) -> Value {
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
