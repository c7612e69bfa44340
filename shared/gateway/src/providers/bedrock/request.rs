//! Translates a chat request to Bedrock's Converse API.

use aws_sdk_bedrockruntime::error::BuildError;
use aws_sdk_bedrockruntime::primitives::Blob;
use aws_sdk_bedrockruntime::types::{
    AnyToolChoice, AutoToolChoice, ContentBlock, ConversationRole, ImageBlock, ImageFormat, ImageSource,
    InferenceConfiguration, JsonSchemaDefinition, Message as Turn, OutputConfig, OutputFormat, OutputFormatStructure,
    OutputFormatType, SpecificToolChoice, SystemContentBlock, Tool, ToolChoice, ToolConfiguration, ToolInputSchema,
    ToolResultBlock, ToolResultContentBlock, ToolSpecification, ToolUseBlock,
};
use aws_smithy_types::Document;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Map, Value, json};

use super::{MAKER, document};
use crate::chat::{ChatRequest, ChatRole, ContentPart, Message, ResponseFormat, ToolChoice as FunctionChoice};
use crate::failure::ProviderFailure;
use crate::parameters::Parameters;
use crate::providers::conversation::{
    BLANK, Picture, Side, arguments, instruct_json, invalid_request, picture, split, unsupported_part,
};
use crate::providers::tools::{choice, functions};
use domain::provider::ProviderKind;

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
    let (mut system, turns) = split(request);
    instruct_json(&mut system, request);
    let system: Vec<_> = system.into_iter().map(SystemContentBlock::Text).collect();
    let mut messages = Vec::with_capacity(turns.len());
    for turn in &turns {
        let role = if turn.side == Side::Model { ConversationRole::Assistant } else { ConversationRole::User };
        let blocks = turn.messages.iter().map(|message| blocks(message)).collect::<Result<Vec<_>, _>>()?;
        let blocks = blocks.into_iter().flatten().collect();
        messages.push(Turn::builder().role(role).set_content(Some(blocks)).build().map_err(incomplete)?);
    }
    let others = fields(&parameters)?;
    Ok(ConverseRequest {
        system: (!system.is_empty()).then_some(system),
        messages,
        inference: inference(&parameters, request)?,
        tools: tools(request)?,
        output: output(request)?,
        others: (!others.is_empty()).then(|| document::from_json(&others.into())),
    })
}

/// Creates the failure for a request that lacks a field the SDK requires.
fn incomplete(cause: BuildError) -> ProviderFailure {
    invalid_request("messages", cause)
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
    let float = |name: &str| parameters.get(name).and_then(Value::as_f64).map(|number| number as f32);
    let temperature = float("temperature");
    if temperature.is_some_and(|temperature| temperature > 1.0) {
        return Err(ProviderFailure::unsupported("temperature", "must be from 0 to 1 for this model"));
    }
    let stops: Vec<_> = request.stops().into_iter().map(str::to_owned).collect();
    Ok(InferenceConfiguration::builder()
        .set_max_tokens(request.max_tokens().map(|tokens| i32::try_from(tokens).unwrap_or(i32::MAX)))
        .set_temperature(temperature)
        .set_top_p(float("top_p"))
        .set_stop_sequences((!stops.is_empty()).then_some(stops))
        .build())
}

fn blocks(message: &Message) -> Result<Vec<ContentBlock>, ProviderFailure> {
    let parts = message.parts.iter();
    if message.role == ChatRole::Tool {
        let content = parts.map(|part| match part {
            ContentPart::Text(text) => Ok(ToolResultContentBlock::Text(text.clone())),
            ContentPart::Image(url) => image(url).map(ToolResultContentBlock::Image),
            ContentPart::Other(part) => Err(unsupported_part(MAKER, part)),
        });
        let mut content = content.collect::<Result<Vec<_>, _>>()?;
        if content.is_empty() {
            content.push(ToolResultContentBlock::Text(BLANK.to_owned()));
        }
        let result =
            ToolResultBlock::builder().set_tool_use_id(message.tool_call_id.clone()).set_content(Some(content));
        return Ok(vec![ContentBlock::ToolResult(result.build().map_err(incomplete)?)]);
    }
    let mut blocks = parts
        .map(|part| match part {
            ContentPart::Text(text) => Ok(ContentBlock::Text(text.clone())),
            ContentPart::Image(url) => image(url).map(ContentBlock::Image),
            ContentPart::Other(part) => Err(unsupported_part(MAKER, part)),
        })
        .collect::<Result<Vec<_>, _>>()?;
    for call in &message.tool_calls {
        let input = document::from_json(&arguments(call)?);
        let block = ToolUseBlock::builder().tool_use_id(&call.id).name(&call.name).input(input);
        blocks.push(ContentBlock::ToolUse(block.build().map_err(incomplete)?));
    }
    Ok(blocks)
}

fn image(url: &str) -> Result<ImageBlock, ProviderFailure> {
    let Picture::Inline { media_type, base64 } = picture(url)? else {
        return Err(ProviderFailure::unsupported("messages", "Bedrock does not fetch images; send them as data: URLs"));
    };
    let format = match media_type {
        "image/png" => ImageFormat::Png,
        "image/jpeg" | "image/jpg" => ImageFormat::Jpeg,
        "image/gif" => ImageFormat::Gif,
        "image/webp" => ImageFormat::Webp,
        other => return Err(ProviderFailure::unsupported("messages", format_args!("Bedrock does not read {other}"))),
    };
    let bytes = BASE64_STANDARD.decode(base64).map_err(|cause| invalid_request("messages", cause))?;
    ImageBlock::builder().format(format).source(ImageSource::Bytes(Blob::new(bytes))).build().map_err(incomplete)
}

fn tools(request: &ChatRequest) -> Result<Option<ToolConfiguration>, ProviderFailure> {
    let functions = functions(request, MAKER)?;
    let choice = choice(request, MAKER)?;
    // Converse has no choice `none`. Leaving out the tools has the same effect.
    if functions.is_empty() || choice == Some(FunctionChoice::None) {
        return Ok(None);
    }
    let mut tools = Vec::with_capacity(functions.len());
    for function in functions {
        let schema = function.parameters.cloned().unwrap_or_else(|| json!({"type": "object"}));
        let tool = ToolSpecification::builder()
            .name(function.name)
            .set_description(function.description.map(str::to_owned))
            .input_schema(ToolInputSchema::Json(document::from_json(&schema)))
            .set_strict(function.is_strict.then_some(true));
        tools.push(Tool::ToolSpec(tool.build().map_err(incomplete)?));
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
