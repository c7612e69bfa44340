//! Calls of models, for `model`, `embeddings`, `guard` and `image` nodes and for agents: calls of the gateway, in process. The organization
//! of the owner pays, with the limits of its plan.

use std::sync::Arc;
use std::time::Duration;

use auth::{Caller, Owners, Payers};
use domain::catalog::{Model, Purpose};
use domain::chat::{ChatPrompt, ChatRole, ContentPart, Message};
use domain::graph::hash;
use domain::guard::{GuardCategory, GuardSeverity};
use domain::image::{ImageFailure, ImageJobEnd, JOB_DEADLINE};
use domain::run::{RunStep, StepError};
use domain::usd::Usd;
use domain::{Error, Result};
use engine::drive::{Effect, EffectError, EffectResult, RetryHint};
use engine::nodes::OUT;
use engine::nodes::embeddings::EmbeddingsNode;
use engine::nodes::guard::GuardNode;
use engine::nodes::image::ImageNode;
use engine::nodes::model::ModelNode;
use engine::run::StepOutcome;
use engine::schema::check_value;
use futures::future::try_join_all;
use gateway::chat::{AnswerMessage, ChatRequest};
use gateway::embeddings::EmbeddingsRequest;
use gateway::guard::GuardRequest;
use gateway::images::ImageRequest;
use gateway::{
    Answer, CallReport, ChatStream, ClaimOutcome, Completion, Embeddings, Evaluation, Gateway, GatewayCaller,
    ReadRendered, StartedImages, StreamedCompletion, Usage, Vector,
};
use platform::Context;
use serde::Serialize;
use serde_json::{Value, json};

use crate::errors::to_effect_error;
use crate::streamed::read_stream;
use crate::{EffectOrigin, EffectOwner, prompt_files};

/// What a model knows of the conversation of a run.
#[derive(Default)]
pub struct ModelConversation {
    /// The earlier messages.
    pub history: Vec<Message>,
    /// The files of the message that started the run, and of the node.
    pub files: Vec<ContentPart>,
}

pub struct ModelEffects {
    gateway: Gateway,
    owners: Owners,
    payers: Payers,
}

impl ModelEffects {
    pub fn new(context: &Context) -> Result<Self> {
        Ok(Self { gateway: Gateway::new(context)?, owners: Owners::new(context)?, payers: Payers::new(context)? })
    }

    /// Asks a chat model. The value is the text of the answer, or JSON that matches the node's schema.
    pub async fn complete(
        &self,
        owner: &EffectOwner,
        effect: &Effect,
        node: &ModelNode<Value, String>,
        mut conversation: ModelConversation,
    ) -> EffectResult {
        conversation.files.extend(node.files.as_ref().map(prompt_files::read).transpose()?.into_iter().flatten());
        let answer = self.answer(owner, effect, make_prompt(node, conversation)).await?;
        let choice = answer.choices.into_first().map_err(to_effect_error)?;
        let text = choice.and_then(|choice| choice.message.content).unwrap_or_default();
        match &node.schema {
            None => Ok(StepOutcome::new(OUT, Value::from(text))),
            Some(schema) => structured(&text, &schema.clone().into()).map(|value| StepOutcome::new(OUT, value)),
        }
    }

    /// Asks the model of an agent. The value is `{message, usage}`, with the names of OpenAI's format.
    pub async fn ask(&self, owner: &EffectOwner, effect: &Effect, prompt: &ChatPrompt) -> EffectResult {
        let prompt = prompt.clone();
        let (message, usage) = match &owner.origin {
            EffectOrigin::Invocation { events: Some(events), .. } => {
                let stream = self.stream(owner, effect, prompt).await?;
                let (message, usage) = read_stream(stream, &effect.step, events).await?;
                (render_streamed(&message), usage)
            }
            _ => {
                let answer = self.answer(owner, effect, prompt).await?;
                let choice = answer.choices.into_first().map_err(to_effect_error)?;
                (json!(choice.map(|choice| choice.message)), answer.usage)
            }
        };
        Ok(StepOutcome::new(OUT, json!({"message": message, "usage": render_usage(&usage)})))
    }

