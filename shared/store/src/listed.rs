//! The lists of the table `journal`, newest first: the global index `listed` (`listed_in`, `listed_at`).

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

/// Reads a page of the entries that `includes` selects. One call reads a bounded number of entries, so a short page may
/// still have a next page.
pub(super) async fn list_page<T>(
    journal: &Table,
    ListedPage { list, limit, after, is_filtered }: ListedPage,
    parse: impl Fn(Item) -> Result<T>,
    includes: impl Fn(&T) -> bool,
) -> Result<Slice<T>> {
    let mut to = after.unwrap_or_else(|| "9".to_owned());
    let (mut found, mut read) = (Vec::new(), 0);
    // One extra entry shows whether there is a next page.
    while found.len() <= limit as usize && read < MAX_READ_PER_PAGE {
        let missing = limit + 1 - u32::try_from(found.len()).unwrap_or(limit);
        let ask = if is_filtered { READ_PER_QUERY } else { missing };
        let (page, is_last) = read_newest(journal, list.clone(), ask, ("0", &to), &parse).await?;
        read += ask;
        if let Some((listed_at, _)) = page.last() {
            to = cursor_after(listed_at);
        }
        found.extend(page.into_iter().filter(|(_, entry)| includes(entry)));
        if is_last {
            return Ok(cut_page(found, limit, None));
        }
    }
    Ok(cut_page(found, limit, Some(to)))
}

/// Reads entries within a range, each with its place, newest first. The flag is true when these are the last entries.
pub(super) async fn read_newest<T>(
    journal: &Table,
    list: String,
    limit: u32,
    range: (&str, &str),
    parse: impl Fn(Item) -> Result<T>,
) -> Result<(Vec<(String, T)>, bool)> {
    let range = Range::between(LISTED_AT, range.0, range.1);
    let query = TableQuery {
        index: Some(TableIndex::global("listed", LISTED_IN)),
        range: Some(range),
        order: Order::Desc,
        limit: Some(limit),
        ..TableQuery::partition(list)
    };
    let found = journal.query(&query).await?;
    let entries = found.items.into_iter().map(|item| {
        let listed_at = LISTED_AT.find(&item).and_then(|at| at.as_s().ok()).cloned().unwrap_or_default();
        Ok((listed_at, parse(item)?))
    });
    Ok((entries.collect::<Result<_>>()?, found.next.is_none()))
}

/// Cuts a page from the entries found. The next page begins after the page's last entry, or where the reading ended.
fn cut_page<T>(mut found: Vec<(String, T)>, limit: u32, read_to: Option<String>) -> Slice<T> {
    let is_full = found.len() > limit as usize;
    found.truncate(limit as usize);
    let next = if is_full { found.last().map(|(listed_at, _)| cursor_after(listed_at)) } else { read_to };
    Slice { items: found.into_iter().map(|(_, entry)| entry).collect(), next }
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
