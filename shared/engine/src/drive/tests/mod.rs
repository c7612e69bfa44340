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

use serde_json::{Map, Value, json};

use domain::id::RunId;
use domain::run::{MAX_CRASHES, NewReview, RunError, RunEventKind, RunValue};

use super::*;
use crate::nodes::http::{HttpCall, HttpNode, RequestBody};
use effects::{Reply, denied, ok, unanswered, unavailable};
use journal::{Crash, ReviewState};
use processes::{Exit, World, at};
use text::step_of;

fn http(config: Value) -> Value {
    let mut config = config;
    config["url"] = "https://example.com/".into();
    config
}

/// A call that sends the input of its node.
fn echo(mut config: Value) -> Value {
    config["query"] = json!({"input": "{{ input | tojson }}"});
    http(config)
}

/// The input of an [`echo`].
fn input_of(effect: &Effect) -> Value {
    let Operation::Http(call) = &*effect.operation else { panic!("{effect:?}") };
    serde_json::from_str(&call.request.query["input"]).unwrap()
}

/// The JSON that a call sends.
fn json_of(effect: &Effect) -> &Value {
    match &*effect.operation {
        Operation::Http(HttpCall { request: HttpNode { body: Some(RequestBody::Json { value }), .. }, .. }) => value,
        _ => panic!("{effect:?}"),
    }
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