    /// Makes a chat call, or returns the stored answer of the call with the same key.
    async fn answer(
        &self,
        owner: &EffectOwner,
        effect: &Effect,
        prompt: ChatPrompt,
    ) -> Result<Completion, EffectError> {
        let request = ChatRequest::new(prompt).map_err(to_effect_error)?;
        let body_hash = hash(&request);
        let call = self.call_of(owner, effect).await?;
        let answer = self.call_once(&call, body_hash, |caller| self.gateway.complete(caller, request)).await;
        answer.map_err(to_effect_error)
    }

    /// Makes a chat call whose text is passed on while the model writes it.
    async fn stream(
        &self,
        owner: &EffectOwner,
        effect: &Effect,
        prompt: ChatPrompt,
    ) -> Result<ChatStream, EffectError> {
        let request = ChatRequest::new(prompt).map_err(to_effect_error)?.streamed();
        let body_hash = hash(&request);
        let call = self.call_of(owner, effect).await?;
        let stream = async {
            match self.claim_call::<StreamedCompletion>(&call, body_hash).await? {
                CallClaim::Answered(answer) => answer.into_stream(),
                CallClaim::New(caller) => Ok(self.gateway.stream(*caller, request).await?.0),
            }
        };
        stream.await.map_err(to_effect_error)
    }

    /// Computes embeddings. The value is the list of vectors, in the order of the texts.
    pub async fn embed(&self, owner: &EffectOwner, effect: &Effect, node: &EmbeddingsNode<Value>) -> EffectResult {
        let EmbeddingsNode { model, input, dimensions } = node;
        let request = EmbeddingsRequest::new(model, input.clone(), *dimensions).map_err(to_effect_error)?;
        let call = self.call_of(owner, effect).await?;
        let answer = self.embed_once(&call, request).await.map_err(to_effect_error)?;
        let vectors: Vec<Value> =
            answer.vectors.into_iter().map(|Vector(numbers)| numbers.into_iter().map(to_number).collect()).collect();
        Ok(StepOutcome::new(OUT, Value::from(vectors)))
    }

    /// Evaluates a text. The value has the scores, and the port says whether the text is flagged. A blank text is not
    /// evaluated.
    pub async fn guard(&self, owner: &EffectOwner, effect: &Effect, node: &GuardNode<String>) -> EffectResult {
        let GuardNode { text, model, threshold } = node;
        let mut categories = Vec::new();
        if !text.trim().is_empty() {
            let body_hash = hash(&json!({"input": [Message::user(text)], "model": model}));
            let request = GuardRequest::of_text(text, model.clone());
            let call = self.call_of(owner, effect).await?;
            let evaluate = |caller| self.gateway.evaluate(caller, request);
            let Evaluation { verdict, .. } =
                self.call_once(&call, body_hash, evaluate).await.map_err(to_effect_error)?;
            let scores = verdict.results.first().map(|result| verdict.scores(result));
            categories = scores.into_iter().flatten().map(|score| ScoredCategory::new(score, *threshold)).collect();
        }
        let is_flagged = categories.iter().any(|category| category.flagged);
        let port = if is_flagged { GuardNode::FLAGGED } else { GuardNode::PASSED };
        Ok(StepOutcome::new(port, json!({"flagged": is_flagged, "categories": categories})))
    }

    /// Generates images. The value is the list of images, each with its URL.
    pub async fn draw(&self, owner: &EffectOwner, effect: &Effect, node: &ImageNode<String>) -> EffectResult {
        let ImageNode { preset, prompt, n, size } = node;
        let call = self.call_of(owner, effect).await?;
        let request = ImageRequest::new(preset, prompt, *n, size.as_deref()).map_err(to_effect_error)?;
        let start = |caller| self.gateway.start_images(caller, request, None);
        let StartedImages { job, .. } = self.call_once(&call, hash(node), start).await.map_err(to_effect_error)?;
        // The timeout of the node ends the wait.
        let ended =
            self.gateway.wait_for_images(call.payer.account(), job, JOB_DEADLINE).await.map_err(to_effect_error)?;
        let images = match ended.end {
            Some(ImageJobEnd::Succeeded(images)) => images,
            Some(ImageJobEnd::Failed(failure)) => return Err(to_effect_error(failure.into())),
            None => return Err(to_effect_error(ImageFailure::timeout().into())),
        };
        let urls = images.pictures.iter().map(|picture| self.gateway.picture_url(picture));
        let urls = try_join_all(urls).await.map_err(to_effect_error)?;
        let images: Vec<Value> = urls.into_iter().map(|url| json!({"url": url})).collect();
        Ok(StepOutcome::new(OUT, Value::from(images)))
    }

