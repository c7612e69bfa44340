//! Converts schedules. n8n has a list of intervals, and each becomes one schedule.

use serde_json::{Map, Value};

use crate::lenient::{list, number, scalar_text, text, whole_number};
use crate::n8n::context::{Context, DEFAULT_ZONE};
use crate::notes::{Notes, note};
use crate::translation::Translation;
use engine::nodes::OUT;

const MAX_SCHEDULES: usize = 20;

pub fn schedule(node: Context) -> Translation {
    let mut notes = Notes::new();
    let intervals = list(&node.parameter("rule")["interval"]);
    let times = list(&node.parameter("triggerTimes")["item"]);
    let mut crons: Vec<String> = match node.source().kind {
        "interval" => {
            let (count, unit) = (node.parameter("interval"), text(node.parameter("unit")));
            vec![repeating_cron(whole_number(count).unwrap_or(1), unit, &TimeOfDay::default(), &mut notes)]
        }
        "cron" if intervals.is_empty() && times.is_empty() => match is_time(node.parameters()) {
            true => vec![v1_cron(node.parameters(), &mut notes)],
            false => Vec::new(),
        },
        "cron" if intervals.is_empty() => times.iter().map(|time| v1_cron(time, &mut notes)).collect(),
        _ if intervals.is_empty() => vec!["0 0 * * *".to_owned()],
        _ => intervals.iter().map(|interval| interval_cron(interval, &mut notes)).collect(),
    };
    crons.retain(|cron| !cron.is_empty());
    if crons.is_empty() {
        note(&mut notes, "its time was not set: it runs daily at 14:00");
        crons.push("0 14 * * *".to_owned());
    }
    schedules(node, &crons, None, notes)
}

/// The schedule of a trigger that asks a service. A run that takes long is not overtaken.
pub fn polls(node: Context) -> Translation {
    let mut notes = Notes::new();
    let times = list(&node.parameter("pollTimes")["item"]);
    let mut crons: Vec<String> = times.iter().map(|time| v1_cron(time, &mut notes)).collect();
    crons.retain(|cron| !cron.is_empty());
    if crons.is_empty() {
        crons.push("* * * * *".to_owned());
    }
    schedules(node, &crons, Some("skip"), notes)
}

/// A node for each cron expression. Each of them starts runs.
fn schedules(node: Context, crons: &[String], overlap: Option<&str>, notes: Notes) -> Translation {
    let mut all_notes = Notes::new();
    let zone = zone(node, &mut all_notes);
    all_notes.extend(notes);
    let config = |cron: &String| {
        let fields = [("cron", Some(cron.as_str())), ("zone", Some(zone)), ("overlap", overlap)];
        fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?.into()))).collect::<Map<_, _>>()
    };
    let mut translation = Translation::new("schedule", config(&crons[0]).into()).with_notes(all_notes);
    for cron in crons[1..].iter().take(MAX_SCHEDULES - 1) {
        let step = translation.add_step("time", "schedule", config(cron));
        translation.exits.push(("0".to_owned(), step, OUT.to_owned()));
    }
    translation
}

/// Whether the parameters of a node are themselves a time.
fn is_time(parameters: &Value) -> bool {
    ["mode", "cronExpression"].iter().any(|name| parameters[*name].is_string())
}

fn zone<'d>(node: Context<'_, 'd>, notes: &mut Notes) -> &'d str {
    node.workflow.zone().unwrap_or_else(|| {
        note(notes, format!("the time zone was the server's: {DEFAULT_ZONE}, the default of n8n, is assumed"));
        DEFAULT_ZONE
    })
}

#[derive(Default)]
struct TimeOfDay {
    minute: u64,
    hour: u64,
    day: u64,
    weekdays: String,
}

/// `{field: "weeks", weeksInterval: 1, triggerAtDay: [1], triggerAtHour: 9}`
fn interval_cron(interval: &Value, notes: &mut Notes) -> String {
    let field = match text(&interval["field"]) {
        "" => "days",
        field => field,
    };
    if field == "cronExpression" {
        let given = ["expression", "cronExpression", "value"].iter().find_map(|name| interval[*name].as_str());
        return five_field_cron(given.unwrap_or_default(), notes);
    }
    let days: Vec<String> = match &interval["triggerAtDay"] {
        Value::Array(days) => days.iter().filter_map(whole_number).map(|day| day.to_string()).collect(),
        day => whole_number(day).map(|day| day.to_string()).into_iter().collect(),
    };
    let time = TimeOfDay {
        minute: whole_number(&interval["triggerAtMinute"]).unwrap_or(0).min(59),
        hour: whole_number(&interval["triggerAtHour"]).unwrap_or(0).min(23),
        day: whole_number(&interval["triggerAtDayOfMonth"]).unwrap_or(1).clamp(1, 31),
        weekdays: if days.is_empty() { "0".to_owned() } else { days.join(",") },
    };
    let default = if field == "seconds" {
        30
    } else if field == "minutes" {
        5
    } else {
        1
    };
    repeating_cron(whole_number(&interval[format!("{field}Interval")]).unwrap_or(default), field, &time, notes)
}

