//! Each row of the parameter table, checked through the real translations: what arrives at a provider must match the
//! table. The requests are also recorded in a folder, for the contract tests of `tests/clients/vendors.sh`.
#![expect(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use std::fs;
use std::path::PathBuf;

use domain::catalog::{OptionalParameter, Unsupported};
use domain::provider::DeploymentDialect;
use domain::provider::UpstreamApi::{self, Anthropic, Bedrock, Gemini, OpenAi, OpenAiResponses};
use gateway::FailureKind;
use gateway::audio::speech::SpeechRequest;
use gateway::chat::{ChatRequest, Terms};
use gateway::parameters::{CHAT, Rule, SPEECH, markdown};
use serde_json::{Map, Value, json};
use tests::provider::{Behaviour, RecordedRequest};

use crate::stage::{Stage, chat, conversation, embeddings, question_with, stage_with};

pub const APIS: [(UpstreamApi, &str); 5] = [
    (OpenAi, "openai"),
    (OpenAiResponses, "openai_responses"),
    (Anthropic, "anthropic"),
    (Gemini, "gemini"),
    (Bedrock, "bedrock"),
];
const PICTURE: &str = "data:image/jpeg;base64,/9j/4AA=";

/// The model of each vendor that supports the most parameters.
pub fn model(api: UpstreamApi) -> &'static str {
    match api {
        Anthropic => "claude-3-7-sonnet-20250219",
        Bedrock => "anthropic.claude-3-7-sonnet-20250219-v1:0",
        Gemini => "gemini-2.5-flash",
        OpenAi | OpenAiResponses | UpstreamApi::Dev => "gpt-4o",
    }
}

pub async fn stage(api: impl Into<UpstreamApi>) -> Stage {
    let api = api.into();
    stage_with(api.kind(), |settings| match api {
        Bedrock => {
            settings.api_key = None;
            settings.region = Some("eu-west-3".to_owned());
        }
        OpenAiResponses => settings.dialect = DeploymentDialect::Responses,
        _ => {}
    })
    .await
}

/// The folder of recorded requests. Files of the test's earlier runs are removed.
pub struct Record(PathBuf);

impl Record {
    pub fn new(test: &'static str) -> Self {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("upstream-requests");
        for (_, name) in APIS {
            fs::create_dir_all(folder.join(name)).unwrap();
            for file in fs::read_dir(folder.join(name)).unwrap() {
                let path = file.unwrap().path();
                let is_own =
                    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(&format!("{test}.")));
                if is_own {
                    fs::remove_file(path).unwrap();
                }
            }
        }
        Self(folder)
    }

    pub fn add(&self, kind: &str, file: &str, received: &RecordedRequest) {
        let recorded = json!({"path": received.path, "body": received.body});
        fs::write(self.0.join(kind).join(format!("{file}.json")), recorded.to_string()).unwrap();
    }
}

/// Sends a chat, and returns the request that arrived or the parameter that was refused. The fake provider answers with
/// an error, because only the request matters.
async fn sent(stage: &Stage, model: &str, body: &Value, streamed: bool) -> Result<RecordedRequest, String> {
    stage.fake.respond_with(Behaviour::json(418, json!({"error": {"message": "teapot"}})));
    let request = chat(body.clone());
    let failure = if streamed {
        stage.provider.stream(model, &request).await.err()
    } else {
        stage.provider.chat(model, &request).await.err()
    };
    let failure = failure.expect("a 418 is a failure");
    let mut received = stage.fake.take_requests();
    if failure.kind == FailureKind::Unsupported {
        assert!(received.is_empty(), "a refused request was sent");
        return Err(failure.param.unwrap());
    }
    assert_eq!(received.len(), 1, "{failure:?}");
    Ok(received.remove(0))
}

fn function() -> Value {
    let schema = json!({"type": "object", "properties": {"city": {"type": "string"}}});
    json!([{"type": "function", "function": {"name": "weather", "parameters": schema}}])
}

