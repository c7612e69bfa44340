//! The keys of starts. A caller that names a key starts one run, however often it asks.

use attributes::Attributes;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Runs;
use crate::idempotency::WINDOW;
use crate::item::parse;
use crate::keys::{self, Key};
use crate::table::{RefusedWrite, WriteOutcome};
use crate::write::{Write, is_new_or_expired};
use domain::graph::hash;
use domain::id::RunId;
use domain::time::Time;
use domain::{Error, Result};

const KEY: &str = "start key";

/// The idempotency key of a start.
#[derive(Clone, Debug)]
pub struct StartKey {
    /// What starts the run, such as a webhook.
    source: String,
    key: String,
    /// The hash of the request. Another request with the same key is a conflict.
    request: String,
}

impl StartKey {
    pub const MAX_CHARS: usize = 200;

    /// The key, unless it is empty or too long.
    pub fn new(source: String, key: String, request: String) -> Option<Self> {
        let is_valid = !key.is_empty() && key.chars().count() <= Self::MAX_CHARS;
        is_valid.then_some(Self { source, key, request })
    }

    fn key(&self) -> Key {
        keys::run_start(&self.source, &hash(&Value::from(self.key.as_str())))
    }
}

#[derive(Serialize, Deserialize, Attributes)]
struct StartItem {
    pk: String,
    sk: String,
    run_id: RunId,
    request: String,
    /// TTL deletes items late, so the conditions also compare this time.
    expires_at: i64,
}

impl Runs {
    /// The run that an earlier request with this key started. Another request with the same key is a conflict.
    pub async fn find_started(&self, start_key: &StartKey) -> Result<Option<RunId>> {
        match self.start_item(start_key).await? {
            Some(item) if item.request != start_key.request => Err(Error::idempotency_conflict()),
            item => Ok(item.map(|item| item.run_id)),
        }
    }

    /// The run that the first request with this key started, for callers that know only the key.
    pub async fn find_first(&self, start_key: &StartKey) -> Result<Option<RunId>> {
        Ok(self.start_item(start_key).await?.map(|item| item.run_id))
    }

    async fn start_item(&self, start_key: &StartKey) -> Result<Option<StartItem>> {
        let found = self.entities.get(&start_key.key()).await?.map(parse::<StartItem>).transpose()?;
        Ok(found.filter(|item| item.expires_at > self.now().as_seconds()))
    }

    pub(super) fn claim_key(&self, start_key: &StartKey, run_id: RunId, now: Time) -> Write {
        let Key { pk, sk } = start_key.key();
        let expires_at = now.plus(WINDOW).as_seconds();
        let claim = StartItem { pk, sk, run_id, request: start_key.request.clone(), expires_at };
        self.entities.put(&claim).require(is_new_or_expired(now)).labeled(KEY)
    }
}

/// The run that an earlier request with the same key has started, by the outcome of the transaction that stores a new run.
pub(super) fn first_run(id: RunId, start_key: Option<&StartKey>, outcome: WriteOutcome) -> Result<Option<RunId>> {
    match outcome {
        WriteOutcome::Refused(RefusedWrite { label: KEY, item: Some(item), .. }) => {
            let first: StartItem = parse(item)?;
            if start_key.is_some_and(|start_key| start_key.request != first.request) {
                return Err(Error::idempotency_conflict());
            }
            Ok(Some(first.run_id).filter(|first| *first != id))
        }
        // The ids are new. If one is taken, an earlier attempt of this very transaction wrote it.
        WriteOutcome::Written | WriteOutcome::Refused(_) => Ok(None),
    }
}
