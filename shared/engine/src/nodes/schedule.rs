//! The node type `schedule`: starts runs by a cron expression.

use std::time::Duration;

use croner::Cron;
use croner::parser::{CronParser, Seconds, Year};
use crate::schema::FieldProblem;
use domain::json::is_deeper_than;
use domain::language::Translated;
use domain::translated;
use domain::schedule::{CatchUp, DEFAULT_GRACE_SECONDS, Overlap, ScheduleSettings};
use jiff::tz::TimeZone;
use serde::Deserialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::{Category, Fields, NodeAction, NodeKind, NodeResult, policy::Policies};
use crate::value_size::{MAX_VALUE_DEPTH, measure};

/// The maximum number of nodes of this type in a graph. Each has an item that the ticker reads.
pub const MAX_SCHEDULES: usize = 10;
/// The maximum size of `input` as JSON. It is stored with the schedule, which is written at each of its times.
const MAX_INPUT_BYTES: usize = 32 * 1024;

#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ScheduleNode {
    /// The cron expression: minute, hour, day of the month, month, day of the week.
    #[schema(min_length = 1, max_length = 200, example = "30 8 * * MON-FRI")]
    pub cron: String,
    /// An IANA time zone.
    #[schema(min_length = 1, max_length = 64, example = "Europe/Madrid")]
    pub zone: String,
    /// What happens with scheduled times that were missed, because the workflow was paused or the platform was late by more
    /// than `graceSeconds`. `skip` (the default) drops them, `last` starts one run for the last of them, `all` starts a run for
    /// each, at most 100.
    #[serde(default)]
    #[schema(inline, nullable = false)]
    pub catch_up: Option<CatchUp>,
    /// What happens at a scheduled time while the previous run is in progress. `allow` (the default) starts another run,
    /// `skip` drops the time, `queue` starts the run when the previous one has ended.
    #[serde(default)]
    #[schema(inline, nullable = false)]
    pub overlap: Option<Overlap>,
    /// A scheduled time whose run cannot start within this number of seconds was missed. 60 by default, because the ticker
    /// runs once a minute.
    #[serde(default)]
    #[schema(minimum = 60, maximum = 86_400, default = 60, nullable = false)]
    pub grace_seconds: Option<u32>,
    /// The input of each run, at most 32 KiB as JSON. If it is an object or missing, the value of the node also has
    /// `scheduledAt`, the planned time.
    #[serde(default)]
    pub input: Option<Value>,
}

impl From<ScheduleNode> for ScheduleSettings {
    fn from(ScheduleNode { cron, zone, catch_up, overlap, grace_seconds, input }: ScheduleNode) -> Self {
        Self {
            cron,
            zone,
            catch_up: catch_up.unwrap_or_default(),
            overlap: overlap.unwrap_or_default(),
            grace: Duration::from_secs(grace_seconds.unwrap_or(DEFAULT_GRACE_SECONDS).into()),
            input: input.unwrap_or_default(),
        }
    }
}

/// Parses the five fields of cron.
pub fn parse_cron(text: &str) -> Option<Cron> {
    let parser = CronParser::builder().seconds(Seconds::Disallowed).year(Year::Disallowed).build();
    parser.parse(text).ok()
}

fn input_problem(input: &Value) -> Option<Translated<String>> {
    if measure(input).is_none_or(|bytes| bytes > MAX_INPUT_BYTES) {
        return Some(translated!(
            "must have at most {MAX_INPUT_BYTES} bytes as JSON; load larger data in the workflow",
            "debe tener como máximo {MAX_INPUT_BYTES} bytes como JSON; cargue los datos más grandes dentro del flujo"
        ));
    }
    is_deeper_than(input, MAX_VALUE_DEPTH).then(|| {
        translated!("must nest at most {MAX_VALUE_DEPTH} levels", "debe tener como máximo {MAX_VALUE_DEPTH} niveles de anidamiento")
    })
}

const FIELDS: [Translated; 5] = [
    Translated::new("minute, from 0 to 59", "un minuto válido, de 0 a 59"),
    Translated::new("hour, from 0 to 23", "una hora válida, de 0 a 23"),
    Translated::new("day of the month, from 1 to 31", "un día del mes válido, de 1 a 31"),
    Translated::new("month, from 1 to 12 or JAN to DEC", "un mes válido, de 1 a 12 o de JAN a DEC"),
    Translated::new("day of the week, from 0 to 7 or SUN to SAT", "un día de la semana válido, de 0 a 7 o de SUN a SAT"),
];

/// Shorthands of other schedulers, and the same in five fields.
const WORDS: [(&str, &str); 7] = [
    ("@hourly", "0 * * * *"),
    ("@daily", "0 0 * * *"),
    ("@midnight", "0 0 * * *"),
    ("@weekly", "0 0 * * 0"),
    ("@monthly", "0 0 1 * *"),
    ("@yearly", "0 0 1 1 *"),
    ("@annually", "0 0 1 1 *"),
];

