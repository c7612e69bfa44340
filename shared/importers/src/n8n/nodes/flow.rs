//! Converts the control flow: loops, joins, waits, sub-workflows and results.

use serde_json::{Map, Value, json};

use super::super::super::comparison::parenthesize;
use super::super::super::lenient::{
    MAX_NAME_BYTES, entries, is_empty, list, number, scalar_text, text, truncate, whole_number,
};
use super::super::super::notes::{Notes, note};
use super::super::super::secrets::remove_plain_secrets;
use super::super::super::syntax::{cel_literal, member, quote};
use super::super::super::translation::{Translation, UNBOUND_ID};
use super::super::context::Context;
use super::super::parameter::{is_clear, located};
use super::messages;

/// A loop. Its body starts at the batch output and ends where it leads back.
pub fn each(node: Context) -> Translation {
    let mut notes = Notes::new();
    let items = node.incoming(&mut notes);
    note(&mut notes, format!("it loops over a list: check that `{}` is one", truncate(&items, 80)));
    if number(node.parameter("batchSize")).is_some_and(|size| size > 1.0) {
        note(&mut notes, "it processes the elements one by one, not in batches");
    }
    let (item, done) = if node.source().loop_output() == 1 { ("1", "0") } else { ("0", "1") };
    let translation = Translation::new("loop", json!({"items": items})).with_notes(notes);
    translation.with_exits([(item, 0, "item"), (done, 0, "done")])
}

/// A list in a field, split into items.
pub fn split_out(node: Context) -> Translation {
    let fields = ["fieldToSplitOut", "fieldToSplitOutItems"].map(|name| scalar_text(node.parameter(name)));
    let field = fields.into_iter().find(|field| !field.is_empty());
    let is_path = |field: &String| field.len() <= MAX_NAME_BYTES && !field.contains(',') && !field.starts_with('=');
    let Some(field) = field.filter(|field| node.source().splits_list() && is_path(field)) else {
        return Translation::unsupported("its operation on the list is not supported");
    };
    let mut notes = Notes::new();
    let whole = node.incoming(&mut notes);
    let whole = if whole.contains(' ') { format!("({whole})") } else { whole };
    let list = field.split('.').fold(whole, |of, name| member(&of, name));
    let is_loop = node.workflow.wiring.is_loop(node.node);
    if !is_loop {
        note(&mut notes, "its output is the list: use a loop for its elements");
    }
    if !matches!(text(node.parameter("include")), "" | "noOtherFields") {
        note(&mut notes, "the other fields of the input are not passed on: add those that are needed");
    }
    // An element with a name becomes a field of its item.
    let names =
        [&node.parameter("options")["destinationFieldName"], node.parameter("destinationFieldName")].map(scalar_text);
    let list = match names.into_iter().find(|name| !name.is_empty()) {
        Some(name) => format!("{list}.map(element, {{{}: element}})", quote(&name)),
        None if is_loop => {
            let field = truncate(&field, 40);
            note(&mut notes, format!("an element that is not an object is `vars.item` itself, not its `{field}`"));
            list
        }
        None => list,
    };
    if is_loop {
        let translation = Translation::new("loop", json!({"items": list})).with_notes(notes);
        return translation.with_exits([("0", 0, "item"), ("1", 0, "done")]);
    }
    Translation::new("transform", json!({"value": list})).with_notes(notes)
}

