//! `POST /gateway/v1/audio/transcriptions` and `…/translations`.

use insta::assert_json_snapshot;
use reqwest::Method;

use super::*;

const MINUTE: Pricing = Pricing { audio_minute_micro_usd: Some(6_000), ..FREE };
const FREE: Pricing = Pricing {
    input_micro_usd: 0,
    output_micro_usd: 0,
    cached_input_micro_usd: None,
    cache_write_micro_usd: None,
    cache_write_1h_micro_usd: None,
    image_micro_usd: None,
    audio_minute_micro_usd: None,
    characters_micro_usd: None,
};

#[tokio::test]
async fn the_development_model_describes_the_file_in_each_format() {
    let app = TestApp::start().await;
    let customer = app.customer("formats", Money::from_usd(1)).await;
    let answer = post_form(&customer.person, TRANSCRIPTIONS, &recording("dev-transcribe")).await;
    assert_eq!(answer.status, "200 OK", "{}", answer.text);
    assert_json_snapshot!(answer.json, @r#"
    {
      "text": "I am dev-transcribe, the development model of this platform; no provider is behind me. The file talk.wav has 24044 bytes and 0.5 seconds of audio.",
      "usage": {
        "type": "duration",
        "seconds": 0.5,
        "cost": 0.00005
      }
    }
    "#);
    let cost: Money = answer.header("x-request-cost").unwrap().parse().unwrap();
    // 0.006 USD a minute.
    assert_eq!(cost, Money::from_micro_usd(50));
    assert_eq!(app.balance(customer.account.org).await, Money::from_usd(1).less(cost));

    for (format, start) in [("text", "I am dev-"), ("srt", "1\n00:00:00,000 --> 00:00:00,500\nI"), ("vtt", "WEBVTT\n")]
    {
        let form = recording("dev-transcribe").text("response_format", format);
        let text = post_form(&customer.person, TRANSCRIPTIONS, &form).await;
        assert_eq!(text.header("content-type"), Some("text/plain; charset=utf-8"));
        assert!(text.text.starts_with(start), "{format}: {}", text.text);
    }
    let form = recording("dev-transcribe").text("response_format", "verbose_json");
    let verbose = post_form(&customer.person, TRANSLATIONS, &form).await.json;
    assert_eq!((&verbose["duration"], &verbose["segments"][0]["end"]), (&json!(0.5), &json!(0.5)), "{verbose}");
}

#[tokio::test]
async fn a_provider_gets_the_file_and_its_length_is_charged() {
    let app = TestApp::start().await;
    let fake = insert_model(&app, "whisper", "transcription", MINUTE, ProviderKind::OpenAi).await;
    let customer = app.customer("providers", Money::from_usd(1)).await;
    let answer = json!({"text": "Good morning", "usage": {"type": "duration", "seconds": 90}});
    fake.then_respond(Behaviour::json(200, answer));
    let form = recording("whisper")
        .text("language", "en")
        .text("temperature", "0.2")
        .text("timestamp_granularities[]", "word")
        .text("timestamp_granularities[]", "segment")
        .text("vendor_option", "a");
    let answer = post_form(&customer.person, TRANSCRIPTIONS, &form).await;
    assert_eq!(answer.json["text"], "Good morning", "{}", answer.text);
    assert_eq!(answer.json["usage"], json!({"type": "duration", "seconds": 90.0, "cost": 0.009}));
    assert_eq!(answer.header("x-svc-passthrough"), Some("vendor_option"));
    assert_eq!(app.sum_charges(customer.account.org).await, (Money::from_micro_usd(9_000), 1));
    let request = fake.take_requests().remove(0);
    assert_eq!(request.path, "/audio/transcriptions");
    let parts = request.parts();
    let file = &parts[0];
    assert_eq!((file.file_name.as_deref(), &file.content), (Some("talk.wav"), &half_a_second()));
    let texts = parts[1..].iter().map(|part| (part.name.as_str(), str::from_utf8(&part.content).unwrap()));
    let expected = [
        ("model", "upstream-model"),
        ("language", "en"),
        ("temperature", "0.2"),
        ("timestamp_granularities[]", "word"),
        ("timestamp_granularities[]", "segment"),
        ("vendor_option", "a"),
    ];
    assert_eq!(texts.collect::<Vec<_>>(), expected);

    // Texts have no usage, so the length of the file is charged.
    fake.respond_with(Behaviour::bytes(200, "text/plain", vec!["Good morning".into()]));
    let form = recording("whisper").text("response_format", "text");
    let text = post_form(&customer.person, TRANSLATIONS, &form).await;
    assert_eq!((text.text.as_str(), text.header("x-request-cost")), ("Good morning", Some("0.00005")));
    assert_eq!(fake.take_requests().remove(0).path, "/audio/translations");
}

#[tokio::test]
async fn tokens_are_charged_if_the_model_has_prices_for_them() {
    let app = TestApp::start().await;
    let pricing = Pricing { input_micro_usd: 2_000_000, output_micro_usd: 10_000_000, ..FREE };
    let fake = insert_model(&app, "gpt-transcribe", "transcription", pricing, ProviderKind::OpenAi).await;
    let customer = app.customer("tokens", Money::from_usd(1)).await;
    let usage = json!({"type": "tokens", "input_tokens": 14, "output_tokens": 45, "total_tokens": 59});
    fake.then_respond(Behaviour::json(200, json!({"text": "Hi", "logprobs": [], "usage": usage})));
    let answer = post_form(&customer.person, TRANSCRIPTIONS, &recording("gpt-transcribe")).await;
    let cost = Money::from_micro_usd(14 * 2 + 45 * 10);
    assert_eq!(
        answer.json,
        json!({"text": "Hi", "logprobs": [], "usage": with(usage, json!({"cost": 0.000478}))}),
        "{}",
        answer.text
    );
    assert_eq!(app.sum_charges(customer.account.org).await, (cost, 1));
}

/// The greatest length is held before the provider is called: what the headers of the file say, or a bound by its size.
#[tokio::test]
async fn credits_must_cover_the_greatest_length() {
    let app = TestApp::start().await;
    let fake = insert_model(&app, "whisper", "transcription", MINUTE, ProviderKind::OpenAi).await;
    fake.respond_with(Behaviour::json(200, json!({"text": "Hi"})));
    // Half a second costs 50 micro-dollars.
    let poor = app.customer("poor", Money::from_micro_usd(49)).await;
    let answer = post_form(&poor.person, TRANSCRIPTIONS, &recording("whisper")).await;
    assert_eq!(refusal(&answer), ("402", "insufficient_credits"), "{}", answer.text);
    assert!(fake.take_requests().is_empty());
    let exact = app.customer("exact", Money::from_micro_usd(50)).await;
    assert_eq!(post_form(&exact.person, TRANSCRIPTIONS, &recording("whisper")).await.status, "200 OK");
    assert_eq!(app.balance(exact.account.org).await, Money::ZERO);

    // 7,500 bytes of an unknown format are at most ten seconds, which cost 1,000 micro-dollars.
    let unknown = TestForm::default().text("model", "whisper").file("file", "talk.webm", &[7; 7_500]);
    let some = app.customer("some", Money::from_micro_usd(999)).await;
    assert_eq!(refusal(&post_form(&some.person, TRANSCRIPTIONS, &unknown).await).0, "402");
    let enough = app.customer("enough", Money::from_micro_usd(1_000)).await;
    assert_eq!(post_form(&enough.person, TRANSCRIPTIONS, &unknown).await.status, "200 OK");
    // What is charged is a usual length, because the provider reports none.
    assert_eq!(app.sum_charges(enough.account.org).await.0, Money::from_pico_usd(187_500_000));
}

#[tokio::test]
async fn a_failed_call_costs_nothing() {
    let app = TestApp::start().await;
    let fake = insert_model(&app, "whisper", "transcription", MINUTE, ProviderKind::OpenAi).await;
    let claude = insert_model(&app, "claude", "transcription", MINUTE, ProviderKind::Anthropic).await;
    let customer = app.customer("failures", Money::from_usd(1)).await;
    for (behaviour, expected) in [
        (Behaviour::json(200, json!({"usage": {}})), ("502", "provider_answer_garbled")),
        (Behaviour::json(400, json!({"error": {"message": "no audio", "code": "bad_audio"}})), ("400", "bad_audio")),
        (Behaviour::json(500, json!({})), ("502", "provider_unavailable")),
    ] {
        fake.respond_with(behaviour);
        let answer = post_form(&customer.person, TRANSCRIPTIONS, &recording("whisper")).await;
        assert_eq!(refusal(&answer), expected, "{}", answer.text);
    }
    let answer = post_form(&customer.person, TRANSCRIPTIONS, &recording("claude")).await;
    assert_eq!(refusal(&answer), ("400", "parameter_not_supported"), "{}", answer.text);
    assert!(claude.take_requests().is_empty());
    assert_eq!(app.sum_charges(customer.account.org).await.1, 0);
    assert_eq!(app.balance(customer.account.org).await, Money::from_usd(1));
}

/// Clients choose a new boundary for each request, also for a retry.
#[tokio::test]
async fn an_idempotency_key_recognizes_the_same_form_with_another_boundary() {
    let app = TestApp::start().await;
    let customer = app.customer("replays", Money::from_usd(1)).await;
    let send_form = async |path: &str, boundary: &str, format: &str| {
        let form = TestForm::with_boundary(boundary).text("model", "dev-transcribe").text("response_format", format);
        let form = form.file("file", "talk.wav", &half_a_second());
        let request = customer.person.request(Method::POST, path).header("idempotency-key", "t");
        send(form.add_to(request)).await
    };
    let first = send_form(TRANSCRIPTIONS, "one", "srt").await;
    let again = send_form(TRANSCRIPTIONS, "two", "srt").await;
    assert_eq!((first.status.as_str(), first.header("idempotent-replayed")), ("200 OK", None), "{}", first.text);
    assert_eq!((&again.text, again.header("idempotent-replayed")), (&first.text, Some("true")));
    assert_eq!(again.header("content-type"), first.header("content-type"));
    for (path, format) in [(TRANSCRIPTIONS, "vtt"), (TRANSLATIONS, "srt")] {
        assert_eq!(refusal(&send_form(path, "one", format).await), ("409", "idempotency_conflict"));
    }
    assert_eq!(app.sum_charges(customer.account.org).await.1, 1);
}

#[tokio::test]
async fn invalid_forms_are_refused() {
    let app = TestApp::start().await;
    let customer = app.customer("refusals", Money::from_usd(1)).await;
    let with_text = |name: &str, value: &str| recording("dev-transcribe").text(name, value);
    for (form, code, param) in [
        (TestForm::default().text("model", "dev-transcribe"), "invalid_body", "file"),
        (TestForm::default().text("model", "dev-transcribe").text("file", "hello"), "invalid_body", "file"),
        (TestForm::default().text("model", "dev-transcribe").file("file", "a.wav", b""), "invalid_body", "file"),
        (TestForm::default().file("file", "a.wav", b"RIFF"), "invalid_body", "model"),
        (with_text("response_format", "xml"), "invalid_body", "response_format"),
        (with_text("temperature", "hot"), "invalid_body", "temperature"),
        (with_text("timestamp_granularities[]", "letter"), "invalid_body", "timestamp_granularities"),
        (with_text("stream", "true"), "parameter_not_supported", "stream"),
    ] {
        let answer = post_form(&customer.person, TRANSCRIPTIONS, &form).await;
        assert_eq!(
            (refusal(&answer), &answer.json["error"]["param"]),
            (("400", code), &json!(param)),
            "{}",
            answer.text
        );
    }
    let body = json!({"model": "dev-transcribe"});
    assert_eq!(refusal(&post(&customer.person, TRANSCRIPTIONS, &body).await).0, "415");
    let large = TestForm::default().text("model", "dev-transcribe").file("file", "a.wav", &vec![0; 4 << 20]);
    let refused = post_form(&customer.person, TRANSCRIPTIONS, &large).await;
    assert_eq!(refusal(&refused).0, "413");
    assert!(refused.text.contains("larger than 4194304 bytes"), "{}", refused.text);
    for stranger in [app.anonymous(), app.person("ada")] {
        assert_eq!(refusal(&post_form(&stranger, TRANSCRIPTIONS, &recording("dev-transcribe")).await).0, "401");
    }
    let unknown = post_form(&customer.person, TRANSCRIPTIONS, &recording("nowhere")).await;
    assert_eq!(refusal(&unknown), ("404", "model_not_found"));
    assert_eq!(app.sum_charges(customer.account.org).await.1, 0);
}
