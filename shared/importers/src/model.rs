//! Imports the settings of a model, which both platforms name alike.

use serde_json::{Map, Value, json};

use super::lenient::{entries, is_empty, number, scalar_text, truncate, whole_number};
use super::notes::{Notes, note};
use engine::schema::faults;

/// The names of the output limit.
const LENGTHS: [&str; 6] =
    ["maxTokens", "maxOutputTokens", "maxTokensToSample", "max_tokens", "max_output_tokens", "num_predict"];
const MAX_REPORTED: usize = 8;

/// Imports temperature and output limit. Every other setting that has an effect is reported.
pub fn settings(given: &Value, config: &mut Map<String, Value>, notes: &mut Notes) {
    if let Some(temperature) = number(&given["temperature"]) {
        config.insert("temperature".to_owned(), json!(temperature.clamp(0.0, 2.0)));
    }
    let most = LENGTHS.into_iter().find_map(|name| whole_number(&given[name]));
    if let Some(most) = most.filter(|most| (1..=2_147_483_647).contains(most)) {
        config.insert("maxTokens".to_owned(), most.into());
    }
    let others = entries(given).filter(|(name, value)| is_other(name, value)).take(MAX_REPORTED);
    let others: Vec<String> = others.map(|(name, _)| truncate(name, 40)).collect();
    if !others.is_empty() {
        note(notes, format!("some settings of the model are not imported: {}", others.join(", ")));
    }
}

/// Imports the schema of an answer. A schema that is not supported is reported.
pub fn answer_schema(mut schema: Value, config: &mut Map<String, Value>, notes: &mut Notes) {
    if let Value::Object(schema) = &mut schema {
        schema.shift_remove("$schema");
    }
    match faults(&schema, "schema").first() {
        None => drop(config.insert("schema".to_owned(), schema)),
        Some((field, fault)) => note(notes, format!("the answer schema is not imported: {field} {}", fault.en)),
    }
}

/// Whether a setting has no equivalent here and is not at its default.
fn is_other(name: &str, value: &Value) -> bool {
    let name = name.to_lowercase().replace('_', "");
    let is_known = name == "temperature" || LENGTHS.iter().any(|known| known.to_lowercase().replace('_', "") == name);
    let is_usual = match name.as_str() {
        "topp" => number(value) == Some(1.0),
        "presencepenalty" | "frequencypenalty" => number(value) == Some(0.0),
        "responseformat" => scalar_text(value) == "text",
        _ => is_empty(value) || *value == false,
    };
    !is_known && !is_usual
}
