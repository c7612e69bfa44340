//! Parses the `usage` object of `OpenAI` and compatible servers.

use serde_json::Value;
use serde_json::value::RawValue;

use crate::providers::count;
use domain::usage::Tokens;

/// Parses the usage. Returns None if a count is missing or not a non-negative integer. An explicit zero is kept.
pub fn read(usage: &RawValue) -> Option<Tokens> {
    let usage: Value = serde_json::from_str(usage.get()).ok()?;
    let input = count(&usage["prompt_tokens"])?;
    // Embeddings have no output.
    let reported = if usage["completion_tokens"].is_null() { 0 } else { count(&usage["completion_tokens"])? };
    // Some servers exclude reasoning from `completion_tokens`, but include it in `total_tokens`.
    let output = count(&usage["total_tokens"]).map_or(reported, |total| reported.max(total.saturating_sub(input)));
    let cached = count(&usage["prompt_tokens_details"]["cached_tokens"]).unwrap_or_default();
    let written = count(&usage["prompt_tokens_details"]["cache_write_tokens"]).unwrap_or_default();
    let reasoning = count(&usage["completion_tokens_details"]["reasoning_tokens"]).unwrap_or_default();
    let cached = cached.min(input);
    let written = written.min(input - cached);
    Some(Tokens { input, cached, written, written_1h: 0, output, reasoning: reasoning.min(output) })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn tokens(usage: Value) -> Option<Tokens> {
        read(&serde_json::value::to_raw_value(&usage).unwrap())
    }

    #[test]
    fn explicit_zeros_are_kept_and_invalid_counts_are_unknown() {
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
    fn cached_and_reasoning_tokens_are_included_in_the_totals() {
        let usage = json!({
            "prompt_tokens": 100, "completion_tokens": 30, "total_tokens": 130,
            "prompt_tokens_details": {"cached_tokens": 64}, "completion_tokens_details": {"reasoning_tokens": 20},
        });
        assert_eq!(
            tokens(usage),
            Some(Tokens { input: 100, cached: 64, output: 30, reasoning: 20, ..Tokens::default() })
        );
        let written = json!({
            "prompt_tokens": 100, "completion_tokens": 30,
            "prompt_tokens_details": {"cached_tokens": 64, "cache_write_tokens": 32},
        });
        let expected = Tokens { input: 100, cached: 64, written: 32, output: 30, ..Tokens::default() };
        assert_eq!(tokens(written), Some(expected));
        let apart = json!({
            "prompt_tokens": 32, "completion_tokens": 9, "total_tokens": 135,
            "completion_tokens_details": {"reasoning_tokens": 94},
        });
        assert_eq!(
            tokens(apart),
            Some(Tokens { input: 32, cached: 0, output: 103, reasoning: 94, ..Tokens::default() })
        );
    }
}
