//! The ledger as people read it: movements of credits, newest first. And what an operator does to credits.

use serde::{Deserialize, Serialize};

use super::keys;
use super::leases::{LEDGER_FOR, Leases, listed_charge};
use super::table::{Index, Item, Query, Range, Refused, Table, parse};
use super::write::Write;
use crate::domain::id::OrgId;
use crate::domain::lease::month;
use crate::domain::ledger::{Adjustment, Charge, Entry, Kind};
use crate::domain::money::Money;
use crate::domain::page::{Order, Slice};
use crate::domain::time::Time;
use crate::{Context, Error, Result, config};

/// How far back a try of the same request is looked for, and among how many entries.
const RETRIED_WITHIN_MS: i64 = 10 * 60 * 1_000;
const RETRIED_AMONG: u32 = 100;
const TRIES: usize = 12;

#[derive(Clone)]
pub struct Ledger {
    counters: Table,
    journal: Table,
    leases: Leases,
}

#[derive(Serialize, Deserialize)]
struct AdjustmentItem {
    pk: String,
    sk: String,
    adjustment: Adjustment,
    listed_in: String,
    listed_at: String,
    expires_at: i64,
}

/// Some entries, and where the next ones begin.
pub struct Entries {
    pub entries: Vec<Entry>,
    pub next: Option<String>,
}

/// What came of an adjustment.
pub(super) enum Adjusted {
    Done(Adjustment),
    /// There is not so much to take, or no room for so much.
    OutOfRange,
    /// By the condition of what else was to be written.
    Refused(Refused),
}

impl Ledger {
    pub fn new(context: &Context) -> Result<Self> {
        Ok(Self {
            counters: Table::new(context, config::TABLE_COUNTERS)?,
            journal: Table::new(context, config::TABLE_JOURNAL)?,
            leases: Leases::new(context)?,
        })
    }

    /// Gives credits, or takes some. What the adjustment came to; none when there is not so much to take, or no room
    /// for so much.
    pub async fn adjust(&self, adjustment: Adjustment) -> Result<Option<Adjustment>> {
        match self.adjust_with(adjustment, |_| Ok(Vec::new())).await? {
            Adjusted::Done(adjustment) => Ok(Some(adjustment)),
            Adjusted::OutOfRange => Ok(None),
            Adjusted::Refused(_) => Err(Error::internal("an adjustment without conditions was refused")),
        }
    }

    /// The same, in one transaction with what else is to be written of it.
    pub(super) async fn adjust_with(
        &self,
        mut adjustment: Adjustment,
        with: impl Fn(&Adjustment) -> Result<Vec<Write>>,
    ) -> Result<Adjusted> {
        let org = adjustment.org;
        for _ in 0..TRIES {
            let (meter, balance) = self.leases.standing(org).await?;
            let update = self.counters.update(keys::org_meter(org)).add("seq", 1);
            let amount = adjustment.amount;
            let mut update = match meter.sequence() {
                0 => update.require("attribute_not_exists(seq)"),
                sequence => update.require("seq = :seq").bind(":seq", sequence),
            };
            match adjustment.kind {
                Kind::Credit => {
                    adjustment.balance_after = balance + amount;
                    if adjustment.balance_after > Money::MOST_CREDIT {
                        return Ok(Adjusted::OutOfRange);
                    }
                    update = update.add("balance", amount.pico_usd()).set("initial", adjustment.balance_after);
                }
                Kind::Debit => {
                    // What open leases hold cannot be taken.
                    if meter.balance() < amount {
                        return Ok(Adjusted::OutOfRange);
                    }
                    adjustment.balance_after = balance.less(amount);
                    update = update.add("balance", -i128::from(amount.pico_usd()));
                }
            }
            let others = with(&adjustment)?;
            let own = others.len();
            let mut writes = others;
            writes.push(update);
            writes.extend(self.listed(&adjustment));
            match self.counters.transact(uuid::Uuid::now_v7(), &writes).await? {
                Ok(()) => return Ok(Adjusted::Done(adjustment)),
                Err(refused) if refused.index < own => return Ok(Adjusted::Refused(refused)),
                Err(_) => {}
            }
        }
        Err(Error::busy("the balance changes faster than it can be adjusted"))
    }

    /// An adjustment's entries in the ledger, and in the sum of its month.
    fn listed(&self, adjustment: &Adjustment) -> Vec<Write> {
        let month = month(adjustment.created_at);
        let sum = match adjustment.kind {
            Kind::Credit => "credit",
            Kind::Debit => "debit",
        };
        let sums = self.counters.update(keys::adjusted(adjustment.org, month));
        let mut writes =
            vec![self.journal.put_new(&adjustment_item(adjustment)), sums.add(sum, adjustment.amount.pico_usd())];
        if adjustment.kind == Kind::Credit {
            // Few among very many charges: a list of their own spares whoever looks for them reading the others.
            let key = keys::credit(adjustment.id);
            let listed_in = keys::credits(adjustment.org, month);
            let copy = AdjustmentItem { pk: key.pk, sk: key.sk, listed_in, ..adjustment_item(adjustment) };
            writes.push(self.journal.put_new(&copy));
        }
        writes
    }

