//! Failures of providers and their classification, the same for every provider that is called by plain HTTP.

use std::time::Duration;

use bytes::Bytes;
use domain::provider::ProviderKind::OpenAi;
use domain::provider::Timeouts;
use futures::StreamExt;
use gateway::providers::{OfferedModels, ProviderSettings, connect};
use gateway::{FailureKind, ProviderFailure};
use outbound::{AddressGuard, Internet, Outbound};
use serde_json::json;
use tests::clock::pass_time;
use tests::polling::{PATIENCE, eventually};
use tests::provider::Behaviour;

use crate::stage::{KEY, Stage, aws, outbound, question, stage, stage_with};

const STREAM: &str = include_str!("fixtures/openai/stream.sse");

async fn expect_failure(stage: &Stage, behaviour: Behaviour) -> ProviderFailure {
    let whole = stage.send(behaviour.clone(), &question()).await.expect_err("a refusal");
    stage.fake.respond_with(behaviour);
    let streamed = stage.provider.stream("upstream-model", &question()).await.err().expect("a refusal");
    assert_eq!((whole.kind, &whole.code, &whole.message), (streamed.kind, &streamed.code, &streamed.message));
    whole
}

#[tokio::test]
async fn a_request_error_keeps_the_providers_message() {
    let stage = stage(OpenAi).await;
    let error = json!({"error": {
        "message": "max_tokens is too large: 9999", "type": "invalid_request_error", "param": "max_tokens",
        "code": "invalid_value",
    }});
    let failure = expect_failure(&stage, Behaviour::json(400, error)).await;
    assert_eq!((failure.kind, failure.code.as_str()), (FailureKind::Request, "invalid_value"));
    assert_eq!(
        (failure.message.as_str(), failure.param.as_deref()),
        ("max_tokens is too large: 9999", Some("max_tokens"))
    );
    assert!(!failure.may_have_run && !failure.is_retryable());
}

#[tokio::test]
async fn a_rate_limit_keeps_its_retry_after() {
    let stage = stage(OpenAi).await;
    let error = json!({"error": {"message": "slow down", "type": "requests", "code": "rate_limit_exceeded"}});
    let failure = expect_failure(&stage, Behaviour::json(429, error).header("Retry-After", "7")).await;
    assert_eq!((failure.kind, failure.retry_after), (FailureKind::RateLimited, Some(Duration::from_secs(7))));
    let failure = expect_failure(&stage, Behaviour::json(503, "<html>").header("retry-after-ms", "250")).await;
    assert_eq!((failure.kind, failure.retry_after), (FailureKind::Unavailable, Some(Duration::from_millis(250))));
}

#[tokio::test]
async fn provider_messages_are_redacted() {
    let stage = stage(OpenAi).await;
    let url = stage.fake.base_url.clone();
    let message = format!("call {url}/chat/completions with {KEY} of org-Ab12 failed");
    for status in [400, 401, 429, 500] {
        let body = json!({"error": {"message": message, "code": "c"}});
        let failure = expect_failure(&stage, Behaviour::json(status, body)).await;
        assert!(!failure.message.is_empty());
        for ours in [url.as_str(), KEY, "127.0.0.1", "org-Ab12"] {
            assert!(!failure.message.contains(ours), "{}", failure.message);
        }
    }
    let failure_in_stream = format!("data: {}\n\n", json!({"error": {"message": message, "code": "c"}}));
    let failure = stage.stream(Behaviour::events(&failure_in_stream), &question()).await.failure.unwrap();
    assert!(!failure.message.is_empty());
    assert!(!failure.message.contains(KEY) && !failure.message.contains(&url));
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let stage = stage(OpenAi).await;
    let failure = expect_failure(&stage, Behaviour::json(307, "").header("Location", "http://127.0.0.1:9/")).await;
    assert_eq!(failure.kind, FailureKind::Setup);
    assert_eq!(stage.fake.take_requests().len(), 2);
}

