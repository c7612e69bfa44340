//! Starts runs.

use std::time::Duration;

use futures::future::try_join_all;
use uuid::Uuid;

use super::items::{CalledRunItem, ParentItem, RunItem};
use super::list::attention_place;
use super::run_keys::key_expiry;
use super::sealing::{have_masked_parts, seal_all};
use super::start_key::{StartKey, first_run};
use super::{RESEND_AFTER, Runs};
use crate::keys::{self, AccountList, Key, RunList};
use crate::run_statistics::{self, RunPlace};
use crate::webhook_events;
use crate::write::Write;
use domain::Result;
use domain::id::RunId;
use domain::identity::Account;
use domain::run::{ExchangeDetector, NewRun, Run, RunEnd, RunEvent, RunEventKind, RunState, RunThread, RunValue};
use domain::statistics::EndedRun;
use domain::time::Time;

#[derive(Debug)]
pub enum Started {
    Now(Box<Run>),
    /// An earlier request with the same key started this run.
    Before(RunId),
}

impl Runs {
    /// Stores a new run for the workers, and sends its hint.
    pub async fn start(&self, new: NewRun, start_key: Option<StartKey>) -> Result<Started> {
        let started = self.store(new, Vec::new(), None, start_key).await?;
        if let Started::Now(run) = &started {
            self.send_hint(run.id, Duration::ZERO).await;
        }
        Ok(started)
    }

    /// Stores a run that has already ended, in one transaction. The last of the events is its end.
    pub async fn store_ended(
        &self,
        new: NewRun,
        events: Vec<RunEventKind>,
        end: &RunEnd,
        start_key: Option<StartKey>,
    ) -> Result<Started> {
        self.store(new, events, Some(end), start_key).await
    }

    async fn store(
        &self,
        new: NewRun,
        happened: Vec<RunEventKind>,
        end: Option<&RunEnd>,
        start_key: Option<StartKey>,
    ) -> Result<Started> {
        let (id, now) = (new.id, self.now());
        let (item, mut writes) = self.new_run(new, happened, end).await?;
        let place = item.place();
        writes.extend(match end {
            None => run_statistics::count_starts(&self.counters, &[place]),
            Some(end) => {
                let ended = EndedRun::new(end, item.started_at, now);
                run_statistics::count_end(&self.counters, place, true, &ended)
            }
        });
        if let Some(start_key) = &start_key {
            writes.push(self.claim_key(start_key, id, now));
        }
        let outcome = self.entities.transact(Uuid::now_v7(), &writes).await?;
        Ok(match first_run(id, start_key.as_ref(), outcome)? {
            Some(first) => Started::Before(first),
            None => Started::Now(Box::new(item.into())),
        })
    }

