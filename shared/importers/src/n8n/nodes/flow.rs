//! Translates the control flow: loops, waits and sub-workflows.

use serde_json::{Value, json};

use super::messages;
use crate::lenient::{entries, is_empty, number, text, truncate};
use crate::n8n::context::Context;
use crate::n8n::javascript::{expression, functions, text_field};
use crate::n8n::parameter::located_name;
use crate::notes::{Notes, note};
use crate::translation::{Translation, UNBOUND_ID};

/// A loop over batches of items. Its body starts at the batch output and ends where it leads back.
pub fn batches(node: Context) -> Translation {
    let mut notes = Notes::new();
    let size = match node.parameter("batchSize") {
        size if is_empty(size) => if node.source().version < 3.0 { "10" } else { "1" }.to_owned(),
        size => expression(size),
    };
    if !matches!(node.option("reset"), Value::Null | Value::Bool(false)) {
        note(&mut notes, "it starts over with its input: `reset` is not imported");
    }
    // Without a way back, n8n stops after the first batch.
    let wiring = &node.workflow.wiring;
    let leads_back = wiring.wires.iter().any(|wire| wire.to == node.node && wiring.is_back_wire(wire));
    let only = if leads_back { "" } else { ".slice(0, 1)" };
    let (item, done) = if node.source().loop_output() == 1 { ("1", "0") } else { ("0", "1") };
    let translation =
        Translation::new("loop", json!({"items": {"js": format!("n8n.batches({size}){only}")}, "itemMode": {}}));
    translation.with_exits([(item, 0, "item"), (done, 0, "done")]).with_notes(notes)
}

/// A loop around a cycle of nodes. n8n does not limit the rounds of a cycle.
pub fn repeat() -> Translation {
    const MAX_ROUNDS: u32 = 1_000;
    Translation::new("loop", json!({"maxRounds": MAX_ROUNDS, "itemMode": {}}))
        .with_notes([format!("it was added for a cycle of nodes, and repeats it at most {MAX_ROUNDS} times")])
}

pub fn wait(node: Context) -> Translation {
    const MAX_SECONDS: f64 = 2_592_000.0;
    let config = |field: &str, value: Value| json!({field: value, "itemMode": {"run": "all"}});
    if matches!(text(node.parameter("resume")), "webhook" | "form") {
        return messages::wait_for_person(node);
    }
    if text(node.parameter("resume")) == "specificTime" {
        let until = format!("DateTime.fromISO(String({})).toISO()", expression(node.parameter("dateTime")));
        return Translation::new("delay", config("until", json!({"js": until})));
    }
    // Version 1 waits for an hour, later ones for five seconds.
    let default = if node.source().version >= 1.1 { ("seconds", 5.0) } else { ("hours", 1.0) };
    let unit = text(node.parameter("unit"));
    let unit = if unit.is_empty() { default.0 } else { unit };
    let factor = match unit {
        "minutes" => 60.0,
        "hours" => 3_600.0,
        "days" => 86_400.0,
        _ => 1.0,
    };
    let amount = node.parameter("amount");
    if let Value::String(written) = amount
        && number(amount).is_none()
        && !written.is_empty()
    {
        let until = format!("$now.plus({{ {unit}: Number({}) }}).toISO()", expression(amount));
        return Translation::new("delay", config("until", json!({"js": until})));
    }
    let seconds = number(amount).unwrap_or(default.1) * factor;
    let rounded = seconds.clamp(1.0, MAX_SECONDS).round();
    let translation = Translation::new("delay", config("seconds", (rounded as u64).into()));
    translation.with_notes(match seconds {
        _ if seconds > MAX_SECONDS => Some("a delay lasts at most 30 days".to_owned()),
        _ if seconds != rounded => Some(format!("a delay has whole seconds: it waits {rounded} s, not {seconds} s")),
        _ => None,
    })
}

/// A sub-workflow. Its input is the list of the items; in the mode `each`, it runs once for each.
pub fn workflow(node: Context) -> Translation {
    let mut notes = Notes::new();
    let is_each = text(node.parameter("mode")) == "each";
    let named = match located_name(node.parameter("workflowId")) {
        name if name.is_empty() => "the sub-workflow".to_owned(),
        name => format!("workflow `{}`", truncate(&name, 80)),
    };
    let given = &node.parameter("workflowInputs")["value"];
    let input = match (entries(given).next().is_some(), is_each) {
        (false, false) => "$input.all()".to_owned(),
        (false, true) => "[$input.item]".to_owned(),
        (true, true) => format!("[{{ json: {} }}]", expression(given)),
        (true, false) => {
            format!("$input.all().map((item, index) => ({{ json: n8n.read({}, index) }}))", functions(given, &[]))
        }
    };
    if !matches!(text(node.parameter("source")), "" | "database") {
        note(&mut notes, "import the embedded workflow separately");
    }
    if *node.option("waitForSubWorkflow") == false {
        note(&mut notes, "it waits for the sub-workflow's result");
    }
    let run = if is_each { "each" } else { "all" };
    let config = json!({"workflowId": UNBOUND_ID, "input": {"js": input}, "itemMode": {"run": run}});
    Translation::new("workflow", config).with_notes(notes).with_reconnects([named])
}

pub fn fail(node: Context) -> Translation {
    let message = match text(node.parameter("errorType")) {
        "errorObject" => node.parameter("errorObject"),
        _ => node.parameter("errorMessage"),
    };
    Translation::new("fail", json!({"message": text_field(message)}))
}
