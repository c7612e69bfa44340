//! Parses the answers of OpenAI's API for moderation.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use crate::failure::ProviderFailure;
use crate::guard::ModerationAnswer;
use crate::providers::status::failure_in_answer;

#[derive(Deserialize)]
struct AnswerView {
    #[serde(default)]
    results: Vec<ResultView>,
    error: Option<Value>,
}

#[derive(Deserialize)]
struct ResultView {
    category_scores: BTreeMap<String, Option<f64>>,
}

/// Reads the scores of each text. The API reports no usage.
pub fn read(body: &[u8]) -> Result<ModerationAnswer, ProviderFailure> {
    let answer: AnswerView = serde_json::from_slice(body).map_err(ProviderFailure::malformed_answer)?;
    if let Some(error) = answer.error {
        return Err(failure_in_answer(&error));
    }
    let scores = |result: ResultView| {
        result.category_scores.into_iter().filter_map(|(name, score)| Some((name, score?))).collect()
    };
    Ok(ModerationAnswer { scores: answer.results.into_iter().map(scores).collect(), usage: None })
}