    /// Movements of a month (`202611`), newest first; `after` is where the last page ended.
    pub async fn list(&self, org: OrgId, month: i64, limit: u32, after: Option<String>) -> Result<Entries> {
        // One more than is shown tells whether there are more.
        let mut entries = self.newest(org, month, limit + 1, ("0", &after.unwrap_or_else(|| "9".to_owned()))).await?;
        let more = entries.len() > limit as usize;
        entries.truncate(limit as usize);
        let next = entries.last().filter(|_| more).map(|(listed_at, _)| before(listed_at));
        Ok(Entries { entries: entries.into_iter().map(|(_, entry)| entry).collect(), next })
    }

    /// The same of one kind, or of both.
    pub async fn list_of(
        &self,
        org: OrgId,
        month: i64,
        kind: Option<Kind>,
        limit: u32,
        after: Option<String>,
    ) -> Result<Slice<Entry>> {
        let partition = match kind {
            Some(Kind::Credit) => keys::credits(org, month),
            Some(Kind::Debit) | None => keys::ledger(org, month),
        };
        let mut to = after.unwrap_or_else(|| "9".to_owned());
        let mut found = Vec::new();
        // Credits among the debits are skipped; they are few, so this ends soon.
        while found.len() <= limit as usize {
            let wanted = limit + 1 - u32::try_from(found.len()).unwrap_or(u32::MAX);
            let page = self.newest_in(partition.clone(), wanted, ("0", &to)).await?;
            let is_last = page.len() < wanted as usize;
            if let Some((listed_at, _)) = page.last() {
                to = before(listed_at);
            }
            found.extend(page.into_iter().filter(|(_, entry)| kind.is_none_or(|kind| entry.kind() == kind)));
            if is_last {
                break;
            }
        }
        let more = found.len() > limit as usize;
        found.truncate(limit as usize);
        let next = found.last().filter(|_| more).map(|(listed_at, _)| before(listed_at));
        Ok(Slice { items: found.into_iter().map(|(_, entry)| entry).collect(), next })
    }

    /// The newest movement of this month or the last one.
    pub async fn last(&self, org: OrgId, now: Time) -> Result<Option<Entry>> {
        let this = month(now);
        let last = if this % 100 == 1 { this - 100 + 11 } else { this - 1 };
        for month in [this, last] {
            if let Some((_, entry)) = self.newest(org, month, 1, ("0", "9")).await?.pop() {
                return Ok(Some(entry));
            }
        }
        Ok(None)
    }

    /// An earlier charge for the same request of the same key, in the last minutes.
    pub async fn earlier_try(&self, of: &Charge) -> Result<Option<Charge>> {
        let now = of.created_at;
        let since = Time::from_millis(now.as_millis() - RETRIED_WITHIN_MS).to_string();
        let newest = self.newest(of.org, month(now), RETRIED_AMONG, (&since, "9")).await?;
        let earlier = newest.into_iter().filter_map(|(_, entry)| match entry {
            Entry::Charge(charge) => Some(charge),
            Entry::Adjustment(_) => None,
        });
        Ok(earlier.into_iter().find(|charge| charge.key == of.key && charge.body_hash == of.body_hash))
    }

    async fn newest(&self, org: OrgId, month: i64, limit: u32, range: (&str, &str)) -> Result<Vec<(String, Entry)>> {
        self.newest_in(keys::ledger(org, month), limit, range).await
    }

    async fn newest_in(&self, partition: String, limit: u32, range: (&str, &str)) -> Result<Vec<(String, Entry)>> {
        let range = Range { attribute: "listed_at", from: range.0.to_owned(), to: range.1.to_owned() };
        let query = Query {
            index: Some(Index::Global { name: "listed", partition: "listed_in" }),
            range: Some(range),
            order: Order::Desc,
            limit: Some(limit),
            ..Query::partition(partition)
        };
        self.journal.query(&query).await?.items.into_iter().map(entry).collect()
    }
}

/// Where a page that ended here goes on: the text just before.
pub(super) fn before(listed_at: &str) -> String {
    let mut before = listed_at.to_owned();
    // Ids are hexadecimal: the character before the last one's sorts below it and above all that is smaller.
    let last = before.pop().map_or('0', |c| char::from(c as u8 - 1));
    before.push(last);
    before.push('~');
    before
}

fn adjustment_item(adjustment: &Adjustment) -> AdjustmentItem {
    let key = keys::adjustment(adjustment.id);
    AdjustmentItem {
        pk: key.pk,
        sk: key.sk,
        adjustment: adjustment.clone(),
        listed_in: keys::ledger(adjustment.org, month(adjustment.created_at)),
        listed_at: keys::listed_at(adjustment.created_at, adjustment.id),
        expires_at: adjustment.created_at.plus(LEDGER_FOR).as_seconds(),
    }
}

fn entry(item: Item) -> Result<(String, Entry)> {
    let listed_at = item.get("listed_at").and_then(|at| at.as_s().ok()).cloned().unwrap_or_default();
    if item.contains_key("adjustment") {
        let item: AdjustmentItem = parse(item)?;
        return Ok((listed_at, Entry::Adjustment(item.adjustment)));
    }
    let (charge, _) = listed_charge(item)?;
    Ok((listed_at, Entry::Charge(charge)))
}