/// A value of a parameter, with the other parameters that it needs.
fn sample(name: &str) -> Value {
    let value = match name {
        "temperature" | "top_p" => json!(0.5),
        "max_tokens" | "max_completion_tokens" => json!(32),
        "n" => json!(2),
        "stop" => json!(["END", "\n"]),
        "presence_penalty" | "frequency_penalty" => json!(0.5),
        "seed" => json!(7),
        "tools" => function(),
        "tool_choice" => return json!({"tools": function(), "tool_choice": "required"}),
        "parallel_tool_calls" => return json!({"tools": function(), "parallel_tool_calls": false}),
        "response_format" => json!({"type": "json_object"}),
        "logprobs" => json!(true),
        "top_logprobs" => return json!({"logprobs": true, "top_logprobs": 2}),
        "stream_options" => json!({"include_usage": true}),
        "guard" => json!(true),
        "user" | "safety_identifier" | "prompt_cache_key" => json!("user-7"),
        "metadata" => json!({"user_id": "user-7", "team": "ml"}),
        "verbosity" => json!("low"),
        "reasoning_effort" => return json!({"max_tokens": 8_192, "reasoning_effort": "low"}),
        "store" => json!(true),
        "service_tier" => json!("flex"),
        "prompt_cache_retention" => json!("24h"),
        "prompt_cache_options" => json!({}),
        "moderation" => json!({"model": "omni-moderation-latest"}),
        "logit_bias" => json!({"50256": -100}),
        "prediction" => json!({"type": "content", "content": "a"}),
        "modalities" => json!(["text", "audio"]),
        "audio" => json!({"voice": "alloy", "format": "mp3"}),
        "web_search_options" => json!({"search_context_size": "low"}),
        "functions" => json!([{"name": "weather"}]),
        "function_call" => json!({"name": "weather"}),
        "top_k" => json!(40),
        "thinking" => return json!({"max_tokens": 2_048, "thinking": {"type": "enabled", "budget_tokens": 1_024}}),
        "output_config" => json!({"effort": "low"}),
        "cache_control" => json!({"type": "ephemeral"}),
        "container" => json!("container_1"),
        "inference_geo" => json!("eu"),
        "generationConfig" => json!({"thinkingConfig": {"thinkingBudget": 0}}),
        "safetySettings" => json!([{"category": "HARM_CATEGORY_HARASSMENT", "threshold": "BLOCK_NONE"}]),
        "cachedContent" => json!("cachedContents/1"),
        "additionalModelRequestFields" => json!({"anthropic_beta": ["context-1m-2025-08-07"]}),
        _ => json!({"a": "b"}),
    };
    json!({ name: value })
}

/// Parameters of other vendors, which the types of `OpenAI` do not have.
fn is_of_another_vendor(name: &str) -> bool {
    let row = CHAT.iter().position(|parameter| parameter.name == "top_k").unwrap();
    CHAT[row..].iter().any(|parameter| parameter.name == name)
}

#[test]
fn the_readme_contains_the_parameter_table() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/gateway/src/providers/README.md");
    let readme = fs::read_to_string(file).unwrap();
    let (before, rest) = readme.split_once("<!-- parameters -->\n").expect("the README has the start marker");
    let (_, after) = rest.split_once("<!-- end -->").expect("the README has the end marker");
    let expected = format!("{before}<!-- parameters -->\n{}<!-- end -->{after}", markdown());
    if std::env::var_os("UPDATE_README").is_some() {
        fs::write(file, &expected).unwrap();
    }
    assert!(readme == expected, "the table has changed: run this test with UPDATE_README=1");
}

#[tokio::test]
async fn each_parameter_is_sent_as_the_table_defines() {
    let record = Record::new("row");
    for (api, folder) in APIS {
        let stage = stage(api).await;
        for parameter in &CHAT {
            let name = parameter.name;
            if ["model", "messages", "stream"].contains(&name) {
                continue;
            }
            let fields = sample(name);
            let body = |fields: &Value| serde_json::to_value(question_with(fields.clone())).unwrap();
            let mut without = fields.clone();
            without.as_object_mut().unwrap().remove(name);
            let baseline = match sent(&stage, model(api), &body(&without), false).await {
                Ok(received) => received.body,
                // The parameters that it needs are refused too.
                Err(_) => Value::Null,
            };
            let arrived = sent(&stage, model(api), &body(&fields), false).await;
            let rule = parameter.rule(api);
            match (&rule, arrived) {
                (Rule::Refused(_), Err(param)) => assert!(fields.get(&param).is_some(), "{folder} refuses {param}"),
                (Rule::Refused(_), Ok(received)) => panic!("{folder} was sent {name}: {}", received.body),
                (_, Err(param)) => panic!("{folder} refuses {param}, the table has {rule:?}"),
                (rule, Ok(received)) => {
                    assert_as_ruled(rule, name, &fields[name], &received.body, &baseline, folder);
                    if !(api == OpenAi && is_of_another_vendor(name)) {
                        record.add(folder, &format!("row.{name}"), &received);
                    }
                }
            }
        }
    }
}

