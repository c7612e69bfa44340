//! The keys of runs that have masked parts. The head of a run has its key, encrypted by the vault. The key is deleted an
//! hour after the end of the run. If another run waits for it, the key is kept until that run has ended, and at most an hour
//! longer. From then on, only a restored backup of the table can open the masked parts.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use super::Runs;
use super::hold::RunHold;
use super::items::RunItem;
use super::sealing::{KeyVault, RunKey, have_masked_parts, seal_all};
use domain::id::RunId;
use domain::run::RunEvent;
use domain::time::Time;
use domain::{Error, Result};
use platform::Context;
use platform::secrets::{Sealed, Secrets};

/// How long the key of a run is kept after its end, for callers who wait for its output and for a retry.
const KEY_KEPT: Duration = Duration::from_secs(60 * 60);

impl Runs {
    /// The store of a function that starts or carries out runs: it can encrypt what is masked.
    pub fn with_keys(context: &Context) -> Result<Self> {
        Ok(Self { vault: Some(Arc::new(Secrets::of_runs(context)?)), ..Self::new(context)? })
    }

    pub(super) async fn new_key(&self, id: RunId) -> Result<RunKey> {
        RunKey::new(self.vault()?, id).await
    }

    pub(super) async fn open_key(&self, id: RunId, sealed: Option<Sealed>) -> Result<Option<RunKey>> {
        match sealed {
            Some(sealed) => RunKey::open_key(self.vault()?, id, sealed).await.map(Some),
            None => Ok(None),
        }
    }

    /// The key of a run, if it has masked parts. Fails after the key was deleted.
    pub(super) async fn required_key(&self, item: &RunItem) -> Result<Option<RunKey>> {
        if item.masked.is_some() && item.secrets.is_none() {
            let message = "the masked values of the run were deleted an hour after its end; start a new run";
            return Err(Error::invalid_state(message));
        }
        self.open_key(item.run_id, item.secrets.clone()).await
    }

    fn vault(&self) -> Result<&dyn KeyVault> {
        self.vault.as_deref().ok_or_else(|| Error::internal("this function has no access to the keys of runs"))
    }

    /// The events as they are stored. The first masked part gives the run its key.
    pub(super) async fn seal_events<'a>(
        &self,
        hold: &mut RunHold,
        events: &'a [RunEvent],
    ) -> Result<Cow<'a, [RunEvent]>> {
        if !have_masked_parts(events) {
            return Ok(Cow::Borrowed(events));
        }
        if hold.key.is_none() {
            let id = hold.id();
            hold.key = Some(self.retry_while_unavailable(hold, || self.new_key(id)).await?);
        }
        let mut events = events.to_vec();
        seal_all(&mut events, hold.key.as_ref())?;
        Ok(Cow::Owned(events))
    }

    /// When the key of a run that has ended is to be deleted. None if the run has no key, or if it is to be deleted now.
    pub(super) async fn key_deadline(&self, item: &RunItem) -> Result<Option<Time>> {
        let (Some(ended_at), Some(_), None) = (item.ended_at, &item.secrets, item.erased_at) else { return Ok(None) };
        let parent = match &item.parent {
            Some(parent) => self.item(parent.run).await?,
            None => None,
        };
        let until = match parent {
            Some(parent) if !parent.state.has_ended() => self.now().plus(KEY_KEPT),
            _ => key_expiry(ended_at),
        };
        Ok(Some(until).filter(|until| *until > self.now()))
    }
}

/// When the key of a run is deleted.
pub(super) fn key_expiry(ended_at: Time) -> Time {
    ended_at.plus(KEY_KEPT)
}
