//! The names of the attributes of spans: those of OpenTelemetry's semantic conventions (1.37, with the token counts that 1.40
//! added), and our own, which begin with `atelier`. No attribute has the content of a prompt, an answer or a body, or a secret.

// Resource.
/// The function, such as `inference`, unless `OTEL_SERVICE_NAME` sets another name.
pub const SERVICE_NAME: &str = "service.name";
pub const SERVICE_VERSION: &str = "service.version";
/// The function, also if `OTEL_SERVICE_NAME` is set.
pub const FUNCTION: &str = "faas.name";

// All spans.
/// A low-cardinality class of the failure: a status, or an error code of the platform.
pub const ERROR_TYPE: &str = "error.type";

// HTTP requests.
pub const HTTP_REQUEST_METHOD: &str = "http.request.method";
pub const HTTP_RESPONSE_STATUS_CODE: &str = "http.response.status_code";
/// The route with the names of its parameters.
pub const HTTP_ROUTE: &str = "http.route";
pub const URL_PATH: &str = "url.path";
pub const URL_SCHEME: &str = "url.scheme";
/// The id in the response's header `X-Request-Id`.
pub const REQUEST_ID: &str = "atelier.request.id";

// Calls of models.
/// `chat`, `embeddings`, `text_completion`, `generate_content`; or one of ours: `rerank`, `transcribe`, `speak`, `moderate`, `count_tokens`.
pub const GEN_AI_OPERATION_NAME: &str = "gen_ai.operation.name";
/// The API of the provider, such as `anthropic`.
pub const GEN_AI_PROVIDER_NAME: &str = "gen_ai.provider.name";
/// The provider's name for the model.
pub const GEN_AI_REQUEST_MODEL: &str = "gen_ai.request.model";
pub const GEN_AI_RESPONSE_FINISH_REASONS: &str = "gen_ai.response.finish_reasons";
/// All tokens of the prompt, including cached ones.
pub const GEN_AI_USAGE_INPUT_TOKENS: &str = "gen_ai.usage.input_tokens";
pub const GEN_AI_USAGE_CACHE_READ: &str = "gen_ai.usage.cache_read.input_tokens";
pub const GEN_AI_USAGE_CACHE_CREATION: &str = "gen_ai.usage.cache_creation.input_tokens";
/// All tokens of the answer, including reasoning.
pub const GEN_AI_USAGE_OUTPUT_TOKENS: &str = "gen_ai.usage.output_tokens";
pub const GEN_AI_USAGE_REASONING: &str = "gen_ai.usage.reasoning.output_tokens";
/// The name of the model in the catalog.
pub const MODEL: &str = "atelier.model";
/// The name of the provider in the catalog.
pub const PROVIDER: &str = "atelier.provider";

// Calls of tools of MCP servers.
pub const GEN_AI_TOOL_NAME: &str = "gen_ai.tool.name";
/// The method of the Model Context Protocol.
pub const MCP_METHOD_NAME: &str = "mcp.method.name";
/// The name of the server in the registry.
pub const MCP_SERVER: &str = "atelier.mcp.server";

// Messages of queues.
pub const MESSAGING_SYSTEM: &str = "messaging.system";
pub const MESSAGING_OPERATION_NAME: &str = "messaging.operation.name";
pub const MESSAGING_OPERATION_TYPE: &str = "messaging.operation.type";
pub const MESSAGING_DESTINATION_NAME: &str = "messaging.destination.name";
pub const MESSAGING_MESSAGE_ID: &str = "messaging.message.id";

// Effects of runs.
/// The path of the step in the run.
pub const STEP: &str = "atelier.run.step";
/// From 1.
pub const ATTEMPT: &str = "atelier.run.attempt";
pub const RUN_ID: &str = "atelier.run.id";
pub const WORKFLOW_ID: &str = "atelier.workflow.id";