#[tokio::test]
async fn an_error_within_a_stream_ends_it() {
    let stage = stage(OpenAi).await;
    let error = json!({"error": {"message": "the engine is gone", "type": "server_error", "code": 503}});
    let events: String = STREAM.split_inclusive("\n\n").take(3).collect();
    let events = format!("{events}data: {error}\n\ndata: {{\"choices\":[]}}\n\n");
    let all = stage.stream(Behaviour::events(&events), &question()).await;
    let failure = all.failure.as_ref().unwrap();
    assert_eq!((failure.code.as_str(), failure.message.as_str()), ("server_error", "the engine is gone"));
    assert_eq!((all.text().as_str(), all.finished), ("Because a", 0));
    assert!(failure.may_have_run);
}

#[tokio::test]
async fn an_error_with_status_200_is_an_error() {
    let stage = stage(OpenAi).await;
    let error = json!({"error": {"message": "too busy", "code": "rate_limit_exceeded"}});
    assert_eq!(expect_failure(&stage, Behaviour::json(200, error)).await.kind, FailureKind::RateLimited);
    assert_eq!(expect_failure(&stage, Behaviour::json(200, "{}")).await.code, "provider_answer_garbled");
}

#[tokio::test]
async fn a_clean_end_without_a_finish_reason_is_not_finished() {
    let stage = stage(OpenAi).await;
    let all = stage.stream(Behaviour::events(STREAM).ended_after(4), &question()).await;
    assert_eq!((all.finished, all.failure.is_none()), (0, true));
}

#[tokio::test]
async fn cut_connections_are_detected_at_any_point() {
    let stage = stage(OpenAi).await;
    let at_once = expect_failure(&stage, Behaviour::hang_up()).await;
    assert_eq!((at_once.kind, at_once.may_have_run), (FailureKind::Unavailable, true));
    let middle = stage.stream(Behaviour::events(STREAM).cut_after(3), &question()).await;
    assert_eq!((middle.text().as_str(), middle.failure.unwrap().code.as_str()), ("Because a", "provider_stream_cut"));
    let body = Bytes::from_static(b"{\"choices\":[{\"index\":0,");
    let half = Behaviour::bytes(200, "application/json", vec![body]).cut_after(1);
    assert_eq!(stage.send(half, &question()).await.unwrap_err().code, "provider_stream_cut");
}

#[tokio::test]
async fn garbage_is_not_an_answer() {
    let stage = stage(OpenAi).await;
    for garbage in ["", "null", "{\"choices\": 3}", "{\"choices\": []}", "<html>busy</html>"] {
        let failure = stage.send(Behaviour::json(200, garbage), &question()).await.unwrap_err();
        assert_eq!((failure.kind, failure.may_have_run), (FailureKind::Broken, true), "{garbage}");
    }
    let garbled = Bytes::from_static(b"data: {\"choices\":[{\"delta\":\xff}]}\n\n");
    let all = stage.stream(Behaviour::bytes(200, "text/event-stream", vec![garbled]), &question()).await;
    assert_eq!(all.failure.unwrap().code, "provider_answer_garbled");
}

/// In each case, one timeout is short and the provider never ends: only that timeout can end the wait.
#[tokio::test]
async fn a_silent_provider_times_out() {
    let short = 50;
    let for_ever = u64::try_from(PATIENCE.as_millis()).unwrap();
    let stage_within = |first_byte_ms, idle_ms, total_ms| {
        stage_with(OpenAi, move |settings| settings.timeouts = Timeouts { first_byte_ms, idle_ms, total_ms })
    };
    let silent = Behaviour::events(STREAM).delayed_by(PATIENCE);

    let stage = stage_within(short, for_ever, for_ever).await;
    stage.fake.respond_with(silent.clone());
    let failure = stage.provider.stream("upstream-model", &question()).await.err().unwrap();
    assert_eq!((failure.kind, failure.may_have_run), (FailureKind::Timeout, true));
    // A whole answer takes longer than a stream's start, so the first-byte timeout does not apply to it.
    let late =
        Behaviour::json(200, include_str!("fixtures/openai/answer.json")).delayed_by(Duration::from_millis(3 * short));
    assert!(stage.send(late, &question()).await.is_ok());

    let stage = stage_within(for_ever, for_ever, short).await;
    assert_eq!(stage.send(silent, &question()).await.unwrap_err().kind, FailureKind::Timeout);
    let endless = STREAM.split_inclusive("\n\n").take(2).collect::<String>().repeat(1_000);
    let endless = Behaviour::events(&endless).with_pause(Duration::from_millis(20));
    assert_eq!(stage.stream(endless, &question()).await.failure.unwrap().kind, FailureKind::Timeout);

    let stage = stage_within(for_ever, short, for_ever).await;
    let silent = stage.stream(Behaviour::events(STREAM).silent_after(3), &question()).await;
    // How much text arrives depends on the speed of this machine.
    assert!("Because a".starts_with(&silent.text()), "{}", silent.text());
    assert_eq!(silent.failure.unwrap().kind, FailureKind::Timeout);
}

