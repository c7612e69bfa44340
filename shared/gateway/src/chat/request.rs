//! The request of a chat completion. Documented parameters are validated; others are kept for the provider.

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};

use crate::parameters::{CHAT, Parameters};
use crate::unknown_parameters;
use domain::catalog::{MaxTokensParameter, Unsupported};
use domain::chat::{ChatPrompt, Message};
use domain::number::convert_integer_fields;
use domain::provider::ProviderKind;
use domain::{Error, Result};

/// The parameters that the gateway validates.
pub const VALIDATED: [&str; 20] = [
    "model",
    "messages",
    "stream",
    "stream_options",
    "temperature",
    "top_p",
    "max_tokens",
    "max_completion_tokens",
    "n",
    "stop",
    "presence_penalty",
    "frequency_penalty",
    "seed",
    "tools",
    "tool_choice",
    "parallel_tool_calls",
    "response_format",
    "logprobs",
    "top_logprobs",
    "guard",
];
/// The parameters that are whole numbers.
const INTEGER_PARAMETERS: [&str; 5] = ["max_tokens", "max_completion_tokens", "n", "seed", "top_logprobs"];
/// The names of the output limit. The first one has precedence.
const MAX_TOKENS_NAMES: [&str; 2] = ["max_completion_tokens", "max_tokens"];
const MAX_CHOICES: u64 = 128;
const MAX_MESSAGES: usize = 10_000;
const MAX_STOPS: usize = 16;
const MAX_TOOLS: usize = 512;

/// A validated request.
#[derive(Clone, Debug)]
pub struct ChatRequest {
    /// The parameters, in OpenAI's format. `messages` is null here, and keeps the place of the messages in the request.
    body: Map<String, Value>,
    messages: Vec<Message>,
    terms: Terms,
}

/// The settings of the catalog's model for the translation of a request.
#[derive(Clone, Copy, Debug, Default)]
pub struct Terms {
    pub unsupported: Unsupported,
    pub max_tokens_parameter: Option<MaxTokensParameter>,
    /// The output limit for providers that require one, when the client sets none.
    pub max_tokens: Option<u64>,
}

#[derive(Clone, Copy, Debug)]
pub enum ResponseFormat<'a> {
    Text,
    /// The answer is any JSON object.
    Json,
    /// The answer matches a JSON schema, given as `{name, schema, strict}`.
    Schema(&'a Value),
}

impl ChatRequest {
    pub fn read(body: Value) -> Result<Self> {
        let Value::Object(mut body) = body else { return Err(Error::invalid_body("", "must be an object")) };
        // OpenAI treats null like a missing parameter.
        body.retain(|_, value| !value.is_null());
        convert_integer_fields(&mut body, &INTEGER_PARAMETERS);
        unknown_parameters::check(&body)?;
        if body.get("model").and_then(Value::as_str).unwrap_or_default().is_empty() {
            return Err(Error::invalid_body("model", "must be the name of a model or of an alias"));
        }
        let messages = read_messages(body.get_mut("messages").map(Value::take).unwrap_or_default())?;
        let request = Self { body, messages, terms: Terms::default() };
        request.check()?;
        Ok(request)
    }

    /// The request for a question of the platform itself, which is valid.
    pub fn new(mut prompt: ChatPrompt) -> Result<Self> {
        let messages = std::mem::take(&mut prompt.messages);
        let Value::Object(mut body) = serde_json::to_value(prompt).map_err(Error::internal)? else {
            return Err(Error::internal("a prompt is an object"));
        };
        body.insert("messages".to_owned(), Value::Null);
        Ok(Self { body, messages, terms: Terms::default() })
    }

    /// Requests the answer as a stream, with its usage.
    #[must_use]
    pub fn streamed(mut self) -> Self {
        self.body.insert("stream".to_owned(), true.into());
        self.body.insert("stream_options".to_owned(), json!({"include_usage": true}));
        self
    }

