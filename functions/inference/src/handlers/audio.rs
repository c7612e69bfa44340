//! Transcriptions and translations of audio, and speech.

use auth::ApiCaller;
use axum::body::Body;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use gateway::audio::speech::SpeechRequest;
use gateway::audio::transcription::{NUMBERS, TranscriptionRequest, TranscriptionTask};
use gateway::{Replay, Speech, SpeechStream};
use serde_json::Value;
use web::gateway::{Answered, AnsweredAudio, ErrorResponses, InferenceCaller, ModelCallErrors};
use web::{Form, Hashed, Result, UncheckedJson};

use super::claim::{NextStep, answer_once_as, claim, replay};
use crate::dto::audio::{SpeechIn, TranscriptionIn, TranscriptionOut};
use crate::dto::call_headers::{CallHeaders, ForwardedResponseHeaders};
use crate::incoming::{IncomingCall, read_texts, uploaded_file};
use crate::writers::transcriptions::write_transcription;
use crate::{Stores, headers};

/// Transcribe audio
///
/// Compatible with OpenAI's transcriptions API. The model needs the capability `transcription`. The call is charged by the
/// length of the audio, or by tokens if the model has prices for them. With `response_format` `text`, `srt` or `vtt`, the answer is
/// a text. The whole form has at most 4 MiB: send longer recordings compressed, or in parts.
#[utoipa::path(
    post, path = "/gateway/v1/audio/transcriptions", tag = "inference", params(CallHeaders),
    request_body(content = TranscriptionIn, content_type = "multipart/form-data"),
    responses(Answered<TranscriptionOut, ForwardedResponseHeaders>, ErrorResponses, ModelCallErrors),
)]
pub async fn create_transcription(
    State(stores): State<Stores>,
    InferenceCaller(caller): InferenceCaller,
    headers: HeaderMap,
    form: Form,
) -> Result<Response> {
    answer_form(&stores, &caller, &headers, form, TranscriptionTask::Transcribe).await
}

/// Translate audio into English
///
/// Compatible with OpenAI's translations API. The form and the answer are those of transcriptions.
#[utoipa::path(
    post, path = "/gateway/v1/audio/translations", tag = "inference", params(CallHeaders),
    request_body(content = TranscriptionIn, content_type = "multipart/form-data"),
    responses(Answered<TranscriptionOut, ForwardedResponseHeaders>, ErrorResponses, ModelCallErrors),
)]
pub async fn create_translation(
    State(stores): State<Stores>,
    InferenceCaller(caller): InferenceCaller,
    headers: HeaderMap,
    form: Form,
) -> Result<Response> {
    answer_form(&stores, &caller, &headers, form, TranscriptionTask::Translate).await
}

async fn answer_form(
    stores: &Stores,
    caller: &ApiCaller,
    headers: &HeaderMap,
    mut form: Form,
    task: TranscriptionTask,
) -> Result<Response> {
    let hash = form.hash(match task {
        TranscriptionTask::Transcribe => "transcribe",
        TranscriptionTask::Translate => "translate",
    });
    let file = uploaded_file(form.take_file("file")?);
    let (bytes, value) = read_texts(form, &NUMBERS)?;
    let incoming = IncomingCall::read(caller, headers, hash, bytes, &value)?;
    let request = TranscriptionRequest::read(value, file, task)?;
    let transcribe = |caller| stores.gateway.transcribe(caller, request);
    answer_once_as(stores, incoming, transcribe, write_transcription).await
}

/// Speak a text
///
/// Compatible with OpenAI's speech API. The model needs the capability `speech`. The answer is audio, which is sent as it
/// arrives from the provider. The call is charged by the characters of `input`. If the provider fails in the middle, the
/// connection is closed, and nothing is charged.
#[utoipa::path(
    post, path = "/gateway/v1/audio/speech", tag = "inference", params(CallHeaders), request_body = SpeechIn,
    responses(AnsweredAudio<ForwardedResponseHeaders>, ErrorResponses, ModelCallErrors),
)]
pub async fn create_speech(
    State(stores): State<Stores>,
    InferenceCaller(caller): InferenceCaller,
    headers: HeaderMap,
    Hashed { body: UncheckedJson(value), hash, bytes }: Hashed<UncheckedJson<Value>>,
) -> Result<Response> {
    let incoming = IncomingCall::read(&caller, &headers, hash, bytes, &value)?;
    let request = SpeechRequest::read(value)?;
    match claim::<Speech>(&stores, incoming).await? {
        NextStep::Replay(Replay::Answer(Speech { content_type, audio })) => Ok(replay(&content_type, audio)),
        NextStep::Replay(Replay::Rendered(answer)) => Ok(replay(&answer.content_type, answer.body)),
        NextStep::Proceed(gateway_caller) => {
            let (SpeechStream { content_type, audio }, report) = stores.gateway.speak(*gateway_caller, request).await?;
            let headers = headers::response_headers(&report, caller.caller.at);
            Ok((headers, [(CONTENT_TYPE, content_type)], Body::from_stream(audio)).into_response())
        }
    }
}
