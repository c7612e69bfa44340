//! How models are set, whichever platform says it.

use serde_json::{Map, Value, json};

use super::loose::{clipped, entries, is_empty, number, said, whole};
use super::pieces::{Notes, note};

/// What the length of an answer is called.
const LENGTHS: [&str; 6] =
    ["maxTokens", "maxOutputTokens", "maxTokensToSample", "max_tokens", "max_output_tokens", "num_predict"];
const MAX_TOLD: usize = 8;

/// Temperature and length, where they are within what is taken here; what else is set is told.
pub fn settings(given: &Value, config: &mut Map<String, Value>, notes: &mut Notes) {
    if let Some(temperature) = number(&given["temperature"]) {
        config.insert("temperature".to_owned(), json!(temperature.clamp(0.0, 2.0)));
    }
    let most = LENGTHS.into_iter().find_map(|name| whole(&given[name]));
    if let Some(most) = most.filter(|most| (1..=2_147_483_647).contains(most)) {
        config.insert("maxTokens".to_owned(), most.into());
    }
    let others = entries(given).filter(|(name, value)| is_other(name, value)).take(MAX_TOLD);
    let others: Vec<String> = others.map(|(name, _)| clipped(name, 40)).collect();
    if !others.is_empty() {
        note(notes, format!("how the model was set is not carried over in full: {}", others.join(", ")));
    }
}

/// Whether it has no place here, and did something.
fn is_other(name: &str, value: &Value) -> bool {
    let name = name.to_lowercase().replace('_', "");
    let is_known = name == "temperature" || LENGTHS.iter().any(|known| known.to_lowercase().replace('_', "") == name);
    let is_usual = match name.as_str() {
        "topp" => number(value) == Some(1.0),
        "presencepenalty" | "frequencypenalty" => number(value) == Some(0.0),
        "responseformat" => said(value) == "text",
        _ => is_empty(value) || *value == false,
    };
    !is_known && !is_usual
}