#[tokio::test]
async fn what_a_model_does_not_take_reaches_no_provider() {
    for (api, folder) in APIS {
        let stage = stage(api).await;
        for parameter in OptionalParameter::ALL {
            let name = parameter.name();
            let with = sample(name);
            let mut without = with.clone();
            without.as_object_mut().unwrap().remove(name);
            let mut arrived = Vec::new();
            for fields in [&with, &without] {
                let mut request = question_with(fields.clone());
                request.set_terms(Terms { unsupported_parameters: vec![parameter], ..Terms::default() });
                stage.fake.respond_with(Behaviour::json(418, json!({"error": {"message": "teapot"}})));
                stage.provider.chat(model(api), &request).await.expect_err("a 418 is a failure");
                arrived.push(stage.take_request_body());
                let dropped = request.parameters(api, model(api)).report().dropped;
                assert_eq!(dropped.iter().any(|it| it == name), fields.get(name).is_some(), "{folder}: {name}");
            }
            assert_eq!(arrived[0], arrived[1], "{folder}: {name}");
        }
    }
}

#[tokio::test]
async fn what_a_model_does_not_take_is_left_out_of_a_request_in_the_vendors_own_dialect() {
    let stage = stage(Anthropic).await;
    let body = json!({
        "model": "m", "max_tokens": 9, "temperature": 0.2, "top_k": 4, "stop_sequences": ["END"],
        "messages": [{"role": "user", "content": "Why?"}],
    });
    let mut request = ChatRequest::read_messages(body, Vec::new()).unwrap();
    let unsupported_parameters = vec![OptionalParameter::Temperature, OptionalParameter::Stop];
    request.set_terms(Terms { unsupported_parameters, ..Terms::default() });
    stage.fake.respond_with(Behaviour::json(418, json!({"error": {"message": "teapot"}})));
    stage.provider.chat(model(Anthropic), &request).await.expect_err("a 418 is a failure");
    let body = stage.take_request_body();
    let arrived = ["temperature", "stop_sequences", "top_k"].map(|name| body.get(name).is_some());
    assert_eq!(arrived, [false, false, true], "{body}");
    let mut dropped = request.parameters(Anthropic, model(Anthropic)).report().dropped;
    dropped.sort_unstable();
    assert_eq!(dropped, ["stop", "temperature"]);
}

fn assert_as_ruled(rule: &Rule, name: &str, value: &Value, arrived: &Value, baseline: &Value, kind: &str) {
    match rule {
        Rule::Sent => match value {
            // The object may have other fields: Gemini has its settings in one object.
            Value::Object(fields) => fields.iter().for_each(|(field, value)| {
                assert_eq!(&arrived[name][field], value, "{kind}: {name} is sent unchanged");
            }),
            value => assert_eq!(&arrived[name], value, "{kind}: {name} is sent unchanged"),
        },
        Rule::Dropped => assert_eq!(arrived, baseline, "{kind}: {name} is left out"),
        Rule::Mapped(place) => {
            assert_ne!(arrived, baseline, "{kind}: {name} is sent");
            let place = place.trim_matches('`').split('.').try_fold(arrived, |value, name| {
                let value = if value.is_array() { value.get(0)? } else { value };
                value.get(name)
            });
            assert!(place.is_some(), "{kind}: {name} is at the place that the table names: {arrived}");
        }
        Rule::Adapted(_) if ["guard", "stream_options"].contains(&name) => assert_eq!(arrived, baseline),
        Rule::Adapted(_) => assert_ne!(arrived, baseline, "{kind}: {name} is adapted"),
        Rule::Refused(_) => unreachable!("handled by the caller"),
    }
}

