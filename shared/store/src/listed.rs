//! The lists of the table `journal`, newest first: the global index `listed` (`listed_in`, `listed_at`).

use futures::future::try_join_all;

use super::attribute::Attribute;
use super::item::Item;
use super::query::{Range, TableIndex, TableQuery};
use super::table::Table;
use domain::Result;
use domain::page::{Order, Slice};

/// The partition key of the index.
const LISTED_IN: Attribute<String> = Attribute::new("listed_in");
/// The sort key of the index.
const LISTED_AT: Attribute<String> = Attribute::new("listed_at");

/// The maximum number of entries that one call reads, to find those that a filter selects. A page may therefore end
/// before it is full.
const MAX_READ_PER_PAGE: u32 = 2_000;
/// The number of entries that one query reads, when a filter may drop most of them.
const READ_PER_QUERY: u32 = 400;
/// The number of entries that the first query of a search reads.
const READ_FIRST: u32 = 32;

/// A page of a list.
pub(super) struct ListedPage {
    /// The partition of the index.
    pub list: String,
    pub limit: u32,
    /// The cursor of the last page.
    pub after: Option<String>,
    /// Whether a filter may drop most entries.
    pub is_filtered: bool,
}

/// An entry of a list.
pub(super) struct Listed<T> {
    /// Its place in the list.
    pub place: String,
    pub entry: T,
    /// The place of the row that it was read from.
    pub row: String,
}

/// Where a page begins: rows from `row` on, and of their entries those below `entry`, if there is one.
struct Cursor<'a> {
    row: &'a str,
    entry: Option<&'a str>,
}

/// It is above all places.
const NEWEST: &str = "9";
/// No place has it.
const SEPARATOR: char = '|';

impl<'a> Cursor<'a> {
    fn read(text: Option<&'a str>) -> Self {
        match text.map(|text| text.split_once(SEPARATOR).ok_or(text)) {
            None => Self { row: NEWEST, entry: None },
            Some(Err(row)) => Self { row, entry: None },
            Some(Ok((row, entry))) => Self { row, entry: Some(entry) },
        }
    }
}

/// Reads a page of the entries that `includes` selects. One call reads a bounded number of rows, so a short page may
/// still have a next page.
pub(super) async fn list_page<T: Send>(
    journal: &Table,
    page: ListedPage,
    parse: impl Fn(Item) -> Result<T> + Sync,
    includes: impl Fn(&T) -> bool,
) -> Result<Slice<T>> {
    list_entries(journal, page, |item, row| Ok(vec![(row.to_owned(), parse(item)?)]), includes).await
}

/// Reads a page of a list whose rows have several entries.
pub(super) async fn list_entries<T: Send>(
    journal: &Table,
    ListedPage { list, limit, after, is_filtered }: ListedPage,
    parse: impl Fn(Item, &str) -> Result<Vec<(String, T)>> + Sync,
    includes: impl Fn(&T) -> bool,
) -> Result<Slice<T>> {
    let steps = if is_filtered { Steps::FILTERED } else { Steps::EXACT };
    merge_lists(&[IndexList { journal, list, parse }], limit, after, steps, includes).await
}

/// A list that is read from its newest row to its oldest. A row has one or more entries. No entry has a place above that of its row.
pub(super) trait NewestFirst<T> {
    /// The highest place that a row can have.
    fn highest(&self) -> &str {
        NEWEST
    }

    /// Reads at most `limit` rows, from the place `to` on.
    fn read(&self, to: &str, limit: u32) -> impl Future<Output = Result<NewestRows<T>>> + Send;
}

/// How a page is read.
#[derive(Clone, Copy)]
pub(super) struct Steps {
    /// The least number of rows that one query reads.
    least: u32,
    /// The number of rows after which a page ends before it is full.
    most: u32,
}

impl Steps {
    /// Every row has entries for the page.
    const EXACT: Self = Self { least: 1, most: MAX_READ_PER_PAGE };
    /// A filter may drop most entries.
    pub const FILTERED: Self = Self { least: READ_PER_QUERY, most: MAX_READ_PER_PAGE };
    /// Most rows have several entries for the page, or it takes a query to read their entries.
    pub const SMALL: Self = Self { least: 2, most: 400 };
}

struct IndexList<'a, P> {
    journal: &'a Table,
    list: String,
    parse: P,
}

impl<T: Send, P: Fn(Item, &str) -> Result<Vec<(String, T)>> + Sync> NewestFirst<T> for IndexList<'_, P> {
    async fn read(&self, to: &str, limit: u32) -> Result<NewestRows<T>> {
        read_newest(self.journal, self.list.clone(), limit, ("0", to), &self.parse).await
    }
}

