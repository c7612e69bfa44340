//! The ledger: credit movements, newest first, and the adjustments by which operators give and take credits.

use std::time::Duration;

use attributes::Attributes;
use serde::{Deserialize, Serialize};

use super::backoff::Backoff;
use super::item::{Item, parse};
use super::keys;
use super::leases::{Leases, listed_charges};
use super::listed::{ListedPage, find_oldest, list_entries, read_newest};
use super::meters::Meter;
use super::table::{RefusedWrite, Table, WriteOutcome};
use super::usage::AdjustmentSums;
use super::write::Write;
use domain::id::{OrgId, UserId};
use domain::image::JOB_DEADLINE;
use domain::lease::{LONGEST_CALL, month, month_before};
use domain::ledger::{Adjustment, Charge, EntryKind, LedgerEntry, RETENTION};
use domain::money::Money;
use domain::page::Slice;
use domain::receipt::ReceiptName;
use domain::time::Time;
use domain::{Error, Result};
use platform::{Context, config};

/// An earlier attempt of the same request is searched within this time, among at most this number of rows.
const RETRIED_WITHIN_MS: i64 = 10 * 60 * 1_000;
const RETRIED_AMONG: u32 = 100;

/// Longer than the time from the arrival of a request to the record of its charge, also of a job that generates images.
pub(super) const LONGEST_REQUEST: Duration = JOB_DEADLINE.saturating_add(LONGEST_CALL);
/// The clock of a process may be set back between the creation of an id and that of the charge, and clocks of processes differ.
pub(super) const CLOCK_DIFFERENCE: Duration = Duration::from_millis(100);

#[derive(Clone)]
pub struct Ledger {
    counters: Table,
    journal: Table,
    leases: Leases,
}

#[derive(Serialize, Deserialize, Attributes)]
struct AdjustmentItem {
    pk: String,
    sk: String,
    adjustment: Adjustment,
    listed_in: String,
    listed_at: String,
    expires_at: i64,
}

/// The filter of a list of entries. By default it selects all entries.
#[derive(Clone, Copy, Debug, Default)]
pub struct EntryFilter {
    pub kind: Option<EntryKind>,
    /// Selects only the calls of this user.
    pub user: Option<UserId>,
}

impl EntryFilter {
    fn includes(&self, entry: &LedgerEntry) -> bool {
        self.kind.is_none_or(|kind| entry.kind() == kind) && self.user.is_none_or(|user| entry.user() == Some(user))
    }
}

/// The label of the update of the balance.
const BALANCE: &str = "balance";

/// The outcome of an adjustment.
pub(super) enum Adjusted {
    Done(Adjustment),
    /// The balance is too low for the debit, or the credit exceeds the maximum balance.
    OutOfRange,
    /// A condition of the additional writes failed.
    Refused(RefusedWrite),
}

impl Ledger {
    pub fn new(context: &Context) -> Result<Self> {
        Ok(Self {
            counters: Table::new(context, config::TABLE_COUNTERS)?,
            journal: Table::new(context, config::TABLE_JOURNAL)?,
            leases: Leases::new(context)?,
        })
    }

    /// Gives or takes credits. Returns the adjustment with the balance after it, or `None` when the balance is too low
    /// for the debit or the credit exceeds the maximum balance.
    pub async fn adjust(&self, adjustment: Adjustment) -> Result<Option<Adjustment>> {
        match self.adjust_with(adjustment, |_| Ok(Vec::new())).await? {
            Adjusted::Done(adjustment) => Ok(Some(adjustment)),
            Adjusted::OutOfRange => Ok(None),
            Adjusted::Refused(_) => Err(Error::internal("an adjustment without conditions was refused")),
        }
    }