#[tokio::test]
async fn a_dropped_stream_closes_its_connection() {
    let stage = stage(OpenAi).await;
    stage.fake.respond_with(Behaviour::events(STREAM).silent_after(3));
    let mut stream = stage.provider.stream("upstream-model", &question()).await.unwrap();
    stream.next().await.unwrap().unwrap();
    drop(stream);
    eventually("the provider's connection closes", async || (stage.fake.abandoned_responses() == 1).then_some(()))
        .await;
}

#[tokio::test]
async fn unreachable_and_forbidden_addresses_fail() {
    let mut settings = ProviderSettings::new("nobody", OpenAi);
    settings.base_url = Some("http://127.0.0.1:9/v1".to_owned());
    let provider = connect(&settings, &outbound(), &aws()).unwrap();
    let failure = provider.chat("m", &question()).await.unwrap_err();
    assert_eq!((failure.kind, failure.may_have_run), (FailureKind::Unavailable, false));
    let closed = Outbound::new(AddressGuard::default(), Internet);
    let provider = connect(&settings, &closed, &aws()).unwrap();
    assert_eq!(provider.chat("m", &question()).await.unwrap_err().kind, FailureKind::Setup);
    let offered = provider.list_models().await.unwrap();
    assert_eq!(offered.probe.error.unwrap().0, "destination_forbidden");
}

#[tokio::test]
async fn a_list_of_models_is_bounded_in_size_and_time() {
    let stage = stage(OpenAi).await;
    let list = async |behaviour| {
        stage.fake.respond_with(behaviour);
        stage.provider.list_models().await.unwrap()
    };
    let many: Vec<_> = (0..3_000).map(|i| json!({"id": format!("model-{i}")})).collect();
    let cut = list(Behaviour::json(200, json!({"data": many}))).await;
    assert_eq!((cut.models.len(), cut.probe.error), (2_000, None));
    let long =
        json!({"data": [{"id": "x".repeat(201)}, {"id": ""}, {"name": 1}, "bare", {"id": "kept"}, {"id": "kept"}]});
    assert_eq!(list(Behaviour::json(200, long)).await.models, ["kept"]);
    let code = |offered: OfferedModels| {
        assert!(offered.models.is_empty());
        offered.probe.error.unwrap().0
    };
    assert_eq!(code(list(Behaviour::json(200, "x".repeat(5 << 20))).await), "response_too_large");
    assert_eq!(code(list(Behaviour::json(200, "{\"data\":")).await), "provider_answer_unreadable");
    assert_eq!(code(list(Behaviour::hang_up()).await), "connection_cut");

    stage.fake.respond_with(Behaviour::json(200, "{}").silent_after(0));
    let silent = stage.provider.list_models();
    let time = async {
        eventually("the list is requested", async || stage.fake.take_requests().pop()).await;
        loop {
            pass_time(Duration::from_secs(5)).await;
            tokio::task::yield_now().await;
        }
    };
    let answered = tokio::select! { answered = silent => answered, () = time => unreachable!() };
    assert_eq!(code(answered.unwrap()), "destination_timeout");
}
