//! The keys of the table `counters`: lists' totals, claims of calls, meters, leases and usage.

use super::super::attribute::Attribute;
use super::{DueShards, Key, shard_of};
use domain::file::FilePurpose;
use domain::graph::hash;
use domain::id::{
    ApiKeyId, BatchId, FileId, Id, ImageJobId, LeaseId, OrgId, RunId, TransactionId, UserId, WebhookId, WorkflowId,
};
use domain::identity::Account;
use domain::lease::{Counter, CounterKind};
use domain::run::{RunStep, node_id_of};
use domain::spend::SpendBy;
use domain::{Error, Result};
use uuid::Uuid;

/// The number of agents in an account's list.
pub fn agent_count(account: Account) -> Key {
    Key::new(format!("COUNT#{}#{}", account.org, account.user), "AGENTS")
}

/// The number of workflows in an account's list.
pub fn workflow_count(account: Account) -> Key {
    Key::new(format!("COUNT#{}#{}", account.org, account.user), "WORKFLOWS")
}

/// The number of workflows that are shared with a user.
pub fn shared_workflow_count(user: Account) -> Key {
    Key::new(format!("COUNT#{}#{}", user.org, user.user), "SHAREDWORKFLOWS")
}

/// The number of agents that are shared with a user.
pub fn shared_agent_count(user: Account) -> Key {
    Key::new(format!("COUNT#{}#{}", user.org, user.user), "SHAREDAGENTS")
}

/// The claim of a gateway call that carries an `Idempotency-Key`.
pub fn call(account: Account, key: &str) -> Key {
    Key::new(format!("CALLS#{}#{}", account.org, account.user), key)
}

/// The number of stored events of the refused calls that a webhook received from one kind of sender in an hour.
pub fn refused_calls(webhook: WebhookId, sender: &str, hour: i64) -> Key {
    Key::new(format!("REFUSED#{webhook}"), format!("{sender}#{hour}"))
}

/// The number of runs that the form of a webhook started in an hour.
pub fn sent_forms(webhook: WebhookId, hour: i64) -> Key {
    Key::new(format!("FORMS#{webhook}"), hour.to_string())
}

/// A job that generates images.
pub fn image_job(account: Account, id: ImageJobId) -> Key {
    Key::new(format!("{IMAGES}{}#{}", account.org, account.user), id)
}

/// The account and the id of a job, from its key.
pub fn read_image_job(key: &Key) -> Result<(Account, ImageJobId)> {
    read_owned(IMAGES, key).ok_or_else(|| Error::internal(format!("{} is not the key of a job", key.pk)))
}

const IMAGES: &str = "IMAGES#";

/// The files of an account that have a purpose, in the order of their creation.
pub fn files(account: Account, purpose: FilePurpose) -> String {
    format!("FILES#{}#{}#{}", account.org, account.user, purpose.as_str())
}

pub fn file(account: Account, purpose: FilePurpose, id: FileId) -> Key {
    Key::new(files(account, purpose), id)
}

/// The number of an account's files.
pub fn file_count(account: Account) -> Key {
    Key::new(format!("FILECOUNT#{}#{}", account.org, account.user), "FILES")
}

/// The batches of an account, in the order of their creation.
pub fn batches(account: Account) -> String {
    format!("{BATCHES}{}#{}", account.org, account.user)
}

pub fn batch(account: Account, id: BatchId) -> Key {
    Key::new(batches(account), id)
}

/// The number of an account's batches that have not ended.
pub fn unfinished_batches(account: Account) -> Key {
    Key::new(format!("BATCHCOUNT#{}#{}", account.org, account.user), "UNFINISHED")
}

/// The account and the id of a batch, from its key.
pub fn read_batch(key: &Key) -> Result<(Account, BatchId)> {
    read_owned(BATCHES, key).ok_or_else(|| Error::internal(format!("{} is not the key of a batch", key.pk)))
}

/// The account in a partition key after its prefix, and the id in the sort key.
fn read_owned<T: Id>(prefix: &str, key: &Key) -> Option<(Account, T)> {
    let (org, user) = key.pk.strip_prefix(prefix)?.split_once('#')?;
    Some((Account { org: org.parse().ok()?, user: user.parse().ok()? }, key.sk.parse().ok()?))
}

const BATCHES: &str = "BATCHES#";

pub const BATCHES_DUE: DueShards = DueShards::new(BATCHES, 4);

pub const IMAGES_DUE: DueShards = DueShards::new(IMAGES, 4);

pub const LEASES_DUE: DueShards = DueShards::new("DUE#", 4);

/// The partition of an organization's meter and its open leases, so that one query reads both.
pub fn org_money(org: OrgId) -> String {
    format!("ORG#{org}")
}

pub fn org_meter(org: OrgId) -> Key {
    Key::new(org_money(org), METER)
}

pub fn user_meter(account: Account) -> Key {
    Key::new(format!("METER#{}#{}", account.org, account.user), METER)
}

pub fn key_meter(key: ApiKeyId) -> Key {
    Key::new(format!("METER#{key}"), METER)
}