#[tokio::test]
async fn conversations_of_every_form_are_translated() {
    let record = Record::new("form");
    let say = |messages: Value| json!({"model": "m", "messages": messages});
    let user = |content: Value| json!({"role": "user", "content": content});
    let assistant = |content: Value| json!({"role": "assistant", "content": content});
    let system = |content: &str| json!({"role": "system", "content": content});
    let with = |fields: Value| serde_json::to_value(question_with(fields)).unwrap();
    let schema = json!({"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": false});
    let call = json!({"id": "c1", "type": "function", "function": {"name": "weather", "arguments": ""}});
    let forms = [
        ("whole", conversation(PICTURE)),
        ("without-limit", say(json!([user(json!("a"))]))),
        ("system-alone", say(json!([system("Be brief."), system("Say yes.")]))),
        ("blank-user", say(json!([user(json!(""))]))),
        ("blank-part", say(json!([user(json!([{"type": "text", "text": " "}, {"type": "text", "text": "a"}]))]))),
        ("blank-assistant", say(json!([user(json!("a")), assistant(json!("")), user(json!("b"))]))),
        ("assistant-first", say(json!([assistant(json!("Hello.")), user(json!("a"))]))),
        (
            "blank-tool",
            json!({"model": "m", "tools": function(), "messages": [
                user(json!("a")), {"role": "assistant", "content": null, "tool_calls": [call]},
                {"role": "tool", "tool_call_id": "c1", "content": ""},
            ]}),
        ),
        (
            "schema",
            with(
                json!({"response_format": {"type": "json_schema", "json_schema": {"name": "s", "schema": schema, "strict": true}}}),
            ),
        ),
        ("json", with(json!({"response_format": {"type": "json_object"}}))),
        ("choice-none", with(json!({"tools": function(), "tool_choice": "none"}))),
        (
            "choice-named",
            with(json!({"tools": function(), "parallel_tool_calls": false,
                "tool_choice": {"type": "function", "function": {"name": "weather"}}})),
        ),
        ("large-seed", with(json!({"seed": i64::MAX}))),
    ];
    for (api, folder) in APIS {
        let stage = stage(api).await;
        for (name, body) in &forms {
            let mut body = body.clone();
            if api == OpenAiResponses {
                // The API has no stop sequences.
                body.as_object_mut().unwrap().remove("stop");
            }
            for streamed in [false, true] {
                let received = sent(&stage, model(api), &body, streamed).await.unwrap();
                record.add(folder, &format!("form.{name}{}", if streamed { ".stream" } else { "" }), &received);
                if *name == "without-limit" {
                    let limits = ["max_tokens", "max_completion_tokens"].map(|name| received.body.get(name).is_some());
                    assert_eq!(limits, [api == Anthropic, false], "only Anthropic needs a limit");
                    let text = received.body.to_string();
                    let names = ["maxOutputTokens", "maxTokens", "max_output_tokens"];
                    assert!(names.iter().all(|name| !text.contains(name)), "{text}");
                }
            }
        }
    }
}

#[tokio::test]
async fn newer_claude_models_get_no_sampling_parameters() {
    let record = Record::new("claude");
    for (api, folder, name) in
        [(Anthropic, "anthropic", "claude-opus-5"), (Bedrock, "bedrock", "anthropic.claude-opus-4-8-v1:0")]
    {
        let stage = stage(api).await;
        let sampling = json!({"temperature": 0.2, "top_p": 0.5, "top_k": 4});
        let body = serde_json::to_value(question_with(sampling)).unwrap();
        let received = sent(&stage, name, &body, false).await.unwrap();
        let text = received.body.to_string();
        assert!(["temperature", "top_p", "topP", "top_k"].iter().all(|name| !text.contains(name)), "{text}");
        record.add(folder, "claude.new", &received);
    }
}

