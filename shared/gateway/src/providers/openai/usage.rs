//! Usage as `OpenAI` and its imitators tell it.

use serde_json::Value;
use serde_json::value::RawValue;

use crate::providers::count;
use domain::usage::Tokens;

/// None unless both counts are there and are counts. A zero that is said is a zero.
pub fn read(usage: &RawValue) -> Option<Tokens> {
    let usage: Value = serde_json::from_str(usage.get()).ok()?;
    let input = count(&usage["prompt_tokens"])?;
    // Embeddings have no output.
    let said = if usage["completion_tokens"].is_null() { 0 } else { count(&usage["completion_tokens"])? };
    // Some leave reasoning out of what they call completion, and have it in the total.
    let output = count(&usage["total_tokens"]).map_or(said, |total| said.max(total.saturating_sub(input)));
    let cached = count(&usage["prompt_tokens_details"]["cached_tokens"]).unwrap_or_default();
    let reasoning = count(&usage["completion_tokens_details"]["reasoning_tokens"]).unwrap_or_default();
    Some(Tokens { input, cached: cached.min(input), output, reasoning: reasoning.min(output) })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn tokens(usage: Value) -> Option<Tokens> {
        read(&serde_json::value::to_raw_value(&usage).unwrap())
    }

    #[test]
    fn zero_is_zero_and_nonsense_is_nothing() {
        let zero = json!({"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0});
        assert_eq!(tokens(zero), Some(Tokens::default()));
        for nonsense in [
            json!({}),
            json!({"prompt_tokens": -1, "completion_tokens": 3}),
            json!({"prompt_tokens": 3, "completion_tokens": -3}),
            json!({"prompt_tokens": "3", "completion_tokens": 3}),
            json!({"prompt_tokens": 1.5, "completion_tokens": 3}),
        ] {
            assert_eq!(tokens(nonsense.clone()), None, "{nonsense}");
        }
    }

    #[test]
    fn details_are_parts_of_the_whole() {
        let usage = json!({
            "prompt_tokens": 100, "completion_tokens": 30, "total_tokens": 130,
            "prompt_tokens_details": {"cached_tokens": 64}, "completion_tokens_details": {"reasoning_tokens": 20},
        });
        assert_eq!(tokens(usage), Some(Tokens { input: 100, cached: 64, output: 30, reasoning: 20 }));
        let apart = json!({
            "prompt_tokens": 32, "completion_tokens": 9, "total_tokens": 135,
            "completion_tokens_details": {"reasoning_tokens": 94},
        });
        assert_eq!(tokens(apart), Some(Tokens { input: 32, cached: 0, output: 103, reasoning: 94 }));
    }
}