/// `{mode: "everyWeek", weekday: "1", hour: 9, minute: 0}`. Some files have the numbers in lists below `value`.
fn v1_cron(time: &Value, notes: &mut Notes) -> String {
    let read = |name: &str| {
        let nested = &time["value"][name];
        whole_number(&time[name]).or_else(|| whole_number(list(nested).first().unwrap_or(nested)))
    };
    let at = TimeOfDay {
        minute: read("minute").unwrap_or(0).min(59),
        // The default hour is 14.
        hour: read("hour").unwrap_or(14).min(23),
        day: read("dayOfMonth").unwrap_or(1).clamp(1, 31),
        weekdays: read("weekday").unwrap_or(1).to_string(),
    };
    let unit = Some(text(&time["unit"])).filter(|unit| !unit.is_empty()).unwrap_or("hours");
    match text(&time["mode"]).trim_start_matches('=') {
        "" if time["cronExpression"].is_string() => five_field_cron(text(&time["cronExpression"]), notes),
        "custom" => five_field_cron(&scalar_text(&time["cronExpression"]), notes),
        "everyX" => repeating_cron(whole_number(&time["value"]).unwrap_or(2), unit, &at, notes),
        "everyMinute" => repeating_cron(1, "minutes", &at, notes),
        "everyHour" => repeating_cron(1, "hours", &at, notes),
        "everyWeek" => repeating_cron(1, "weeks", &at, notes),
        "everyMonth" => repeating_cron(1, "months", &at, notes),
        _ => repeating_cron(1, "days", &at, notes),
    }
}

/// The cron expression for an interval. A cron step restarts with every hour, day, month or year, so a longer interval is
/// expressed in the next larger unit.
fn repeating_cron(count: u64, unit: &str, at: &TimeOfDay, notes: &mut Notes) -> String {
    let count = count.max(1);
    let step = |most: u64| if count == 1 { "*".to_owned() } else { format!("*/{}", count.min(most)) };
    let mut evenly = |fits: bool, of: &str| {
        if !fits {
            note(notes, format!("every {count} {unit} restarts with each {of}"));
        }
    };
    let TimeOfDay { minute, hour, day, weekdays } = at;
    match unit {
        "seconds" if count < 60 => {
            note(notes, "schedules have no seconds: it runs once a minute");
            "* * * * *".to_owned()
        }
        "seconds" => repeating_cron(to_larger_unit(count, unit, 60, "minutes", notes), "minutes", at, notes),
        "minutes" if count < 60 => {
            evenly(60 % count == 0, "hour");
            format!("{} * * * *", step(59))
        }
        "minutes" => {
            repeating_cron(to_larger_unit(count, unit, 60, "hours", notes), "hours", &TimeOfDay::default(), notes)
        }
        "hours" if count < 24 => {
            evenly(24 % count == 0, "day");
            format!("{minute} {} * * *", step(23))
        }
        "hours" => {
            let at = TimeOfDay { minute: *minute, ..TimeOfDay::default() };
            repeating_cron(to_larger_unit(count, unit, 24, "days", notes), "days", &at, notes)
        }
        "weeks" => {
            if count > 1 {
                note(notes, format!("an interval of {count} weeks is not supported: it runs every week"));
            }
            format!("{minute} {hour} * * {weekdays}")
        }
        "months" => {
            evenly(12 % count == 0, "year");
            format!("{minute} {hour} {day} {} *", step(12))
        }
        _ => {
            evenly(count == 1, "month");
            format!("{minute} {hour} {} * *", step(31))
        }
    }
}

/// Converts a count to the next larger unit. It rounds up, so that no schedule fires more often than before.
fn to_larger_unit(count: u64, unit: &str, of: u64, larger: &str, notes: &mut Notes) -> u64 {
    let carried = count.div_ceil(of);
    if !count.is_multiple_of(of) {
        note(notes, format!("an interval of {count} {unit} is not supported: it runs every {carried} {larger}"));
    }
    carried
}

/// A cron expression with five fields. n8n may put seconds first.
fn five_field_cron(cron: &str, notes: &mut Notes) -> String {
    let fields: Vec<&str> = cron.trim_start_matches('=').split_whitespace().collect();
    match &fields[..] {
        [seconds, rest @ ..] if rest.len() == 5 => {
            if number(&Value::from(*seconds)) != Some(0.0) {
                note(notes, "schedules have no seconds");
            }
            rest.join(" ")
        }
        fields => fields.join(" "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_interval_is_reported() {
        let at = TimeOfDay { minute: 5, hour: 9, day: 3, weekdays: "1,3".to_owned() };
        let table = [
            (1, "minutes", "* * * * *", ""),
            (15, "minutes", "*/15 * * * *", ""),
            (7, "minutes", "*/7 * * * *", "every 7 minutes restarts with each hour"),
            (60, "minutes", "0 * * * *", ""),
            (120, "minutes", "0 */2 * * *", ""),
            (90, "minutes", "0 */2 * * *", "an interval of 90 minutes is not supported: it runs every 2 hours"),
            (1_440, "minutes", "0 0 * * *", ""),
            (1, "hours", "5 * * * *", ""),
            (6, "hours", "5 */6 * * *", ""),
            (23, "hours", "5 */23 * * *", "every 23 hours restarts with each day"),
            (24, "hours", "5 0 * * *", ""),
            (
                36,
                "hours",
                "5 0 */2 * *",
                "an interval of 36 hours is not supported: it runs every 2 days; every 2 days restarts with each month",
            ),
            (1, "days", "5 9 * * *", ""),
            (2, "days", "5 9 */2 * *", "every 2 days restarts with each month"),
            (1, "weeks", "5 9 * * 1,3", ""),
            (2, "weeks", "5 9 * * 1,3", "an interval of 2 weeks is not supported: it runs every week"),
            (3, "months", "5 9 3 */3 *", ""),
            (5, "months", "5 9 3 */5 *", "every 5 months restarts with each year"),
            (30, "seconds", "* * * * *", "schedules have no seconds: it runs once a minute"),
            (300, "seconds", "*/5 * * * *", ""),
            (0, "hours", "5 * * * *", ""),
        ];
        for (count, unit, cron, text) in table {
            let mut notes = Notes::new();
            assert_eq!(repeating_cron(count, unit, &at, &mut notes), cron, "{count} {unit}");
            assert_eq!(notes.join("; "), text, "{count} {unit}");
        }
    }
}
