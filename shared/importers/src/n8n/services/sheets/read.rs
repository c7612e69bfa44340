//! Reads rows.

use serde_json::Value;

use super::super::source::{Arg, Source};
use super::place::{Part, read_call};
use crate::lenient::{is_empty, list, text, whole_number};
use crate::translation::Translation;

pub fn read(source: &Source) -> Option<Translation> {
    let location = &source.get("options.dataLocationOnSheet.values");
    let by_range = matches!(text(&location["rangeDefinition"]), "specifyRangeA1").then(|| &location["range"]);
    let mut call = read_call(source, Part::All, by_range.filter(|range| !is_empty(range)))?;
    let format = source.get("options.outputFormatting.values");
    let paths = ["options.valueRenderMode", "options.valueRender"];
    let given = [&format["general"], source.find_any(&paths).unwrap_or(&Value::Null)].map(text);
    let render = given.into_iter().find(|mode| !mode.is_empty()).unwrap_or("UNFORMATTED_VALUE");
    call.set(source, "valueRenderOption", Arg::text(render));
    let given = [&format["date"], source.get("options.dateTimeRenderOption")].map(text);
    let date = given.into_iter().find(|mode| !mode.is_empty());
    if let Some(date) = date.or((source.version >= 3.0).then_some("FORMATTED_STRING")) {
        call.set(source, "dateTimeRenderOption", Arg::text(date));
    }
    let mut options = Vec::new();
    if text(&location["rangeDefinition"]) == "specifyRange" {
        for (name, of) in [("header", "headerRow"), ("first", "firstDataRow")] {
            if let Some(row) = whole_number(&location[of]) {
                options.push(format!("{name}: {row}"));
            }
        }
    }
    if source.version < 3.0 {
        let rows = [("keyRow", "header"), ("dataStartRow", "first")];
        for (path, name) in rows {
            if let Some(row) = whole_number(source.get(&format!("options.{path}"))) {
                options.push(format!("{name}: {}", row + 1));
            }
        }
        options.push("numbers: false".to_owned());
        if source.is_true("rawData") {
            options.push("raw: true".to_owned());
        }
    }
    let filters = filters(source);
    if !filters.is_empty() {
        options.push(format!("filters: [{}]", filters.join(", ")));
        let returns_all = match source.version {
            version if version < 4.5 => {
                matches!(source.text("options.returnAllMatches"), "returnAllMatches")
                    || source.is_true("options.returnAllMatches")
            }
            _ => !source.is_true("options.returnFirstMatch"),
        };
        if !returns_all {
            options.push("one: true".to_owned());
        }
        if source.text("combineFilters") == "OR" {
            options.push("any: true".to_owned());
        }
    }
    let result = match options.is_empty() {
        true => "n8n.sheetRows(output.body)".to_owned(),
        false => format!("n8n.sheetRows(output.body, {{ {} }})", options.join(", ")),
    };
    let mut translation = call.node(&result)?;
    // Only newer versions read once for each item.
    if source.version <= 4.1 {
        translation.steps[0].config["itemMode"]["run"] = "first".into();
    }
    Some(translation)
}

fn filters(source: &Source) -> Vec<String> {
    if source.operation("read") == "lookup" {
        return vec![format!("[{}, {}]", source.js("lookupColumn"), source.js("lookupValue"))];
    }
    let filters = list(source.get("filtersUI.values")).iter();
    let filters = filters.filter(|filter| !is_empty(&filter["lookupColumn"]));
    filters
        .map(|filter| format!("[{}, {}]", (source.js)(&filter["lookupColumn"]), (source.js)(&filter["lookupValue"])))
        .collect()
}