    /// The user whose organization pays for the calls of an owner.
    pub async fn payer(&self, owner: &EffectOwner) -> Result<Arc<Caller>> {
        let admitted = match &owner.origin {
            EffectOrigin::Run(run) => self.payers.admit(run.account, run.workflow, owner.payer).await,
            EffectOrigin::Preview { .. } | EffectOrigin::Invocation { .. } => self.owners.admit(owner.payer).await,
        };
        admitted.map(Arc::new)
    }

    /// The model that the payer means by a name or an alias.
    pub async fn find_model(&self, payer: &Caller, name: &str) -> Result<Arc<Model>> {
        Ok(self.gateway.models().find(&payer.plan, None, name).await?.model)
    }

    /// The first model by name that the payer's plan allows for a purpose.
    pub async fn default_model(&self, payer: &Caller, purpose: Purpose) -> Result<String> {
        let chosen = self.gateway.models().find_first(&payer.plan, purpose).await?;
        Ok(chosen.model.name.clone())
    }

    /// Makes an embeddings call, or returns the stored answer of the call with the same key.
    pub async fn embed_once(&self, call: &PaidCall, request: EmbeddingsRequest) -> Result<Embeddings> {
        self.call_once(call, hash(request.body()), |caller| self.gateway.embed(caller, request)).await
    }

    async fn call_of(&self, owner: &EffectOwner, effect: &Effect) -> Result<PaidCall, EffectError> {
        let payer = self.payer(owner).await.map_err(to_effect_error)?;
        let (request_id, step) = (owner.request_id(effect), owner.step(effect));
        Ok(PaidCall { payer, request_id, step, key: effect.idempotency_key.clone(), second_key: None })
    }

    /// Makes a call, or returns the stored answer of the call with the same key.
    async fn call_once<T, F>(
        &self,
        call: &PaidCall,
        body_hash: String,
        make: impl FnOnce(GatewayCaller) -> F,
    ) -> Result<T>
    where
        T: Answer + ReadRendered,
        F: Future<Output = Result<(T, CallReport)>>,
    {
        match self.claim_call(call, body_hash).await? {
            CallClaim::Answered(answer) => Ok(answer),
            CallClaim::New(caller) => Ok(make(*caller).await?.0),
        }
    }

    /// Claims the call by its key. An attempt that is repeated after a crash gets the stored answer of the first call,
    /// and is charged once. Only the call releases the claim, so no code between them may fail.
    async fn claim_call<T: Answer + ReadRendered>(&self, call: &PaidCall, body_hash: String) -> Result<CallClaim<T>> {
        let PaidCall { payer, request_id, step, key, second_key } = call;
        let mut claimed = self.gateway.claim(payer.account(), key, &body_hash).await;
        if let (Err(Error::Unavailable { .. }), Some(key)) = (&claimed, second_key) {
            claimed = self.gateway.claim(payer.account(), key, &body_hash).await;
        }
        let claim = match claimed? {
            ClaimOutcome::Answered(replay) => return replay.into_answer().map(CallClaim::Answered),
            ClaimOutcome::Mine(claim) => claim,
        };
        let caller = GatewayCaller::of_platform(payer, request_id.clone(), body_hash, claim, step.clone());
        Ok(CallClaim::New(Box::new(caller)))
    }
}

/// A call of the gateway.
pub struct PaidCall {
    pub payer: Arc<Caller>,
    pub request_id: String,
    /// The step whose usage counts the charge.
    pub step: Option<RunStep>,
    /// The idempotency key.
    pub key: String,
    /// Used if the claim of `key` fails for now, such as when another call has held it for 20 s. If that call is only slow,
    /// both are charged.
    pub second_key: Option<String>,
}

enum CallClaim<T> {
    /// An earlier call with the same key has this answer.
    Answered(T),
    New(Box<GatewayCaller>),
}

/// The score of a risk category in the value of a `guard` node.
#[derive(Serialize)]
struct ScoredCategory {
    code: String,
    label: String,
    severity: GuardSeverity,
    score: Option<f64>,
    flagged: bool,
}

impl ScoredCategory {
    /// `threshold` overrides the threshold of the category.
    fn new((category, score): (&GuardCategory, Option<f64>), threshold: Option<f64>) -> Self {
        let flagged = match threshold {
            Some(threshold) => score.is_some_and(|score| score >= threshold),
            None => category.is_reached_by(score),
        };
        let GuardCategory { code, label, severity, .. } = category.clone();
        Self { code, label, severity, score, flagged }
    }
}

