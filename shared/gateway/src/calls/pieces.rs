//! What streamed chats and speech share: the channel to the client, and how a stream ends.

use futures::StreamExt;
use futures::stream::{BoxStream, unfold};
use tokio::sync::mpsc;

use crate::failure::ProviderFailure;

/// Capacity of the channel. When it is full, the task stops reading from the provider.
const CHANNEL_CAPACITY: usize = 16;

/// The channel from the task of a call to its client.
pub fn channel<T: Send + 'static>() -> (mpsc::Sender<T>, BoxStream<'static, T>) {
    let (sender, receiver) = mpsc::channel(CHANNEL_CAPACITY);
    let pieces = unfold(receiver, async |mut receiver| receiver.recv().await.map(|piece| (piece, receiver)));
    (sender, pieces.boxed())
}

/// How a stream ended.
pub enum StreamEnd {
    Complete,
    Failed(ProviderFailure),
    /// The client disconnected, and the provider's stream was dropped.
    ClientLeft,
}

impl StreamEnd {
    pub fn failure(&self) -> Option<&ProviderFailure> {
        match self {
            Self::Failed(failure) => Some(failure),
            Self::Complete | Self::ClientLeft => None,
        }
    }
}
