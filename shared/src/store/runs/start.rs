//! Starts runs. A caller that names a key starts one run, however often it asks.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

use super::items::{LogItem, RunItem};
use super::{RESEND_AFTER, Runs};
use crate::store::item::parse;
use crate::store::keys::{self, Key};
use crate::store::table::{RefusedWrite, WriteOutcome};
use domain::graph::hash;
use domain::id::{ReleaseId, RunId, WorkflowId};
use domain::identity::Account;
use domain::run::{Run, RunEvent, RunEventKind, RunOrigin, RunState, RunValue};
use domain::{Error, Result};

/// A key that was used less than this time ago names the run that it started.
const WINDOW: Duration = Duration::from_secs(24 * 60 * 60);
const KEY: &str = "start key";

pub struct NewRun {
    pub id: RunId,
    pub account: Account,
    pub workflow: WorkflowId,
    pub release: ReleaseId,
    pub release_number: u64,
    pub origin: RunOrigin,
    /// The id of the trigger node.
    pub trigger: String,
    pub input: Value,
}

/// The idempotency key of a start.
pub struct StartKey {
    /// What starts the run, such as a webhook.
    pub source: String,
    pub key: String,
    /// The hash of the request. Another request with the same key is a conflict.
    pub request: String,
}

impl StartKey {
    fn key(&self) -> Key {
        keys::run_start(&self.source, &hash(&Value::from(self.key.as_str())))
    }
}

#[derive(Debug)]
pub enum Started {
    Now(Box<Run>),
    /// An earlier request with the same key started this run.
    Before(RunId),
}

#[derive(Serialize, Deserialize)]
struct StartItem {
    pk: String,
    sk: String,
    run_id: RunId,
    request: String,
    expires_at: i64,
}

impl Runs {
    /// The run that an earlier request with this key started.
    pub async fn started(&self, start_key: &StartKey) -> Result<Option<RunId>> {
        let found = self.entities.get(&start_key.key()).await?;
        match found.map(parse::<StartItem>).transpose()?.filter(|item| item.expires_at > self.now().as_seconds()) {
            Some(item) if item.request != start_key.request => Err(Error::idempotency_conflict()),
            item => Ok(item.map(|item| item.run_id)),
        }
    }

    /// Stores a new run in the queue's state, and sends its hint.
    pub async fn start(&self, new: NewRun, start_key: Option<StartKey>) -> Result<Started> {
        let now = self.now();
        let queued = RunEvent { at: now, kind: RunEventKind::RunQueued { input: RunValue::Value(new.input.clone()) } };
        let events = self.serialize(new.id, &[queued]).await?;
        let id = new.id;
        let item = RunItem { due_at: Some(now.plus(RESEND_AFTER)), ..new_item(new, events.len() as u64) };
        let mut writes = vec![self.entities.put_new(&item), self.journal.put_new(&LogItem::new(id, 1, &events))];
        if let Some(start_key) = &start_key {
            let Key { pk, sk } = start_key.key();
            let expires_at = now.plus(WINDOW).as_seconds();
            let claim = StartItem { pk, sk, run_id: id, request: start_key.request.clone(), expires_at };
            let claim = self.entities.put(&claim).require("attribute_not_exists(pk) OR expires_at <= :now");
            writes.push(claim.bind(":now", now.as_seconds()).labeled(KEY));
        }
        match self.entities.transact(Uuid::now_v7(), &writes).await? {
            WriteOutcome::Written => {}
            WriteOutcome::Refused(RefusedWrite { label: KEY, item: Some(item), .. }) => {
                let first: StartItem = parse(item)?;
                if start_key.is_some_and(|start_key| start_key.request != first.request) {
                    return Err(Error::idempotency_conflict());
                }
                if first.run_id != id {
                    return Ok(Started::Before(first.run_id));
                }
            }
            // The ids are new, so an earlier attempt of this very transaction wrote them.
            WriteOutcome::Refused(_) => {}
        }
        self.send_hint(id, Duration::ZERO).await;
        Ok(Started::Now(Box::new(item.into())))
    }
}

fn new_item(new: NewRun, events: u64) -> RunItem {
    let Key { pk, sk } = keys::run(new.id);
    let Account { org, user } = new.account;
    RunItem {
        pk,
        sk,
        run_id: new.id,
        org,
        user,
        workflow: new.workflow,
        release: new.release,
        release_number: new.release_number,
        origin: new.origin,
        trigger: new.trigger,
        state: RunState::Queued,
        epoch: 0,
        next_event: events + 1,
        wakes: 0,
        seen_wakes: 0,
        crashes: 0,
        reached: 0,
        claim: None,
        claimed_until: None,
        wake_at: None,
        stop: None,
        due_shard: Some(keys::run_shard(new.id)),
        due_at: None,
        started_at: None,
        ended_at: None,
        error: None,
        expires_at: None,
    }
}