pub fn lease(org: OrgId, id: LeaseId) -> Key {
    Key::new(org_money(org), format!("LEASE#{id}"))
}

pub const METER: &str = "METER";

/// The attribute of a meter that holds a counter. Each window has its own attribute, so that no counter is ever reset.
pub fn counter(counter: &Counter) -> Attribute<u64> {
    Attribute::named(counter_name(counter))
}

fn counter_name(counter: &Counter) -> String {
    let name = match counter.kind {
        CounterKind::Balance => "balance",
        CounterKind::Spending => "spent",
        CounterKind::Limit(dimension) => dimension.as_str(),
    };
    counter.window.map_or_else(|| name.to_owned(), |window| format!("{name}_{window}"))
}

/// The attribute of a meter that holds the amount which open wide leases took from a counter.
pub fn counter_wide(counter: &Counter) -> Attribute<u64> {
    Attribute::named(format!("{}_wide", counter_name(counter)))
}

/// The partition of an organization's usage in a month: counters by day and model, and by API key.
pub fn usage(org: OrgId, month: i64) -> String {
    format!("USAGE#{org}#{month}")
}

pub fn usage_of_day(org: OrgId, month: i64, day: &str, model: &str) -> Key {
    Key::new(usage(org, month), format!("{DAY}{day}#{model}"))
}

const DAY: &str = "DAY#";

/// The key is `-` for calls that the platform made for a user in process, without an API key.
pub fn usage_of_key(org: OrgId, month: i64, user: UserId, key: Option<ApiKeyId>) -> Key {
    let key = key.map_or_else(|| "-".to_owned(), |key| key.to_string());
    Key::new(usage(org, month), format!("KEY#{user}#{key}"))
}

/// The partition of an organization's spend in a month, by what its calls are grouped by.
pub fn spend(org: OrgId, month: i64, by: SpendBy) -> String {
    match by {
        SpendBy::Model => usage(org, month),
        SpendBy::Key => format!("SPEND#{org}#{month}#KEY"),
        SpendBy::Tag => format!("SPEND#{org}#{month}#TAG"),
        SpendBy::EndUser => format!("SPEND#{org}#{month}#END_USER"),
    }
}

/// The beginning of the sort keys of a spend.
pub fn spend_prefix(by: SpendBy) -> &'static str {
    match by {
        SpendBy::Model => DAY,
        SpendBy::Key | SpendBy::Tag | SpendBy::EndUser => "",
    }
}

/// The spend of a group of calls on a day.
pub fn spend_of_day(org: OrgId, month: i64, by: SpendBy, day: &str, name: &str) -> Key {
    Key::new(spend(org, month, by), format!("{}{day}#{name}", spend_prefix(by)))
}

/// The partition of the usage of a run: the counters of each step that has called models.
pub fn run_usage(run: RunId) -> String {
    format!("USAGE#RUN#{run}")
}

pub fn step_usage(RunStep { run, path, .. }: &RunStep) -> Key {
    // A sort key has at most 1,024 bytes. Loops may be nested deeper than that.
    let name = match path.len() {
        0..=1_000 => path.clone(),
        _ => format!("{}/{}", hash(path), node_id_of(path)),
    };
    Key::new(run_usage(*run), name)
}

/// The number of partitions of the statistics of a workflow, and of the totals of an account. Transactions that write one
/// item at the same time conflict, so the counters are spread.
pub const STATISTICS_SHARDS: u8 = 16;

fn statistics_shard(id: Uuid) -> u8 {
    shard_of(id, STATISTICS_SHARDS)
}

/// A part of the statistics of a workflow, in the order of days.
pub fn run_statistics(workflow: WorkflowId, shard: u8) -> String {
    format!("RUNSTATISTICS#{workflow}#{shard}")
}

/// The runs that ended on a UTC day.
pub fn ended_runs(workflow: WorkflowId, run: RunId, day: &str) -> Key {
    Key::new(run_statistics(workflow, statistics_shard(run.uuid())), format!("{day}#{ENDED}"))
}

/// The calls of models that the runs of a workflow made on a UTC day. The part depends on the charge, because the steps of
/// one run may call models at the same time.
pub fn usage_of_workflow(workflow: WorkflowId, charge: TransactionId, day: &str) -> Key {
    Key::new(run_statistics(workflow, statistics_shard(charge.uuid())), format!("{day}#{USED}"))
}

pub const ENDED: &str = "ENDED";
pub const USED: &str = "USED";

/// A part of the totals of all workflows of an account.
pub fn run_totals(account: Account, shard: u8) -> String {
    format!("RUNTOTALS#{}#{}#{shard}", account.org, account.user)
}

pub fn run_total(account: Account, workflow: WorkflowId, run: RunId) -> Key {
    Key::new(run_totals(account, statistics_shard(run.uuid())), workflow)
}

/// The sums of the credits that operators gave and took in a month.
pub fn adjustment_sums(org: OrgId, month: i64) -> Key {
    Key::new(usage(org, month), ADJUSTED)
}

pub const ADJUSTED: &str = "ADJUSTED";
