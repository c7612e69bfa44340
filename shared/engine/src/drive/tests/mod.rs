//! Tests of the driver with a journal in memory, scripted effects and a clock that the tests advance.

mod again;
mod agents;
mod calls;
mod crashes;
mod delays;
mod effects;
mod journal;
mod limits;
mod loops;
mod masks;
mod parts;
mod processes;
mod properties;
mod races;
mod recovery;
mod replays;
mod retries;
mod reviews;
mod shifts;
mod stops;
mod text;
mod uncertain;
mod work;
mod writes;

use std::time::Duration;

use serde_json::{Value, json};

use domain::id::RunId;
use domain::run::{MAX_CRASHES, NewReview, RunError, RunEventKind, RunValue};

use super::*;
use effects::{Reply, denied, ok, unanswered, unavailable};
use journal::{Crash, ReviewState};
use processes::{Exit, World, at};
use text::step_of;

fn http(config: Value) -> Value {
    let mut config = config;
    config["url"] = "https://example.com/".into();
    config
}

/// The nodes of a run with one effect: `start>call call>end`.
fn one_call(config: Value) -> [(&'static str, &'static str, Value); 3] {
    [("start", "input", json!({})), ("call", "http", http(config)), ("end", "send_result", json!({}))]
}

const ONE_CALL: &str = "start>call call>end";

fn approval() -> ReviewAnswer {
    let fields = Map::from_iter([("amount".to_owned(), json!(12))]);
    ReviewAnswer { approved: true, fields, comment: Some("fine".to_owned()), reviewer: "ann".to_owned() }
}

fn rejection() -> ReviewAnswer {
    ReviewAnswer { approved: false, fields: Map::new(), comment: None, reviewer: "ben".to_owned() }
}

const fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}
