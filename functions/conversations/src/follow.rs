//! The messages of a thread as a live stream.

use axum::response::sse::Event;
use domain::id::ThreadId;
use domain::{Error, Result};
use store::threads::{NewMessages, Threads};
use web::follow::{Additions, FollowedLog};

use crate::dto::message::MessageOut;

pub struct MessageLog {
    pub threads: Threads,
    pub thread: ThreadId,
    /// The number of the last message that was read.
    pub after: u64,
}

impl FollowedLog for MessageLog {
    async fn read(&mut self) -> Result<Additions> {
        let NewMessages { messages, last, has_more } = self.threads.messages_after(self.thread, self.after).await?;
        self.after = last;
        let events = messages
            .into_iter()
            .map(|message| Event::default().id(message.number.to_string()).json_data(MessageOut::from(message)));
        let events = events.collect::<Result<_, _>>().map_err(Error::internal)?;
        Ok(Additions { events, has_more, is_last: false })
    }
}
