//! What a call used.

use serde::{Deserialize, Serialize};

/// Tokens of one call, as its provider counts them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tokens {
    /// All of the prompt, those read from a cache included.
    pub input: u64,
    /// Of `input`, those read from the provider's cache.
    pub cached: u64,
    /// All that was made, reasoning included.
    pub output: u64,
    /// Of `output`, those spent on reasoning.
    pub reasoning: u64,
}

impl Tokens {
    pub fn total(&self) -> u64 {
        self.input.saturating_add(self.output)
    }
}

/// How the tokens of a call are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum UsageSource {
    /// The provider's own final count.
    Provider,
    /// The last of the counts it sent along the way, before the stream was cut.
    Cumulative,
    /// Counted here, from the text that was delivered.
    Counted,
    /// Nothing was reported nor delivered whole: the greatest it can have been.
    Estimated,
}
