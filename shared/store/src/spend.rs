//! Spend by day: counters of the calls of each API key, tag and end user of an organization. The transaction that closes a lease
//! adds its calls. The counters of models are those of `usage.rs`.

use super::attribute::EXPIRES_AT;
use super::item::{Item, parse};
use super::keys::{self, Key};
use super::query::{Range, TableQuery};
use super::table::Table;
use super::usage::{Figures, add_figures, sum_figures};
use super::write::Write;
use domain::id::OrgId;
use domain::lease::{Lease, month};
use domain::ledger::{Charge, RETENTION, Spent};
use domain::page::Slice;
use domain::spend::{LeaseLabels, SpendBy};
use domain::statistics::Period;
use domain::time::Time;
use domain::{Error, Result};
use platform::{Context, config};

/// The number of days that are read at once for one group. `BatchGetItem` reads 100 items.
const DAYS_AT_ONCE: usize = 100;

#[derive(Clone)]
pub struct Spend {
    counters: Table,
}

/// The spend of a group of calls on a day.
#[derive(Clone, Debug, PartialEq)]
pub struct DailySpend {
    pub day: String,
    pub name: String,
    pub figures: Figures,
}

/// A request for a page of the spend of an organization.
pub struct SpendRequest<'a> {
    pub org: OrgId,
    pub by: SpendBy,
    pub period: &'a Period,
    pub limit: u32,
    /// The cursor of the last page.
    pub after: Option<String>,
}

impl Spend {
    pub fn new(context: &Context) -> Result<Self> {
        Ok(Self { counters: Table::new(context, config::TABLE_COUNTERS)? })
    }

    /// Lists the spend of all groups, by day and name.
    pub async fn list(&self, query: SpendRequest<'_>) -> Result<Slice<DailySpend>> {
        let SpendRequest { org, by, period, limit, after } = query;
        let prefix = keys::spend_prefix(by);
        let (first, last) = (period.first.to_string(), period.last.to_string());
        let range = Range::beginning_between(&format!("{prefix}{first}"), &format!("{prefix}{last}"));
        // A cursor from outside of the period is ignored, so that the list starts at its beginning.
        let is_in_period =
            |place: &String| place.get(..first.len()).is_some_and(|day| (&*first..=&*last).contains(&day));
        let mut after = after.filter(is_in_period);
        let begins_in = month_of_day(after.as_deref().unwrap_or(&first));
        let mut items = Vec::new();
        for month in months(begins_in, month_of_day(&last)) {
            let partition = keys::spend(org, month, by);
            let start = after.take().map(|place| Key::new(&*partition, format!("{prefix}{place}")).attributes());
            let of_month = TableQuery {
                range: Some(range.clone()),
                after: start,
                // One more shows whether there is a next page.
                limit: Some(limit + 1 - items.len() as u32),
                ..TableQuery::partition(partition)
            };
            items.extend(self.counters.query(&of_month).await?.items);
            if items.len() > limit as usize {
                break;
            }
        }
        let found = items.into_iter().map(|item| read(item, by)).collect::<Result<Vec<_>>>()?;
        Ok(cut_page(found, limit))
    }

    /// Lists the spend of one group, by day.
    pub async fn list_one(&self, query: SpendRequest<'_>, name: &str) -> Result<Slice<DailySpend>> {
        let SpendRequest { org, by, period, limit, after } = query;
        let days = period.days().map(|day| day.to_string());
        let mut days = days.filter(|day| after.as_ref().is_none_or(|after| day > after));
        let mut found = Vec::new();
        while found.len() <= limit as usize {
            let of_days = days.by_ref().take(DAYS_AT_ONCE);
            let of_days: Vec<Key> =
                of_days.map(|day| keys::spend_of_day(org, month_of_day(&day), by, &day, name)).collect();
            if of_days.is_empty() {
                break;
            }
            for item in self.counters.batch_get(&of_days).await? {
                found.push(read(item, by)?);
            }
        }
        found.sort_by(|one, other| one.day.cmp(&other.day));
        Ok(cut_page(found, limit))
    }
}

/// The page of what was found. One more than its limit shows that there is a next page.
fn cut_page(mut found: Vec<DailySpend>, limit: u32) -> Slice<DailySpend> {
    let has_next = found.len() > limit as usize;
    found.truncate(limit as usize);
    let next = found.last().filter(|_| has_next).map(|last| format!("{}#{}", last.day, last.name));
    Slice { items: found, next }
}

/// The month (`202611`) of a text that begins with a day.
fn month_of_day(day: &str) -> i64 {
    let number = |digits: Option<&str>| digits.and_then(|digits| digits.parse::<i64>().ok()).unwrap_or_default();
    number(day.get(..4)) * 100 + number(day.get(5..7))
}

fn months(first: i64, last: i64) -> impl Iterator<Item = i64> {
    let next = |month: &i64| Some(if month % 100 == 12 { month + 89 } else { month + 1 });
    std::iter::successors(Some(first), next).take_while(move |month| *month <= last)
}

fn read(item: Item, by: SpendBy) -> Result<DailySpend> {
    let sk = Key::from_item(&item).map(|key| key.sk).unwrap_or_default();
    let place = sk.strip_prefix(keys::spend_prefix(by)).and_then(|place| place.split_once('#'));
    let (day, name) = place.ok_or_else(|| Error::internal("a spend has an unknown sort key"))?;
    Ok(DailySpend { day: day.to_owned(), name: name.to_owned(), figures: parse(item)? })
}

/// Adds the calls of a lease to the spend of the day of `at`.
pub(super) fn add_spend(
    table: &Table,
    lease: &Lease,
    spent: &Spent,
    calls: &[Charge],
    at: Time,
) -> impl Iterator<Item = Write> {
    let (day, month) = (at.day(), month(at));
    let key = &|by, name: &str| keys::spend_of_day(lease.org, month, by, &day, name);
    let name = lease.key.map_or_else(|| lease.user.to_string(), |key| key.to_string());
    let mut sums = vec![(key(SpendBy::Key, &name), Figures::from(spent))];
    let labeled = calls.iter().flat_map(|call| {
        let labels = call.facts.iter().flat_map(|facts| facts.labels.names());
        labels.map(move |(by, name)| (key(by, name), call))
    });
    sums.extend(sum_figures(labeled).into_iter().map(|(key, figures, _)| (key, figures)));
    if sums.len() > LeaseLabels::MAX + 1 {
        // Earlier versions did not limit the labels of a lease.
        tracing::warn!(lease_id = %lease.id, labels = sums.len() - 1, "the spend of some tags and end users is not counted");
        sums.truncate(LeaseLabels::MAX + 1);
    }
    let expires_at = at.plus(RETENTION).as_seconds();
    sums.into_iter().map(move |(key, figures)| add_figures(table.update(key), figures).set(EXPIRES_AT, expires_at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn months_follow_each_other_over_years() {
        assert_eq!(months(202_611, 202_702).collect::<Vec<_>>(), [202_611, 202_612, 202_701, 202_702]);
        assert_eq!((month_of_day("2026-11-05#tag"), months(202_612, 202_611).count()), (202_611, 0));
    }
}
