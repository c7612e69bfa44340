//! A run at set times.

use croner::Cron;
use croner::parser::{CronParser, Seconds, Year};
use jiff::tz::TimeZone;
use serde::Deserialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::{Category, Kind, policy::Policies};

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Schedule {
    /// Minute, hour, day of the month, month, day of the week.
    #[schema(min_length = 1, max_length = 200, example = "30 8 * * MON-FRI")]
    pub cron: String,
    /// An IANA time zone.
    #[schema(min_length = 1, max_length = 64, example = "Europe/Madrid")]
    pub zone: String,
    /// What becomes of times that passed unserved; `skip` when left out.
    #[serde(default)]
    #[schema(inline, nullable = false)]
    pub catch_up: Option<CatchUp>,
    /// What becomes of a time while the run of the one before goes on; `allow` when left out.
    #[serde(default)]
    #[schema(inline, nullable = false)]
    pub overlap: Option<Overlap>,
    /// What each run takes.
    #[serde(default)]
    pub input: Option<Value>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum CatchUp {
    Skip,
    Last,
    All,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Overlap {
    Allow,
    Skip,
    Queue,
}

/// Five fields, as cron has them.
fn parse(text: &str) -> Option<Cron> {
    let parser = CronParser::builder().seconds(Seconds::Disallowed).year(Year::Disallowed).build();
    parser.parse(text).ok()
}

/// Far enough for a 29 February, and so near that a date which never comes is found out at once.
fn ever_comes(cron: &Cron) -> bool {
    cron.find_next_occurrence(&jiff::Timestamp::UNIX_EPOCH.to_zoned(TimeZone::UTC), true).is_ok()
}

impl Kind for Schedule {
    const NAME: &'static str = "schedule";
    const CATEGORY: Category = Category::Trigger;
    const DESCRIPTION: &'static str = "Starts a run at set times of a time zone.";
    const POLICIES: Policies = Policies::NONE;

    fn example() -> Value {
        json!({"cron": "30 8 * * MON-FRI", "zone": "Europe/Madrid", "catchUp": "last", "overlap": "skip"})
    }

    fn problems(&self) -> Vec<(String, String)> {
        let mut problems = Vec::new();
        match parse(&self.cron) {
            None => problems.push(("cron".to_owned(), "five fields: minute hour day month weekday".to_owned())),
            Some(cron) if !ever_comes(&cron) => problems.push(("cron".to_owned(), "never comes".to_owned())),
            Some(_) => {}
        }
        if TimeZone::get(&self.zone).is_err() {
            problems.push(("zone".to_owned(), "must be an IANA time zone, such as Europe/Madrid".to_owned()));
        }
        problems
    }
}