    fn check(&self) -> Result<()> {
        let wrong = |field: &str, problem: &str| Err(Error::invalid_body(field, problem));
        self.check_number("temperature", 0.0, 2.0)?;
        self.check_number("top_p", 0.0, 1.0)?;
        self.check_number("presence_penalty", -2.0, 2.0)?;
        self.check_number("frequency_penalty", -2.0, 2.0)?;
        self.check_integer("max_tokens", 1, u64::from(u32::MAX))?;
        self.check_integer("max_completion_tokens", 1, u64::from(u32::MAX))?;
        self.check_integer("n", 1, MAX_CHOICES)?;
        self.check_integer("top_logprobs", 0, 20)?;
        for name in ["stream", "logprobs", "guard", "parallel_tool_calls"] {
            if self.body.get(name).is_some_and(|value| !value.is_boolean()) {
                return wrong(name, "must be true or false");
            }
        }
        if self.body.get("seed").is_some_and(|seed| !seed.is_i64()) {
            return wrong("seed", "must be a 64-bit integer");
        }
        if self.body.contains_key("top_logprobs") && !self.flag("logprobs") {
            return wrong("top_logprobs", "requires logprobs: true");
        }
        if self.body.get("stream_options").is_some_and(|options| !options.is_object()) {
            return wrong("stream_options", "must be an object");
        }
        let usage = self.body.get("stream_options").map_or(&Value::Null, |options| &options["include_usage"]);
        if !usage.is_boolean() && !usage.is_null() {
            return wrong("stream_options.include_usage", "must be true or false");
        }
        match self.body.get("stop") {
            None | Some(Value::String(_)) => {}
            Some(Value::Array(stops)) if stops.len() <= MAX_STOPS && stops.iter().all(Value::is_string) => {}
            Some(_) => return wrong("stop", "must be a string or a list of at most 16 strings"),
        }
        self.check_tools()?;
        self.check_response_format()
    }

    fn check_number(&self, name: &str, least: f64, most: f64) -> Result<()> {
        let Some(value) = self.body.get(name) else { return Ok(()) };
        match value.as_f64() {
            Some(number) if (least..=most).contains(&number) => Ok(()),
            _ => Err(Error::invalid_body(name, format_args!("must be a number from {least} to {most}"))),
        }
    }

    fn check_integer(&self, name: &str, least: u64, most: u64) -> Result<()> {
        let Some(value) = self.body.get(name) else { return Ok(()) };
        match value.as_u64() {
            Some(number) if (least..=most).contains(&number) => Ok(()),
            _ => Err(Error::invalid_body(name, format_args!("must be an integer from {least} to {most}"))),
        }
    }

    fn check_tools(&self) -> Result<()> {
        let tools = match self.body.get("tools") {
            None => &[],
            Some(Value::Array(tools)) if tools.len() <= MAX_TOOLS => tools.as_slice(),
            Some(_) => return Err(Error::invalid_body("tools", format_args!("list at most {MAX_TOOLS} tools"))),
        };
        for (i, tool) in tools.iter().enumerate() {
            let is_function = tool["type"] == "function";
            if !tool["type"].is_string() || (is_function && !tool["function"]["name"].is_string()) {
                let problem =
                    "must be {\"type\": \"function\", \"function\": {\"name\", \"description\", \"parameters\"}}";
                return Err(Error::invalid_body(format!("tools[{i}]"), problem));
            }
        }
        match self.body.get("tool_choice") {
            None => Ok(()),
            Some(Value::String(choice)) if ["none", "auto", "required"].contains(&choice.as_str()) => Ok(()),
            Some(Value::Object(choice)) if choice.get("type").is_some_and(Value::is_string) => Ok(()),
            Some(_) => Err(Error::invalid_body("tool_choice", "must be none, auto, required, or name a tool")),
        }
    }

    fn check_response_format(&self) -> Result<()> {
        let Some(format) = self.body.get("response_format") else { return Ok(()) };
        match format["type"].as_str() {
            Some("text" | "json_object") => Ok(()),
            Some("json_schema") if format["json_schema"]["name"].is_string() => Ok(()),
            Some("json_schema") => Err(Error::invalid_body("response_format.json_schema.name", "must be a string")),
            _ => Err(Error::invalid_body("response_format.type", "must be text, json_object or json_schema")),
        }
    }

    /// The rules for the parameters when `model` of a provider gets the request.
    pub fn parameters<'a>(&'a self, kind: ProviderKind, model: &'a str) -> Parameters<'a> {
        Parameters { table: &CHAT, validated: &VALIDATED, body: &self.body, kind, model }
    }

    pub fn body(&self) -> &Map<String, Value> {
        &self.body
    }

    /// The requested name of a model or an alias.
    pub fn model(&self) -> &str {
        self.body.get("model").and_then(Value::as_str).unwrap_or_default()
    }

    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    pub fn is_streamed(&self) -> bool {
        self.flag("stream")
    }

