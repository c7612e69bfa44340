//! Pages, databases and blocks of Notion. The library writes properties, blocks and filters from the parameters of n8n.

use serde_json::{Value, json};

use super::call::Call;
use super::poll::Poll;
use super::source::{Arg, Source, located};
use crate::lenient::{is_empty, list, number, scalar_text, text};
use crate::translation::Translation;

/// How many pages are read if no limit is set.
const DEFAULT_LIMIT: u64 = 50;

pub fn translate(source: &Source) -> Option<Translation> {
    match (source.resource("page"), source.operation("")) {
        ("databasePage", "" | "create") => create(source),
        ("databasePage", "update") => {
            let mut call = Call::new("notion/update-page")?;
            call.set(source, "pageId", id(source, "pageId"));
            call.set(source, "properties", properties(source, None));
            set_icon(source, &mut call);
            call.node(&page(source))
        }
        ("databasePage", "get") => {
            let mut call = Call::new("notion/get-page")?;
            call.set(source, "pageId", id(source, "pageId"));
            call.node(&page(source))
        }
        ("databasePage", "getAll") => get_all(source),
        ("page", "archive") => {
            let mut call = Call::new("notion/archive-page")?;
            call.set(source, "pageId", id(source, "pageId"));
            call.node(&page(source))
        }
        ("page", "" | "create") => {
            let mut call = Call::new("notion/create-page")?;
            call.set(source, "parentId", id(source, "pageId"));
            call.set(source, "title", source.argument_or("title", ""));
            set_icon(source, &mut call);
            if let Some(blocks) = blocks(source) {
                call.set(source, "children", blocks);
            }
            call.node(&page(source))
        }
        ("page", "search") => find(source, None),
        ("database", "search") => find(source, Some("database")),
        ("database", "getAll") => {
            let mut call = Call::new("notion/search")?;
            call.set(source, "object", Arg::text("database"));
            call.set(source, "page_size", limit(source));
            Some(paged(source, call.node(&pages(source))?))
        }
        ("database", "" | "get") => {
            let mut call = Call::new("notion/get-database")?;
            call.set(source, "databaseId", id(source, "databaseId"));
            call.node(&page(source))
        }
        ("block", "" | "append") => {
            let mut call = Call::new("notion/append-blocks")?;
            call.set(source, "blockId", id(source, "blockId"));
            call.set(source, "children", blocks(source)?);
            call.node("output.body")
        }
        ("block", "getAll") => {
            let mut call = Call::new("notion/list-blocks")?;
            call.set(source, "blockId", id(source, "blockId"));
            call.set(source, "page_size", limit(source));
            let is_simple = source.version > 2.0 && *source.get("simplifyOutput") != false;
            let write = if is_simple { "notionSimpleBlock" } else { "notionBlock" };
            let parent = id(source, "blockId").script(source.js);
            let result = match source.version {
                version if version < 2.0 => "output.body.results".to_owned(),
                _ => format!("output.body.results.map((block) => n8n.{write}(block, {parent}))"),
            };
            let notes = [
                source.is_true("fetchNestedBlocks").then_some("blocks within blocks are not read"),
                (!is_simple).then_some("the texts of its blocks are in `rich_text`, not in `text`: the API is newer"),
            ];
            Some(paged(source, call.node(&result)?).with_notes(notes.into_iter().flatten()))
        }
        ("user", "getAll") => Call::new("notion/list-users")?.node("output.body.results"),
        _ => None,
    }
}

/// The id of a page, database or block. A locator may have its URL.
fn id(source: &Source, path: &str) -> Arg {
    let value = located(source.raw(path));
    let written = scalar_text(value);
    match written.starts_with('=') || written.contains("://") {
        true => Arg::Script(format!("n8n.notionId({})", (source.js)(value))),
        false => Arg::text(written),
    }
}

/// Whether the items have the simple form.
fn is_simple(source: &Source) -> bool {
    *source.get("simple") != false
}

/// The function for the simple form; none if the items have all fields.
fn simple(source: &Source) -> Option<&'static str> {
    match source.version {
        _ if !is_simple(source) => None,
        // Version 1 has no simple form of databases.
        version if version < 2.0 => (source.text("resource") != "database").then_some("n8n.notionRow"),
        _ => Some("n8n.notionPage"),
    }
}

fn page(source: &Source) -> String {
    simple(source).map_or_else(|| "output.body".to_owned(), |simple| format!("{simple}(output.body)"))
}

fn pages(source: &Source) -> String {
    let map = simple(source).map(|simple| format!(".map({simple})")).unwrap_or_default();
    format!("output.body.results{map}")
}

fn limit(source: &Source) -> Arg {
    match source.get("limit") {
        _ if source.is_true("returnAll") => Arg::Parameter(100.into()),
        limit if text(limit).starts_with('=') => Arg::Parameter(limit.clone()),
        limit => {
            let limit = number(limit).map_or(DEFAULT_LIMIT, |limit| limit.clamp(1.0, 100.0) as u64);
            Arg::Parameter(limit.into())
        }
    }
}

