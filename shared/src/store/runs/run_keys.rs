//! The keys of runs that have masked parts. The head of a run has its key, encrypted by the vault. The key is deleted an
//! hour after the end of the run, and no earlier than the end of the run that waits for it. From then on, nobody can read
//! the masked parts.

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

/// How long the key of a run is kept after its end, for callers who wait for its output and for a retry.
const KEY_KEPT: Duration = Duration::from_secs(60 * 60);

impl Runs {
    /// The store of a function that starts or carries out runs: it can encrypt what is masked.
    #[must_use]
    pub fn with_vault(self, vault: Arc<dyn KeyVault>) -> Self {
        Self { vault: Some(vault), ..self }
    }

    pub(super) async fn new_key(&self, id: RunId) -> Result<RunKey> {
        RunKey::new(self.vault()?, id).await
    }

    /// The key of a run that has masked parts, until it is deleted.
    pub(super) async fn key_of(&self, item: &RunItem) -> Result<Option<RunKey>> {
        match item.secrets.clone() {
            Some(sealed) => RunKey::open_key(self.vault()?, item.run_id, sealed).await.map(Some),
            None => Ok(None),
        }
    }

    fn vault(&self) -> Result<&dyn KeyVault> {
        self.vault.as_deref().ok_or_else(|| Error::internal("this function cannot encrypt values of runs"))
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
            hold.has_new_key = true;
        }
        let mut events = events.to_vec();
        seal_all(&mut events, hold.key.as_ref())?;
        Ok(Cow::Owned(events))
    }

    /// Until when the key of a run that has ended is kept. None if it has none, or is to be deleted.
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