    /// The item of a new run, and the writes that store it. The caller counts the start.
    pub(super) async fn new_run(
        &self,
        new: NewRun,
        happened: Vec<RunEventKind>,
        end: Option<&RunEnd>,
    ) -> Result<(RunItem, Vec<Write>)> {
        let (id, now) = (new.id, self.now());
        let queued = RunEventKind::RunQueued { input: RunValue::Value(new.input.clone()) };
        let taken_over = new.retry.iter().flat_map(|retry| retry.events.clone());
        let kinds = [queued].into_iter().chain(taken_over).chain(happened);
        let mut events: Vec<RunEvent> = kinds.map(|kind| RunEvent { at: now, kind }).collect();
        let key = if have_masked_parts(&events) { Some(self.new_key(id).await?) } else { None };
        seal_all(&mut events, key.as_ref())?;
        let place = RunPlace { id, account: new.account, workflow: new.workflow, retention: new.retention };
        let texts = self.serialize(place, &events).await?;
        let mut writes = self.log_items(place, 1, &texts);
        if writes.iter().map(Write::bytes).sum::<usize>() > self.max_transaction_bytes {
            // The log of a retry may be larger than a transaction. The run begins with its head, which is stored after it.
            let log = writes.drain(1..).map(|part| self.journal.write(part));
            try_join_all(log.collect::<Vec<_>>()).await?;
        }
        writes.extend(self.webhook_call(&new).await?);
        if let Some(parent) = &new.parent {
            writes.push(self.entities.put(&CalledRunItem::new(parent, id, new.retention.latest_expiry(now))));
        }
        let (secrets, masked) = (key.as_ref().map(|key| key.sealed.clone()), key.map(|_| true));
        let new = new_item(new, events.len() as u64, end.map_or(RunState::Queued, RunEnd::state));
        let mut detector = ExchangeDetector::default();
        let exchanges = events.iter().filter(|event| detector.detect(&event.kind).is_some()).count() as u64;
        let new = RunItem { secrets, masked, exchanges, ..new };
        let started_at = Some(Time::from_uuid(id.uuid()));
        let item = match end {
            None => {
                RunItem { due_shard: Some(keys::RUNS_DUE.of(id.uuid())), due_at: Some(now.plus(RESEND_AFTER)), ..new }
            }
            Some(end) => {
                let expires_at = Some(new.retention.expiry(now).as_seconds());
                let due_at = new.secrets.as_ref().map(|_| key_expiry(now));
                let due_shard = due_at.map(|_| keys::RUNS_DUE.of(id.uuid()));
                RunItem { started_at, ended_at: Some(now), expires_at, due_at, due_shard, error: end.error(), ..new }
            }
        };
        writes.push(self.entities.put_new(&item));
        Ok((item, writes))
    }

    /// The write of the event of the webhook that starts the run.
    pub(super) async fn webhook_call(&self, new: &NewRun) -> Result<Option<Write>> {
        let Some((webhook, event)) = &new.webhook_call else { return Ok(None) };
        webhook_events::put(&self.journal, &self.bucket, *webhook, event.clone()).await.map(Some)
    }
}

pub(super) fn new_item(new: NewRun, events: u64, state: RunState) -> RunItem {
    let Key { pk, sk } = keys::run(new.id);
    let lists = [RunList::All, RunList::OfOrigin(new.origin), RunList::OfState(state)];
    let [listed_in, listed_by_origin, listed_by_state] = lists.map(|list| list.partition_of(new.workflow, new.id));
    let list_of_thread = |list: fn(&RunThread) -> RunList| {
        let list = new.thread.as_ref().map(list)?;
        Some(list.partition_of(new.workflow, new.id))
    };
    let listed_by_channel = list_of_thread(|thread| RunList::OfChannel(thread.provider));
    let listed_by_participant = list_of_thread(|thread| RunList::OfParticipant(thread.participant));
    let (listed_of, listed_at) = (AccountList::Runs.partition_of(new.account, new.id.uuid()), new.id.uuid());
    let (attention_of, attention_at) = attention_place(new.account, new.id, state).unzip();
    let Account { org, user } = new.account;
    RunItem {
        pk,
        sk,
        run_id: new.id,
        org,
        user,
        payer: new.payer,
        workflow: new.workflow,
        release: new.release,
        release_number: new.release_number,
        origin: new.origin,
        started_by: new.started_by,
        scheduled_at: new.scheduled_at,
        trigger: new.trigger,
        state,
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
        due_shard: None,
        due_at: None,
        started_at: None,
        ended_at: None,
        error: None,
        parent: new.parent.map(ParentItem::from),
        calls: None,
        webhook_event: new.webhook_call.map(|(webhook, event)| (webhook, event.id)),
        exchanges: 0,
        erased_at: None,
        retry_of: new.retry.map(|retry| retry.of),
        thread: new.thread,
        secrets: None,
        masked: None,
        retention: new.retention,
        expires_at: None,
        listed_in,
        listed_by_origin,
        listed_by_state,
        listed_by_channel,
        listed_by_participant,
        listed_of: Some(listed_of),
        listed_at: Some(listed_at),
        attention_of,
        attention_at,
    }
}