/// The message of a stream. A whole message has the field `refusal` even if it is null.
fn render_streamed(message: &AnswerMessage) -> Value {
    let mut message = json!(message);
    message.as_object_mut().map(|fields| fields.remove("refusal"));
    message
}

/// The usage in the value of a step, with the names of OpenAI's format.
fn render_usage(Usage { tokens, cost }: &Usage) -> Value {
    json!({
        "prompt_tokens": tokens.input,
        "completion_tokens": tokens.output,
        "total_tokens": tokens.total(),
        "prompt_tokens_details": {"cached_tokens": tokens.cached, "cache_write_tokens": tokens.written},
        "completion_tokens_details": {"reasoning_tokens": tokens.reasoning},
        "cost": Usd::from(*cost),
    })
}

/// The number with the fewest digits that is read as the same 32-bit float: 0.1, and not 0.10000000149011612.
fn to_number(float: f32) -> Value {
    float.to_string().parse::<f64>().map_or(Value::Null, Value::from)
}

fn make_prompt(node: &ModelNode<Value, String>, conversation: ModelConversation) -> ChatPrompt {
    let ModelNode { model, system, prompt, temperature, max_tokens, schema, .. } = node.clone();
    let ModelConversation { history, files } = conversation;
    let prompt = Message::new(ChatRole::User, [ContentPart::Text(prompt)].into_iter().chain(files).collect());
    let messages = system.map(Message::system).into_iter().chain(history).chain([prompt]).collect();
    ChatPrompt { model, messages, temperature, max_tokens, schema, ..ChatPrompt::default() }
}

/// The answer as JSON. A model may answer otherwise, so another attempt may succeed.
fn structured(text: &str, schema: &Value) -> Result<Value, EffectError> {
    let invalid = |message: String| EffectError {
        error: StepError::new("invalid_answer", message),
        retry: RetryHint::After(Duration::ZERO),
    };
    let value: Value = serde_json::from_str(text).map_err(|error| {
        invalid(format!("the answer is not JSON: line {}, column {}", error.line(), error.column()))
    })?;
    match check_value(schema, &value, "answer").violations.into_iter().next() {
        Some((field, message)) => Err(invalid(format!("{field}: {}", message.en))),
        None => Ok(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The hash of a request identifies a call that is in flight, also across versions.
    #[test]
    fn requests_have_the_form_that_their_hashes_had_before() {
        let schema = json!({"type": "object"});
        let node = ModelNode {
            model: "m".to_owned(),
            system: Some("s".to_owned()),
            prompt: "p".to_owned(),
            memory: None,
            attachments: None,
            files: None,
            temperature: Some(1.into()),
            max_tokens: Some(7),
            schema: schema.as_object().cloned(),
        };
        let conversation = ModelConversation {
            history: vec![Message::assistant(Some("h".to_owned()), Vec::new())],
            files: vec![ContentPart::Image("data:,".to_owned())],
        };
        let request = ChatRequest::new(make_prompt(&node, conversation)).unwrap();
        let parts = json!([{"type": "text", "text": "p"}, {"type": "image_url", "image_url": {"url": "data:,"}}]);
        let mut body = json!({
            "model": "m",
            "messages": [
                {"role": "system", "content": "s"},
                {"role": "assistant", "content": "h"},
                {"role": "user", "content": parts},
            ],
            "temperature": 1, "max_tokens": 7,
            "response_format": {"type": "json_schema", "json_schema": {"name": "answer", "schema": schema}},
        });
        assert_eq!(hash(&request), hash(&body));
        body["stream"] = true.into();
        body["stream_options"] = json!({"include_usage": true});
        assert_eq!(hash(&request.streamed()), hash(&body));
        let embeddings = EmbeddingsNode { model: "m".to_owned(), input: json!(["a"]), dimensions: Some(3) };
        let request = EmbeddingsRequest::new("m", json!(["a"]), Some(3)).unwrap();
        assert_eq!(hash(request.body()), hash(&embeddings));
        let retrieved = EmbeddingsRequest::new("m", json!(["a"]), None).unwrap().as_base64();
        assert_eq!(hash(retrieved.body()), hash(&json!({"model": "m", "input": ["a"], "encoding_format": "base64"})));
    }
}
