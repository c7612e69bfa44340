//! `/gateway/v1/audio/…`: transcriptions, translations and speech.

mod speech;
mod transcriptions;

use domain::catalog::Pricing;
use domain::money::Money;
use domain::provider::ProviderKind;
use gateway::audio::wav::wav;
use serde_json::{Value, json};
use store::catalog::StoredProvider;
use tests::TestApp;
use tests::client::{Answer, Person, refusal, send};
use tests::form::TestForm;
use tests::gateway::ModelBuilder;
use tests::provider::{Behaviour, FakeProvider};

use super::{post, with};

const TRANSCRIPTIONS: &str = "/gateway/v1/audio/transcriptions";
const TRANSLATIONS: &str = "/gateway/v1/audio/translations";
const SPEECH: &str = "/gateway/v1/audio/speech";

/// A WAV file of half a second.
fn half_a_second() -> Vec<u8> {
    wav(&[0; 12_000]).to_vec()
}

fn recording(model: &str) -> TestForm {
    TestForm::default().text("model", model).file("file", "talk.wav", &half_a_second())
}

async fn post_form(person: &Person, path: &str, form: &TestForm) -> Answer {
    send(form.add_to(person.request(reqwest::Method::POST, path))).await
}

/// A model of a fake provider, with a capability and prices.
async fn insert_model(
    app: &TestApp,
    name: &str,
    capability: &str,
    pricing: Pricing,
    kind: ProviderKind,
) -> FakeProvider {
    let fake = FakeProvider::start().await;
    let builder = ModelBuilder::new(name).with(|model| {
        model.capabilities = vec![capability.to_owned()];
        model.max_output_tokens = None;
        model.pricing = pricing;
    });
    let change = |provider: &mut StoredProvider| provider.kind = kind;
    builder.with_changed_deployment(app, &fake, change).await.insert(app).await;
    fake
}

#[tokio::test]
async fn each_model_serves_only_its_own_purpose() {
    let app = TestApp::start().await;
    let customer = app.customer("purposes", Money::from_usd(1)).await;
    for model in ["dev-chat", "dev-image", "dev-rerank", "dev-speech"] {
        let answer = post_form(&customer.person, TRANSCRIPTIONS, &recording(model)).await;
        assert_eq!((refusal(&answer), &answer.json["error"]["param"]), (("400", "invalid_body"), &json!("model")));
        assert!(answer.text.contains("capabilities=transcription"), "{}", answer.text);
    }
    let answer = post(&customer.person, SPEECH, &json!({"model": "dev-transcribe", "input": "Hi"})).await;
    assert_eq!((refusal(&answer), &answer.json["error"]["param"]), (("400", "invalid_body"), &json!("model")));
    for (path, body) in [
        (tests::gateway::CHAT, json!({"model": "dev-speech", "messages": [{"role": "user", "content": "Hi"}]})),
        ("/gateway/v1/images/generations", json!({"preset": "dev-transcribe", "prompt": "Hi"})),
    ] {
        assert_eq!(refusal(&post(&customer.person, path, &body).await), ("400", "invalid_body"), "{path}");
    }
    for (capability, model, name) in [
        ("transcription", "dev-transcribe", "Development transcription (transcription, not for chat)"),
        ("speech", "dev-speech", "Development speech (speech, not for chat)"),
    ] {
        let models = customer.person.get(&format!("/gateway/v1/models?capabilities={capability}")).await;
        assert_eq!((models.column("id"), models.column("name")), (vec![model], vec![name]));
    }
}

/// Prices are written with at most six decimals, and read back as they were written. Models without them do not have the fields.
#[tokio::test]
async fn prices_of_audio_are_published_where_a_model_has_them() {
    let app = TestApp::start().await;
    let operator = app.operator();
    let model = json!({
        "name": "ears", "display_name": "Ears", "type": "Others", "provider": "Example", "capabilities": ["transcription"],
        "pricing": {"input": 0, "output": 0, "per_minute": "0.006", "per_million_characters": 15},
        "deployments": [{"provider": "dev", "model": "dev-transcribe"}],
    });
    let created = operator.post_json("/gateway/v1/admin/models", model.clone()).await;
    assert_eq!(created.status, "201 Created", "{}", created.text);
    let expected = json!({
        "input": 0, "output": 0, "per_minute": 0.006, "per_million_characters": 15, "unit": "1M_tokens", "currency": "USD",
    });
    // Catalogs of other environments are read again after some seconds.
    let catalog = catalog::router(&app.platform.new_environment_context()).unwrap();
    let customer = app.customer("prices", Money::ZERO).await;
    let (_, published) = customer.get(&catalog, "/gateway/v1/models/ears").await;
    assert_eq!(published["pricing"], expected);
    let (_, without) = customer.get(&catalog, "/gateway/v1/models/dev-chat").await;
    assert!(without["pricing"].get("per_minute").is_none(), "{without}");
    let odd = with(model, json!({"name": "odd", "pricing": {"input": 0, "output": 0, "per_minute": "0.0000001"}}));
    let refused = operator.post_json("/gateway/v1/admin/models", odd).await;
    assert_eq!(
        (refusal(&refused), &refused.json["error"]["param"]),
        (("400", "invalid_body"), &json!("pricing.per_minute"))
    );
}

/// The receipt, the log of calls and the export have the quantities of a call, and others do not.
#[tokio::test]
async fn charges_have_the_length_and_the_characters() {
    let app = TestApp::start().await;
    let customer = app.customer("charges", Money::from_usd(1)).await;
    post_form(&customer.person, TRANSCRIPTIONS, &recording("dev-transcribe")).await;
    post(&customer.person, SPEECH, &json!({"model": "dev-speech", "input": "Grüße", "voice": "alloy"})).await;
    super::chat(&customer.person, &with(super::question("dev-chat"), json!({"max_tokens": 2}))).await;
    let charges = app.charges(customer.account.org).await;
    let amounts = |model: &str| {
        let charge = charges.iter().find(|charge| charge.model == model).unwrap();
        (charge.id, charge.audio_ms, charge.characters, charge.cost)
    };
    let (transcribed, spoken, chatted) = (amounts("dev-transcribe"), amounts("dev-speech"), amounts("dev-chat"));
    assert_eq!((transcribed.1, transcribed.2, transcribed.3), (500, 0, Money::from_micro_usd(50)));
    assert_eq!((spoken.1, spoken.2, spoken.3), (0, 5, Money::from_micro_usd(75)));
    for (id, version, name, expected) in [
        (transcribed.0, 2, "audio_ms", json!(500)),
        (spoken.0, 2, "characters", json!(5)),
        (chatted.0, 1, "audio_ms", Value::Null),
    ] {
        let receipt = customer.person.get(&format!("/gateway/v1/billing/receipts/{id}")).await.json;
        let receipt = &receipt["receipt"];
        assert_eq!((&receipt["version"], &receipt["usage"][name]), (&json!(version), &expected), "{receipt}");
        let call = customer.person.get(&format!("/gateway/v1/billing/calls/{id}")).await.json;
        assert_eq!(call[name], expected, "{call}");
    }
    let expected_usage = ["tokens_in", "tokens_out", "images", "source"];
    let receipt = customer.person.get(&format!("/gateway/v1/billing/receipts/{}", chatted.0)).await.json;
    let usage = receipt["receipt"]["usage"].as_object().unwrap();
    assert!(expected_usage.iter().all(|name| usage.contains_key(*name)) && !usage.contains_key("characters"));
}
