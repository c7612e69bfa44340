//! The log of a run as a live stream.

use axum::response::sse::Event;
use domain::id::RunId;
use domain::{Error, Result};
use store::runs::EventReader;
use web::follow::{Additions, FollowedLog};

use crate::Stores;
use crate::handlers::show_all;

pub struct RunLog {
    pub stores: Stores,
    pub run: RunId,
    pub reader: EventReader,
}

impl FollowedLog for RunLog {
    async fn read(&mut self) -> Result<Additions> {
        let found = self.reader.read().await?;
        let is_last = found.last().is_some_and(|last| last.event.kind.ends_run());
        let shown = show_all(&self.stores, self.run, found).await?;
        let events = shown.into_iter().map(|event| Event::default().id(event.number().to_string()).json_data(event));
        let events = events.collect::<Result<_, _>>().map_err(Error::internal)?;
        Ok(Additions { events, has_more: !self.reader.is_at_end(), is_last })
    }
}
