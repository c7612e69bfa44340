//! What the dialects of chats have in common: an answer is written whole or as a stream, once per `Idempotency-Key`.

use std::convert::Infallible;

use axum::body::{Body, Bytes};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use futures::{Stream, StreamExt};
use gateway::chat::ChatRequest;
use gateway::{ChatStream, Completion, Replay, StreamedCompletion};
use web::Result;

use super::claim::{NextStep, answer_once, claim, replay};
use crate::incoming::IncomingCall;
use crate::{Stores, headers};

const EVENT_STREAM: &str = "text/event-stream";

/// Makes a chat call, and writes its answer whole or as a stream, as the client wants it.
pub async fn answer_chat<S: Stream<Item = Bytes> + Send + 'static>(
    stores: &Stores,
    incoming: IncomingCall<'_>,
    request: ChatRequest,
    write_whole: impl FnOnce(&Completion) -> domain::Result<Vec<u8>>,
    write_stream: impl FnOnce(ChatStream) -> S,
) -> Result<Response> {
    if request.is_streamed() {
        return stream_once(stores, incoming, request, write_stream).await;
    }
    let complete = |caller| stores.gateway.complete(caller, request);
    answer_once(stores, incoming, complete, write_whole).await
}

/// Makes a streamed call whose items `write` renders as events, or replays its stored answer.
pub async fn stream_once<S: Stream<Item = Bytes> + Send + 'static>(
    stores: &Stores,
    incoming: IncomingCall<'_>,
    request: ChatRequest,
    write: impl FnOnce(ChatStream) -> S,
) -> Result<Response> {
    let at = incoming.caller.caller.at;
    let gateway_caller = match claim::<StreamedCompletion>(stores, incoming).await? {
        NextStep::Proceed(gateway_caller) => *gateway_caller,
        NextStep::Replay(Replay::Rendered(answer)) => return Ok(replay(&answer.content_type, answer.body)),
        NextStep::Replay(Replay::Answer(answer)) => {
            let events: Vec<Bytes> = write(answer.into_stream()?).collect().await;
            return Ok(replay(EVENT_STREAM, events.concat()));
        }
    };
    let (stream, report) = stores.gateway.stream(gateway_caller, request).await?;
    // The body never fails: errors are sent as events, because Lambda delivers a failed body like a complete one.
    let events = write(stream).map(Ok::<_, Infallible>);
    let kind = [(CONTENT_TYPE, EVENT_STREAM), (CACHE_CONTROL, "no-cache")];
    Ok((headers::stream_headers(&report, at), kind, Body::from_stream(events)).into_response())
}
