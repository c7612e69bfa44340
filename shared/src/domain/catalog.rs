//! Models that can be called, as the catalog describes them.

use serde::{Deserialize, Serialize};

use super::time::Time;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Model {
    pub name: String,
    pub display_name: String,
    pub r#type: ModelType,
    pub provider: String,
    pub capabilities: Vec<String>,
    pub context_window: Option<u64>,
    pub max_output_tokens: Option<u64>,
    pub pricing: Pricing,
    pub deprecated_at: Option<Time>,
    pub retires_at: Option<Time>,
}

impl Model {
    pub fn is_retired(&self, now: Time) -> bool {
        self.retires_at.is_some_and(|retires_at| retires_at <= now)
    }
}

/// What can be a model's name at all: 1 to 200 characters, so that it also fits a key of the table.
pub fn is_model_name(name: &str) -> bool {
    (1..=200).contains(&name.chars().count())
}

/// The contract's literal words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ModelType {
    Embeddings,
    Others,
}

/// Whole micro-USD for a million tokens, so that a price is never a float.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pricing {
    pub input_micro_usd: u64,
    pub output_micro_usd: u64,
}
