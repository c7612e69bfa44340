//! The parameters of a chat that a model may not take.

use serde::{Deserialize, Serialize};

/// A parameter of a chat without which the answer is still useful, under `OpenAI`'s name. Reasoning models refuse many of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OptionalParameter {
    Temperature,
    TopP,
    TopK,
    PresencePenalty,
    FrequencyPenalty,
    LogitBias,
    Seed,
    Stop,
    ParallelToolCalls,
    ReasoningEffort,
    Verbosity,
}

impl OptionalParameter {
    pub const ALL: [Self; 11] = [
        Self::Temperature,
        Self::TopP,
        Self::TopK,
        Self::PresencePenalty,
        Self::FrequencyPenalty,
        Self::LogitBias,
        Self::Seed,
        Self::Stop,
        Self::ParallelToolCalls,
        Self::ReasoningEffort,
        Self::Verbosity,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::Temperature => "temperature",
            Self::TopP => "top_p",
            Self::TopK => "top_k",
            Self::PresencePenalty => "presence_penalty",
            Self::FrequencyPenalty => "frequency_penalty",
            Self::LogitBias => "logit_bias",
            Self::Seed => "seed",
            Self::Stop => "stop",
            Self::ParallelToolCalls => "parallel_tool_calls",
            Self::ReasoningEffort => "reasoning_effort",
            Self::Verbosity => "verbosity",
        }
    }
}
