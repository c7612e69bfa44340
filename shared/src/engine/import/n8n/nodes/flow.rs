//! How a run goes on: loops, joins, waits, other workflows, and what it ends with.

use serde_json::{Map, Value, json};

use super::super::super::comparison::held;
use super::super::super::loose::{MAX_NAME_BYTES, clipped, entries, is_empty, list, number, said, text, whole};
use super::super::super::made::{Made, UNBOUND_ID};
use super::super::super::pieces::{Notes, note};
use super::super::super::secrets::without_clear;
use super::super::super::written::{member, quoted, value};
use super::super::context::Context;
use super::super::document::Source;
use super::super::parameter::{is_clear, located, located_value};
use super::messages;

/// What hangs on its output for a batch is the body, up to where it comes back.
pub fn each(node: Context) -> Made {
    let mut notes = Notes::new();
    let items = node.incoming(&mut notes);
    note(&mut notes, format!("it goes through a list: see that `{}` is one", clipped(&items, 80)));
    if number(node.parameter("batchSize")).is_some_and(|size| size > 1.0) {
        note(&mut notes, "its elements come one by one, not in batches");
    }
    let (item, done) = if node.source().loop_output() == 1 { ("1", "0") } else { ("0", "1") };
    let made = Made::new("loop", json!({"items": items})).noting(notes);
    made.with_exits([(item, 0, "item"), (done, 0, "done")])
}

/// A list that stood in a field.
pub fn split_out(node: Context) -> Made {
    let fields = ["fieldToSplitOut", "fieldToSplitOutItems"].map(|name| said(node.parameter(name)));
    let field = fields.into_iter().find(|field| !field.is_empty());
    let is_path = |field: &String| field.len() <= MAX_NAME_BYTES && !field.contains(',') && !field.starts_with('=');
    let Some(field) = field.filter(|field| node.source().is_split() && is_path(field)) else {
        return Made::unsupported("there is no match for what it does with its list");
    };
    let mut notes = Notes::new();
    let whole = node.incoming(&mut notes);
    let whole = if whole.contains(' ') { format!("({whole})") } else { whole };
    let list = field.split('.').fold(whole, |of, name| member(&of, name));
    let is_spread = node.workflow.wiring.is_loop(node.node);
    if !is_spread {
        note(&mut notes, "its value is the list: a loop goes through its elements");
    }
    if !matches!(text(node.parameter("include")), "" | "noOtherFields") {
        note(&mut notes, "the other fields of what came in are not carried along: name those that are needed");
    }
    // An element that is given a name is a field of its item.
    let names = [&node.parameter("options")["destinationFieldName"], node.parameter("destinationFieldName")].map(said);
    let list = match names.into_iter().find(|name| !name.is_empty()) {
        Some(name) => format!("{list}.map(element, {{{}: element}})", quoted(&name)),
        None if is_spread => {
            let field = clipped(&field, 40);
            note(&mut notes, format!("an element that is no object is `vars.item` itself, and not its `{field}`"));
            list
        }
        None => list,
    };
    if is_spread {
        let made = Made::new("loop", json!({"items": list})).noting(notes);
        return made.with_exits([("0", 0, "item"), ("1", 0, "done")]);
    }
    Made::new("transform", json!({"value": list})).noting(notes)
}

/// What came of all elements of a loop, as one; of other items there is no list here.
pub fn aggregate(node: Context) -> Made {
    let mut notes = Notes::new();
    let Some(element) = node.result_of_loop(&mut notes) else {
        return Made::unsupported(format!("there is no match for the type `aggregate`: {}", super::AS_VALUES));
    };
    let items = held(&node.incoming(&mut notes));
    let each = |of: String| if of == "element" { items.clone() } else { format!("{items}.map(element, {of})") };
    if text(node.parameter("aggregate")) == "aggregateAllItemData" {
        if !matches!(text(node.parameter("include")), "" | "allFields") {
            note(&mut notes, "all fields are kept, where it kept some");
        }
        let name = said(node.parameter("destinationFieldName"));
        let name = if name.is_empty() { "data".to_owned() } else { name };
        return Made::new("transform", json!({"fields": {name: each(element)}})).noting(notes);
    }
    let fields = list(&node.parameter("fieldsToAggregate")["fieldToAggregate"]).iter().take(200).filter_map(|field| {
        let path = said(&field["fieldToAggregate"]);
        let names = [said(&field["outputFieldName"]), path.rsplit('.').next().unwrap_or_default().to_owned()];
        let name = names.into_iter().find(|name| !name.is_empty())?;
        Some((name, Value::from(each(path.split('.').take(20).fold(element.clone(), |of, name| member(&of, name))))))
    });
    Made::new("transform", json!({"fields": Map::from_iter(fields)})).noting(notes)
}

/// So many of a list.
pub fn limit(node: Context) -> Made {
    let mut notes = Notes::new();
    let items = node.incoming(&mut notes);
    note(&mut notes, format!("it cuts a list: see that `{}` is one", clipped(&items, 80)));
    let (list, count) = (held(&items), node.parameter("maxItems"));
    let count = if is_empty(count) { "1".to_owned() } else { held(&node.cel(count, &mut notes)) };
    let cut = match text(node.parameter("keep")) {
        "lastItems" => format!("{list}.slice([size({items}) - {count}, 0].max(), size({items}))"),
        _ => format!("{list}.slice(0, [{count}, size({items})].min())"),
    };
    Made::new("transform", json!({"value": cut})).noting(notes)
}

