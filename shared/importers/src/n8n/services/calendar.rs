//! The lists of events of Google Calendar, and its trigger. Its other operations are lines of `operations.jsonl`.

use super::call::{Call, FIRST_PAGE};
use super::poll::Poll;
use super::source::{Arg, Source};
use crate::script::quote;
use crate::translation::Translation;

const DAY_AGO: &str = "$now.minus({ days: 1 }).toISO()";

pub fn translate(source: &Source) -> Option<Translation> {
    match (source.resource("event"), source.operation("create")) {
        ("event", "getAll") => get_all(source),
        _ => None,
    }
}

fn get_all(source: &Source) -> Option<Translation> {
    /// Since this version, a list is of the next week, and repeated events are several.
    const WITH_BOUNDS: f64 = 1.3;
    let mut call = Call::new("google-calendar/list-events")?;
    let calendar = source.find_any(&["calendar", "calendarId"]).cloned().unwrap_or_else(|| "primary".into());
    call.set(source, "calendarId", Arg::Parameter(calendar));
    let is_new = source.version >= WITH_BOUNDS;
    for (name, default) in [("timeMin", "$now"), ("timeMax", "$now.plus({ weeks: 1 })")] {
        let given = source.find_any(&[name, &format!("options.{name}")]).map(|time| (source.js)(time));
        // A bound that is empty is none.
        let default = (is_new && source.raw(name).is_null()).then(|| default.to_owned());
        if let Some(time) = given.or(default) {
            call.set(source, name, Arg::Script(format!("n8n.instantBound({time})")));
        }
    }
    call.set_from(source, "q", "options.query");
    call.set_from(source, "orderBy", "options.orderBy");
    call.set_from(source, "timeZone", "options.timeZone");
    let handling = source.text("options.recurringEventHandling");
    if source.is_true("options.singleEvents") || (is_new && matches!(handling, "" | "expand")) {
        call.set(source, "singleEvents", Arg::Parameter(true.into()));
    }
    let limit = match source.find("limit") {
        _ if source.is_true("returnAll") => Arg::Parameter(2500.into()),
        Some(limit) => Arg::Parameter(limit.clone()),
        None => Arg::Parameter(50.into()),
    };
    call.set(source, "maxResults", limit);
    let notes = [
        source.is_true("returnAll").then_some(FIRST_PAGE),
        (handling == "next").then_some("a repeated event is given instead of its next instance"),
    ];
    Some(call.node("output.body.items")?.with_notes(notes.into_iter().flatten()))
}

pub fn poll(source: &Source) -> Option<Poll> {
    let mut call = Call::new("google-calendar/list-events")?;
    call.set(source, "calendarId", source.argument_or("calendarId", "primary"));
    call.set_from(source, "q", "options.matchTerm");
    call.set(source, "maxResults", Arg::Parameter(250.into()));
    let kind = source.text("triggerOn");
    let is_by_time = matches!(kind, "eventStarted" | "eventEnded");
    call.set(source, "singleEvents", Arg::Parameter(is_by_time.into()));
    if is_by_time {
        call.set(source, "timeMin", Arg::Script(DAY_AGO.to_owned()));
        call.set(source, "timeMax", Arg::Script("$now.toISO()".to_owned()));
    } else {
        // Deleted events are in the list, too.
        call.set(source, "updatedMin", Arg::Script(DAY_AGO.to_owned()));
    }
    let key = match kind {
        "eventCreated" | "eventCancelled" => "$json.id",
        "eventStarted" => "[$json.id, $json.start]",
        "eventEnded" => "[$json.id, $json.end]",
        _ => "[$json.id, $json.updated]",
    };
    let list = call.node(&format!("n8n.calendarChanges(output.body, {})", quote(kind)))?;
    Some(Poll::new(list.with_notes(["changes are noticed for a day, so start it at least once a day"]), key))
}
