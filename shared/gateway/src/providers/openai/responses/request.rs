//! Translates a chat into a request to the Responses API.

use serde_json::{Map, Value, json};

use super::{MAKER, input};
use crate::chat::{ChatRequest, ResponseFormat, ToolChoice};
use crate::failure::ProviderFailure;
use crate::parameters::Parameters;
use crate::providers::tools::{choice, functions};
use domain::provider::UpstreamApi;

pub fn translate_request(model: &str, request: &ChatRequest, streamed: bool) -> Result<Value, ProviderFailure> {
    let parameters = request.parameters(UpstreamApi::OpenAiResponses, model);
    parameters.check(request.terms().unsupported)?;
    let mut body = parameters.forwarded_object();
    let mut insert = |name: &str, value: Value| _ = body.insert(name.to_owned(), value);
    insert("model", model.into());
    insert("input", input::translate_messages(request.messages())?.into());
    // The API stores responses by default. The gateway sends the whole conversation each time, and needs no copy there.
    insert("store", parameters.get("store").cloned().unwrap_or(Value::Bool(false)));
    for name in ["temperature", "top_p", "top_logprobs"] {
        if let Some(value) = parameters.get(name) {
            insert(name, value.clone());
        }
    }
    if let Some(limit) = parameters.get_within_range(request.max_tokens_name()) {
        insert("max_output_tokens", limit.into_owned());
    }
    if streamed {
        insert("stream", true.into());
    }
    let groups = [
        ("include", includes(request)),
        ("reasoning", reasoning(request, &parameters)),
        ("text", text(request, &parameters)),
    ];
    for (name, group) in groups {
        if let Some(group) = group {
            insert(name, group);
        }
    }
    add_tools(&mut body, request, &parameters)?;
    Ok(Value::Object(body))
}

/// What the answer has beside the text. The API refuses to encrypt the reasoning of a model that does not reason, so the catalog
/// decides, and not the name of the model.
fn includes(request: &ChatRequest) -> Option<Value> {
    let includes = [
        ("reasoning.encrypted_content", request.terms().reasons),
        ("message.output_text.logprobs", request.flag("logprobs")),
    ];
    let wanted: Vec<_> = includes.into_iter().filter(|(_, is_wanted)| *is_wanted).map(|(name, _)| name).collect();
    (!wanted.is_empty()).then(|| wanted.into())
}

fn reasoning(request: &ChatRequest, parameters: &Parameters<'_>) -> Option<Value> {
    let summary = request.reasoning_summary().filter(|_| request.terms().reasons);
    let fields = [("effort", parameters.get("reasoning_effort")), ("summary", summary)];
    object(fields.map(|(name, value)| (name, value.cloned())))
}

fn text(request: &ChatRequest, parameters: &Parameters<'_>) -> Option<Value> {
    let format = match request.response_format() {
        ResponseFormat::Text => None,
        ResponseFormat::Json => Some(json!({"type": "json_object"})),
        ResponseFormat::Schema(format) => {
            let mut format = format.clone();
            format["type"] = "json_schema".into();
            if format["schema"].is_null() {
                format["schema"] = json!({"type": "object"});
            }
            Some(format)
        }
    };
    object([("format", format), ("verbosity", parameters.get("verbosity").cloned())])
}

fn object<const N: usize>(fields: [(&str, Option<Value>); N]) -> Option<Value> {
    let fields = fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    let fields: Map<String, Value> = fields.collect();
    (!fields.is_empty()).then_some(Value::Object(fields))
}

fn add_tools(
    body: &mut Map<String, Value>,
    request: &ChatRequest,
    parameters: &Parameters<'_>,
) -> Result<(), ProviderFailure> {
    let functions = functions(request, MAKER)?;
    if functions.is_empty() {
        return Ok(());
    }
    let tools = functions.iter().map(|function| {
        let parameters = function.parameters.cloned().unwrap_or_else(|| json!({"type": "object", "properties": {}}));
        // The API is strict by default, and chat completions are not.
        let mut tool = json!({
            "type": "function", "name": function.name, "parameters": parameters, "strict": function.is_strict,
        });
        if let Some(description) = function.description {
            tool["description"] = description.into();
        }
        tool
    });
    body.insert("tools".to_owned(), tools.collect());
    if let Some(choice) = choice(request, MAKER)? {
        let choice = match choice {
            ToolChoice::Auto => json!("auto"),
            ToolChoice::None => json!("none"),
            ToolChoice::Required => json!("required"),
            ToolChoice::Function(name) => json!({"type": "function", "name": name}),
        };
        body.insert("tool_choice".to_owned(), choice);
    }
    if let Some(parallel) = parameters.get("parallel_tool_calls") {
        body.insert("parallel_tool_calls".to_owned(), parallel.clone());
    }
    Ok(())
}
