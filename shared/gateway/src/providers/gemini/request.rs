//! Translates a chat request to Gemini's `generateContent`.

use std::collections::HashMap;

use serde_json::{Map, Value, json};

use super::MAKER;
use crate::chat::{ChatRequest, ChatRole, ContentPart, Message, ResponseFormat, ToolCall, ToolChoice};
use crate::failure::ProviderFailure;
use crate::parameters::Parameters;
use crate::providers::conversation::{Media, Side, arguments, invalid_request, media, split, unsupported_part};
use crate::providers::tools::{choice, functions};
use domain::provider::ProviderKind;
use domain::text::shorten;

/// Parameters that are renamed only: OpenAI's name and Gemini's.
const RENAMED_PARAMETERS: [(&str, &str); 6] = [
    ("temperature", "temperature"),
    ("top_p", "topP"),
    ("top_k", "topK"),
    ("n", "candidateCount"),
    ("presence_penalty", "presencePenalty"),
    ("frequency_penalty", "frequencyPenalty"),
];

pub fn content(model: &str, request: &ChatRequest) -> Result<Value, ProviderFailure> {
    let parameters = request.parameters(ProviderKind::Gemini, model);
    parameters.check(request.terms().unsupported)?;
    let (system, turns) = split(request);
    let mut names = HashMap::new();
    let mut contents = Vec::with_capacity(turns.len());
    for turn in &turns {
        let role = if turn.side == Side::Model { "model" } else { "user" };
        let mut parts = Vec::new();
        for message in &turn.messages {
            names.extend(message.tool_calls.iter().map(|call| (call.id.as_str(), call.name.as_str())));
            parts.extend(parts_of(message, &names)?);
        }
        contents.push(json!({"role": role, "parts": parts}));
    }
    let mut body = parameters.forwarded_object();
    if !system.is_empty() {
        let parts: Vec<_> = system.iter().filter_map(ContentPart::as_text).map(|text| json!({"text": text})).collect();
        body.insert("systemInstruction".to_owned(), json!({"parts": parts}));
    }
    body.insert("contents".to_owned(), contents.into());
    add_tools(&mut body, request)?;
    // The client's own Gemini settings (`thinkingConfig` …) are merged with the translated ones.
    let own = body.get("generationConfig").and_then(Value::as_object).cloned();
    let mut config = own.unwrap_or_default();
    config.extend(generation_config(request, &parameters));
    if let Some(thinking) = parameters.gemini_thinking() {
        config.entry("thinkingConfig").or_insert(thinking);
    }
    body.insert("generationConfig".to_owned(), config.into());
    Ok(Value::Object(body))
}

fn generation_config(request: &ChatRequest, parameters: &Parameters<'_>) -> Map<String, Value> {
    let mut config = Map::new();
    for (name, theirs) in RENAMED_PARAMETERS {
        if let Some(value) = parameters.get(name) {
            config.insert(theirs.to_owned(), value.clone());
        }
    }
    if let Some(seed) = parameters.get("seed").and_then(Value::as_i64) {
        // Gemini's seeds have 32 bits.
        let seed = i32::try_from(seed).unwrap_or((seed & i64::from(i32::MAX)) as i32);
        config.insert("seed".to_owned(), seed.into());
    }
    if let Some(tokens) = request.max_tokens() {
        config.insert("maxOutputTokens".to_owned(), tokens.into());
    }
    let stops = request.stops();
    if !stops.is_empty() {
        config.insert("stopSequences".to_owned(), stops.into());
    }
    match request.response_format() {
        ResponseFormat::Text => {}
        ResponseFormat::Json => _ = config.insert("responseMimeType".to_owned(), "application/json".into()),
        ResponseFormat::Schema(format) => {
            config.insert("responseMimeType".to_owned(), "application/json".into());
            if let Some(schema) = format.get("schema") {
                config.insert("responseJsonSchema".to_owned(), schema.clone());
            }
        }
    }
    config
}

fn parts_of(message: &Message, names: &HashMap<&str, &str>) -> Result<Vec<Value>, ProviderFailure> {
    if message.role == ChatRole::Tool {
        let id = message.tool_call_id.as_deref().unwrap_or_default();
        let name = names.get(id).copied().or(message.name.as_deref());
        let name = name.ok_or_else(|| {
            invalid_request("messages", format_args!("no earlier tool call has the id {}", shorten(id)))
        })?;
        let text = message.text();
        // Gemini requires an object as the result of a function, so any other result is wrapped in one.
        let response = match domain::json::parse_text(&text) {
            Some(object @ Value::Object(_)) => object,
            _ => json!({"result": text}),
        };
        let result = json!({"functionResponse": {"name": name, "response": response}});
        // The result of a function has no images, so they follow it.
        let media = message.parts.iter().filter(|part| part.is_media()).map(part);
        return std::iter::once(Ok(result)).chain(media).collect();
    }
    let is_content = |part: &&ContentPart| !matches!(part, ContentPart::Reasoning(_) | ContentPart::CacheMark(_));
    message.parts.iter().filter(is_content).map(part).chain(message.tool_calls.iter().map(call)).collect()
}

fn part(part: &ContentPart) -> Result<Value, ProviderFailure> {
    let url = match part {
        ContentPart::Text(text) => return Ok(json!({"text": text})),
        ContentPart::Audio(audio) => {
            let media_type = format!("audio/{}", audio.format);
            return Ok(json!({"inlineData": {"mimeType": media_type, "data": audio.base64}}));
        }
        ContentPart::Image(url) => url,
        ContentPart::File(file) => &file.url,
        ContentPart::Other(_) | ContentPart::Reasoning(_) | ContentPart::CacheMark(_) => {
            return Err(unsupported_part(MAKER, part));
        }
    };
    match media(url)? {
        Media::Inline { media_type, base64 } => Ok(json!({"inlineData": {"mimeType": media_type, "data": base64}})),
        Media::Url(_) => {
            Err(ProviderFailure::unsupported("messages", "Gemini does not fetch files; send them as data: URLs"))
        }
    }
}

fn call(call: &ToolCall) -> Result<Value, ProviderFailure> {
    let mut part = json!({"functionCall": {"name": call.name, "args": arguments(call)?}});
    // Newer models refuse a call that is sent back without its signature.
    if let Some(signature) = ToolCall::signature(&call.others) {
        part["thoughtSignature"] = signature.into();
    }
    Ok(part)
}

fn add_tools(body: &mut Map<String, Value>, request: &ChatRequest) -> Result<(), ProviderFailure> {
    let functions = functions(request, MAKER)?;
    if functions.is_empty() {
        return Ok(());
    }
    let declarations = functions.iter().map(|function| {
        let mut declaration = json!({"name": function.name});
        if let Some(description) = function.description {
            declaration["description"] = description.into();
        }
        if let Some(parameters) = function.parameters {
            declaration["parametersJsonSchema"] = parameters.clone();
        }
        declaration
    });
    let declarations: Vec<_> = declarations.collect();
    body.insert("tools".to_owned(), json!([{"functionDeclarations": declarations}]));
    let calling = match choice(request, MAKER)? {
        None => return Ok(()),
        Some(ToolChoice::Auto) => json!({"mode": "AUTO"}),
        Some(ToolChoice::None) => json!({"mode": "NONE"}),
        Some(ToolChoice::Required) => json!({"mode": "ANY"}),
        Some(ToolChoice::Function(name)) => json!({"mode": "ANY", "allowedFunctionNames": [name]}),
    };
    body.insert("toolConfig".to_owned(), json!({"functionCallingConfig": calling}));
    Ok(())
}
