//! Token usage of model calls.

use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

/// The tokens of one call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tokens {
    /// All tokens of the prompt, including cached ones.
    pub input: u64,
    /// The part of `input` that the provider read from its cache.
    pub cached: u64,
    /// The part of `input` that the provider wrote to its cache.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub written: u64,
    /// The part of `written` that the provider keeps for an hour instead of some minutes.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub written_1h: u64,
    /// All generated tokens, including reasoning.
    pub output: u64,
    /// The part of `output` that was spent on reasoning.
    pub reasoning: u64,
}

impl AddAssign for Tokens {
    fn add_assign(&mut self, other: Self) {
        self.input += other.input;
        self.cached += other.cached;
        self.written += other.written;
        self.written_1h += other.written_1h;
        self.output += other.output;
        self.reasoning += other.reasoning;
    }
}

impl Tokens {
    pub fn total(&self) -> u64 {
        self.input.saturating_add(self.output)
    }
}

/// What a call used besides tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Quantities {
    pub images: u64,
    /// The length of the audio that was transcribed.
    pub audio_ms: u64,
    /// The characters that were spoken.
    pub characters: u64,
}

impl Quantities {
    pub fn of_images(images: u64) -> Self {
        Self { images, ..Self::default() }
    }
}

pub(crate) fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// How the usage of a call was determined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum UsageSource {
    /// The final count of the provider.
    Provider,
    /// The last intermediate count of the provider, because the stream was interrupted.
    Cumulative,
    /// Counted by the platform from the received text.
    Counted,
    /// The maximum possible usage, because there is neither a count nor a complete text.
    Estimated,
}
