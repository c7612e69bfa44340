//! Converts schedules.

use jiff::tz::TimeZone;
use serde_json::json;

use super::super::super::lenient::{list, scalar_text, text, whole_number};
use super::super::super::notes::{Notes, note};
use super::super::super::translation::Translation;
use super::super::context::Context;

pub fn schedule(node: Context) -> Translation {
    let mut notes = Notes::new();
    let zone = scalar_text(node.data("timezone"));
    let zone = if !zone.is_empty() && TimeZone::get(&zone).is_ok() {
        zone
    } else {
        note(&mut notes, "its time zone is unknown: UTC is assumed");
        "UTC".to_owned()
    };
    let cron = match text(node.data("mode")) {
        "cron" => scalar_text(node.data("cron_expression")),
        _ => visual(node),
    };
    Translation::new("schedule", json!({"cron": cron, "zone": zone})).with_notes(notes)
}

/// `{frequency: "weekly", visual_config: {time: "9:30 AM", weekdays: ["mon"]}}`
fn visual(node: Context) -> String {
    let config = node.data("visual_config");
    let (hour, minute) = time(text(&config["time"])).unwrap_or((0, 0));
    let joined = |name: &str| list(&config[name]).iter().map(scalar_text).collect::<Vec<_>>();
    match text(node.data("frequency")) {
        "hourly" => format!("{} * * * *", whole_number(&config["on_minute"]).unwrap_or(0).min(59)),
        "weekly" => {
            let days = joined("weekdays").join(",").to_uppercase();
            format!("{minute} {hour} * * {}", if days.is_empty() { "MON".to_owned() } else { days })
        }
        "monthly" => {
            let days: Vec<String> = joined("monthly_days")
                .into_iter()
                .map(|day| if day == "last" { "L".to_owned() } else { day })
                .collect();
            format!("{minute} {hour} {} * *", if days.is_empty() { "1".to_owned() } else { days.join(",") })
        }
        _ => format!("{minute} {hour} * * *"),
    }
}

/// `9:30 AM`, `21:30`
fn time(text: &str) -> Option<(u64, u64)> {
    let (clock, half) = text.trim().split_once(' ').unwrap_or((text.trim(), ""));
    let (hour, minute) = clock.split_once(':')?;
    let (hour, minute): (u64, u64) = (hour.parse().ok()?, minute.parse().ok()?);
    let hour = match half.to_ascii_uppercase().as_str() {
        "AM" => hour % 12,
        "PM" => hour % 12 + 12,
        _ => hour,
    };
    (hour < 24 && minute < 60).then_some((hour, minute))
}
