//! Tests of the development model's chat completions.

use serde_json::{Value, json};

use super::{complete, complete_in_chunks};
use crate::chat::{ChatAnswer, ChatRequest};
use crate::tokens;

fn request(more: Value) -> ChatRequest {
    let mut body = json!({"model": "dev-chat", "messages": [{"role": "user", "content": "What is a lease?"}]});
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    ChatRequest::read(body).unwrap()
}

fn choices(answer: &ChatAnswer) -> Value {
    serde_json::from_str(&answer.choices.to_json()).unwrap()
}

fn first(more: Value) -> Value {
    choices(&complete(&request(more)).unwrap())[0].clone()
}

/// Assembles a stream as a client does: text, arguments, weight and reported output tokens.
fn streamed(more: Value) -> (String, String, u64, u64) {
    let (mut text, mut arguments, mut counted, mut usage) = (String::new(), String::new(), 0, None);
    for chunk in complete_in_chunks(&request(more)).unwrap() {
        let chunk = chunk.unwrap();
        counted += chunk.weight;
        usage = chunk.usage.or(usage);
        let Some(choices) = chunk.choices else { continue };
        let choices: Value = serde_json::from_str(&choices.to_json()).unwrap();
        let delta = &choices[0]["delta"];
        text += delta["content"].as_str().unwrap_or_default();
        arguments += delta["tool_calls"][0]["function"]["arguments"].as_str().unwrap_or_default();
    }
    (text, arguments, counted, usage.unwrap().output)
}

fn tool(name: &str) -> Value {
    let parameters = json!({"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]});
    json!({"type": "function", "function": {"name": name, "parameters": parameters}})
}

#[test]
fn reply_names_the_model_and_repeats_the_prompt() {
    let choice = first(json!({}));
    let text = choice["message"]["content"].as_str().unwrap();
    assert!(text.contains("dev-chat") && text.ends_with("You said: What is a lease?"), "{text}");
    assert_eq!(choice["finish_reason"], "stop");
    assert_eq!(first(json!({"seed": 4, "temperature": 2})), choice);
}

#[test]
fn usage_equals_the_gateways_maximum_estimate() {
    let request = request(json!({"max_tokens": 5, "n": 3, "tools": [tool("weather")]}));
    let usage = complete(&request).unwrap().usage.unwrap();
    assert_eq!((usage.input, usage.output), (request.greatest_input(), 15));
}

#[test]
fn max_tokens_is_met_exactly() {
    for most in [1, 2, 7, 20] {
        let choice = first(json!({"max_tokens": most}));
        assert_eq!(choice["finish_reason"], "length");
        assert_eq!(tokens::count(choice["message"]["content"].as_str().unwrap()), most);
        let (text, _, counted, usage) = streamed(json!({"max_tokens": most}));
        assert_eq!((tokens::count(&text), counted, usage), (most, tokens::weigh(&text), most));
    }
}

#[test]
fn stop_sequences_end_the_text_and_are_not_included() {
    let choice = first(json!({"stop": [" development"]}));
    assert_eq!(
        (&choice["message"]["content"], &choice["finish_reason"]),
        (&json!("I am dev-chat, the"), &json!("stop"))
    );
}

#[test]
fn streamed_text_equals_the_complete_answer() {
    let (text, _, counted, usage) = streamed(json!({}));
    assert_eq!(text, first(json!({}))["message"]["content"]);
    assert_eq!((counted, usage), (tokens::weigh(&text), tokens::count(&text)));
    let finished =
        complete_in_chunks(&request(json!({"n": 2}))).unwrap().into_iter().map(|chunk| chunk.unwrap().finished);
    assert_eq!(finished.sum::<u32>(), 2);
}

#[test]
fn tools_named_in_the_prompt_or_required_are_called() {
    let named = json!([{"role": "user", "content": "Use weather and clock for Lima"}]);
    let tools = json!([tool("weather"), tool("clock"), tool("news")]);
    let choice = first(json!({"messages": named, "tools": tools}));
    assert_eq!(choice["finish_reason"], "tool_calls");
    assert_eq!(choice["message"]["content"], Value::Null);
    let calls = choice["message"]["tool_calls"].as_array().unwrap();
    assert_eq!(calls.len(), 2);
    let arguments: Value = serde_json::from_str(calls[0]["function"]["arguments"].as_str().unwrap()).unwrap();
    assert_eq!(arguments, json!({"city": "Use weather and clock for Lima"}));

    let one = json!({"messages": named, "tools": tools, "parallel_tool_calls": false});
    assert_eq!(first(one)["message"]["tool_calls"].as_array().unwrap().len(), 1);
    let choice = json!({"type": "function", "function": {"name": "news"}});
    let demanded = first(json!({"tools": tools, "tool_choice": choice}));
    assert_eq!(demanded["message"]["tool_calls"][0]["function"]["name"], "news");
    assert_eq!(first(json!({"tools": tools, "tool_choice": "required"}))["finish_reason"], "tool_calls");
    assert_eq!(first(json!({"messages": named, "tools": tools, "tool_choice": "none"}))["finish_reason"], "stop");
}

#[test]
fn streamed_tool_call_equals_the_complete_one() {
    let more = json!({"tools": [tool("weather")], "tool_choice": "required"});
    let (_, arguments, counted, usage) = streamed(more.clone());
    assert_eq!(&arguments, &first(more)["message"]["tool_calls"][0]["function"]["arguments"]);
    assert_eq!((counted, usage), (tokens::weigh(&arguments), tokens::count(&arguments)));
}

#[test]
fn reply_repeats_the_tool_result() {
    let messages = json!([
        {"role": "user", "content": "weather in Lima?"},
        {"role": "assistant", "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": "{}"}},
        ]},
        {"role": "tool", "tool_call_id": "c1", "content": "22 °C"},
    ]);
    let choice = first(json!({"messages": messages, "tools": [tool("weather")]}));
    assert!(choice["message"]["content"].as_str().unwrap().ends_with("The tool answered: 22 °C"));
}

#[test]
fn json_answers_match_the_response_format() {
    let text = |format: Value| {
        let choice = first(json!({"response_format": format}));
        serde_json::from_str::<Value>(choice["message"]["content"].as_str().unwrap()).unwrap()
    };
    assert!(text(json!({"type": "json_object"})).is_object());
    let schema = json!({"type": "object", "properties": {"n": {"type": "integer", "minimum": 4}}, "required": ["n"]});
    let format = json!({"type": "json_schema", "json_schema": {"name": "s", "schema": schema}});
    assert_eq!(text(format), json!({"n": 4}));
    let beyond = json!({"type": "json_schema", "json_schema": {"name": "s", "schema": {"pattern": "x"}}});
    let failure = complete(&request(json!({"response_format": beyond}))).unwrap_err();
    assert_eq!((failure.code.as_str(), failure.param.as_deref()), ("parameter_not_supported", Some("response_format")));
}

#[test]
fn logprobs_are_zero_for_every_word() {
    let choice = first(json!({"logprobs": true, "top_logprobs": 2, "max_tokens": 3}));
    let tokens = choice["logprobs"]["content"].as_array().unwrap();
    let words: String = tokens.iter().map(|token| token["token"].as_str().unwrap()).collect();
    assert_eq!(words, choice["message"]["content"].as_str().unwrap());
    assert_eq!(tokens.len(), 3);
    assert!(tokens.iter().all(|token| token["logprob"] == 0.0));
    assert_eq!(first(json!({}))["logprobs"], Value::Null);
}