fn paged(source: &Source, translation: Translation) -> Translation {
    let notes = source.is_true("returnAll").then_some("only the first page of 100 is read: a loop reads further pages");
    translation.with_notes(notes)
}

/// The properties of a page. `title` is that of a new page.
fn properties(source: &Source, title: Option<&Value>) -> Arg {
    let values = list(source.get("propertiesUi.propertyValues"));
    let written = (source.js)(&Value::from(values));
    match title {
        Some(title) => Arg::Script(format!("n8n.notionProperties({written}, {})", (source.js)(title))),
        None => Arg::Script(format!("n8n.notionProperties({written})")),
    }
}

fn blocks(source: &Source) -> Option<Arg> {
    let blocks = list(source.get("blockUi.blockValues"));
    (!blocks.is_empty()).then(|| Arg::Script(format!("n8n.notionBlocks({})", (source.js)(&blocks.into()))))
}

fn create(source: &Source) -> Option<Translation> {
    let mut call = Call::new("notion/create-database-page")?;
    call.set(source, "databaseId", id(source, "databaseId"));
    call.set(source, "properties", properties(source, source.find("title")));
    set_icon(source, &mut call);
    if let Some(blocks) = blocks(source) {
        call.set(source, "children", blocks);
    }
    call.node(&page(source))
}

fn set_icon(source: &Source, call: &mut Call) {
    let Some(icon) = source.find("options.icon") else { return };
    let icon = Arg::Parameter(icon.clone());
    let (kind, content) = match source.text("options.iconType") {
        "file" => ("external", Arg::Object(vec![("url".to_owned(), icon)])),
        _ => ("emoji", icon),
    };
    call.set(source, "icon", Arg::Object(vec![("type".to_owned(), Arg::text(kind)), (kind.to_owned(), content)]));
}

fn get_all(source: &Source) -> Option<Translation> {
    let mut call = Call::new("notion/query-database")?;
    call.set(source, "databaseId", id(source, "databaseId"));
    let conditions = list(source.get("filters.conditions"));
    let single = source.get("options.filter.singleCondition");
    let several = source.get("options.filter.multipleCondition.condition");
    if source.text("filterType") == "json" {
        let json = source.find("filterJson")?;
        call.set(
            source,
            "filter",
            Arg::Script(format!("n8n.parsed({})?.filter ?? n8n.parsed({0})", (source.js)(json))),
        );
    } else if !conditions.is_empty() && source.text("filterType") != "none" {
        let join = if source.text("matchType") == "allFilters" { "and" } else { "or" };
        let conditions = (source.js)(&conditions.into());
        call.set(source, "filter", Arg::Script(format!("n8n.notionFilter({conditions}, \"{join}\")")));
    } else if single.is_object() {
        let condition = (source.js)(&Value::from(vec![single.clone()]));
        call.set(source, "filter", Arg::Script(format!("n8n.notionFilter({condition}, \"and\")")));
    } else if !is_empty(several) {
        return None;
    }
    let sorts = list(source.get("options.sort.sortValue"));
    if !sorts.is_empty() {
        call.set(source, "sorts", Arg::Script(format!("n8n.notionSorts({})", (source.js)(&sorts.into()))));
    }
    call.set(source, "page_size", limit(source));
    Some(paged(source, call.node(&pages(source))?))
}

fn find(source: &Source, object: Option<&str>) -> Option<Translation> {
    let chosen = source.find("options.filter.filters.value");
    let object = object.map(Arg::text).or_else(|| chosen.map(|value| Arg::Parameter(value.clone())));
    let mut call = Call::new(if object.is_some() { "notion/search" } else { "notion/search-all" })?;
    if let Some(object) = object {
        call.set(source, "object", object);
    }
    call.set_from(source, "query", "text");
    call.set_from(source, "sort", "options.sort.sortValue");
    call.set(source, "page_size", limit(source));
    Some(paged(source, call.node(&pages(source))?))
}

/// A trigger: the pages of a database that were added or changed last.
pub fn poll(source: &Source) -> Option<Poll> {
    let (sort, key) = match source.text("event") {
        "pagedUpdatedInDatabase" => ("last_edited_time", "[$json.id, $json.last_edited_time]"),
        _ => ("created_time", "$json.id"),
    };
    let mut call = Call::new("notion/query-database")?;
    call.set(source, "databaseId", id(source, "databaseId"));
    call.set(source, "sorts", Arg::Parameter(json!([{"timestamp": sort, "direction": "descending"}])));
    call.set(source, "page_size", Arg::Parameter(DEFAULT_LIMIT.into()));
    let list = call.node("output.body.results")?;
    Some(match is_simple(source) {
        true => Poll::with_items(list, key, "n8n.notionRow"),
        false => Poll::new(list, key),
    })
}
