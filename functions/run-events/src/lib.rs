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
use domain::Result;
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
        Ok(Self {
            auth: Arc::new(Auth::new(context)?),
            workflows: Workflows::new(context)?,
            runs: Runs::new(context)?,
            usage: RunUsage::new(context)?,
            shares: Shares::new(context)?,
            inbox: ConsoleInbox::new(context)?,
            stream_time: context.config.required_seconds(config::STREAM_SECONDS)?,
        })
    }
}

impl AsRef<Auth> for Stores {
    fn as_ref(&self) -> &Auth {
        &self.auth
    }
}
