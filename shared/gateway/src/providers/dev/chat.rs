//! Chat completions of the development model in `OpenAI`'s format: complete, or streamed word by word.

use serde_json::json;
use serde_json::value::RawValue;

use super::reply::{ReplyContent, compose_content};
use super::truncation::{split_words, truncate};
use crate::chat::{
    AnswerMessage, ChatAnswer, ChatRequest, Choice, Chunk, Delta, DeltaChoice, FinishReason, FunctionCall,
    FunctionDelta, ToolCallDelta, ToolCallOut,
};
use crate::failure::ProviderFailure;
use crate::tokens;
use domain::usage::Tokens;

const FINGERPRINT: &str = "dev-1";

/// The content of a choice. All choices are equal; `seed` and `temperature` have no effect.
struct DevReply {
    content: Option<String>,
    calls: Vec<FunctionCall>,
    finish_reason: FinishReason,
    output: u64,
    wants_logprobs: bool,
}

fn build_reply(request: &ChatRequest) -> Result<DevReply, ProviderFailure> {
    let most = request.required_max_tokens();
    let mut reply = DevReply {
        content: None,
        calls: Vec::new(),
        finish_reason: FinishReason::Stop,
        output: 0,
        wants_logprobs: request.flag("logprobs"),
    };
    match compose_content(request)? {
        ReplyContent::Text(text) => {
            let truncated = truncate(&text, &request.stops(), most);
            reply.output = tokens::count(&truncated.text);
            reply.finish_reason = if truncated.is_short { FinishReason::Length } else { FinishReason::Stop };
            reply.content = Some(truncated.text);
        }
        ReplyContent::Calls(calls) => {
            reply.finish_reason = FinishReason::ToolCalls;
            for (name, arguments) in calls {
                let left = most.map(|most| most.saturating_sub(reply.output));
                if left == Some(0) {
                    reply.finish_reason = FinishReason::Length;
                    break;
                }
                let truncated = truncate(&arguments, &[], left);
                reply.output += tokens::count(&truncated.text);
                reply.calls.push(FunctionCall { name, arguments: truncated.text });
                if truncated.is_short {
                    reply.finish_reason = FinishReason::Length;
                    break;
                }
            }
        }
    }
    Ok(reply)
}

pub fn complete(request: &ChatRequest) -> Result<ChatAnswer, ProviderFailure> {
    let reply = build_reply(request)?;
    let choices: Vec<_> = (0..choices(request)).map(|index| reply.choice(index)).collect::<Result<_, _>>()?;
    let answer = ChatAnswer::from_choices(choices, Some(reply.usage(request)));
    Ok(ChatAnswer { system_fingerprint: Some(FINGERPRINT.to_owned()), ..answer })
}

/// Returns the chunks of all choices, interleaved, and the usage chunk at the end.
pub fn complete_in_chunks(request: &ChatRequest) -> Result<Vec<Result<Chunk, ProviderFailure>>, ProviderFailure> {
    let reply = build_reply(request)?;
    let deltas: Vec<_> = (0..choices(request)).map(|index| reply.deltas(index)).collect();
    let mut chunks = Vec::new();
    for place in 0..deltas.iter().map(Vec::len).max().unwrap_or_default() {
        for (index, deltas) in deltas.iter().enumerate() {
            let choice = DeltaChoice {
                index: u32::try_from(index).unwrap_or_default(),
                delta: deltas[place].clone(),
                logprobs: deltas[place].content.as_deref().map_or(Ok(None), |text| reply.logprobs(text))?,
                finish_reason: (place + 1 == deltas.len()).then_some(reply.finish_reason),
                stop_sequence: None,
            };
            chunks.push(Chunk::from_deltas(vec![choice], None));
        }
    }
    chunks.push(Chunk::from_deltas(Vec::new(), Some(reply.usage(request))));
    let fingerprint = || Some(FINGERPRINT.to_owned());
    Ok(chunks.into_iter().map(|chunk| Ok(Chunk { system_fingerprint: fingerprint(), ..chunk })).collect())
}

fn choices(request: &ChatRequest) -> u32 {
    u32::try_from(request.choices()).unwrap_or(1)
}

impl DevReply {
    fn usage(&self, request: &ChatRequest) -> Tokens {
        let output = self.output * u64::from(choices(request));
        Tokens { input: request.greatest_input(), output, ..Tokens::default() }
    }

    fn choice(&self, index: u32) -> Result<Choice, ProviderFailure> {
        let calls = self.calls.iter().enumerate().map(|(place, call)| ToolCallOut {
            id: call_id(index, place),
            r#type: "function",
            function: call.clone(),
            others: serde_json::Map::new(),
        });
        Ok(Choice {
            index,
            message: AnswerMessage::new(self.content.clone(), calls.collect()),
            logprobs: self.content.as_deref().map_or(Ok(None), |text| self.logprobs(text))?,
            finish_reason: self.finish_reason,
            stop_sequence: None,
        })
    }

    /// Returns the deltas of one choice. The first has the role, the last is empty and gets the finish reason.
    fn deltas(&self, choice: u32) -> Vec<Delta> {
        let first =
            Delta { role: Some("assistant"), content: self.content.is_some().then(String::new), ..Delta::default() };
        let mut deltas = vec![first];
        for word in self.content.as_deref().map(split_words).unwrap_or_default() {
            deltas.push(Delta { content: Some(word.to_owned()), ..Delta::default() });
        }
        for (place, call) in self.calls.iter().enumerate() {
            let index = u32::try_from(place).unwrap_or_default();
            let begin = ToolCallDelta {
                index,
                id: Some(call_id(choice, place)),
                r#type: Some("function"),
                function: FunctionDelta { name: Some(call.name.clone()), arguments: String::new() },
                others: serde_json::Map::new(),
            };
            deltas.push(Delta { tool_calls: vec![begin], ..Delta::default() });
            for word in split_words(&call.arguments) {
                let function = FunctionDelta { name: None, arguments: word.to_owned() };
                let piece = ToolCallDelta { index, id: None, r#type: None, function, others: serde_json::Map::new() };
                deltas.push(Delta { tool_calls: vec![piece], ..Delta::default() });
            }
        }
        deltas.push(Delta::default());
        deltas
    }

    /// The answer is deterministic, so every word has the probability 1 and the log probability 0.
    fn logprobs(&self, text: &str) -> Result<Option<Box<RawValue>>, ProviderFailure> {
        if !self.wants_logprobs {
            return Ok(None);
        }
        let of_word = |word: &&str| {
            let likeliest = json!({"token": word, "logprob": 0.0, "bytes": word.as_bytes()});
            let mut token = likeliest.clone();
            token["top_logprobs"] = json!([likeliest]);
            token
        };
        let content: Vec<_> = split_words(text).iter().map(of_word).collect();
        let logprobs = json!({"content": content, "refusal": null});
        serde_json::value::to_raw_value(&logprobs).map(Some).map_err(ProviderFailure::malformed_answer)
    }
}

fn call_id(choice: u32, place: usize) -> String {
    format!("call_dev_{choice}_{place}")
}

#[cfg(test)]
mod tests;