/// Reads a page of the entries of several lists, newest first. An entry may be below those of later rows. So it is in its order
/// only when all rows above it were read, and the cursor names the first row that has entries for the next page.
pub(super) async fn merge_lists<T, L: NewestFirst<T>>(
    lists: &[L],
    limit: u32,
    after: Option<String>,
    steps: Steps,
    includes: impl Fn(&T) -> bool,
) -> Result<Slice<T>> {
    let cursor = Cursor::read(after.as_deref());
    // Where the reading of each list goes on. `None` at its end.
    let mut places: Vec<Option<String>> =
        lists.iter().map(|list| Some(list.highest().min(cursor.row).to_owned())).collect();
    let (mut found, limit): (Vec<Listed<T>>, _) = (Vec::new(), limit as usize);
    let (mut in_order, mut read) = (0, 0);
    // All rows above it were read.
    let mut frontier = places.iter().flatten().max().cloned();
    // One extra entry shows whether there is a next page.
    while let Some(to) = frontier.clone().filter(|_| in_order <= limit && read < steps.most) {
        let at_frontier: Vec<usize> = (0..lists.len()).filter(|list| places[*list].as_ref() == Some(&to)).collect();
        let missing = (limit + 1 - in_order).div_ceil(at_frontier.len());
        let ask = u32::try_from(missing).unwrap_or(READ_PER_QUERY).max(steps.least);
        let rows = try_join_all(at_frontier.iter().map(|list| lists[*list].read(&to, ask))).await?;
        read += ask * at_frontier.len() as u32;
        for (list, rows) in at_frontier.into_iter().zip(rows) {
            places[list] = match rows.is_last {
                true => None,
                false => Some(rows.last.as_deref().map_or(to.clone(), cursor_after)),
            };
            let is_on_page = |listed: &Listed<T>| cursor.entry.is_none_or(|entry| *listed.place < *entry);
            found.extend(rows.entries.into_iter().filter(|listed| is_on_page(listed) && includes(&listed.entry)));
        }
        found.sort_by(|one, other| other.place.cmp(&one.place));
        frontier = places.iter().flatten().max().cloned();
        in_order = frontier.as_ref().map_or(found.len(), |to| found.partition_point(|listed| listed.place > *to));
    }
    let rest = found.split_off(in_order.min(limit));
    let next = match (found.last(), frontier) {
        (_, None) if rest.is_empty() => None,
        (Some(last), _) if in_order > limit => {
            Some(next_cursor(&last.place, &rest).unwrap_or_else(|| cursor_after(&last.place)))
        }
        (_, frontier) => {
            let to = frontier.unwrap_or_default();
            let read_to = cursor.entry.filter(|entry| **entry < *to).unwrap_or(&to);
            Some(next_cursor(read_to, &rest).unwrap_or_else(|| read_to.to_owned()))
        }
    };
    Ok(Slice { items: found.into_iter().map(|listed| listed.entry).collect(), next })
}

/// The cursor of a page that begins below `place`, if a row at or above it has entries for that page.
fn next_cursor<T>(place: &str, rest: &[Listed<T>]) -> Option<String> {
    let row = rest.iter().map(|listed| listed.row.as_str()).filter(|row| *row >= place).max()?;
    Some(format!("{row}{SEPARATOR}{place}"))
}

/// The rows of a reading, newest first.
pub(super) struct NewestRows<T> {
    pub entries: Vec<Listed<T>>,
    /// The place of the last row.
    pub last: Option<String>,
    /// Whether the list has no more rows in the range.
    pub is_last: bool,
}

impl<T> NewestRows<T> {
    /// The end of a list.
    pub fn end() -> Self {
        Self { entries: Vec::new(), last: None, is_last: true }
    }
}

/// Reads at most `limit` rows within a range.
pub(super) async fn read_newest<T>(
    journal: &Table,
    list: String,
    limit: u32,
    range: (&str, &str),
    parse: impl Fn(Item, &str) -> Result<Vec<(String, T)>>,
) -> Result<NewestRows<T>> {
    let found = journal.query(&query_of(list, range, Order::Desc, limit)).await?;
    let (mut entries, mut last) = (Vec::new(), None);
    for item in found.items {
        let row = place_of(&item);
        let of_row = parse(item, &row)?.into_iter();
        entries.extend(of_row.map(|(place, entry)| Listed { place, entry, row: row.clone() }));
        last = Some(row);
    }
    Ok(NewestRows { entries, last, is_last: found.next.is_none() })
}

/// Finds the oldest entry that `is_wanted` selects, among the rows of a range. It is expected near the beginning of the range, so
/// the first query is small. At most about 2,000 rows are read: an entry behind them is not found.
pub(super) async fn find_oldest<T>(
    journal: &Table,
    list: String,
    range: (&str, &str),
    parse: impl Fn(Item, &str) -> Result<Vec<(String, T)>>,
    is_wanted: impl Fn(&T) -> bool,
) -> Result<Option<T>> {
    let mut query = query_of(list, range, Order::Asc, READ_FIRST);
    let mut read = 0;
    loop {
        let found = journal.query(&query).await?;
        read += found.items.len();
        let mut wanted = Vec::new();
        for item in found.items {
            let row = place_of(&item);
            wanted.extend(parse(item, &row)?.into_iter().filter(|(_, entry)| is_wanted(entry)));
        }
        let oldest = wanted.into_iter().min_by(|(one, _), (other, _)| one.cmp(other));
        if oldest.is_some() || found.next.is_none() || read >= MAX_READ_PER_PAGE as usize {
            return Ok(oldest.map(|(_, entry)| entry));
        }
        query = TableQuery { after: found.next, limit: Some(READ_PER_QUERY), ..query };
    }
}

/// A query of the rows of a list within a range of places.
fn query_of(list: String, (from, to): (&str, &str), order: Order, limit: u32) -> TableQuery {
    TableQuery {
        index: Some(TableIndex::global("listed", LISTED_IN)),
        range: Some(Range::between(LISTED_AT, from, to)),
        order,
        limit: Some(limit),
        ..TableQuery::partition(list)
    }
}

/// The place of a row in its list.
fn place_of(item: &Item) -> String {
    LISTED_AT.find(item).and_then(|at| at.as_s().ok()).cloned().unwrap_or_default()
}

/// The cursor of the page after an entry: a text that sorts immediately before the entry's sort key.
fn cursor_after(listed_at: &str) -> String {
    let mut before = listed_at.to_owned();
    // Ids are hexadecimal. The last character is lowered by one and `~`, which sorts after every digit, is appended.
    // The result sorts below this key and above every smaller key.
    let last = before.pop().map_or('0', |c| char::from(c as u8 - 1));
    before.push(last);
    before.push('~');
    before
}
