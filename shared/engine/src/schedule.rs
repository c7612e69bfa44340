//! The times of a schedule: a cron expression in a time zone, across the changes of daylight saving time.
//!
//! A schedule with fixed hours fires once for each local time. A local time that a change skips fires at the end of the
//! gap, and one that a change repeats fires the first time only. A schedule of every hour, such as `*/30 * * * *`,
//! follows elapsed time instead.

use std::time::Duration;

use croner::Cron;
use jiff::civil::DateTime;
use jiff::tz::{AmbiguousOffset, TimeZone};
use jiff::{SignedDuration, Timestamp, Zoned};

use crate::nodes::NodeKind;
use crate::nodes::schedule::{ScheduleNode, parse_cron};
use domain::graph::{Graph, Node};
use domain::schedule::{CatchUp, PlannedSchedule, ScheduleSettings};
use domain::time::Time;
use domain::{Error, Result};

/// The maximum number of missed times that start a run.
const MAX_MISSED: usize = 100;
/// More than the longest change of a local clock, which is a skipped day.
const LONGEST_CHANGE: SignedDuration = SignedDuration::from_hours(25);

pub struct Schedule {
    cron: Cron,
    zone: TimeZone,
    follows_elapsed_time: bool,
}

/// The times of a schedule that are due, oldest first, and its next time.
#[derive(Debug, PartialEq)]
pub struct DueTimes {
    pub times: Vec<Timestamp>,
    pub next: Option<Timestamp>,
}

impl Schedule {
    /// `None` if the expression or the zone is not valid.
    pub fn parse(cron: &str, zone: &str) -> Option<Self> {
        let hours = cron.split_whitespace().nth(1)?;
        let follows_elapsed_time = matches!(hours, "*" | "*/1" | "0-23");
        Some(Self { cron: parse_cron(cron)?, zone: TimeZone::get(zone).ok()?, follows_elapsed_time })
    }

    /// The first scheduled time after `time`; none if there is no other.
    pub fn next_after(&self, time: Timestamp) -> Option<Timestamp> {
        if self.follows_elapsed_time {
            let next = self.cron.find_next_occurrence(&time.to_zoned(self.zone.clone()), false);
            return next.ok().map(|next| next.timestamp());
        }
        let start = self.local(time).checked_sub(LONGEST_CHANGE).ok()?;
        self.instants(self.cron.iter_after(as_utc(start)?)).find(|instant| *instant > time)
    }

    /// The last scheduled time that is not after `time`.
    fn last_until(&self, time: Timestamp) -> Option<Timestamp> {
        if self.follows_elapsed_time {
            let last = self.cron.find_previous_occurrence(&time.to_zoned(self.zone.clone()), true);
            return last.ok().map(|last| last.timestamp());
        }
        let start = self.local(time).checked_add(LONGEST_CHANGE).ok()?;
        self.instants(self.cron.iter_before(as_utc(start)?)).find(|instant| *instant <= time)
    }

    /// When the clocks of the zone show each local time.
    fn instants(&self, local_times: impl Iterator<Item = Zoned>) -> impl Iterator<Item = Timestamp> {
        local_times.map_while(|local| self.instant(local.datetime()))
    }

    /// The times that are due at `now`, for a schedule whose next time was `planned`. Times that are older than `grace`
    /// were missed, because the platform or the workflow was stopped: `catch_up` decides about them.
    pub fn due(&self, planned: Timestamp, now: Timestamp, grace: Duration, catch_up: CatchUp) -> DueTimes {
        let grace = SignedDuration::try_from(grace).unwrap_or(SignedDuration::MAX);
        let most_missed = match catch_up {
            CatchUp::Skip => 0,
            CatchUp::Last => 1,
            CatchUp::All => MAX_MISSED,
        };
        let (mut times, mut missed, mut until) = (Vec::new(), 0, now);
        while let Some(time) = self.last_until(until).filter(|time| *time >= planned) {
            missed += usize::from(now.duration_since(time) > grace);
            if missed > most_missed {
                break;
            }
            times.push(time);
            until = time - SignedDuration::from_nanos(1);
        }
        times.reverse();
        DueTimes { times, next: self.next_after(now) }
    }

    fn local(&self, time: Timestamp) -> DateTime {
        self.zone.to_datetime(time)
    }