pub fn merge(node: Context) -> Made {
    let mode = text(node.parameter("mode"));
    let by = ["combineBy", "combinationMode", "joinMode"].map(|name| text(node.parameter(name)));
    let by = by.into_iter().find(|by| !by.is_empty()).unwrap_or("combineByFields");
    let made = Made::new("merge", json!({"mode": "all"}));
    match (mode, by) {
        ("" | "append", _) => made,
        ("chooseBranch" | "passThrough", _) => {
            made.noting(["its value is the list of what came, of which it chose one"])
        }
        (
            "combine" | "mergeByIndex" | "mergeByPosition" | "multiplex",
            "combineByPosition" | "mergeByPosition" | "combineAll" | "multiplex",
        )
        | ("mergeByIndex" | "mergeByPosition" | "multiplex" | "combineAll", _) => {
            made.noting(["its value is the list of what came, whose fields it put together"])
        }
        ("combineBySql", _) => Made::unsupported("queries in SQL have no match here"),
        _ => made.noting(["its value is the list of what came, which it matched by fields: do so with transform"]),
    }
}

/// Whether it waits for time alone.
pub fn is_delay(source: &Source) -> bool {
    !matches!(text(&source.parameters["resume"]), "webhook" | "form")
}

pub fn wait(node: Context) -> Made {
    const MAX_SECONDS: f64 = 2_592_000.0;
    let mut notes = Notes::new();
    if !is_delay(node.source()) {
        return messages::awaited(node);
    }
    if text(node.parameter("resume")) == "specificTime" {
        let at = node.cel(node.parameter("dateTime"), &mut notes);
        return Made::new("delay", json!({"until": format!("timestamp({at})")})).noting(notes);
    }
    // The first version counted hours.
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
        return Made::new("delay", json!({"until": until})).noting(notes);
    }
    let seconds = number(amount).unwrap_or(default.1) * f64::from(unit);
    if seconds > MAX_SECONDS {
        note(&mut notes, "a wait lasts 30 days at most");
    }
    Made::new("delay", json!({"seconds": seconds.clamp(1.0, MAX_SECONDS).round() as u64})).noting(notes)
}

/// Another workflow; in its mode `each`, one run for each element.
pub fn workflow(node: Context) -> Made {
    let mut notes = Notes::new();
    let is_each = text(node.parameter("mode")) == "each";
    let named = match located(node.parameter("workflowId")) {
        name if name.is_empty() => "the workflow it ran".to_owned(),
        name => format!("workflow `{}`", clipped(&name, 80)),
    };
    let mut secrets = Vec::new();
    let given: Vec<(&String, &Value)> = entries(&node.parameter("workflowInputs")["value"]).collect();
    let given = without_clear(given, |given| is_clear(given), &mut secrets).into_iter();
    let given: Vec<String> =
        given.map(|(name, given)| format!("{}: {}", quoted(name), node.cel(given, &mut notes))).collect();
    let mut config = Map::from_iter([("workflowId".to_owned(), Value::from(UNBOUND_ID))]);
    if !given.is_empty() {
        config.insert("input".to_owned(), format!("{{{}}}", given.join(", ")).into());
    } else if is_each {
        config.insert("input".to_owned(), "vars.item".into());
    }
    if !matches!(text(node.parameter("source")), "" | "database") {
        note(&mut notes, "the workflow it held itself is to be imported on its own");
    }
    if node.parameter("options")["waitForSubWorkflow"] == false {
        note(&mut notes, "it waits for the other workflow's result");
    }
    let mut made = Made::new("workflow", config.into());
    if is_each {
        let items = node.incoming(&mut notes);
        note(&mut notes, format!("it goes through a list: see that `{}` is one", clipped(&items, 80)));
        made.steps[0].suffix = "run";
        let mut around = Made::new("loop", json!({"items": items}));
        around.steps.append(&mut made.steps);
        around.wires = vec![(0, "item".to_owned(), 1), (1, "out".to_owned(), 0)];
        made = around.with_exits([("0", 0, "done")]);
    }
    made.noting(notes).reconnecting([named]).without("input", secrets)
}

pub fn fail(node: Context) -> Made {
    let mut notes = Notes::new();
    let message = match text(node.parameter("errorType")) {
        "errorObject" => node.jinja(node.parameter("errorObject"), &mut notes),
        _ => node.jinja(node.parameter("errorMessage"), &mut notes),
    };
    Made::new("fail", json!({"message": message})).noting(notes)
}

pub fn respond(node: Context) -> Made {
    let (mut notes, mut secrets) = (Notes::new(), Vec::new());
    let body = node.parameter("responseBody");
    let output = match text(node.parameter("respondWith")) {
        "json" | "jwt" if !is_empty(body) => match node.json(body, &mut notes, &mut secrets) {
            Some(json) => Some(json),
            None => {
                note(&mut notes, "its answer is no JSON before it is filled in: it is a text");
                Some(node.cel(body, &mut notes))
            }
        },
        "text" => Some(node.cel(body, &mut notes)),
        "noData" => Some(value(&Value::Null)),
        "redirect" | "binary" => {
            note(&mut notes, "an answer is JSON here, neither a file nor a way to another place");
            None
        }
        _ => Some(node.incoming(&mut notes)),
    };
    let options = node.parameter("options");
    let is_special = whole(&options["responseCode"]).is_some_and(|code| code != 200)
        || !list(&options["responseHeaders"]["entries"]).is_empty();
    if is_special {
        note(&mut notes, "an answer has the status 200 and the platform's own headers");
    }
    let config = output.map_or(json!({}), |output| json!({"output": output}));
    Made::new("send_result", config).noting(notes).without("field", secrets)
}

/// What stands in a locator, as a text.
pub fn located_text(node: Context, locator: &Value, notes: &mut Notes) -> Option<String> {
    located_value(locator).map(|value| node.cel(value, notes))
}
