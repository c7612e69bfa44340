//! The parameter table: one row per parameter, one rule per kind of provider.

use super::rule::Parameter;
use super::rule::Rule::{self, Adapted, Dropped, Mapped, Refused, Sent};

const OWN: Rule = Adapted("handled by the gateway, not sent");
const ONE_ANSWER: Rule = Refused("this model returns one choice per call; send n: 1");
const NO_LOGPROBS: Rule = Refused("this model's provider returns no log probabilities; leave it out");
const NO_AUDIO: Rule = Refused("this model returns only text; leave it out");
const NO_SEARCH: Rule = Refused("this model's provider has no web search; leave it out");
const NO_FUNCTIONS: Rule = Refused("this model does not support the deprecated form; use tools and tool_choice");
const LIMIT: Rule = Adapted(
    "the name in the model's `max_tokens_parameter`; else `max_completion_tokens` for the o-series, GPT-5 and newer; \
     else the client's name. Not sent when the client sets no limit",
);
const LIMIT_ANTHROPIC: Rule = Adapted("`max_tokens`; the model's `max_output_tokens` when the client sets no limit");
/// The smallest output limit that OpenAI's Responses API takes.
pub const MIN_RESPONSE_TOKENS: u64 = 16;
const LIMIT_RESPONSES: Rule = Adapted("`max_output_tokens`, at least 16");
const NO_STOP: Rule = Refused("this model's API has no stop sequences; leave it out");
const FIELDS: Rule = Mapped("`additionalModelRequestFields`");

/// A row with the rules for OpenAI-compatible providers, Anthropic, Gemini and Bedrock.
const fn row(name: &'static str, openai: Rule, anthropic: Rule, gemini: Rule, bedrock: Rule) -> Parameter {
    Parameter { name, openai, responses: openai, anthropic, gemini, bedrock }
}

impl Parameter {
    /// The row with another rule for OpenAI's Responses API.
    const fn with_responses(self, responses: Rule) -> Self {
        Self { responses, ..self }
    }
}

/// A parameter that only `OpenAI`-compatible providers support.
const fn only_openai(name: &'static str) -> Parameter {
    row(name, Sent, Dropped, Dropped, Dropped)
}

/// A parameter of another vendor. Servers with OpenAI's API may know it, and OpenAI's Responses API does not.
const fn of_others(name: &'static str, anthropic: Rule, gemini: Rule, bedrock: Rule) -> Parameter {
    row(name, Sent, anthropic, gemini, bedrock).with_responses(Dropped)
}