    /// Whether the client requested the usage chunk at the end of the stream.
    pub fn wants_usage(&self) -> bool {
        self.body.get("stream_options").is_some_and(|options| options["include_usage"] == true)
    }

    pub fn wants_guard(&self) -> bool {
        self.flag("guard")
    }

    pub fn terms(&self) -> Terms {
        self.terms
    }

    pub fn set_terms(&mut self, terms: Terms) {
        self.terms = terms;
    }

    /// The number of choices to generate.
    pub fn choices(&self) -> u64 {
        self.body.get("n").and_then(Value::as_u64).unwrap_or(1)
    }

    /// The client's output limit for each choice.
    pub fn max_tokens(&self) -> Option<u64> {
        MAX_TOKENS_NAMES.iter().find_map(|name| self.body.get(*name)?.as_u64())
    }

    /// The output limit for providers that require one: the client's, or else the one of the model's terms.
    pub fn required_max_tokens(&self) -> Option<u64> {
        self.max_tokens().or(self.terms.max_tokens)
    }

    pub fn flag(&self, name: &str) -> bool {
        self.body.get(name).and_then(Value::as_bool).unwrap_or_default()
    }

    pub fn stops(&self) -> Vec<&str> {
        match self.body.get("stop") {
            Some(Value::String(stop)) => vec![stop],
            Some(Value::Array(stops)) => stops.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        }
    }

    pub fn tools(&self) -> &[Value] {
        self.body.get("tools").and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }

    pub fn tool_choice(&self) -> Option<&Value> {
        self.body.get("tool_choice")
    }

    pub fn response_format(&self) -> ResponseFormat<'_> {
        match self.body.get("response_format") {
            Some(format) if format["type"] == "json_object" => ResponseFormat::Json,
            Some(format) if format["type"] == "json_schema" => ResponseFormat::Schema(&format["json_schema"]),
            _ => ResponseFormat::Text,
        }
    }

    /// The values of the parameters that the gateway does not validate.
    pub fn unvalidated(&self) -> impl Iterator<Item = &Value> {
        self.body.iter().filter(|(name, _)| !VALIDATED.contains(&name.as_str())).map(|(_, value)| value)
    }

    /// Sets a parameter that the request leaves out. Returns whether it was set.
    pub fn set_default(&mut self, name: &str, value: &Value) -> bool {
        if self.body.contains_key(name) {
            return false;
        }
        self.body.insert(name.to_owned(), value.clone());
        true
    }

    /// Lowers each output limit above `most` to it. Returns the names of the lowered ones.
    pub fn lower_max_tokens(&mut self, most: u64) -> Vec<String> {
        let is_above = |name: &&str| self.body.get(*name).and_then(Value::as_u64).is_some_and(|asked| asked > most);
        let names: Vec<String> =
            MAX_TOKENS_NAMES.iter().filter(|name| is_above(name)).map(|it| (*it).to_owned()).collect();
        for name in &names {
            self.body.insert(name.clone(), most.into());
        }
        names
    }

    /// Sets the output limit of each choice, under the name that the client uses.
    pub fn set_max_tokens(&mut self, tokens: u64) {
        self.body.insert(self.max_tokens_name().to_owned(), tokens.into());
    }

    /// The name that the client uses for its output limit.
    pub fn max_tokens_name(&self) -> &'static str {
        if self.body.contains_key("max_completion_tokens") { "max_completion_tokens" } else { "max_tokens" }
    }
}

fn read_messages(messages: Value) -> Result<Vec<Message>> {
    let Value::Array(messages) = messages else {
        return Err(Error::invalid_body("messages", "must be a list with at least one message"));
    };
    match messages.len() {
        0 => return Err(Error::invalid_body("messages", "must be a list with at least one message")),
        count if count > MAX_MESSAGES => {
            return Err(Error::invalid_body("messages", "must have at most 10,000 messages; leave some out"));
        }
        _ => {}
    }
    let read = |(i, message)| Message::read(&format!("messages[{i}]"), message);
    messages.into_iter().enumerate().map(read).collect()
}

/// The request in OpenAI's format.
impl Serialize for ChatRequest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (name, value) in &self.body {
            match name.as_str() {
                "messages" => map.serialize_entry(name, &self.messages)?,
                _ => map.serialize_entry(name, value)?,
            }
        }
        map.end()
    }
}
