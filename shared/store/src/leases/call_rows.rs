//! The rows of the log of calls, by which `calls.rs` lists calls with one property, such as a tag or an error.
//!
//! A charged call needs no write of its own. Its charge has all that the log shows, and when its lease is closed, the same
//! transaction adds one row for the lease to each list that has calls of it. A lease whose rows do not fit the transaction
//! writes the others before it. The transaction may then fail, and the lease may get more calls. So a row that leads to a lease
//! counts only at the place of the newest call that the lease has for the list.
//!
//! A call that failed without a charge has a row in each of its lists, when it ends.

use std::collections::BTreeMap;

use futures::{StreamExt, TryStreamExt, stream};
use uuid::Uuid;

use super::charge_items::{RecordItem, call_row_item, read_charges, uncharged_item};
use super::{Leases, MAX_WRITES};
use crate::keys::{self, CallScope};
use crate::query::{Range, TableQuery};
use crate::write::Write;
use domain::Result;
use domain::call_facts::{CallFacts, CallStatus};
use domain::call_log::CallProperty;
use domain::id::LeaseId;
use domain::ledger::Charge;

/// The rows that are written at once, if they do not fit the transaction.
const CONCURRENT_WRITES: usize = 16;

/// The charged calls of all organizations, and those that failed.
pub(crate) const ANSWERED: &str = "ANSWERED";
/// The calls that failed and were not charged.
pub(crate) const UNCHARGED: &str = "UNCHARGED";
/// The charged calls that did not end well.
pub(crate) const BROKEN: &str = "BROKEN";

/// The name of a property in the key of its list.
pub(crate) fn name(property: &CallProperty) -> String {
    match property {
        CallProperty::EndUser(name) => format!("END_USER#{name}"),
        CallProperty::Tag(tag) => format!("TAG#{tag}"),
        CallProperty::Key(key) => format!("KEY#{key}"),
        CallProperty::Error(code) => format!("ERROR#{code}"),
        CallProperty::Alias(alias) => format!("ALIAS#{alias}"),
        CallProperty::Deployment(deployment) => format!("DEPLOYMENT#{deployment}"),
        CallProperty::User(user) => format!("USER#{user}"),
        CallProperty::Model(model) => format!("MODEL#{model}"),
        CallProperty::Provider(provider) => format!("PROVIDER#{provider}"),
    }
}

/// The lists that have a property: of its organization, of all organizations, or both.
fn scopes(property: &CallProperty, call: &Charge) -> Vec<CallScope> {
    match property {
        CallProperty::Key(_) => vec![CallScope::Any],
        CallProperty::User(_) | CallProperty::EndUser(_) | CallProperty::Tag(_) => vec![CallScope::Org(call.org)],
        CallProperty::Error(_)
        | CallProperty::Alias(_)
        | CallProperty::Deployment(_)
        | CallProperty::Model(_)
        | CallProperty::Provider(_) => vec![CallScope::Org(call.org), CallScope::shard_of(call.lease)],
    }
}

/// The lists of a call, except those of the index.
fn lists_of(call: &Charge, is_charged: bool) -> Vec<String> {
    let shard = CallScope::shard_of(call.lease);
    let mut lists = vec![keys::calls(shard, if is_charged { ANSWERED } else { UNCHARGED })];
    if is_charged && call.status() != CallStatus::Completed {
        lists.extend([CallScope::Org(call.org), shard].map(|scope| keys::calls(scope, BROKEN)));
    }
    for property in CallProperty::of_call(call) {
        lists.extend(scopes(&property, call).into_iter().map(|scope| keys::calls(scope, name(&property))));
    }
    lists
}

/// The calls of a lease in one list.
struct CallRow<'a> {
    list: String,
    newest: &'a Charge,
    count: usize,
}

impl CallRow<'_> {
    fn item(self, holds_call: bool) -> RecordItem {
        call_row_item(self.list, self.newest, holds_call && self.count == 1)
    }
}

fn rows(calls: &[Charge]) -> Vec<CallRow<'_>> {
    let (mut rows, mut by_list) = (Vec::<CallRow>::new(), BTreeMap::<String, usize>::new());
    // The calls of a lease mostly have the same properties, so their lists are named once.
    let mut last: Option<(&Charge, Vec<usize>)> = None;
    for call in calls {
        let places = match last.take() {
            Some((other, places)) if is_in_same_lists(call, other) => places,
            _ => {
                let place_of = |list: String| {
                    *by_list.entry(list).or_insert_with_key(|list| {
                        rows.push(CallRow { list: list.clone(), newest: call, count: 0 });
                        rows.len() - 1
                    })
                };
                lists_of(call, true).into_iter().map(place_of).collect()
            }
        };
        for place in &places {
            let row = &mut rows[*place];
            row.count += 1;
            // The order of the places in the lists.
            if (call.created_at, call.id) > (row.newest.created_at, row.newest.id) {
                row.newest = call;
            }
        }
        last = Some((call, places));
    }
    rows
}

/// Whether two charged calls of a lease are in the same lists. Users, keys and models are those of the lease.
fn is_in_same_lists(call: &Charge, other: &Charge) -> bool {
    let facts = |one: &CallFacts, other: &CallFacts| {
        (&one.alias, &one.upstream, &one.error, &one.labels)
            == (&other.alias, &other.upstream, &other.error, &other.labels)
    };
    call.provider == other.provider
        && match (&call.facts, &other.facts) {
            (Some(one), Some(other)) => facts(one, other),
            (None, None) => true,
            _ => false,
        }
}

impl Leases {
    /// Adds the rows of the calls of a lease to the transaction that closes it.
    pub(super) async fn add_call_rows(&self, writes: &mut Vec<Write>, calls: &[Charge]) -> Result<()> {
        let mut rows = rows(calls);
        let outside = rows.split_off(rows.len().min(MAX_WRITES.saturating_sub(writes.len())));
        let outside = outside.into_iter().map(|row| self.journal.put(&row.item(false)));
        let outside: Vec<Write> = outside.collect();
        let written = stream::iter(outside).map(|write| self.journal.write(write)).buffered(CONCURRENT_WRITES);
        written.try_collect::<Vec<_>>().await?;
        writes.extend(rows.into_iter().map(|row| self.journal.put(&row.item(true))));
        Ok(())
    }

    /// The rows of a late charge, which is in no record.
    pub(super) fn late_rows(&self, call: &Charge) -> impl Iterator<Item = Write> {
        lists_of(call, true).into_iter().map(|list| self.journal.put(&call_row_item(list, call, true)))
    }

    /// Stores a call that failed and was not charged.
    pub async fn log_uncharged(&self, call: &Charge) -> Result<()> {
        let mut writes = vec![self.journal.put(&uncharged_item(call))];
        let lists = lists_of(call, false).into_iter();
        writes.extend(lists.map(|list| self.journal.put(&call_row_item(list, call, true))));
        self.journal.transact(Uuid::now_v7(), &writes).await.map(drop)
    }

    /// Reads the calls in the log of a lease.
    pub(crate) async fn recorded_calls(&self, lease: LeaseId) -> Result<Vec<Charge>> {
        let range = Some(Range::beginning(keys::RECORD));
        let query = TableQuery { range, ..TableQuery::partition(keys::charges(lease)) };
        let mut calls = Vec::new();
        for item in self.journal.query_all(query).await? {
            calls.append(&mut read_charges(item)?);
        }
        Ok(calls)
    }
}
