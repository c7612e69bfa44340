use serde_json::json;

use super::*;
use crate::chat::{self, ChatRequest};
use crate::{embeddings, rerank};

#[test]
fn rows_are_unique_and_cover_every_validated_parameter() {
    let tables = [
        (&CHAT[..], &chat::VALIDATED[..]),
        (&EMBEDDINGS[..], &embeddings::VALIDATED[..]),
        (&RERANK[..], &rerank::VALIDATED[..]),
    ];
    for (table, validated) in tables {
        let mut names: Vec<_> = table.iter().map(|parameter| parameter.name).collect();
        names.sort_unstable();
        assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "{names:?}");
        assert!(validated.iter().all(|name| names.contains(name)));
    }
}

fn chat_with(more: Value) -> ChatRequest {
    let mut body = json!({"model": "m", "messages": [{"role": "user", "content": "a"}]});
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    ChatRequest::read(body).unwrap()
}

#[test]
fn default_values_are_neither_refused_nor_reported() {
    let neutral = json!({
        "n": 1, "presence_penalty": 0, "frequency_penalty": 0.0, "logprobs": false, "store": false,
        "parallel_tool_calls": true, "service_tier": "auto", "modalities": ["text"], "logit_bias": {}, "metadata": {},
    });
    let request = chat_with(neutral);
    for kind in [UpstreamApi::Anthropic, UpstreamApi::Gemini, UpstreamApi::Bedrock] {
        let parameters = request.parameters(kind, "m");
        assert!(parameters.check(Unsupported::Reject).is_ok());
        assert_eq!(parameters.report().dropped, [""; 0]);
    }
}

#[test]
fn unknown_parameters_are_sent_only_to_openai_compatible_providers() {
    let request = chat_with(json!({"documents": ["a"], "seed": 1}));
    let report = |kind| request.parameters(kind, "m").report();
    let openai = report(UpstreamApi::OpenAi);
    assert_eq!((openai.passthrough, openai.dropped), (vec!["documents".to_owned()], Vec::new()));
    let anthropic = report(UpstreamApi::Anthropic);
    assert_eq!((anthropic.passthrough.len(), anthropic.dropped), (0, vec!["documents".to_owned(), "seed".to_owned()]));
    assert_eq!(request.parameters(UpstreamApi::Gemini, "m").forwarded().count(), 0);
}

#[test]
fn operators_can_refuse_requests_with_dropped_parameters() {
    let request = chat_with(json!({"logit_bias": {"1": 2}}));
    let check = |kind, unsupported| request.parameters(kind, "m").check(unsupported);
    assert!(check(UpstreamApi::Anthropic, Unsupported::Drop).is_ok());
    assert_eq!(check(UpstreamApi::Anthropic, Unsupported::Reject).unwrap_err().param.as_deref(), Some("logit_bias"));
    assert!(check(UpstreamApi::OpenAi, Unsupported::Reject).is_ok());
}
