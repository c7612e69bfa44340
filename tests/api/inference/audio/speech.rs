//! `POST /gateway/v1/audio/speech`.

use bytes::Bytes;
use gateway::audio::length::AudioLength;
use reqwest::{Method, Response};
use tests::polling::eventually;
use tests::provider::Gate;

use super::*;

fn speech(model: &str) -> Value {
    json!({"model": model, "input": "Good morning", "voice": "alloy"})
}

fn per_character() -> Pricing {
    Pricing { characters_micro_usd: Some(15_000_000), ..Pricing::default() }
}

/// Twelve characters, at 15 USD for a million.
const COST: Money = Money::from_micro_usd(180);

async fn speak(person: &Person, body: &Value) -> Response {
    person.request(Method::POST, SPEECH).json(body).send().await.unwrap()
}

fn header<'a>(response: &'a Response, name: &str) -> Option<&'a str> {
    response.headers().get(name).map(|value| value.to_str().unwrap())
}

fn audio(pieces: &[&'static [u8]]) -> Behaviour {
    Behaviour::bytes(200, "audio/mpeg", pieces.iter().map(|piece| Bytes::from_static(piece)).collect())
}

#[tokio::test]
async fn the_development_model_speaks_a_wav_file() {
    let app = TestApp::start().await;
    let customer = app.customer("speaker", Money::from_usd(1)).await;
    let response = speak(&customer.person, &speech("dev-speech")).await;
    assert_eq!((response.status().as_u16(), header(&response, "content-type")), (200, Some("audio/wav")));
    assert_eq!(header(&response, "x-request-cost").unwrap().parse(), Ok(COST));
    assert_eq!(header(&response, "x-svc-deployment"), Some("dev/dev-speech"));
    let file = response.bytes().await.unwrap();
    assert_eq!(AudioLength::of(&file).likely_ms().0, 12 * 40);
    // The charge is written before the response ends.
    assert_eq!(app.sum_charges(customer.account.org).await, (COST, 1));
    let pcm = speak(&customer.person, &with(speech("dev-speech"), json!({"response_format": "pcm"}))).await;
    assert_eq!(header(&pcm, "content-type"), Some("audio/pcm"));
    assert_eq!(pcm.bytes().await.unwrap(), file[44..]);
    let mp3 = post(&customer.person, SPEECH, &with(speech("dev-speech"), json!({"response_format": "mp3"}))).await;
    assert_eq!((refusal(&mp3), &mp3.json["error"]["param"]), (("400", "invalid_value"), &json!("response_format")));
}

#[tokio::test]
async fn audio_reaches_the_client_as_it_arrives() {
    let app = TestApp::start().await;
    let fake = insert_model(&app, "voice", "speech", per_character(), ProviderKind::OpenAi).await;
    let customer = app.customer("streams", Money::from_usd(1)).await;
    let gate = Gate::closed();
    fake.then_respond(audio(&[b"ID3\0", b"\xff\xfb", b"end"]).gated_by(&gate));
    gate.admit(1);
    let body = with(speech("voice"), json!({"speed": 1.5, "instructions": "Softly.", "vendor_option": {"a": 1}}));
    let mut response = speak(&customer.person, &body).await;
    assert_eq!(header(&response, "x-svc-passthrough"), Some("vendor_option"));
    // The first piece is here, and the provider has not sent the second one.
    assert_eq!(response.chunk().await.unwrap().unwrap(), &b"ID3\0"[..]);
    assert_eq!(app.sum_charges(customer.account.org).await.1, 0);
    gate.open();
    let mut rest = Vec::new();
    while let Some(piece) = response.chunk().await.unwrap() {
        rest.extend_from_slice(&piece);
    }
    assert_eq!(rest, b"\xff\xfbend");
    assert_eq!(app.sum_charges(customer.account.org).await, (COST, 1));
    let request = fake.take_requests().remove(0);
    let expected = json!({
        "model": "upstream-model", "input": "Good morning", "voice": "alloy", "speed": 1.5, "instructions": "Softly.",
        "vendor_option": {"a": 1},
    });
    assert_eq!((request.path.as_str(), request.body), ("/audio/speech", expected));
}

#[tokio::test]
async fn a_failed_call_costs_nothing() {
    let app = TestApp::start().await;
    let fake = insert_model(&app, "voice", "speech", per_character(), ProviderKind::OpenAi).await;
    let customer = app.customer("failures", Money::from_usd(1)).await;
    for (behaviour, expected) in [
        (
            Behaviour::json(400, json!({"error": {"message": "no such voice", "code": "bad_voice"}})),
            ("400", "bad_voice"),
        ),
        (Behaviour::json(200, json!({"error": {"code": "invalid_argument"}})), ("400", "invalid_argument")),
        (audio(&[]), ("502", "provider_answer_garbled")),
    ] {
        fake.respond_with(behaviour);
        let answer = post(&customer.person, SPEECH, &speech("voice")).await;
        assert_eq!(refusal(&answer), expected, "{}", answer.text);
    }
    // The status was sent when the provider fails, so the connection ends without an end of the body.
    fake.respond_with(audio(&[b"ID3\0", b"rest"]).cut_after(1));
    let broken = speak(&customer.person, &speech("voice")).await;
    assert_eq!(broken.status().as_u16(), 200);
    assert!(broken.bytes().await.is_err());
    let org = customer.account.org;
    eventually("the money is given back", async || (app.balance(org).await == Money::from_usd(1)).then_some(())).await;
    assert_eq!(app.sum_charges(org).await.1, 0);
}

/// The provider charges the whole text, so the client that leaves does, too.
#[tokio::test]
async fn a_client_that_disconnects_pays_for_the_text() {
    let app = TestApp::start().await;
    let fake = insert_model(&app, "voice", "speech", per_character(), ProviderKind::OpenAi).await;
    let customer = app.customer("leavers", Money::from_usd(1)).await;
    let gate = Gate::closed();
    // More pieces than the connection buffers.
    const PIECE: &[u8] = &[7; 64 * 1024];
    fake.then_respond(audio(&[PIECE; 200]).gated_by(&gate));
    gate.admit(1);
    let mut response = speak(&customer.person, &speech("voice")).await;
    response.chunk().await.unwrap();
    drop(response);
    gate.open();
    let org = customer.account.org;
    eventually("the call is charged", async || (app.sum_charges(org).await == (COST, 1)).then_some(())).await;
    eventually("the provider is left", async || (fake.abandoned_responses() == 1).then_some(())).await;
}

#[tokio::test]
async fn an_idempotency_key_replays_the_audio() {
    let app = TestApp::start().await;
    let customer = app.customer("replays", Money::from_usd(1)).await;
    let send_again = async |body: &Value| {
        customer.person.request(Method::POST, SPEECH).header("idempotency-key", "s").json(body).send().await.unwrap()
    };
    // The audio is larger than an item of the table.
    let body = with(speech("dev-speech"), json!({"input": "Good morning. ".repeat(20)}));
    let (first, again) = (send_again(&body).await, send_again(&body).await);
    assert_eq!(header(&first, "idempotent-replayed"), None);
    assert_eq!(header(&again, "idempotent-replayed"), Some("true"));
    assert_eq!(header(&again, "content-type"), Some("audio/wav"));
    let (first, again) = (first.bytes().await.unwrap(), again.bytes().await.unwrap());
    assert!(first.len() > 400_000 && first == again);
    assert_eq!(send_again(&speech("dev-speech")).await.status().as_u16(), 409);
    assert_eq!(app.sum_charges(customer.account.org).await.1, 1);
}

#[tokio::test]
async fn credits_must_cover_the_text_and_invalid_requests_are_refused() {
    let app = TestApp::start().await;
    let poor = app.customer("poor", COST.less(Money::from_pico_usd(1))).await;
    assert_eq!(refusal(&post(&poor.person, SPEECH, &speech("dev-speech")).await), ("402", "insufficient_credits"));
    let customer = app.customer("refusals", COST).await;
    for (more, code, param) in [
        (json!({"input": ""}), "invalid_body", "input"),
        (json!({"input": "x".repeat(4_097)}), "invalid_body", "input"),
        (json!({"response_format": "midi"}), "invalid_body", "response_format"),
        (json!({"speed": 0.1}), "invalid_body", "speed"),
        (json!({"stream_format": "sse"}), "parameter_not_supported", "stream_format"),
    ] {
        let answer = post(&customer.person, SPEECH, &with(speech("dev-speech"), more)).await;
        assert_eq!(
            (refusal(&answer), &answer.json["error"]["param"]),
            (("400", code), &json!(param)),
            "{}",
            answer.text
        );
    }
    for stranger in [app.anonymous(), app.person("ada")] {
        assert_eq!(refusal(&post(&stranger, SPEECH, &speech("dev-speech")).await).0, "401");
    }
    assert_eq!(speak(&customer.person, &speech("dev-speech")).await.status().as_u16(), 200);
}
