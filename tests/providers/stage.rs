//! The harness: the client of one provider kind, connected to a fake provider.
#![expect(clippy::unwrap_used, reason = "a failed unwrap fails the test")]
use domain::provider::ProviderKind;
use domain::usage::Tokens;
use futures::StreamExt;
use gateway::ProviderFailure;
use gateway::chat::{ChatAnswer, ChatRequest};
use gateway::embeddings::EmbeddingsRequest;
use gateway::providers::{AnyProvider, ChunkStream, ProviderSettings, connect};
use local::services::{Endpoints, SecretKey};
use outbound::{AddressGuard, Internet, Outbound};
use platform::aws::Aws;
use serde_json::{Value, json};
use tests::provider::{Behaviour, FakeProvider};

pub const KEY: &str = "key-of-the-operator-0123456789";

pub struct Stage {
    pub fake: FakeProvider,
    pub provider: AnyProvider,
}

pub async fn stage(kind: ProviderKind) -> Stage {
    stage_with(kind, |_| {}).await
}

pub async fn stage_with(kind: ProviderKind, change: impl FnOnce(&mut ProviderSettings)) -> Stage {
    let fake = FakeProvider::start().await;
    let mut settings = ProviderSettings::new("fake", kind);
    settings.base_url = Some(fake.base_url.clone());
    settings.api_key = Some(KEY.to_owned().into());
    change(&mut settings);
    let provider = connect(&settings, &outbound(), &aws()).unwrap();
    Stage { fake, provider }
}

pub fn outbound() -> Outbound {
    Outbound::new(AddressGuard::allowing(["127.0.0.1"]).unwrap(), Internet)
}

/// An AWS configuration with credentials and a region. None of its endpoints is called.
pub fn aws() -> Aws {
    let nowhere = "127.0.0.1:9".parse().unwrap();
    Aws::local(
        Endpoints { dynamodb: nowhere, awsim: nowhere, s3: nowhere, secret_key: SecretKey::generate().unwrap() }
            .sdk_config(),
    )
}

pub fn chat(body: Value) -> ChatRequest {
    ChatRequest::read(body).unwrap()
}

pub fn embeddings(body: Value) -> EmbeddingsRequest {
    EmbeddingsRequest::read(body).unwrap()
}

/// A minimal chat request.
pub fn question() -> ChatRequest {
    chat(json!({"model": "m", "messages": [{"role": "user", "content": "Why?"}], "max_tokens": 64}))
}

pub fn question_with(more: Value) -> ChatRequest {
    let mut body = serde_json::to_value(question()).unwrap();
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    chat(body)
}

/// A conversation with every kind of message, with one inline image and another at `picture`.
pub fn conversation(picture: &str) -> Value {
    let function = |name: &str| {
        let schema = json!({"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]});
        json!({"type": "function", "function": {"name": name, "description": "Tells", "parameters": schema}})
    };
    let call = |id: &str, name: &str, arguments: &str| json!({"id": id, "type": "function", "function": {"name": name, "arguments": arguments}});
    json!({
        "model": "m", "max_tokens": 100, "temperature": 0.5, "top_p": 0.9, "stop": ["END"],
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": [
                {"type": "text", "text": "What is on these?"},
                {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}},
                {"type": "image_url", "image_url": {"url": picture}},
            ]},
            {"role": "assistant", "content": "I will ask.", "tool_calls": [
                call("call_1", "weather", "{\"city\": \"Lima\"}"), call("call_2", "clock", ""),
            ]},
            {"role": "tool", "tool_call_id": "call_1", "content": "22 °C"},
            {"role": "tool", "tool_call_id": "call_2", "content": "{\"time\": \"12:00\"}"},
            {"role": "user", "name": "ada", "content": "And now?"},
        ],
        "tools": [function("weather"), {"type": "function", "function": {"name": "clock"}}],
    })
}

pub fn choices(answer: &ChatAnswer) -> Value {
    serde_json::from_str(&answer.choices.to_json()).unwrap()
}

/// The collected chunks of a stream.
#[derive(Debug, Default)]
pub struct Gathered {
    pub choices: Vec<Value>,
    pub finished: u32,
    pub weight: u64,
    pub usage: Option<Tokens>,
    pub failure: Option<ProviderFailure>,
}

pub async fn gather(mut stream: ChunkStream) -> Gathered {
    let mut all = Gathered::default();
    while let Some(chunk) = stream.next().await {
        assert!(all.failure.is_none(), "a chunk followed a failure");
        match chunk {
            Ok(chunk) => {
                all.finished += chunk.finished;
                all.weight += chunk.weight;
                all.usage = chunk.usage.or(all.usage);
                if let Some(choices) = chunk.choices {
                    all.choices.extend(serde_json::from_str::<Vec<Value>>(&choices.to_json()).unwrap());
                }
            }
            Err(failure) => all.failure = Some(failure),
        }
    }
    all
}

impl Gathered {
    pub fn text(&self) -> String {
        self.choices.iter().filter_map(|choice| choice["delta"]["content"].as_str()).collect()
    }
}

impl Stage {
    pub async fn stream(&self, behaviour: Behaviour, request: &ChatRequest) -> Gathered {
        self.fake.respond_with(behaviour);
        gather(self.provider.stream("upstream-model", request).await.unwrap()).await
    }

    pub async fn send(&self, behaviour: Behaviour, request: &ChatRequest) -> Result<ChatAnswer, ProviderFailure> {
        self.fake.respond_with(behaviour);
        self.provider.chat("upstream-model", request).await
    }

    /// The body of the one request that was made.
    pub fn take_request_body(&self) -> Value {
        let mut received = self.fake.take_requests();
        assert_eq!(received.len(), 1, "one request was expected");
        received.remove(0).body
    }
}
