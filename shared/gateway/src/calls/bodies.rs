//! The bodies of calls whose organization keeps them. They are stored beside the answer: the call neither waits for that nor fails
//! by it. The process waits for it before it ends, and a Lambda before it is frozen.

use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use serde_json::value::RawValue;
use tokio::sync::Semaphore;
use tokio::time::timeout;
use tracing::{Instrument, Span};

use crate::answers::{Answer, AnswerChunk, CallAnswer, Rank, Vector};
use crate::caller::RequestBody;
use crate::chat::{AssembledChoice, Choice, Choices, assemble};
use crate::{Gateway, ProviderFailure};
use domain::call_body::{BodyPlace, KeptBodies, KeptBody};
use domain::call_facts::CLIENT_DISCONNECTED;
use domain::guard::GuardVerdict;
use domain::id::ImageJobId;
use domain::image::StoredPicture;
use domain::ledger::Charge;
use domain::{Error, Result};
use platform::Context;
use platform::tasks::Tasks;
use platform::telemetry::Telemetry;
use platform::telemetry::metrics::Metric;
use store::CallBodies;

/// The calls whose bodies are being stored at once. The bodies of further ones are lost.
const MAX_WRITES: usize = 256;
const LONGEST_WRITE: Duration = Duration::from_secs(30);

/// Stores the bodies of calls in the background.
#[derive(Clone)]
pub(crate) struct BodyKeeper {
    store: CallBodies,
    free: Arc<Semaphore>,
    tasks: Tasks,
    telemetry: Telemetry,
}

/// What is kept of an answer. That of a chat has the choices of a chat completion in any dialect, streamed or not.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum KeptAnswer<'a> {
    Chat {
        model: &'a str,
        choices: &'a Choices<Choice>,
    },
    ChatStream {
        model: &'a str,
        choices: Vec<AssembledChoice>,
        #[serde(skip_serializing_if = "Option::is_none")]
        error: Option<&'a KeptError>,
    },
    /// The vectors are base64 of little-endian 32-bit floats.
    Embeddings {
        model: &'a str,
        embeddings: &'a [Vector],
    },
    Evaluation {
        model: &'a str,
        verdict: &'a GuardVerdict,
    },
    Reranking {
        model: &'a str,
        results: &'a [Rank],
    },
    /// The pictures themselves are not kept with the bodies.
    Images {
        job: ImageJobId,
        images: &'a [StoredPicture],
    },
    /// What the provider answered, as the client gets it.
    Transcription {
        transcription: &'a str,
    },
    /// The audio itself is not kept with the bodies.
    Speech {
        content_type: &'a str,
    },
    Failed {
        error: &'a KeptError,
    },
}

/// The error that ended a call.
#[derive(Serialize)]
pub(super) struct KeptError {
    code: String,
    message: String,
}

impl KeptError {
    pub fn client_disconnected() -> Self {
        Self { code: CLIENT_DISCONNECTED.to_owned(), message: "the client disconnected".to_owned() }
    }

    pub fn code(&self) -> &str {
        &self.code
    }
}

impl From<&Error> for KeptError {
    fn from(error: &Error) -> Self {
        Self { code: error.code().into_owned(), message: error.to_string() }
    }
}

impl From<&ProviderFailure> for KeptError {
    fn from(failure: &ProviderFailure) -> Self {
        Self { code: failure.code.clone(), message: failure.message.clone() }
    }
}

impl KeptAnswer<'_> {
    pub fn to_json(&self) -> Result<String> {
        serde_json::to_string(self).map_err(Error::internal)
    }
}

/// The choices of a list of chunks.
pub(super) fn assemble_chunks(chunks: &RawValue) -> Result<Vec<AssembledChoice>> {
    let chunks: Vec<AnswerChunk> = serde_json::from_str(chunks.get()).map_err(Error::internal)?;
    Ok(assemble(chunks.iter().flat_map(|chunk| chunk.choices.read().into_owned())))
}

fn render(answer: &CallAnswer<'_>) -> Result<String> {
    match answer {
        CallAnswer::Chat(chat) => KeptAnswer::Chat { model: &chat.head.model, choices: &chat.choices },
        CallAnswer::ChatStream(stream) => {
            KeptAnswer::ChatStream { model: &stream.head.model, choices: assemble_chunks(&stream.chunks)?, error: None }
        }
        CallAnswer::Embeddings(answer) => KeptAnswer::Embeddings { model: &answer.model, embeddings: &answer.vectors },
        CallAnswer::Evaluation(answer) => KeptAnswer::Evaluation { model: &answer.model, verdict: &answer.verdict },
        CallAnswer::Images(started) => KeptAnswer::Images { job: started.job, images: &[] },
        CallAnswer::Reranking(answer) => KeptAnswer::Reranking { model: &answer.model, results: &answer.ranks },
        CallAnswer::Transcription(answer) => KeptAnswer::Transcription { transcription: &answer.body },
        CallAnswer::Speech(answer) => KeptAnswer::Speech { content_type: &answer.content_type },
    }
    .to_json()
}

impl BodyKeeper {
    pub fn new(context: &Context) -> Result<Self> {
        Ok(Self {
            store: CallBodies::new(context)?,
            free: Arc::new(Semaphore::new(MAX_WRITES)),
            tasks: context.tasks.clone(),
            telemetry: context.telemetry.clone(),
        })
    }

    /// Keeps the bodies of a call, if its organization wants that. `take_answer` is called only if there is room for them. It
    /// returns what renders the answer after the call.
    pub fn keep<R: FnOnce() -> Result<String> + Send + 'static>(
        &self,
        body: Option<&RequestBody>,
        call: &Charge,
        take_answer: impl FnOnce() -> R,
    ) {
        let Some((body, place)) = body.cloned().zip(BodyPlace::of_call(call)) else { return };
        let keeper = self.clone();
        let Ok(slot) = self.free.clone().try_acquire_owned() else {
            return self.report_loss(&place, &Error::busy("the bodies of too many calls wait to be stored"));
        };
        let render = take_answer();
        let stored = async move {
            let _slot = slot;
            let store = async {
                let bodies = KeptBodies { request: KeptBody::new(body.text()), response: KeptBody::new(&render()?) };
                keeper.store.put(&place, &bodies).await
            };
            let stored = timeout(LONGEST_WRITE, store).await;
            if let Err(error) = stored.unwrap_or_else(|_| Err(Error::busy("the bucket did not answer in time"))) {
                keeper.report_loss(&place, &error);
            }
        };
        drop(self.tasks.spawn(stored.instrument(Span::current())));
    }

    fn report_loss(&self, place: &BodyPlace, error: &Error) {
        tracing::warn!(?error, transaction_id = %place.call, org_id = %place.org, "the bodies of a call could not be stored");
        self.telemetry.count(Metric::LostCallBodies, &[], 1);
    }
}

impl Gateway {
    /// Keeps the bodies of a call with an answer.
    pub(super) fn keep_bodies(&self, body: Option<&RequestBody>, call: &Charge, answer: &impl Answer) {
        // An answer may be large, so it is copied only if there is room for its bodies.
        self.inner.bodies.keep(body, call, || {
            let answer = answer.clone();
            move || render(&answer.to_stored())
        });
    }

    /// Keeps the body of a call that failed, and its error.
    pub(super) fn keep_failure(&self, body: Option<&RequestBody>, call: &Charge, error: &Error) {
        self.inner.bodies.keep(body, call, || {
            let error = KeptError::from(error);
            move || KeptAnswer::Failed { error: &error }.to_json()
        });
    }
}
