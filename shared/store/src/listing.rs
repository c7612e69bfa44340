//! Page pagination over a local index, with the total read from a counter. Filters of lists are built here too.

use serde::{Deserialize, Serialize};

use super::item::{Item, parse, to_value};
use super::keys::Key;
use super::table::{Filter, Table, TableQuery};
use domain::Result;
use domain::page::{Page, PageRequest};
use domain::text;

/// Reads a page of a partition in the order of an index. A filtered list is read to its end, to find the total. Without
/// a filter, only the counter and the items up to the page are read.
pub(super) async fn page(
    entities: &Table,
    counters: &Table,
    count: Key,
    query: TableQuery,
    request: PageRequest,
) -> Result<Page<Item>> {
    if query.filter.is_some() {
        return Ok(request.slice(entities.query_all(query).await?));
    }
    let (total, items) = futures::try_join!(total(counters, count), items(entities, query, request))?;
    Ok(Page { items, total, request })
}

async fn total(counters: &Table, count: Key) -> Result<u64> {
    #[derive(Deserialize)]
    struct CountItem {
        total: u64,
    }
    let item = counters.get(&count).await?;
    item.map_or(Ok(0), |item| Ok(parse::<CountItem>(item)?.total))
}

pub(super) async fn items(entities: &Table, mut query: TableQuery, request: PageRequest) -> Result<Vec<Item>> {
    let mut skip = request.offset();
    while skip > 0 {
        let limit = Some(u32::try_from(skip).unwrap_or(u32::MAX));
        let skipped = entities.query(&TableQuery { limit, count_only: true, ..query.clone() }).await?;
        if skipped.next.is_none() {
            return Ok(Vec::new());
        }
        skip -= skipped.count;
        query.after = skipped.next;
    }
    let mut items = Vec::new();
    loop {
        query.limit = Some(request.per_page - items.len() as u32);
        let mut found = entities.query(&query).await?;
        items.append(&mut found.items);
        if items.len() as u32 == request.per_page || found.next.is_none() {
            return Ok(items);
        }
        query.after = found.next;
    }
}

impl Filter {
    /// Selects the items whose name contains a text, without regard to case. It needs a head with the field `folded`.
    pub(super) fn search(&mut self, search: Option<&str>) {
        if let Some(search) = search.filter(|search| !search.is_empty()) {
            self.and("contains(#head.#folded, :search)", &["head", "folded"]);
            self.values.insert(":search".to_owned(), to_value(text::folded(search)));
        }
    }

    /// Selects the items that have one of these values at a path such as `head.state`. An empty list selects all items.
    pub(super) fn one_of(&mut self, path: &str, wanted: &[impl Serialize]) {
        if wanted.is_empty() {
            return;
        }
        let names: Vec<&str> = path.split('.').collect();
        let placeholders: Vec<String> = (0..wanted.len()).map(|i| format!(":{}{i}", names.join("_"))).collect();
        self.and(&format!("#{} IN ({})", names.join(".#"), placeholders.join(", ")), &names);
        self.values.extend(placeholders.into_iter().zip(wanted.iter().map(to_value)));
    }

    /// The filter, or `None` when it selects all items.
    pub(super) fn any(self) -> Option<Self> {
        Some(self).filter(|filter| !filter.expression.is_empty())
    }

    fn and(&mut self, condition: &str, names: &[&str]) {
        if !self.expression.is_empty() {
            self.expression.push_str(" AND ");
        }
        self.expression.push_str(condition);
        self.names.extend(names.iter().map(|name| (format!("#{name}"), (*name).to_owned())));
    }
}