#[rustfmt::skip]
pub const CHAT: [Parameter; 48] = [
    row("model", Adapted("the deployment's model"), Adapted("the deployment's model"), Adapted("in the path"),
        Adapted("`modelId`")),
    row("messages", Sent, Adapted("`system` and `messages`; blank texts get a placeholder, and system messages alone \
        become a user turn"), Adapted("`systemInstruction` and `contents`, as for Anthropic"),
        Adapted("`system` and `messages`, as for Anthropic")).with_responses(Adapted("`input`")),
    row("stream", Sent, Sent, Adapted("in the path"), Adapted("`ConverseStream`")),
    row("stream_options", Adapted("sent with `include_usage: true`"), OWN, OWN, OWN).with_responses(OWN),
    row("guard", OWN, OWN, OWN, OWN),
    row("temperature", Sent, Adapted("sent, at most 1; dropped for Claude after 4.6 and with reasoning"),
        Mapped("`generationConfig.temperature`"),
        Adapted("`inferenceConfig.temperature`, at most 1; dropped as for Anthropic")),
    row("top_p", Sent, Adapted("sent; dropped for Claude after 4.6, and for Claude 4 with `temperature`"),
        Mapped("`generationConfig.topP`"), Adapted("`inferenceConfig.topP`, dropped as for Anthropic")),
    row("max_tokens", LIMIT, LIMIT_ANTHROPIC, Mapped("`generationConfig.maxOutputTokens`"),
        Mapped("`inferenceConfig.maxTokens`")).with_responses(LIMIT_RESPONSES),
    row("max_completion_tokens", LIMIT, LIMIT_ANTHROPIC, Mapped("`generationConfig.maxOutputTokens`"),
        Mapped("`inferenceConfig.maxTokens`")).with_responses(LIMIT_RESPONSES),
    row("n", Sent, ONE_ANSWER, Mapped("`generationConfig.candidateCount`"), ONE_ANSWER).with_responses(ONE_ANSWER),
    row("stop", Sent, Adapted("`stop_sequences`, without blank ones"), Mapped("`generationConfig.stopSequences`"),
        Mapped("`inferenceConfig.stopSequences`")).with_responses(NO_STOP),
    row("presence_penalty", Sent, Dropped, Mapped("`generationConfig.presencePenalty`"), Dropped).with_responses(Dropped),
    row("frequency_penalty", Sent, Dropped, Mapped("`generationConfig.frequencyPenalty`"), Dropped).with_responses(Dropped),
    row("seed", Sent, Dropped, Adapted("`generationConfig.seed`, its lower 31 bits"), Dropped).with_responses(Dropped),
    row("tools", Sent, Mapped("`tools`"), Mapped("`tools.functionDeclarations`"), Mapped("`toolConfig.tools`"))
        .with_responses(Mapped("`tools`")),
    row("tool_choice", Sent, Mapped("`tool_choice`"), Mapped("`toolConfig.functionCallingConfig`"),
        Adapted("`toolConfig.toolChoice`; `none` sends no tools")).with_responses(Mapped("`tool_choice`")),
    row("parallel_tool_calls", Sent, Mapped("`tool_choice.disable_parallel_tool_use`"), Dropped, Dropped),
    row("response_format", Sent, Adapted("`output_config.format`; `json_object` becomes an instruction"),
        Adapted("`generationConfig.responseMimeType` and `responseJsonSchema`"),
        Adapted("`outputConfig.textFormat`; `json_object` becomes an instruction")).with_responses(Mapped("`text.format`")),
    row("logprobs", Sent, NO_LOGPROBS, NO_LOGPROBS, NO_LOGPROBS).with_responses(Mapped("`include`")),
    row("top_logprobs", Sent, NO_LOGPROBS, NO_LOGPROBS, NO_LOGPROBS),
    row("user", Sent, Mapped("`metadata.user_id`"), Dropped, Dropped),
    row("safety_identifier", Sent, Mapped("`metadata.user_id`"), Dropped, Dropped),
    row("metadata", Sent, Adapted("only its `user_id` is sent"), Dropped, Dropped),
    row("reasoning_effort", Sent, Adapted("a budget in `thinking`, or `output_config.effort` from Claude 4.6; dropped before \
        Claude 3.7, for a forced `tool_choice`, and if the model called tools without reasoning before"),
        Adapted("`generationConfig.thinkingConfig`; dropped before Gemini 2.5"),
        Adapted("`additionalModelRequestFields`, as for Anthropic; dropped for others than Claude"))
        .with_responses(Mapped("`reasoning.effort`")),
    only_openai("verbosity").with_responses(Mapped("`text.verbosity`")),
    only_openai("store").with_responses(Adapted("sent; `false` by default")),
    only_openai("service_tier"),
    only_openai("prompt_cache_key"),
    only_openai("prompt_cache_retention"),
    only_openai("prompt_cache_options"),
    only_openai("logit_bias").with_responses(Dropped),
    only_openai("prediction").with_responses(Dropped),
    only_openai("moderation"),
    row("modalities", Sent, NO_AUDIO, NO_AUDIO, NO_AUDIO).with_responses(NO_AUDIO),
    row("audio", Sent, NO_AUDIO, NO_AUDIO, NO_AUDIO).with_responses(NO_AUDIO),
    row("web_search_options", Sent, NO_SEARCH, NO_SEARCH, NO_SEARCH).with_responses(NO_SEARCH),
    row("functions", Sent, NO_FUNCTIONS, NO_FUNCTIONS, NO_FUNCTIONS).with_responses(NO_FUNCTIONS),
    row("function_call", Sent, NO_FUNCTIONS, NO_FUNCTIONS, NO_FUNCTIONS).with_responses(NO_FUNCTIONS),
    // Parameters of other vendors, which OpenAI does not have.
    of_others("top_k", Adapted("sent; dropped for Claude after 4.6"), Mapped("`generationConfig.topK`"),
        Adapted("`additionalModelRequestFields`; dropped for Claude after 4.6")),
    of_others("thinking", Sent, Dropped, FIELDS),
    of_others("output_config", Sent, Dropped, FIELDS),
    of_others("cache_control", Sent, Dropped, Dropped),
    of_others("container", Sent, Dropped, Dropped),
    of_others("inference_geo", Sent, Dropped, Dropped),
    of_others("generationConfig", Dropped, Sent, Dropped),
    of_others("safetySettings", Dropped, Sent, Dropped),
    of_others("cachedContent", Dropped, Sent, Dropped),
    of_others("additionalModelRequestFields", Dropped, Dropped, Sent),
];

/// Anthropic has no embeddings API.
const NONE: Rule = Refused("this model's provider has no embeddings; choose another model");