    /// When the clocks of the zone show a local time.
    fn instant(&self, local: DateTime) -> Option<Timestamp> {
        match self.zone.to_ambiguous_timestamp(local).offset() {
            AmbiguousOffset::Unambiguous { offset } | AmbiguousOffset::Fold { before: offset, .. } => {
                offset.to_timestamp(local).ok()
            }
            AmbiguousOffset::Gap { before, .. } => {
                let after_gap = before.to_timestamp(local).ok()?;
                self.zone.preceding(after_gap + SignedDuration::from_nanos(1)).next().map(|change| change.timestamp())
            }
        }
    }
}

/// The schedules of a valid graph, each with its first scheduled time after `now`.
pub fn planned_schedules(graph: &Graph, now: Time) -> Result<Vec<PlannedSchedule>> {
    let nodes = graph.nodes.iter().filter(|node| node.r#type == ScheduleNode::NAME);
    nodes.map(|node| planned_schedule(node, now)).collect()
}

fn planned_schedule(node: &Node, now: Time) -> Result<PlannedSchedule> {
    let config: ScheduleNode = serde_json::from_value(node.config.clone().into()).map_err(Error::internal)?;
    let settings = ScheduleSettings::from(config);
    let times = Schedule::parse(&settings.cron, &settings.zone);
    let first = times.and_then(|times| times.next_after(now.into())).ok_or_else(|| no_times(&settings))?;
    Ok(PlannedSchedule { node_id: node.id.clone(), settings, planned_at: first.into() })
}

/// The compiler refuses schedules that never match, so this is an internal error.
fn no_times(ScheduleSettings { cron, zone, .. }: &ScheduleSettings) -> Error {
    Error::internal(format!("the schedule `{cron}` in {zone} has no next time"))
}

/// A local time as if it were in UTC, which has no changes.
fn as_utc(local: DateTime) -> Option<Zoned> {
    local.to_zoned(TimeZone::UTC).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const GRACE: Duration = Duration::from_secs(15 * 60);

    fn time(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    /// The local times of the next occurrences, with their offsets.
    fn next(cron: &str, zone: &str, after: &str, count: usize) -> Vec<String> {
        let schedule = Schedule::parse(cron, zone).unwrap();
        let mut times = vec![time(after)];
        for _ in 0..count {
            times.push(schedule.next_after(times[times.len() - 1]).unwrap());
        }
        let zone = TimeZone::get(zone).unwrap();
        times[1..].iter().map(|time| time.to_zoned(zone.clone()).strftime("%d %H:%M%:z").to_string()).collect()
    }

    const SPRING: &str = "2026-03-28T12:00:00Z";
    const AUTUMN: &str = "2026-10-24T12:00:00Z";

    #[test]
    fn a_schedule_follows_the_local_clock() {
        assert_eq!(
            next("30 8 * * MON-FRI", "Europe/Madrid", "2026-03-27T12:00:00Z", 2),
            ["30 08:30+02:00", "31 08:30+02:00"]
        );
        assert_eq!(
            next("0 9 * * *", "Asia/Kolkata", "2026-01-01T03:30:00Z", 2),
            ["02 09:00+05:30", "03 09:00+05:30"],
            "a time is not after itself"
        );
    }

    #[test]
    fn a_local_time_that_is_skipped_fires_at_the_end_of_the_gap() {
        let berlin = "Europe/Berlin";
        assert_eq!(next("30 2 * * *", berlin, SPRING, 2), ["29 03:00+02:00", "30 02:30+02:00"]);
        assert_eq!(next("15,45 2 * * *", berlin, SPRING, 2), ["29 03:00+02:00", "30 02:15+02:00"]);
        assert_eq!(
            next("30 1-3 * * *", berlin, SPRING, 4),
            ["29 01:30+01:00", "29 03:00+02:00", "29 03:30+02:00", "30 01:30+02:00"]
        );
        // Samoa skipped 30 December 2011.
        assert_eq!(
            next("0 12 * * *", "Pacific/Apia", "2011-12-29T12:00:00Z", 3),
            ["29 12:00-10:00", "31 00:00+14:00", "31 12:00+14:00"]
        );
    }

    #[test]
    fn a_local_time_that_is_repeated_fires_once() {
        assert_eq!(next("30 2 * * *", "Europe/Berlin", AUTUMN, 2), ["25 02:30+02:00", "26 02:30+01:00"]);
        assert_eq!(
            next("15 2,14 * * *", "Europe/Berlin", AUTUMN, 3),
            ["24 14:15+02:00", "25 02:15+02:00", "25 14:15+01:00"]
        );
    }

    #[test]
    fn stepped_hours_fire_once_per_local_time() {
        let cuba = next("0 */12 * * *", "America/Havana", "2026-03-07T20:00:00Z", 2);
        assert_eq!(cuba, ["08 01:00-04:00", "08 12:00-04:00"], "midnight is in the gap");
        let fold = next("0 */12 * * *", "America/Havana", "2026-10-31T20:00:00Z", 2);
        assert_eq!(fold, ["01 00:00-04:00", "01 12:00-05:00"]);
    }

    #[test]
    fn a_schedule_of_every_hour_follows_elapsed_time() {
        let spring = next("*/30 * * * *", "Europe/Berlin", "2026-03-29T00:40:00Z", 2);
        assert_eq!(spring, ["29 03:00+02:00", "29 03:30+02:00"]);
        let autumn = next("0 * * * *", "Europe/Berlin", "2026-10-24T23:30:00Z", 4);
        assert_eq!(autumn, ["25 02:00+02:00", "25 02:00+01:00", "25 03:00+01:00", "25 04:00+01:00"]);
    }

    /// Going back from any time finds the times that going forward found.
    #[test]
    fn the_last_time_agrees_with_the_next() {
        let schedules = ["30 2 * * *", "15,45 1-3 * * *", "*/30 * * * *", "0 */6 * * *", "0 0 1 * *", "0 9 29 2 *"];
        for cron in schedules {
            let schedule = Schedule::parse(cron, "Europe/Berlin").unwrap();
            for start in [SPRING, AUTUMN, "2026-01-01T00:00:00Z"] {
                let mut at = time(start);
                for _ in 0..60 {
                    let next = schedule.next_after(at).unwrap();
                    assert_eq!(schedule.last_until(next), Some(next), "{cron} at {next}");
                    let before = schedule.last_until(next - SignedDuration::from_nanos(1)).unwrap();
                    assert!(
                        before <= at && schedule.next_after(before) == Some(next),
                        "{cron}: {before} before {next}"
                    );
                    at = next;
                }
            }
        }
    }

    #[test]
    fn missed_times_are_skipped_or_caught_up() {
        let schedule = Schedule::parse("0 * * * *", "UTC").unwrap();
        let (planned, now) = (time("2026-03-01T10:00:00Z"), time("2026-03-01T13:05:00Z"));
        let due = |catch_up| {
            let due = schedule.due(planned, now, GRACE, catch_up);
            assert_eq!(due.next, Some(time("2026-03-01T14:00:00Z")));
            due.times.iter().map(|time| time.strftime("%H").to_string()).collect::<Vec<_>>()
        };
        assert_eq!(due(CatchUp::Skip), ["13"]);
        assert_eq!(due(CatchUp::Last), ["12", "13"]);
        assert_eq!(due(CatchUp::All), ["10", "11", "12", "13"]);
        let late = schedule.due(planned, time("2026-03-01T13:40:00Z"), GRACE, CatchUp::Skip);
        assert_eq!(late.times, []);
        let short = schedule.due(planned, now, Duration::from_secs(60), CatchUp::Skip);
        assert_eq!(short.times, []);
        let early = schedule.due(time("2026-03-01T14:00:00Z"), now, GRACE, CatchUp::All);
        assert_eq!(early.times, []);
    }

    #[test]
    fn the_number_of_missed_runs_is_limited() {
        let schedule = Schedule::parse("* * * * *", "UTC").unwrap();
        let due = schedule.due(time("2026-01-01T00:00:00Z"), time("2026-03-01T00:00:00Z"), GRACE, CatchUp::All);
        // The times within the grace were not missed.
        assert_eq!(due.times.len(), MAX_MISSED + 16);
        assert_eq!(due.times.last(), Some(&time("2026-03-01T00:00:00Z")));
        assert!(due.times.is_sorted());
    }
}
