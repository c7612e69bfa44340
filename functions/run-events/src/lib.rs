//! `/builder/v1/workflows/{id}/runs/{run_id}/events` and `…/activity`: what happened in a run, in pages and live. Apart from
//! `runs`, because it streams its responses, and a follower occupies it for minutes. `/builder/v1/inbox`: what happened in all
//! workflows of the caller.

mod dto;
mod follow;
mod handlers;
mod inbox;
mod routes;

use std::sync::Arc;
use std::time::Duration;

use auth::Auth;
use domain::{Error, Result};
use platform::{Context, config};
use store::{ConsoleInbox, RunUsage, Runs, Shares, Workflows};

pub use routes::{document, router};

/// The stores that the handlers share.
#[derive(Clone)]
pub struct Stores {
    auth: Arc<Auth>,
    workflows: Workflows,
    runs: Runs,
    usage: RunUsage,
    shares: Shares,
    inbox: ConsoleInbox,
    /// How long a stream stays open. Then its client opens the next one.
    stream_time: Duration,
}

impl Stores {
    fn new(context: &Context) -> Result<Self> {
        let seconds = context.config.required(config::STREAM_SECONDS).map_err(Error::internal)?;
        Ok(Self {
            auth: Arc::new(Auth::new(context)?),
            workflows: Workflows::new(context)?,
            runs: Runs::new(context)?,
            usage: RunUsage::new(context)?,
            shares: Shares::new(context)?,
            inbox: ConsoleInbox::new(context)?,
            stream_time: Duration::from_secs(seconds.parse().map_err(Error::internal)?),
        })
    }
}

impl AsRef<Auth> for Stores {
    fn as_ref(&self) -> &Auth {
        &self.auth
    }
}
