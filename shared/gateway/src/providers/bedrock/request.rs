//! Translates a chat request to Bedrock's Converse API.

use aws_sdk_bedrockruntime::types::{
    AnyToolChoice, AutoToolChoice, ContentBlock, ConversationRole, InferenceConfiguration, JsonSchemaDefinition,
    Message as Turn, OutputConfig, OutputFormat, OutputFormatStructure, OutputFormatType, SpecificToolChoice,
    SystemContentBlock, Tool, ToolChoice, ToolConfiguration, ToolInputSchema, ToolSpecification,
};
use aws_smithy_types::Document;
use serde_json::{Map, Value, json};

use super::content::{blocks, cache_point, incomplete};
use super::{MAKER, document};
use crate::chat::{ChatRequest, ContentPart, ResponseFormat, ToolChoice as FunctionChoice};
use crate::failure::ProviderFailure;
use crate::parameters::Parameters;
use crate::providers::conversation::{Side, instruct_json, invalid_request, split};
use crate::providers::tools::{called_names, choice, functions};
use domain::catalog::{DEFAULT_OUTPUT_TOKENS, PromptCache};
use domain::chat::CacheMark;
use domain::provider::ProviderKind;

/// The instruction in place of the choice `none`.
const NO_CALLS: &str = "Do not call any tool now. Answer with text.";
/// Bedrock's object of model-specific fields. Clients may send it themselves.
const FIELDS: &str = "additionalModelRequestFields";

pub struct ConverseRequest {
    pub system: Option<Vec<SystemContentBlock>>,
    pub messages: Vec<Turn>,
    pub inference: InferenceConfiguration,
    pub tools: Option<ToolConfiguration>,
    pub output: Option<OutputConfig>,
    /// Model-specific fields, which Converse does not interpret.
    pub others: Option<Document>,
}

pub fn read(model: &str, request: &ChatRequest) -> Result<ConverseRequest, ProviderFailure> {
    let parameters = request.parameters(ProviderKind::Bedrock, model);
    parameters.check(request.terms().unsupported)?;
    let caches = parameters.caches_marks();
    let (mut system, turns) = split(request);
    instruct_json(&mut system, request);
    if must_not_call(request)? {
        system.push(ContentPart::Text(NO_CALLS.to_owned()));
    }
    let system = system.iter().filter_map(|part| match part {
        ContentPart::CacheMark(mark) if caches => Some(cache_point(mark).map(SystemContentBlock::CachePoint)),
        part => part.as_text().map(|text| Ok(SystemContentBlock::Text(text.to_owned()))),
    });
    let mut system = system.collect::<Result<Vec<_>, _>>()?;
    let cache =
        if caches && !request.has_cache_marks() { request.terms().prompt_cache } else { PromptCache::default() };
    let own_mark = if cache.one_hour { CacheMark::for_an_hour() } else { CacheMark::short() };
    if cache.system && !system.is_empty() {
        system.push(SystemContentBlock::CachePoint(cache_point(&own_mark)?));
    }
    let mut messages = Vec::with_capacity(turns.len());
    for turn in &turns {
        let role = if turn.side == Side::Model { ConversationRole::Assistant } else { ConversationRole::User };
        let blocks = turn.messages.iter().map(|message| blocks(message, caches)).collect::<Result<Vec<_>, _>>()?;
        let mut blocks: Vec<_> = blocks.into_iter().flatten().collect();
        if cache.last_turn && messages.len() + 1 == turns.len() {
            blocks.push(ContentBlock::CachePoint(cache_point(&own_mark)?));
        }
        messages.push(Turn::builder().role(role).set_content(Some(blocks)).build().map_err(incomplete)?);
    }
    let mut others = fields(&parameters)?;
    if let Some(reasoning) = parameters.reasoning() {
        reasoning.add_to(&mut others, request.required_max_tokens().unwrap_or(DEFAULT_OUTPUT_TOKENS));
    }
    Ok(ConverseRequest {
        system: (!system.is_empty()).then_some(system),
        messages,
        inference: inference(&parameters, request)?,
        tools: tools(request, caches, cache.tools.then_some(&own_mark))?,
        output: output(request)?,
        others: (!others.is_empty()).then(|| document::from_json(&others.into())),
    })
}

fn fields(parameters: &Parameters<'_>) -> Result<Map<String, Value>, ProviderFailure> {
    let mut fields = match parameters.get(FIELDS) {
        None => Map::new(),
        Some(Value::Object(fields)) => fields.clone(),
        Some(_) => return Err(invalid_request(FIELDS, "must be an object")),
    };
    for name in ["top_k", "thinking", "output_config"] {
        if let Some(value) = parameters.get(name) {
            fields.insert(name.to_owned(), value.clone());
        }
    }
    Ok(fields)
}