pub const EMBEDDINGS: [Parameter; 10] = [
    row("model", Adapted("the deployment's model"), NONE, Adapted("in the path"), Adapted("`modelId`")),
    row(
        "input",
        Sent,
        NONE,
        Adapted("`content`; token numbers are refused"),
        Adapted("`inputText` or `texts`; token numbers are refused"),
    ),
    row("dimensions", Sent, NONE, Mapped("`outputDimensionality`"), Mapped("`dimensions` or `output_dimension`")),
    row("encoding_format", Sent, NONE, OWN, OWN),
    row("user", Sent, NONE, Dropped, Dropped),
    row("taskType", Sent, NONE, Sent, Dropped),
    row("title", Sent, NONE, Sent, Dropped),
    row("normalize", Sent, NONE, Dropped, Sent),
    row("input_type", Sent, NONE, Dropped, Sent),
    row("truncate", Sent, NONE, Dropped, Sent),
];

/// Only OpenAI-compatible providers have an images API.
const NO_IMAGES: Rule = Refused("this model's provider cannot generate images; choose another model");

const fn of_images(name: &'static str, openai: Rule) -> Parameter {
    row(name, openai, NO_IMAGES, NO_IMAGES, NO_IMAGES)
}

pub const IMAGES: [Parameter; 15] = [
    of_images("model", Adapted("the deployment's model; `preset` is another name")),
    of_images("prompt", Sent),
    of_images("image", Adapted("only of edits: up to 16 files")),
    of_images("mask", Adapted("only of edits: a file")),
    of_images("input_fidelity", Sent),
    of_images("n", Sent),
    of_images("size", Adapted("sent; `1024x1024` by default")),
    of_images("response_format", Adapted("handled by the gateway; `b64_json` is sent, except to `gpt-image` models")),
    of_images("quality", Sent),
    of_images("style", Sent),
    of_images("background", Sent),
    of_images("moderation", Sent),
    of_images("output_format", Sent),
    of_images("output_compression", Sent),
    of_images("user", Sent),
];

/// Only servers with OpenAI's API have one for reranking.
const NO_RERANK: Rule = Refused("this model's provider cannot rerank documents; choose another model");

const fn of_rerank(name: &'static str, openai: Rule) -> Parameter {
    row(name, openai, NO_RERANK, NO_RERANK, NO_RERANK)
}

pub const RERANK: [Parameter; 5] = [
    of_rerank("model", Adapted("the deployment's model")),
    of_rerank("query", Sent),
    of_rerank("documents", Adapted("sent as texts; a server that requires TEI's `texts` gets them under this name")),
    of_rerank("top_n", Sent),
    of_rerank("return_documents", OWN),
];

/// Only servers with OpenAI's API have one for audio.
const NO_TRANSCRIPTIONS: Rule = Refused("this model's provider cannot transcribe audio; choose another model");
const NO_SPEECH: Rule = Refused("this model's provider cannot speak; choose another model");
const NO_EVENTS: Rule = Refused("transcriptions and speech are not sent as events; leave it out");

const fn of_transcriptions(name: &'static str, openai: Rule) -> Parameter {
    row(name, openai, NO_TRANSCRIPTIONS, NO_TRANSCRIPTIONS, NO_TRANSCRIPTIONS)
}

const fn of_speech(name: &'static str, openai: Rule) -> Parameter {
    row(name, openai, NO_SPEECH, NO_SPEECH, NO_SPEECH)
}

/// Transcriptions and translations.
pub const TRANSCRIPTIONS: [Parameter; 14] = [
    of_transcriptions("model", Adapted("the deployment's model")),
    of_transcriptions("file", Sent),
    of_transcriptions("language", Sent),
    of_transcriptions("prompt", Sent),
    of_transcriptions("response_format", Sent),
    of_transcriptions("temperature", Sent),
    of_transcriptions("timestamp_granularities", Sent),
    of_transcriptions("include", Sent),
    of_transcriptions("chunking_strategy", Sent),
    of_transcriptions("known_speaker_names", Sent),
    of_transcriptions("known_speaker_references", Sent),
    of_transcriptions("languages", Sent),
    of_transcriptions("keywords", Sent),
    of_transcriptions("stream", NO_EVENTS),
];

pub const SPEECH: [Parameter; 7] = [
    of_speech("model", Adapted("the deployment's model")),
    of_speech("input", Sent),
    of_speech("voice", Sent),
    of_speech("response_format", Sent),
    of_speech("speed", Sent),
    of_speech("instructions", Sent),
    of_speech("stream_format", Adapted("handled by the gateway, not sent; only `audio`")),
];
