//! The span and the metrics of one attempt at a deployment. The span follows OpenTelemetry's conventions for generative AI, and
//! has no content of the call.

use std::time::Instant;

use domain::catalog::ModelDeployment;
use domain::provider::ProviderKind;
use domain::usage::Tokens;
use platform::telemetry::attributes::{
    GEN_AI_OPERATION_NAME, GEN_AI_PROVIDER_NAME, GEN_AI_REQUEST_MODEL, GEN_AI_RESPONSE_FINISH_REASONS,
    GEN_AI_USAGE_CACHE_CREATION, GEN_AI_USAGE_CACHE_READ, GEN_AI_USAGE_INPUT_TOKENS, GEN_AI_USAGE_OUTPUT_TOKENS,
    GEN_AI_USAGE_REASONING, MODEL, PROVIDER,
};
use platform::telemetry::metrics::Metric;
use platform::telemetry::{Span, SpanKind, Telemetry};

use crate::failure::{FailureKind, ProviderFailure};

/// What a call asks of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    Chat,
    StreamChat,
    CompleteText,
    Embed,
    GenerateImages,
    EditImages,
    Rerank,
    Transcribe,
    Speak,
    Moderate,
    CountTokens,
}

impl Operation {
    /// The name of the conventions, if they have one.
    fn name(self) -> &'static str {
        match self {
            Self::Chat | Self::StreamChat => "chat",
            Self::CompleteText => "text_completion",
            Self::Embed => "embeddings",
            Self::GenerateImages | Self::EditImages => "generate_content",
            Self::Rerank => "rerank",
            Self::Transcribe => "transcribe",
            Self::Speak => "speak",
            Self::Moderate => "moderate",
            Self::CountTokens => "count_tokens",
        }
    }
}

/// An attempt in progress. It ends when it is dropped.
#[derive(Debug, Default)]
pub struct Attempt {
    span: Span,
    finish_reasons: Vec<String>,
    /// None without metrics.
    meter: Option<Meter>,
}

/// What counts an attempt when it has ended.
#[derive(Debug)]
struct Meter {
    telemetry: Telemetry,
    provider: String,
    model: String,
    began: Instant,
}

impl Attempt {
    /// `model` is the name of the model in the catalog.
    pub fn start(
        telemetry: &Telemetry,
        operation: Operation,
        model: &str,
        deployment: &ModelDeployment,
        kind: ProviderKind,
    ) -> Self {
        let (name, upstream) = (operation.name(), &deployment.model);
        let mut span = telemetry.start_span(SpanKind::Client, format_args!("{name} {upstream}"));
        if span.is_recording() {
            span.set(GEN_AI_OPERATION_NAME, name);
            span.set(GEN_AI_PROVIDER_NAME, provider_name(kind));
            span.set(GEN_AI_REQUEST_MODEL, upstream.clone());
            span.set(MODEL, model.to_owned());
            span.set(PROVIDER, deployment.provider.clone());
        }
        let meter = telemetry.metrics().map(|_| Meter {
            telemetry: telemetry.clone(),
            provider: deployment.provider.clone(),
            model: model.to_owned(),
            began: Instant::now(),
        });
        Self { span, finish_reasons: Vec::new(), meter }
    }

    /// Sends the request as part of the attempt, so that the provider can continue the trace.
    pub async fn send<T>(&self, request: impl Future<Output = T>) -> T {
        self.span.scope(request).await
    }

    /// Adds why choices have ended. `read` is called only for a span that is exported, because it may parse the answer.
    pub fn add_finish_reasons(&mut self, read: impl FnOnce() -> Vec<&'static str>) {
        if self.span.is_recording() {
            self.finish_reasons.extend(read().into_iter().map(str::to_owned));
        }
    }

    /// Ends an attempt that was answered.
    pub fn end(self, tokens: &Tokens) {
        self.end_stream(Some(tokens), None);
    }

    pub fn fail(self, failure: &ProviderFailure) {
        self.end_stream(None, Some(failure));
    }

    /// Ends an attempt that may have been answered in part.
    pub fn end_stream(mut self, tokens: Option<&Tokens>, failure: Option<&ProviderFailure>) {
        if !self.finish_reasons.is_empty() {
            self.span.set(GEN_AI_RESPONSE_FINISH_REASONS, self.finish_reasons);
        }
        if let Some(tokens) = tokens {
            self.span.set(GEN_AI_USAGE_INPUT_TOKENS, tokens.input);
            self.span.set(GEN_AI_USAGE_OUTPUT_TOKENS, tokens.output);
            let parts = [
                (GEN_AI_USAGE_CACHE_READ, tokens.cached),
                (GEN_AI_USAGE_CACHE_CREATION, tokens.written),
                (GEN_AI_USAGE_REASONING, tokens.reasoning),
            ];
            for (name, count) in parts.into_iter().filter(|(_, count)| *count > 0) {
                self.span.set(name, count);
            }
        }
        if let Some(failure) = failure {
            self.span.fail(failure_name(failure.kind));
        }
        if let Some(Meter { telemetry, provider, model, began }) = self.meter {
            let outcome = failure.map_or("ok", |failure| failure_name(failure.kind));
            telemetry.count(Metric::ModelCalls, &[&provider, &model, outcome], 1);
            telemetry.observe(Metric::ModelCallSeconds, &[&provider, &model], began.elapsed());
        }
    }
}

/// The well-known name of a provider's API.
fn provider_name(kind: ProviderKind) -> &'static str {
    match kind {
        ProviderKind::OpenAi => "openai",
        ProviderKind::Anthropic => "anthropic",
        ProviderKind::Gemini => "gcp.gemini",
        ProviderKind::Bedrock => "aws.bedrock",
        ProviderKind::Dev => "dev",
    }
}

/// The kind of a failure. Its code may be any text of the provider.
fn failure_name(kind: FailureKind) -> &'static str {
    match kind {
        FailureKind::Request => "request",
        FailureKind::Unsupported => "unsupported",
        FailureKind::Setup => "setup",
        FailureKind::RateLimited => "rate_limited",
        FailureKind::Unavailable => "unavailable",
        FailureKind::Timeout => "timeout",
        FailureKind::Broken => "broken",
        FailureKind::Exhausted => "exhausted",
    }
}
