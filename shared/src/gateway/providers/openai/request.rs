//! Requests as they came, but for the model's name and what is the gateway's own.

use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::{Map, Value};

use crate::gateway::chat::ChatRequest;
use crate::gateway::embeddings::EmbeddingsRequest;

pub struct Chat<'a> {
    pub model: &'a str,
    pub request: &'a ChatRequest,
    pub streamed: bool,
}

impl Serialize for Chat<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let own = ["model", "stream", "stream_options", "guard"];
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("model", self.model)?;
        for (name, value) in self.request.body() {
            if !own.contains(&name.as_str()) {
                map.serialize_entry(name, value)?;
            }
        }
        if self.streamed {
            map.serialize_entry("stream", &true)?;
            map.serialize_entry("stream_options", &stream_options(self.request))?;
        }
        map.end()
    }
}

/// Usage is always asked for: the client's wish decides only whether it is shown.
fn stream_options(request: &ChatRequest) -> Map<String, Value> {
    let own = request.body().get("stream_options").and_then(Value::as_object);
    let mut options = own.cloned().unwrap_or_default();
    options.insert("include_usage".to_owned(), true.into());
    options
}

pub struct Embeddings<'a> {
    pub model: &'a str,
    pub request: &'a EmbeddingsRequest,
}

impl Serialize for Embeddings<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("model", self.model)?;
        for (name, value) in self.request.body().iter().filter(|(name, _)| *name != "model") {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}