    /// Gives or takes credits, in one transaction with the additional writes that `with` builds.
    pub(super) async fn adjust_with(
        &self,
        mut adjustment: Adjustment,
        with: impl Fn(&Adjustment) -> Result<Vec<Write>>,
    ) -> Result<Adjusted> {
        let org = adjustment.org;
        let mut backoff = Backoff::default();
        loop {
            let (meter, balance) = self.leases.balance(org).await?;
            let update = self.counters.update(keys::org_meter(org)).add(Meter::SEQUENCE, 1);
            let amount = adjustment.amount;
            let mut update = match meter.sequence() {
                0 => update.require(Meter::SEQUENCE.is_missing()),
                sequence => update.require_is(Meter::SEQUENCE, sequence),
            };
            match adjustment.kind {
                EntryKind::Credit => {
                    adjustment.balance_after = balance + amount;
                    if adjustment.balance_after > Money::MAX_CREDIT {
                        return Ok(Adjusted::OutOfRange);
                    }
                    update = update.add(Meter::BALANCE, amount).set(Meter::INITIAL, adjustment.balance_after);
                }
                EntryKind::Debit => {
                    // An amount that an open lease holds cannot be taken.
                    if meter.balance() < amount {
                        return Ok(Adjusted::OutOfRange);
                    }
                    adjustment.balance_after = balance.less(amount);
                    update = update.add(Meter::BALANCE, -i128::from(amount.pico_usd()));
                }
            }
            let mut writes = with(&adjustment)?;
            writes.push(update.labeled(BALANCE));
            writes.extend(self.adjustment_writes(&adjustment));
            match self.counters.transact(uuid::Uuid::now_v7(), &writes).await? {
                WriteOutcome::Written => return Ok(Adjusted::Done(adjustment)),
                WriteOutcome::Refused(refused) if refused.label == BALANCE => {
                    backoff.next("the balance keeps changing during the adjustment").await?
                }
                WriteOutcome::Refused(refused) => return Ok(Adjusted::Refused(refused)),
            }
        }
    }

    /// The writes that add an adjustment to the ledger and to the sums of its month.
    fn adjustment_writes(&self, adjustment: &Adjustment) -> Vec<Write> {
        let month = month(adjustment.created_at);
        let sum = match adjustment.kind {
            EntryKind::Credit => AdjustmentSums::CREDIT,
            EntryKind::Debit => AdjustmentSums::DEBIT,
        };
        let sums = self.counters.update(keys::adjustment_sums(adjustment.org, month));
        let mut writes = vec![self.journal.put_new(&adjustment_item(adjustment)), sums.add(sum, adjustment.amount)];
        if adjustment.kind == EntryKind::Credit {
            // Credits are few among very many charges. Their separate list makes it cheap to read credits alone.
            let key = keys::credit(adjustment.id);
            let listed_in = keys::credits(adjustment.org, month);
            let copy = AdjustmentItem { pk: key.pk, sk: key.sk, listed_in, ..adjustment_item(adjustment) };
            writes.push(self.journal.put_new(&copy));
        }
        writes
    }

    /// Lists the movements of a month (`202611`), newest first. `after` is the cursor of the last page. A short page may
    /// still have a next page.
    pub async fn list(
        &self,
        org: OrgId,
        month: i64,
        filter: EntryFilter,
        limit: u32,
        after: Option<String>,
    ) -> Result<Slice<LedgerEntry>> {
        let partition = match filter.kind {
            Some(EntryKind::Credit) => keys::credits(org, month),
            Some(EntryKind::Debit) | None => keys::ledger(org, month),
        };
        let page = ListedPage { list: partition, limit, after, is_filtered: filter.user.is_some() };
        list_entries(&self.journal, page, entries, |entry| filter.includes(entry)).await
    }

    /// Finds the newest movement of this month or the last month, of one user or of all users.
    pub async fn last(&self, org: OrgId, user: Option<UserId>, now: Time) -> Result<Option<LedgerEntry>> {
        let this = month(now);
        for month in [this, month_before(this)] {
            let newest = self.list(org, month, EntryFilter { kind: None, user }, 1, None).await?;
            if let Some(entry) = newest.items.into_iter().next() {
                return Ok(Some(entry));
            }
        }
        Ok(None)
    }

