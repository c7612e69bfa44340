//! Marks for the cache, which the operator wants for a model.

use serde_json::{Value, json};

use crate::chat::ChatRequest;
use domain::chat::CacheMark;

/// Adds the marks, unless the client has its own: the API takes four of them in a request.
pub fn add(body: &mut Value, request: &ChatRequest) {
    let cache = request.terms().prompt_cache;
    if request.has_cache_marks() {
        return;
    }
    let CacheMark(mark) = if cache.one_hour { CacheMark::for_an_hour() } else { CacheMark::short() };
    if cache.tools {
        body.get_mut("tools").into_iter().for_each(|tools| mark_last(tools, &mark));
    }
    if cache.system {
        body.get_mut("system").into_iter().for_each(|system| mark_last_block(system, &mark));
    }
    if cache.last_turn
        && let Some(turn) = body.get_mut("messages").and_then(Value::as_array_mut).and_then(|turns| turns.last_mut())
        && let Some(content) = turn.get_mut("content")
    {
        mark_last_block(content, &mark);
    }
}

/// Marks the last block of a content, which may be a text.
fn mark_last_block(content: &mut Value, mark: &Value) {
    if let Value::String(text) = content {
        *content = json!([{"type": "text", "text": text}]);
    }
    mark_last(content, mark);
}

fn mark_last(list: &mut Value, mark: &Value) {
    if let Some(last) = list.as_array_mut().and_then(|list| list.last_mut()) {
        // Reasoning cannot be marked.
        if !matches!(last["type"].as_str(), Some("thinking" | "redacted_thinking")) {
            last["cache_control"] = mark.clone();
        }
    }
}
