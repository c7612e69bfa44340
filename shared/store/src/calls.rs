//! The log of calls: charged calls, and those that failed without a charge, newest first.
//!
//! Without a filter, the calls of an organization are those that the index `listed` has: in the ledger, and in two more lists
//! of each month. Other lists consist of the rows that the closing of leases writes (`leases/call_rows.rs`). A call of an open lease
//! is missing in them, for some seconds.

use futures::{StreamExt, TryStreamExt, stream};

use super::attribute::SK;
use super::item::Item;
use super::keys::{self, CallScope};
use super::leases::{self, Leases, lease_of, place, read_charges};
use super::ledger::{CLOCK_DIFFERENCE, LONGEST_REQUEST, find_named, is_adjustment};
use super::listed::{Listed, NewestFirst, NewestRows, Steps, merge_lists, read_newest};
use super::query::{Range, TableQuery};
use super::table::Table;
use domain::Result;
use domain::call_facts::CallStatus;
use domain::call_log::{CallFilter, CallProperty};
use domain::id::{OrgId, UserId};
use domain::lease::{LEASE_DURATION, LONGEST_CALL, end_of_month, month, month_before};
use domain::ledger::{Charge, RETENTION};
use domain::page::{Order, Slice};
use domain::receipt::ReceiptName;
use domain::time::Time;
use platform::{Context, config};

/// The leases whose logs are read at once.
const CONCURRENT_READS: usize = 16;

#[derive(Clone)]
pub struct CallLog {
    journal: Table,
    leases: Leases,
}

impl CallLog {
    pub fn new(context: &Context) -> Result<Self> {
        Ok(Self { journal: Table::new(context, config::TABLE_JOURNAL)?, leases: Leases::new(context)? })
    }

    /// Lists calls, newest first. `after` is the cursor of the last page. With more than one filter, a short page may still have a
    /// next page.
    pub async fn list(
        &self,
        filter: &CallFilter,
        limit: u32,
        after: Option<String>,
        now: Time,
    ) -> Result<Slice<Charge>> {
        let lists: Vec<CallList> =
            sources(filter, now).into_iter().map(|source| self.list_of(source, filter, now)).collect();
        let is_of_rows = matches!(lists.first(), Some(CallList { source: Source::Rows { .. }, .. }));
        let steps = if is_of_rows || filter.is_exact() { Steps::SMALL } else { Steps::FILTERED };
        merge_lists(&lists, limit, after, steps, |call| filter.includes(call)).await
    }

    fn list_of(&self, source: Source, filter: &CallFilter, now: Time) -> CallList<'_> {
        // A row is at the place of its newest call, which may be later than those that the filter selects.
        let to = filter.to.unwrap_or(now).plus(LEASE_DURATION + LONGEST_REQUEST);
        let to = match source {
            Source::Index { month, .. } => to.min(latest_in(month)),
            Source::Rows { .. } => to,
        };
        let from = filter.from.unwrap_or_else(|| now.minus(RETENTION));
        CallList { log: self, source, from: from.to_string(), highest: to.to_string() }
    }

    /// Finds a call of an organization, of one user or of all users.
    pub async fn find(&self, org: OrgId, user: Option<UserId>, name: ReceiptName) -> Result<Option<Charge>> {
        let lists = [keys::ledger, keys::unbilled, keys::uncharged];
        find_named(&self.journal, &lists, (org, user), name, calls_of).await
    }

    async fn calls_of_row(&self, item: Item, wanted: &RowCalls) -> Result<Vec<(String, Charge)>> {
        let (pk, sk) = keys::Key::from_item(&item).map(|key| (key.pk, key.sk)).unwrap_or_default();
        let held = read_charges(item)?;
        if !held.is_empty() {
            return Ok(held.into_iter().map(|call| (place(&call), call)).collect());
        }
        let calls = self.leases.recorded_calls(lease_of(&pk, &sk)?).await?.into_iter();
        let calls: Vec<_> = calls.filter(|call| wanted.has(call)).map(|call| (place(&call), call)).collect();
        // Only the row at the place of the newest call counts.
        let newest = calls.iter().map(|(place, _)| place).max();
        let counts = newest.is_some_and(|newest| sk.strip_prefix(&**newest).is_some_and(|rest| rest.starts_with('#')));
        Ok(if counts { calls } else { Vec::new() })
    }
}

/// A list of calls.
struct CallList<'a> {
    log: &'a CallLog,
    source: Source,
    from: String,
    highest: String,
}

enum Source {
    /// A list of the index `listed`.
    Index { list: String, month: i64 },
    /// The rows of leases and of calls without a charge.
    Rows { list: String, calls: RowCalls },
}

/// The calls of a lease that a list has.
#[derive(Clone)]
enum RowCalls {
    All,
    /// Those that did not end well.
    Broken,
    With(CallProperty),
}

impl RowCalls {
    fn has(&self, call: &Charge) -> bool {
        match self {
            Self::All => true,
            Self::Broken => call.status() != CallStatus::Completed,
            Self::With(property) => property.is_of(call),
        }
    }
}

