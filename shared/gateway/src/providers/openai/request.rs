//! Serializes requests for `OpenAI`-compatible providers: unchanged, except for the model's name and the gateway's own
//! parameters.

use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::{Map, Value};

use super::images::takes_response_format;
use super::messages::OpenAiMessages;
use crate::audio::speech::SpeechRequest;
use crate::body::others;
use crate::chat::{ChatRequest, Dialect, Tool};
use crate::embeddings::EmbeddingsRequest;
use crate::failure::ProviderFailure;
use crate::images::ImageRequest;
use crate::parameters::is_reasoning_family;
use crate::providers::tools::functions;
use domain::catalog::MaxTokensParameter;
use domain::image::ImageSize;
use domain::provider::UpstreamApi;

/// The two names of the output limit.
const LIMIT_NAMES: [&str; 2] = ["max_tokens", "max_completion_tokens"];

pub struct Chat<'a> {
    pub model: &'a str,
    pub request: &'a ChatRequest,
    pub streamed: bool,
}

impl Serialize for Chat<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let own = ["model", "stream", "stream_options", "guard"];
        let parameters = self.request.parameters(UpstreamApi::OpenAi, self.model);
        let limit_name = self.limit_name();
        let is_replaced = |name: &str| limit_name.is_some() && LIMIT_NAMES.contains(&name);
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("model", self.model)?;
        for (name, value) in self.request.body() {
            if own.contains(&name.as_str()) || is_replaced(name) || parameters.get(name).is_none() {
                continue;
            }
            match name.as_str() {
                "tools" if self.request.dialect() != Dialect::ChatCompletions => {
                    map.serialize_entry(name, &without_marks(self.request.tools()))?;
                }
                "messages" => map.serialize_entry(name, &OpenAiMessages(self.request.messages()))?,
                _ => self.request.serialize_parameter(&mut map, name, value)?,
            }
        }
        if let (Some(name), Some(limit)) = (limit_name, self.request.max_tokens()) {
            map.serialize_entry(name, &limit)?;
        }
        if self.streamed {
            map.serialize_entry("stream", &true)?;
            map.serialize_entry("stream_options", &stream_options(self.request))?;
        }
        map.end()
    }
}

/// Refuses parameters that the model does not take, if its operator wants that, and tools of other dialects that are no functions.
/// The tools of OpenAI's own dialect are forwarded.
pub fn check(model: &str, request: &ChatRequest) -> Result<(), ProviderFailure> {
    request.parameters(UpstreamApi::OpenAi, model).check(request.terms().unsupported)?;
    match request.dialect() {
        Dialect::ChatCompletions => Ok(()),
        Dialect::Messages | Dialect::Responses => functions(request, "this model's provider").map(|_| ()),
    }
}

/// The tools without marks of Anthropic's cache.
fn without_marks(tools: &[Tool]) -> Vec<Tool> {
    let mut tools = tools.to_vec();
    for tool in &mut tools {
        if let Tool::OpenAi(Value::Object(fields)) = tool {
            fields.remove("cache_control");
        }
    }
    tools
}

impl Chat<'_> {
    /// The name of the output limit, if it must differ from the client's.
    fn limit_name(&self) -> Option<&'static str> {
        let set = self.request.terms().max_tokens_parameter;
        let by_family = || is_reasoning_family(self.model).then_some(MaxTokensParameter::MaxCompletionTokens);
        set.or_else(by_family).map(MaxTokensParameter::name)
    }
}

/// Always requests usage, for billing. The client's option decides only whether the client sees it.
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
        for (name, value) in others(self.request.body(), &["model"]) {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

pub struct Speech<'a> {
    pub model: &'a str,
    pub request: &'a SpeechRequest,
}

impl Serialize for Speech<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("model", self.model)?;
        for (name, value) in others(self.request.body(), &["model", "stream_format"]) {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

pub struct Images<'a> {
    pub model: &'a str,
    pub request: &'a ImageRequest,
}

impl Serialize for Images<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("model", self.model)?;
        for (name, value) in others(self.request.body(), &["model", "response_format"]) {
            map.serialize_entry(name, value)?;
        }
        if !self.request.body().contains_key("size") {
            map.serialize_entry("size", &ImageSize::DEFAULT.to_string())?;
        }
        // The pictures are stored here, so their bytes are needed.
        if takes_response_format(self.model) {
            map.serialize_entry("response_format", "b64_json")?;
        }
        map.end()
    }
}
