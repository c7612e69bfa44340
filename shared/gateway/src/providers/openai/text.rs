//! OpenAI's legacy Completions API. Servers such as vLLM have it too.

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::usage;
use crate::failure::ProviderFailure;
use crate::guard::{TextAnswer, TextRequest};
use crate::providers::status::failure_in_answer;

/// The number of alternatives to report for each token. Servers allow at least this many.
const ALTERNATIVES: u32 = 5;

#[derive(Deserialize)]
struct AnswerView<'a> {
    #[serde(default)]
    choices: Vec<ChoiceView>,
    #[serde(borrow)]
    usage: Option<&'a RawValue>,
    error: Option<Value>,
}

#[derive(Deserialize)]
struct ChoiceView {
    text: String,
    logprobs: Option<LogprobsView>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct LogprobsView {
    tokens: Vec<String>,
    top_logprobs: Vec<Option<Map<String, Value>>>,
}

pub fn body(model: &str, request: &TextRequest) -> Value {
    json!({
        "model": model, "prompt": request.prompt, "max_tokens": request.max_tokens, "temperature": 0,
        "logprobs": ALTERNATIVES,
    })
}

pub fn read(body: &[u8]) -> Result<TextAnswer, ProviderFailure> {
    let answer: AnswerView<'_> = serde_json::from_slice(body).map_err(ProviderFailure::malformed_answer)?;
    if let Some(error) = answer.error {
        return Err(failure_in_answer(&error));
    }
    let choice = answer.choices.into_iter().next();
    let choice = choice.ok_or_else(|| ProviderFailure::malformed_answer("a completion without choices"))?;
    let LogprobsView { tokens, mut top_logprobs } = choice.logprobs.unwrap_or_default();
    let first = tokens.iter().position(|token| !token.trim().is_empty());
    let first = first.and_then(|first| top_logprobs.get_mut(first)?.take()).unwrap_or_default();
    let first_token = first.into_iter().filter_map(|(token, logprob)| Some((token, logprob.as_f64()?))).collect();
    Ok(TextAnswer { text: choice.text, first_token, usage: answer.usage.and_then(usage::read) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_token_that_is_not_blank_is_read() {
        let body = json!({
            "choices": [{"text": "\n\nunsafe\nS1", "logprobs": {
                "tokens": ["\n\n", "unsafe"],
                "top_logprobs": [{"\n\n": -0.1}, {"unsafe": -0.5, "safe": -0.9}],
            }}],
            "usage": {"prompt_tokens": 200, "completion_tokens": 4, "total_tokens": 204},
        });
        let answer = read(body.to_string().as_bytes()).unwrap();
        assert_eq!(answer.text, "\n\nunsafe\nS1");
        assert_eq!(answer.first_token.len(), 2);
        assert!(answer.first_token.contains(&("unsafe".to_owned(), -0.5)), "{:?}", answer.first_token);
        assert_eq!(answer.usage.unwrap().output, 4);
        let without = read(br#"{"choices": [{"text": "safe", "logprobs": null}]}"#).unwrap();
        assert!(without.first_token.is_empty() && without.usage.is_none());
        assert!(read(br#"{"choices": []}"#).is_err());
        assert!(read(br#"{"error": {"message": "no such model", "code": "model_not_found"}}"#).is_err());
    }
}