impl NewestFirst<Charge> for CallList<'_> {
    fn highest(&self) -> &str {
        &self.highest
    }

    async fn read(&self, to: &str, limit: u32) -> Result<NewestRows<Charge>> {
        if *to < *self.from {
            return Ok(NewestRows::end());
        }
        match &self.source {
            Source::Index { list, .. } => {
                read_newest(&self.log.journal, list.clone(), limit, (&self.from, to), calls_of).await
            }
            Source::Rows { list, calls: wanted } => {
                let query = TableQuery {
                    range: Some(Range::between(SK, &*self.from, to)),
                    order: Order::Desc,
                    limit: Some(limit),
                    ..TableQuery::partition(list)
                };
                let found = self.log.journal.query(&query).await?;
                let rows = stream::iter(found.items).map(async |item| {
                    let row = keys::Key::from_item(&item).map(|key| key.sk).unwrap_or_default();
                    let calls = self.log.calls_of_row(item, wanted).await?;
                    Ok::<_, domain::Error>((row, calls))
                });
                let rows: Vec<_> = rows.buffered(CONCURRENT_READS).try_collect().await?;
                let last = rows.last().map(|(row, _)| row.clone());
                let entries = rows.into_iter().flat_map(|(row, calls)| {
                    calls.into_iter().map(move |(place, entry)| Listed { place, entry, row: row.clone() })
                });
                Ok(NewestRows { entries: entries.collect(), last, is_last: found.next.is_none() })
            }
        }
    }
}

/// The calls of a row of the index. It has adjustments of credits too.
fn calls_of(item: Item, _row: &str) -> Result<Vec<(String, Charge)>> {
    let calls = if is_adjustment(&item) { Vec::new() } else { read_charges(item)? };
    Ok(calls.into_iter().map(|call| (place(&call), call)).collect())
}

/// The lists that have the calls of a filter.
fn sources(filter: &CallFilter, now: Time) -> Vec<Source> {
    let scopes: Vec<CallScope> = match &*filter.orgs {
        [] => CallScope::shards().collect(),
        orgs => orgs.iter().copied().map(CallScope::Org).collect(),
    };
    if let Some(property) = filter.properties.first() {
        let scopes = if matches!(property, CallProperty::Key(_)) { vec![CallScope::Any] } else { scopes };
        return rows(&scopes, &leases::name(property), RowCalls::With(property.clone()));
    }
    let is_of_all = filter.orgs.is_empty();
    let has_completed = filter.status.is_none_or(|status| status == CallStatus::Completed);
    let has_broken = filter.status != Some(CallStatus::Completed);
    let mut sources = Vec::new();
    match is_of_all {
        true if has_completed => sources.extend(rows(&scopes, leases::ANSWERED, RowCalls::All)),
        false if has_completed => {
            sources.extend(monthly(filter, now, keys::ledger));
            sources.extend(monthly(filter, now, keys::unbilled));
        }
        // The charged calls that did not end well. Those without a charge follow.
        _ => sources.extend(rows(&scopes, leases::BROKEN, RowCalls::Broken)),
    }
    match is_of_all {
        true if has_broken => sources.extend(rows(&scopes, leases::UNCHARGED, RowCalls::All)),
        false if has_broken => sources.extend(monthly(filter, now, keys::uncharged)),
        _ => {}
    }
    sources
}

fn rows(scopes: &[CallScope], name: &str, calls: RowCalls) -> Vec<Source> {
    scopes.iter().map(|scope| Source::Rows { list: keys::calls(*scope, name), calls: calls.clone() }).collect()
}

/// The lists of the months of a filter, for each of its organizations.
fn monthly(filter: &CallFilter, now: Time, list: fn(OrgId, i64) -> String) -> Vec<Source> {
    let months = months(filter, now);
    let of_org = |org: &OrgId| {
        let of_month = |month: &i64| Source::Index { list: list(*org, *month), month: *month };
        months.iter().map(of_month).collect::<Vec<_>>()
    };
    filter.orgs.iter().flat_map(of_org).collect()
}

/// The months of a filter, newest first.
fn months(filter: &CallFilter, now: Time) -> Vec<i64> {
    // A call is listed in the month in which its lease was granted.
    let from = filter.from.unwrap_or_else(|| now.minus(RETENTION));
    let first = month(from.minus(LEASE_DURATION + LONGEST_REQUEST));
    let last = month(filter.to.unwrap_or(now).plus(CLOCK_DIFFERENCE).min(now.plus(CLOCK_DIFFERENCE)));
    std::iter::successors(Some(last), |month| Some(month_before(*month))).take_while(|month| *month >= first).collect()
}

/// The latest time of a call that is listed in a month.
fn latest_in(month: i64) -> Time {
    end_of_month(month).plus(LEASE_DURATION + LONGEST_CALL + LONGEST_REQUEST)
}