/// The results of a loop in one value. Other items do not form a list here.
pub fn aggregate(node: Context) -> Translation {
    let mut notes = Notes::new();
    let Some(element) = node.loop_result(&mut notes) else {
        return Translation::unsupported(format!("the type `aggregate` is not supported: {}", super::AS_VALUES));
    };
    let items = parenthesize(&node.incoming(&mut notes));
    let each = |of: String| if of == "element" { items.clone() } else { format!("{items}.map(element, {of})") };
    if text(node.parameter("aggregate")) == "aggregateAllItemData" {
        if !matches!(text(node.parameter("include")), "" | "allFields") {
            note(&mut notes, "all fields are kept, not a selection");
        }
        let name = scalar_text(node.parameter("destinationFieldName"));
        let name = if name.is_empty() { "data".to_owned() } else { name };
        return Translation::new("transform", json!({"fields": {name: each(element)}})).with_notes(notes);
    }
    let fields = list(&node.parameter("fieldsToAggregate")["fieldToAggregate"]).iter().take(200).filter_map(|field| {
        let path = scalar_text(&field["fieldToAggregate"]);
        let names = [scalar_text(&field["outputFieldName"]), path.rsplit('.').next().unwrap_or_default().to_owned()];
        let name = names.into_iter().find(|name| !name.is_empty())?;
        Some((name, Value::from(each(path.split('.').take(20).fold(element.clone(), |of, name| member(&of, name))))))
    });
    Translation::new("transform", json!({"fields": Map::from_iter(fields)})).with_notes(notes)
}

/// The first elements of a list.
pub fn limit(node: Context) -> Translation {
    let mut notes = Notes::new();
    let items = node.incoming(&mut notes);
    note(&mut notes, format!("it shortens a list: check that `{}` is one", truncate(&items, 80)));
    let (list, count) = (parenthesize(&items), node.parameter("maxItems"));
    let count = if is_empty(count) { "1".to_owned() } else { parenthesize(&node.cel(count, &mut notes)) };
    let cut = match text(node.parameter("keep")) {
        "lastItems" => format!("{list}.slice([size({items}) - {count}, 0].max(), size({items}))"),
        _ => format!("{list}.slice(0, [{count}, size({items})].min())"),
    };
    Translation::new("transform", json!({"value": cut})).with_notes(notes)
}

pub fn merge(node: Context) -> Translation {
    let mode = text(node.parameter("mode"));
    let by = ["combineBy", "combinationMode", "joinMode"].map(|name| text(node.parameter(name)));
    let by = by.into_iter().find(|by| !by.is_empty()).unwrap_or("combineByFields");
    let translation = Translation::new("merge", json!({"mode": "all"}));
    match (mode, by) {
        ("" | "append", _) => translation,
        ("chooseBranch" | "passThrough", _) => {
            translation.with_notes(["its output is the list of its inputs, not one of them"])
        }
        (
            "combine" | "mergeByIndex" | "mergeByPosition" | "multiplex",
            "combineByPosition" | "mergeByPosition" | "combineAll" | "multiplex",
        )
        | ("mergeByIndex" | "mergeByPosition" | "multiplex" | "combineAll", _) => {
            translation.with_notes(["its output is the list of its inputs, not their combined fields"])
        }
        ("combineBySql", _) => Translation::unsupported("SQL queries are not supported"),
        _ => translation.with_notes(["its output is the list of its inputs: match them by fields with a transform"]),
    }
}

pub fn wait(node: Context) -> Translation {
    const MAX_SECONDS: f64 = 2_592_000.0;
    let mut notes = Notes::new();
    if !node.source().is_delay() {
        return messages::wait_for_person(node);
    }
    if text(node.parameter("resume")) == "specificTime" {
        let at = node.cel(node.parameter("dateTime"), &mut notes);
        return Translation::new("delay", json!({"until": format!("timestamp({at})")})).with_notes(notes);
    }
    // Version 1 defaults to hours.
    let default = if node.source().version >= 1.1 { ("seconds", 5.0) } else { ("hours", 1.0) };
    let unit = text(node.parameter("unit"));
    let unit = match if unit.is_empty() { default.0 } else { unit } {
        "minutes" => 60,
        "hours" => 3_600,
        "days" => 86_400,
        _ => 1,
    };
    let amount = node.parameter("amount");
    if text(amount).starts_with('=') {
        let amount = node.cel(amount, &mut notes);
        let until = format!("now() + duration(string(int(double({amount}) * {unit})) + 's')");
        return Translation::new("delay", json!({"until": until})).with_notes(notes);
    }
    let seconds = number(amount).unwrap_or(default.1) * f64::from(unit);
    if seconds > MAX_SECONDS {
        note(&mut notes, "a delay lasts at most 30 days");
    }
    Translation::new("delay", json!({"seconds": seconds.clamp(1.0, MAX_SECONDS).round() as u64})).with_notes(notes)
}

