//! What several translators write into the configuration of an `http` node.

use serde_json::{Value, json};

/// What a person must know of a call that sends or gets files.
pub const FILE_LIMIT: &str = "files have at most 1 MiB";

/// A call whose items are what `result` makes of its answer. An error status fails the node.
pub fn call(method: &str, url: impl Into<Value>, body: Option<Value>, result: &str) -> Value {
    let (url, item_mode): (Value, _) = (url.into(), json!({"result": {"js": result}}));
    let mut config = json!({"method": method, "url": url, "failOnStatus": true, "itemMode": item_mode});
    if let Some(body) = body {
        config["body"] = body;
    }
    config
}

/// A body that is JSON, which an expression gives.
pub fn json_body(javascript: impl Into<Value>) -> Value {
    json!({"type": "json", "value": {"js": javascript.into()}})
}

/// A form with files, which the library of scripts writes. The parts are objects in JavaScript.
pub fn multipart(parts: &[String]) -> Value {
    json!({"type": "file", "file": {"js": format!("n8n.multipart([{}])", parts.join(", "))}})
}