fn problem(text: &str) -> Option<Translated<String>> {
    const FORM: Translated = Translated::new(
        "must have five fields: minute hour day month weekday",
        "debe tener cinco campos: minuto hora día mes día-de-la-semana",
    );
    let fields: Vec<&str> = text.split_whitespace().collect();
    if let Some((word, same)) = WORDS.iter().find(|(word, _)| text.trim().eq_ignore_ascii_case(word)) {
        let hint = translated!("; for {word}, write {same}", "; para {word}, escriba {same}");
        return Some(Translated::from(FORM).with(&hint));
    }
    if fields.len() != FIELDS.len() {
        return Some(FORM.into());
    }
    if let Some(cron) = parse_cron(text) {
        return (!ever_comes(&cron)).then(|| {
            translated!(
                "never matches a date; change the day or the month",
                "no coincide nunca con una fecha; cambie el día o el mes"
            )
        });
    }
    // Each field is parsed alone, with `*` for the others.
    let is_wrong = |place: &usize| {
        let alone = (0..FIELDS.len()).map(|other| if other == *place { fields[other] } else { "*" });
        parse_cron(&alone.collect::<Vec<_>>().join(" ")).is_none()
    };
    let place = (0..FIELDS.len()).find(is_wrong);
    Some(place.map_or(FORM.into(), |place| {
        translated!("`{}` is not a valid ", "`{}` no es ", fields[place]).with(&FIELDS[place])
    }))
}

/// Whether the schedule ever matches. The search reaches the next 29 February, and is short enough to run at once.
fn ever_comes(cron: &Cron) -> bool {
    cron.find_next_occurrence(&jiff::Timestamp::UNIX_EPOCH.to_zoned(TimeZone::UTC), true).is_ok()
}

impl NodeKind for ScheduleNode {
    const NAME: &'static str = "schedule";
    const CATEGORY: Category = Category::Trigger;
    const DESCRIPTION: Translated = Translated::new(
        "Starts runs at scheduled times in a time zone; its value is the input that is configured here, \
         with the planned time as `scheduledAt`.",
        "Inicia ejecuciones a horas programadas en una zona horaria; su valor es la entrada que se \
         configura aquí, con la hora prevista como `scheduledAt`.",
    );
    const POLICIES: Policies = Policies::NONE;

    fn example() -> Value {
        json!({"cron": "30 8 * * MON-FRI", "zone": "Europe/Madrid", "catchUp": "last", "overlap": "skip", "graceSeconds": 300})
    }

    fn problems(&self) -> Vec<FieldProblem> {
        let mut problems: Vec<_> = problem(&self.cron).map(|problem| ("cron".to_owned(), problem)).into_iter().collect();
        if TimeZone::get(&self.zone).is_err() {
            let message = translated!(
                "must be an IANA time zone, such as Europe/Madrid",
                "debe ser una zona horaria de la IANA, como Europe/Madrid"
            );
            problems.push(("zone".to_owned(), message));
        }
        problems.extend(self.input.as_ref().and_then(input_problem).map(|problem| ("input".to_owned(), problem)));
        problems
    }

    fn evaluate(&self, _: &Fields) -> NodeResult {
        Ok(NodeAction::Pass)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_and_deep_inputs_are_refused() {
        let deep = (0..=MAX_VALUE_DEPTH).fold(json!(1), |inner, _| json!([inner]));
        for (input, expected) in [
            (json!("x".repeat(MAX_INPUT_BYTES - 2)), None),
            (
                json!("x".repeat(MAX_INPUT_BYTES - 1)),
                Some("must have at most 32768 bytes as JSON; load larger data in the workflow"),
            ),
            (deep, Some("must nest at most 100 levels")),
        ] {
            assert_eq!(input_problem(&input).map(|problem| problem.en).as_deref(), expected);
        }
    }

    #[test]
    fn invalid_cron_expressions_are_explained() {
        for (cron, expected) in [
            ("30 8 * * MON-FRI", None),
            ("*/5 0-6,22 1 JAN *", None),
            ("60 8 * * *", Some("`60` is not a valid minute, from 0 to 59")),
            ("0 24 * * *", Some("`24` is not a valid hour, from 0 to 23")),
            ("0 8 0 * *", Some("`0` is not a valid day of the month, from 1 to 31")),
            ("0 8 * foo *", Some("`foo` is not a valid month, from 1 to 12 or JAN to DEC")),
            ("0 8 * * 8", Some("`8` is not a valid day of the week, from 0 to 7 or SUN to SAT")),
            ("0 0 30 2 *", Some("never matches a date; change the day or the month")),
            ("0 8 * *", Some("must have five fields: minute hour day month weekday")),
            ("0 0 8 * * *", Some("must have five fields: minute hour day month weekday")),
            ("@daily", Some("must have five fields: minute hour day month weekday; for @daily, write 0 0 * * *")),
            ("@reboot", Some("must have five fields: minute hour day month weekday")),
        ] {
            assert_eq!(problem(cron).map(|problem| problem.en).as_deref(), expected, "{cron}");
        }
    }
}