#[tokio::test]
async fn a_value_outside_the_range_of_the_provider_becomes_the_nearest_one() {
    for (api, name, value, place, nearest) in [
        (Anthropic, "temperature", json!(1.5), "/temperature", 1.0),
        (Bedrock, "temperature", json!(1.5), "/inferenceConfig/temperature", 1.0),
        (OpenAiResponses, "max_tokens", json!(1), "/max_output_tokens", 16.0),
        (OpenAiResponses, "max_completion_tokens", json!(15), "/max_output_tokens", 16.0),
    ] {
        let stage = stage(api).await;
        let mut request = chat(json!({"model": "m", "messages": [{"role": "user", "content": "a"}], name: value}));
        stage.fake.respond_with(Behaviour::json(418, json!({"error": {"message": "teapot"}})));
        stage.provider.chat(model(api), &request).await.expect_err("a 418 is a failure");
        let body = stage.take_request_body();
        assert_eq!(body.pointer(place).and_then(Value::as_f64), Some(nearest), "{api:?}: {body}");
        assert_eq!(request.parameters(api, model(api)).report().adjusted, [name]);

        request.set_terms(Terms { unsupported: Unsupported::Reject, ..Terms::default() });
        let refused = stage.provider.chat(model(api), &request).await.unwrap_err();
        assert_eq!((refused.kind, refused.param.as_deref()), (FailureKind::Unsupported, Some(name)), "{api:?}");
    }
    // The scales of these end at 2.
    for api in [OpenAi, OpenAiResponses, Gemini] {
        let request = question_with(json!({"temperature": 1.5}));
        assert_eq!(request.parameters(api, model(api)).report().adjusted, [""; 0]);
    }
}

#[tokio::test]
async fn the_token_limit_has_the_name_that_the_model_accepts() {
    let stage = stage(OpenAi).await;
    let limits = |received: &RecordedRequest| {
        let names = ["max_tokens", "max_completion_tokens"];
        names.map(|name| received.body.get(name).and_then(Value::as_u64))
    };
    let body = |name: &str| json!({"model": "m", "messages": [{"role": "user", "content": "a"}], name: 32});
    for (model, asked, expected) in [
        ("gpt-4o", "max_tokens", [Some(32), None]),
        ("gpt-4o", "max_completion_tokens", [None, Some(32)]),
        ("o3-mini", "max_tokens", [None, Some(32)]),
        ("gpt-5.1", "max_tokens", [None, Some(32)]),
        ("openai/gpt-5", "max_completion_tokens", [None, Some(32)]),
    ] {
        let received = sent(&stage, model, &body(asked), false).await.unwrap();
        assert_eq!(limits(&received), expected, "{model}, asked by {asked}");
    }
}

#[tokio::test]
async fn embeddings_parameters_are_sent_where_they_are_supported() {
    let record = Record::new("embeddings");
    let request = json!({
        "model": "m", "input": ["a", "b"], "dimensions": 8, "user": "user-7", "taskType": "RETRIEVAL_QUERY", "other": 1,
    });
    let openai = stage(OpenAi).await;
    openai.fake.respond_with(Behaviour::json(418, json!({})));
    let plain = embeddings(json!({"model": "m", "input": "a", "dimensions": 8, "user": "user-7"}));
    openai.provider.embed("text-embedding-3-small", &plain).await.unwrap_err();
    record.add("openai", "embeddings.whole", &openai.fake.take_requests().remove(0));

    let gemini = stage(Gemini).await;
    gemini.fake.respond_with(Behaviour::json(418, json!({})));
    gemini.provider.embed("gemini-embedding-001", &embeddings(request)).await.unwrap_err();
    let received = gemini.fake.take_requests().remove(0);
    let first: &Map<String, Value> = received.body["requests"][0].as_object().unwrap();
    assert_eq!(first.keys().collect::<Vec<_>>(), ["taskType", "model", "content", "outputDimensionality"]);
    record.add("gemini", "embeddings.whole", &received);
}

#[tokio::test]
async fn every_parameter_of_speech_is_recorded() {
    let record = Record::new("speech");
    let openai = stage(OpenAi).await;
    openai.fake.respond_with(Behaviour::json(418, json!({})));
    let values = json!({
        "model": "m", "input": "Good morning", "voice": "alloy", "response_format": "opus", "speed": 1.5,
        "instructions": "Softly.", "stream_format": "audio",
    });
    let names: Vec<&str> = SPEECH.iter().map(|parameter| parameter.name).collect();
    assert_eq!(values.as_object().unwrap().keys().collect::<Vec<_>>(), names);
    let request = SpeechRequest::read(values).unwrap();
    assert!(openai.provider.speak("gpt-4o-mini-tts", &request).await.is_err());
    let received = openai.fake.take_requests().remove(0);
    let sent: Vec<&String> = received.body.as_object().unwrap().keys().collect();
    assert_eq!(sent, names[..6]);
    record.add("openai", "speech.whole", &received);
}