/// A sub-workflow. In mode `each`, it runs once for each element.
pub fn workflow(node: Context) -> Translation {
    let mut notes = Notes::new();
    let is_each = text(node.parameter("mode")) == "each";
    let named = match located(node.parameter("workflowId")) {
        name if name.is_empty() => "the sub-workflow".to_owned(),
        name => format!("workflow `{}`", truncate(&name, 80)),
    };
    let mut secrets = Vec::new();
    let given: Vec<(&String, &Value)> = entries(&node.parameter("workflowInputs")["value"]).collect();
    let given = remove_plain_secrets(given, |given| is_clear(given), &mut secrets).into_iter();
    let given: Vec<String> =
        given.map(|(name, given)| format!("{}: {}", quote(name), node.cel(given, &mut notes))).collect();
    let mut config = Map::from_iter([("workflowId".to_owned(), Value::from(UNBOUND_ID))]);
    if !given.is_empty() {
        config.insert("input".to_owned(), format!("{{{}}}", given.join(", ")).into());
    } else if is_each {
        config.insert("input".to_owned(), "vars.item".into());
    }
    if !matches!(text(node.parameter("source")), "" | "database") {
        note(&mut notes, "import the embedded workflow separately");
    }
    if node.parameter("options")["waitForSubWorkflow"] == false {
        note(&mut notes, "it waits for the sub-workflow's result");
    }
    let mut translation = Translation::new("workflow", config.into());
    if is_each {
        let items = node.incoming(&mut notes);
        note(&mut notes, format!("it loops over a list: check that `{}` is one", truncate(&items, 80)));
        translation.steps[0].suffix = "run";
        let mut around = Translation::new("loop", json!({"items": items}));
        around.steps.append(&mut translation.steps);
        around.wires = vec![(0, "item".to_owned(), 1), (1, "out".to_owned(), 0)];
        translation = around.with_exits([("0", 0, "done")]);
    }
    translation.with_notes(notes).with_reconnects([named]).with_removed_secrets("input", secrets)
}

pub fn fail(node: Context) -> Translation {
    let mut notes = Notes::new();
    let message = match text(node.parameter("errorType")) {
        "errorObject" => node.jinja(node.parameter("errorObject"), &mut notes),
        _ => node.jinja(node.parameter("errorMessage"), &mut notes),
    };
    Translation::new("fail", json!({"message": message})).with_notes(notes)
}

pub fn respond(node: Context) -> Translation {
    let (mut notes, mut secrets) = (Notes::new(), Vec::new());
    let body = node.parameter("responseBody");
    let output = match text(node.parameter("respondWith")) {
        "json" | "jwt" if !is_empty(body) => match node.json(body, &mut notes, &mut secrets) {
            Some(json) => Some(json),
            None => {
                note(
                    &mut notes,
                    "its response is only valid JSON after the placeholders are filled in: it is sent as text",
                );
                Some(node.cel(body, &mut notes))
            }
        },
        "text" => Some(node.cel(body, &mut notes)),
        "noData" => Some(cel_literal(&Value::Null)),
        "redirect" | "binary" => {
            note(&mut notes, "the response is always JSON: files and redirects are not supported");
            None
        }
        _ => Some(node.incoming(&mut notes)),
    };
    let options = node.parameter("options");
    let is_special = whole_number(&options["responseCode"]).is_some_and(|code| code != 200)
        || !list(&options["responseHeaders"]["entries"]).is_empty();
    if is_special {
        note(&mut notes, "the response always has status 200 and the platform's headers");
    }
    let config = output.map_or(json!({}), |output| json!({"output": output}));
    Translation::new("send_result", config).with_notes(notes).with_removed_secrets("field", secrets)
}
