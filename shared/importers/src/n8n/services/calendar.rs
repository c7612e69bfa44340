//! The trigger of Google Calendar. Its operations are lines of `operations.jsonl`.

use super::call::Call;
use super::poll::Poll;
use super::source::{Arg, Source};
use crate::script::quote;

const DAY_AGO: &str = "$now.minus({ days: 1 }).toISO()";

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