    /// Finds an earlier charge for the same request body and the same API key, within the last ten minutes.
    pub async fn find_earlier_attempt(&self, of: &Charge) -> Result<Option<Charge>> {
        let now = of.created_at;
        let since = Time::from_millis(now.as_millis() - RETRIED_WITHIN_MS).to_string();
        let list = keys::ledger(of.org, month(now));
        let newest = read_newest(&self.journal, list, RETRIED_AMONG, (&since, "9"), entries).await?.entries;
        let earlier = newest.into_iter().filter_map(|listed| match listed.entry {
            LedgerEntry::Charge(charge) if charge.key == of.key && charge.body_hash == of.body_hash => Some(*charge),
            LedgerEntry::Charge(_) | LedgerEntry::Adjustment(_) => None,
        });
        Ok(earlier.max_by_key(|charge| (charge.created_at, charge.id)))
    }

    /// Finds a charge among those that the list of transactions has, of one user or of all users.
    pub async fn find_charge(&self, org: OrgId, user: Option<UserId>, name: ReceiptName) -> Result<Option<Charge>> {
        let charges = |item: Item, _: &str| if is_adjustment(&item) { Ok(Vec::new()) } else { listed_charges(item) };
        find_named(&self.journal, &[keys::ledger], (org, user), name, charges).await
    }
}

/// Finds a call in lists of an organization's months, of one user or of all users. The search begins at the time that the name
/// holds, so it takes one query for each list, unless very many calls ended before this one in that time. It ends after a bounded
/// number of rows.
pub(super) async fn find_named(
    journal: &Table,
    lists: &[fn(OrgId, i64) -> String],
    (org, user): (OrgId, Option<UserId>),
    name: ReceiptName,
    parse: impl Fn(Item, &str) -> Result<Vec<(String, Charge)>>,
) -> Result<Option<Charge>> {
    let from = name.created_at().minus(CLOCK_DIFFERENCE);
    let to = name.created_at().plus(LONGEST_REQUEST);
    let (first, last) = (from.to_string(), to.to_string());
    let is_wanted = |call: &Charge| name.is_of(call) && user.is_none_or(|user| call.user == user);
    // A call is listed in the month in which its lease was granted, which may have been before the id was created.
    let mut months = vec![month(from.minus(LONGEST_REQUEST)), month(to)];
    months.dedup();
    for month in months {
        for list in lists {
            let found = find_oldest(journal, list(org, month), (&first, &last), &parse, is_wanted).await?;
            if found.is_some() {
                return Ok(found);
            }
        }
    }
    Ok(None)
}

fn adjustment_item(adjustment: &Adjustment) -> AdjustmentItem {
    let key = keys::adjustment(adjustment.id);
    AdjustmentItem {
        pk: key.pk,
        sk: key.sk,
        adjustment: adjustment.clone(),
        listed_in: keys::ledger(adjustment.org, month(adjustment.created_at)),
        listed_at: keys::listed_at(adjustment.created_at, adjustment.id),
        expires_at: adjustment.created_at.plus(RETENTION).as_seconds(),
    }
}

/// Whether a row of the ledger moves credits without a call.
pub(super) fn is_adjustment(item: &Item) -> bool {
    AdjustmentItem::ADJUSTMENT.find(item).is_some()
}

/// The entries of a row, each with its place. A record has the charges of several calls.
fn entries(item: Item, row: &str) -> Result<Vec<(String, LedgerEntry)>> {
    if is_adjustment(&item) {
        let item: AdjustmentItem = parse(item)?;
        return Ok(vec![(row.to_owned(), LedgerEntry::Adjustment(item.adjustment))]);
    }
    let charges = listed_charges(item)?.into_iter();
    Ok(charges.map(|(place, charge)| (place, LedgerEntry::Charge(Box::new(charge)))).collect())
}
