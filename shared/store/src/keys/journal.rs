//! The keys of the table `journal`: webhook events, invocations of agents, logs of runs, charges, credit adjustments, guard events
//! and the audit log.

use super::{Key, RUN, shard_of};
use domain::id::{
    AgentId, AuditId, GuardEventId, InvocationId, LeaseId, OrgId, ResponseId, RunId, TransactionId, WebhookEventId,
    WebhookId,
};
use domain::identity::Account;
use domain::time::Time;

// journal: the events of webhooks

/// The number of partitions of a webhook's events. One webhook may receive thousands of calls a second.
pub const EVENT_SHARDS: u8 = 8;

/// A part of the events of a webhook, in the order of their arrival.
pub fn webhook_events(id: WebhookId, shard: u8) -> String {
    format!("WEBHOOK#{id}#{shard}")
}

pub fn webhook_event(webhook: WebhookId, id: WebhookEventId) -> Key {
    Key::new(webhook_events(webhook, shard_of(id.uuid(), EVENT_SHARDS)), id)
}

// journal: the invocations of agents

/// The number of partitions of an agent's invocations. Each invocation writes twice to one of them.
pub const INVOCATION_SHARDS: u8 = 4;

/// A part of the invocations of an agent, in the order of their beginnings.
pub fn invocations(agent: AgentId, shard: u8) -> String {
    format!("INVOCATIONS#{agent}#{shard}")
}

pub fn invocation(agent: AgentId, id: InvocationId) -> Key {
    Key::new(invocations(agent, shard_of(id.uuid(), INVOCATION_SHARDS)), id)
}

// journal: the logs of runs

/// The log of a run, in the order of its events.
pub fn run_log(id: RunId) -> String {
    format!("{RUN}{id}")
}

/// A part of the log that begins with the event of this number.
pub fn run_log_part(id: RunId, first: u64) -> Key {
    Key::new(run_log(id), log_place(first))
}

/// The place of a part in its log. A run has far fewer events than 8 digits can count.
pub fn log_place(first: u64) -> String {
    format!("{:08}", first.min(99_999_999))
}

// journal: charges, credit adjustments, guard events and the audit log. The global index `listed` (`listed_in`, `listed_at`) lists
// them newest first.

/// The partition keys of the logs of leases begin with it.
pub const LEASE: &str = "LEASE#";

/// The log of the charges of a lease.
pub fn charges(lease: LeaseId) -> String {
    format!("{LEASE}{lease}")
}

/// The sort keys of records begin with it.
pub const RECORD: &str = "RECORD#";

/// A record of the log. Records are numbered from 1, without gaps.
pub fn record(lease: LeaseId, number: u32) -> Key {
    Key::new(charges(lease), format!("{RECORD}{number:02}"))
}

/// The list of an organization's calls in a month that moved no credits: those of exempt plans, and those without a cost.
pub fn unbilled(org: OrgId, month: i64) -> String {
    format!("UNBILLED#{org}#{month}")
}

/// The list of an organization's calls in a month that failed and were not charged.
pub fn uncharged(org: OrgId, month: i64) -> String {
    format!("UNCHARGED#{org}#{month}")
}

/// A call that failed and was not charged.
pub fn uncharged_call(id: TransactionId, place: &str, lease: LeaseId) -> Key {
    call_row(format!("CALL#{id}"), place, lease)
}

/// The number of partitions of a list of the calls of all organizations. Each lease that is closed writes to one of them.
pub const CALL_SHARDS: u8 = 8;

/// Whose calls a list has.
#[derive(Clone, Copy, Debug)]
pub enum CallScope {
    Org(OrgId),
    /// A part of the calls of all organizations.
    Shard(u8),
    /// The calls with a property that only one organization has.
    Any,
}

impl CallScope {
    /// The part that has the calls of a lease.
    pub fn shard_of(lease: LeaseId) -> Self {
        Self::Shard(shard_of(lease.uuid(), CALL_SHARDS))
    }

    pub fn shards() -> impl Iterator<Item = Self> {
        (0..CALL_SHARDS).map(Self::Shard)
    }
}

/// A list of the log of calls.
pub fn calls(scope: CallScope, what: impl std::fmt::Display) -> String {
    match scope {
        CallScope::Org(org) => format!("CALLS#{org}#{what}"),
        CallScope::Shard(shard) => format!("CALLS#{shard}#{what}"),
        CallScope::Any => format!("CALLS#{what}"),
    }
}

/// A row of such a list, at the place of its newest call.
pub fn call_row(list: String, place: &str, lease: LeaseId) -> Key {
    Key::new(list, format!("{place}#{lease}"))
}

/// A response of a model that an account keeps.
pub fn response(account: Account, id: ResponseId) -> Key {
    Key::new(format!("RESPONSE#{}#{}#{id}", account.org, account.user), "RESPONSE")
}

/// The answer that is given again to equal requests. Each is a partition of its own, so that none becomes hot.
pub fn cached_answer(org: OrgId, body_hash: &str, of: &str) -> Key {
    Key::new(format!("ANSWER#{org}#{body_hash}"), of)
}

/// A charge that found the log closed by a sweep.
pub fn late_charge(lease: LeaseId, slot: u32) -> Key {
    Key::new(charges(lease), format!("LATE#{slot:02}"))
}

pub fn adjustment(id: TransactionId) -> Key {
    Key::new(format!("TRANSACTION#{id}"), "TRANSACTION")
}

/// An evaluation by the guard.
pub fn guard_event(id: GuardEventId) -> Key {
    Key::new(format!("GUARD#{id}"), "EVENT")
}

/// The list of an organization's guard events in a month.
pub fn guard_events(org: OrgId, month: i64) -> String {
    format!("GUARD#{org}#{month}")
}

/// An entry of the audit log.
pub fn audit_entry(id: AuditId) -> Key {
    Key::new(format!("AUDIT#{id}"), "AUDIT")
}

/// The list of a month's entries in the audit log.
pub fn audit(month: i64) -> String {
    format!("AUDIT#{month}")
}

/// The list of an organization's credit movements in a month: charges and adjustments.
pub fn ledger(org: OrgId, month: i64) -> String {
    format!("LEDGER#{org}#{month}")
}

/// The list of the credits that an organization was given in a month. Each is a copy of an entry in the ledger.
pub fn credits(org: OrgId, month: i64) -> String {
    format!("CREDITS#{org}#{month}")
}

pub fn credit(id: TransactionId) -> Key {
    Key::new(format!("TRANSACTION#{id}"), "CREDIT")
}

pub fn listed_at(at: Time, id: impl ToString) -> String {
    format!("{at}#{}", id.to_string())
}
