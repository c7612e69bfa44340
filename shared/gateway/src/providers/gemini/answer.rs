//! Translates Gemini's responses. Each event of a stream has the same format, with only the new content.

use serde::Deserialize;
use serde_json::{Map, Value};
use uuid::Uuid;

use crate::chat::{AnswerMessage, ChatAnswer, Choice, FinishReason, FunctionCall, ToolCallOut};
use crate::failure::{FailureKind, ProviderFailure};
use crate::providers::count;
use crate::providers::status::failure_in_answer;
use domain::chat::{Reasoning, ToolCall};
use domain::usage::Tokens;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AnswerView {
    #[serde(default)]
    pub candidates: Vec<Candidate>,
    prompt_feedback: Option<Feedback>,
    usage_metadata: Option<Value>,
    error: Option<Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Feedback {
    block_reason: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Candidate {
    #[serde(default)]
    pub index: u32,
    content: Option<ContentView>,
    pub finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct ContentView {
    #[serde(default)]
    parts: Vec<PartView>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PartView {
    text: Option<String>,
    #[serde(default)]
    thought: bool,
    thought_signature: Option<String>,
    function_call: Option<CallView>,
}

#[derive(Deserialize)]
struct CallView {
    id: Option<String>,
    name: String,
    args: Option<Map<String, Value>>,
}

/// The new content of a candidate: text and tool calls.
pub struct NewContent {
    pub text: Option<String>,
    pub reasoning: String,
    pub calls: Vec<ToolCallOut>,
}

pub fn read(body: &[u8]) -> Result<AnswerView, ProviderFailure> {
    let mut answer: AnswerView = serde_json::from_slice(body).map_err(ProviderFailure::malformed_answer)?;
    if let Some(error) = answer.error {
        return Err(failure_in_answer(&error));
    }
    // A blocked prompt has no candidates. The client gets an empty choice with the finish reason `content_filter`.
    if answer.candidates.is_empty()
        && answer.prompt_feedback.as_ref().is_some_and(|feedback| feedback.block_reason.is_some())
    {
        answer.candidates.push(Candidate { index: 0, content: None, finish_reason: Some("SAFETY".to_owned()) });
    }
    Ok(answer)
}

pub fn translate_answer(body: &[u8]) -> Result<ChatAnswer, ProviderFailure> {
    let mut answer = read(body)?;
    let usage = answer.tokens();
    let mut choices = Vec::new();
    for candidate in &mut answer.candidates {
        let new_content = candidate.take_content();
        let finish_reason = candidate.finish_reason(!new_content.calls.is_empty())?;
        let finish_reason =
            finish_reason.ok_or_else(|| ProviderFailure::malformed_answer("a candidate without a finish reason"))?;
        let content =
            if new_content.calls.is_empty() { Some(new_content.text.unwrap_or_default()) } else { new_content.text };
        let reasoning = Some(new_content.reasoning).filter(|text| !text.is_empty());
        let reasoning = reasoning.map(|text| Reasoning::Text { text, signature: None }).into_iter().collect();
        let message = AnswerMessage { reasoning, ..AnswerMessage::new(content, new_content.calls) };
        choices.push(Choice { index: candidate.index, message, logprobs: None, finish_reason, stop_sequence: None });
    }
    if choices.is_empty() {
        return Err(ProviderFailure::malformed_answer("an answer without candidates"));
    }
    Ok(ChatAnswer::from_choices(choices, usage))
}

impl AnswerView {
    /// The cumulative token counts. Gemini omits counts that are zero, so only the count of the prompt is required.
    pub fn tokens(&self) -> Option<Tokens> {
        let usage = self.usage_metadata.as_ref()?;
        let or_zero = |name: &str| count(&usage[name]).unwrap_or_default();
        let input = count(&usage["promptTokenCount"])?.saturating_add(or_zero("toolUsePromptTokenCount"));
        let reasoning = or_zero("thoughtsTokenCount");
        Some(Tokens {
            input,
            cached: or_zero("cachedContentTokenCount").min(input),
            output: or_zero("candidatesTokenCount").saturating_add(reasoning),
            reasoning,
            ..Tokens::default()
        })
    }
}

impl Candidate {
    pub fn take_content(&mut self) -> NewContent {
        let mut new_content = NewContent { text: None, reasoning: String::new(), calls: Vec::new() };
        for part in self.content.take().into_iter().flat_map(|content| content.parts) {
            if let Some(call) = part.function_call {
                let signature = part.thought_signature;
                new_content.calls.push(ToolCallOut {
                    // Not every model sends ids of calls, and OpenAI's clients need them to return results.
                    id: call.id.unwrap_or_else(|| format!("call_{}", Uuid::now_v7().simple())),
                    r#type: "function",
                    function: FunctionCall {
                        name: call.name,
                        arguments: Value::Object(call.args.unwrap_or_default()).to_string(),
                    },
                    others: signature.map(ToolCall::signature_field).into_iter().collect(),
                });
            } else if let Some(text) = part.text {
                match part.thought {
                    true => new_content.reasoning.push_str(&text),
                    false => new_content.text.get_or_insert_default().push_str(&text),
                }
            }
        }
        new_content
    }

    /// Translates the finish reason. None while the candidate is not finished.
    pub fn finish_reason(&self, has_calls: bool) -> Result<Option<FinishReason>, ProviderFailure> {
        Ok(Some(match self.finish_reason.as_deref() {
            None => return Ok(None),
            Some("MAX_TOKENS") => FinishReason::Length,
            Some(
                "SAFETY"
                | "RECITATION"
                | "BLOCKLIST"
                | "PROHIBITED_CONTENT"
                | "SPII"
                | "LANGUAGE"
                | "IMAGE_SAFETY"
                | "IMAGE_PROHIBITED_CONTENT"
                | "IMAGE_RECITATION",
            ) => FinishReason::ContentFilter,
            Some(
                reason @ ("MALFORMED_FUNCTION_CALL"
                | "UNEXPECTED_TOOL_CALL"
                | "TOO_MANY_TOOL_CALLS"
                | "MISSING_THOUGHT_SIGNATURE"
                | "MALFORMED_RESPONSE"),
            ) => {
                let message = format!("the model's answer cannot be used: {reason}");
                return Err(ProviderFailure::new(FailureKind::Broken, reason.to_ascii_lowercase(), message));
            }
            Some(_) if has_calls => FinishReason::ToolCalls,
            Some(_) => FinishReason::Stop,
        }))
    }
}