fn inference(parameters: &Parameters<'_>, request: &ChatRequest) -> Result<InferenceConfiguration, ProviderFailure> {
    let float = |name: &str| Some(parameters.get_within_range(name)?.as_f64()? as f32);
    let temperature = float("temperature");
    let stops: Vec<_> = request.stops().into_iter().map(str::to_owned).collect();
    Ok(InferenceConfiguration::builder()
        .set_max_tokens(request.max_tokens().map(|tokens| i32::try_from(tokens).unwrap_or(i32::MAX)))
        .set_temperature(temperature)
        .set_top_p(float("top_p"))
        .set_stop_sequences((!stops.is_empty()).then_some(stops))
        .build())
}

/// Whether the client forbids calls in a conversation that has some. Converse has no such choice, and refuses to leave out the
/// tools, so the system prompt has the instruction.
fn must_not_call(request: &ChatRequest) -> Result<bool, ProviderFailure> {
    Ok(choice(request, MAKER)? == Some(FunctionChoice::None) && !called_names(request).is_empty())
}

fn tools(
    request: &ChatRequest,
    caches: bool,
    own_mark: Option<&CacheMark>,
) -> Result<Option<ToolConfiguration>, ProviderFailure> {
    let functions = functions(request, MAKER)?;
    let choice = choice(request, MAKER)?;
    let called = called_names(request);
    // Converse has no choice `none`. Leaving out the tools has the same effect.
    if called.is_empty() && (functions.is_empty() || choice == Some(FunctionChoice::None)) {
        return Ok(None);
    }
    let mut tools = Vec::with_capacity(functions.len());
    for (function, marked) in functions.iter().zip(request.tools()) {
        let schema = function.parameters.cloned().unwrap_or_else(|| json!({"type": "object"}));
        let tool = ToolSpecification::builder()
            .name(function.name)
            .set_description(function.description.map(str::to_owned))
            .input_schema(ToolInputSchema::Json(document::from_json(&schema)))
            .set_strict(function.is_strict.then_some(true));
        tools.push(Tool::ToolSpec(tool.build().map_err(incomplete)?));
        if let Some(mark) = marked.cache_mark().filter(|_| caches) {
            tools.push(Tool::CachePoint(cache_point(&mark)?));
        }
    }
    let is_missing = |name: &&str| !functions.iter().any(|function| function.name == *name);
    for name in called.into_iter().filter(is_missing) {
        let schema = ToolInputSchema::Json(document::from_json(&json!({"type": "object"})));
        let tool = ToolSpecification::builder().name(name).input_schema(schema);
        tools.push(Tool::ToolSpec(tool.build().map_err(incomplete)?));
    }
    if let Some(mark) = own_mark {
        tools.push(Tool::CachePoint(cache_point(mark)?));
    }
    let choice = match choice {
        None | Some(FunctionChoice::None) => None,
        Some(FunctionChoice::Auto) => Some(ToolChoice::Auto(AutoToolChoice::builder().build())),
        Some(FunctionChoice::Required) => Some(ToolChoice::Any(AnyToolChoice::builder().build())),
        Some(FunctionChoice::Function(name)) => {
            Some(ToolChoice::Tool(SpecificToolChoice::builder().name(name).build().map_err(incomplete)?))
        }
    };
    let tools = ToolConfiguration::builder().set_tools(Some(tools)).set_tool_choice(choice);
    tools.build().map(Some).map_err(incomplete)
}

fn output(request: &ChatRequest) -> Result<Option<OutputConfig>, ProviderFailure> {
    // Bedrock supports JSON only with a schema. For `json_object`, the system prompt has the instruction.
    let ResponseFormat::Schema(format) = request.response_format() else { return Ok(None) };
    let text = |name: &str| format[name].as_str().map(str::to_owned);
    let schema = format.get("schema").cloned().unwrap_or_else(|| json!({"type": "object"}));
    let schema = JsonSchemaDefinition::builder()
        .schema(schema.to_string())
        .set_name(text("name"))
        .set_description(text("description"))
        .build()
        .map_err(incomplete)?;
    let format = OutputFormat::builder()
        .r#type(OutputFormatType::JsonSchema)
        .structure(OutputFormatStructure::JsonSchema(schema))
        .build()
        .map_err(incomplete)?;
    Ok(Some(OutputConfig::builder().text_format(format).build()))
}
