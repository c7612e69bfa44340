//! Translates a provider's event stream into chunks, lazily: it reads an event only when the consumer polls.

use std::sync::Arc;

use futures::StreamExt;

use super::ChunkStream;
use super::endpoint::{Endpoint, Events};
use crate::chat::Chunk;
use crate::failure::ProviderFailure;
use outbound::sse::Event;

/// The result of translating one event.
pub enum TranslatedEvent {
    Chunk(Chunk),
    Nothing,
    /// The event marks the end of the stream.
    End,
}

pub trait Translation: Send + 'static {
    fn read(&mut self, event: Event) -> Result<TranslatedEvent, ProviderFailure>;
}

/// Translates `events` into a stream of chunks. It ends after the first failure.
pub fn translate_events(endpoint: Arc<Endpoint>, events: Events, translation: impl Translation) -> ChunkStream {
    let unfolded = futures::stream::unfold(Some((events, translation)), move |state| {
        let endpoint = endpoint.clone();
        async move {
            let (mut events, mut translation) = state?;
            loop {
                let step = match events.next().await {
                    Ok(Some(event)) => translation.read(event),
                    Ok(None) => return None,
                    Err(failure) => Err(failure),
                };
                match step {
                    Ok(TranslatedEvent::Chunk(chunk)) => return Some((Ok(chunk), Some((events, translation)))),
                    Ok(TranslatedEvent::Nothing) => {}
                    Ok(TranslatedEvent::End) => {
                        events.finish();
                        return None;
                    }
                    Err(failure) => return Some((Err(endpoint.without_secrets(failure)), None)),
                }
            }
        }
    });
    unfolded.boxed()
}
