//! The rules of the protocol of runs. A rule is switched off by changing requests, by an index that finds nothing, or by a
//! clock that lags.

use domain::id::RunId;
use domain::run::{RunEvent, RunEventKind};
use serde_json::{Value, json};
use store::keys;

use super::accounts::Accounts;
use super::oracle::Oracle;
use crate::machine::dynamodb_json::{change_set, drop_condition, drop_condition_on, write_bodies};
use crate::machine::runner::ProtocolRule;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// A holder writes only while the run has its epoch and the number of events that it knows.
    HoldsByEpoch,
    /// A holder writes nothing after a stop.
    RefusesStopped,
    /// A run parks only if nobody has answered since the holder read the answers.
    ComparesWakes,
    /// Of several claims of a run, one succeeds.
    ClaimsOnce,
    /// The ticker sends the hints of runs that are due again.
    SendsDueRunsAgain,
    /// A run that is carried out where it arrives is due when its claim expires.
    ArrivesWithDueTime,
    /// A parked run is due when its wait is over.
    ParksWithDueTime,
    /// The log has an attempt before it begins, so that the next process knows that it may have taken place.
    StoresIntents,
    /// The log counts how often an attempt begins.
    CountsBegins,
    /// The log names the attempts that an orderly stop interrupted, so that the stop is no crash of theirs.
    RecordsInterruptions,
    /// The first answer to a review counts.
    AnswersOnce,
    /// A review expires only while it is open.
    ExpiresOpenReviews,
    /// A key starts one run.
    StartsOnce,
    /// An effect begins only if its timeout ends before the shift.
    BeginsEffectsInTime,
    /// A run ends only once.
    EndsOnce,
    /// The end of a run wakes the run that waits for it.
    WakesParents,
    /// A run that is no longer needed is stopped.
    StopsCalls,
    /// A review that is no longer needed is canceled.
    CancelsReviews,
    /// The log has the results that the first process saw.
    KeepsResults,
}

impl ProtocolRule for Rule {
    type Oracle = Oracle;

    const ALL: &'static [Self] = &[
        Self::HoldsByEpoch,
        Self::RefusesStopped,
        Self::ComparesWakes,
        Self::ClaimsOnce,
        Self::SendsDueRunsAgain,
        Self::ArrivesWithDueTime,
        Self::ParksWithDueTime,
        Self::StoresIntents,
        Self::CountsBegins,
        Self::RecordsInterruptions,
        Self::AnswersOnce,
        Self::ExpiresOpenReviews,
        Self::StartsOnce,
        Self::BeginsEffectsInTime,
        Self::EndsOnce,
        Self::WakesParents,
        Self::StopsCalls,
        Self::CancelsReviews,
        Self::KeepsResults,
    ];

    fn expected_oracles(self) -> &'static [Oracle] {
        use Oracle::{
            AnswerLost, AnsweredTwice, BeganAfterStop, BrokenLog, LostRun, NeverEnds, Orphan, OtherCalls, OtherRequest,
            RepeatedAfterResult, RepeatedUncertain, ReviewLeftOpen, StartedTwice, StopIgnored, WrongCrash, WrongResult,
        };
        match self {
            Self::HoldsByEpoch => &[BrokenLog, LostRun, RepeatedAfterResult, WrongResult],
            Self::RefusesStopped => &[BeganAfterStop, StopIgnored, BrokenLog],
            Self::ComparesWakes => &[AnswerLost],
            Self::ClaimsOnce => &[LostRun, BrokenLog, RepeatedAfterResult, RepeatedUncertain],
            Self::SendsDueRunsAgain | Self::ArrivesWithDueTime | Self::ParksWithDueTime | Self::CountsBegins => {
                &[NeverEnds]
            }
            Self::StoresIntents => &[RepeatedUncertain],
            Self::RecordsInterruptions => &[WrongCrash],
            Self::AnswersOnce => &[AnsweredTwice, AnswerLost],
            Self::ExpiresOpenReviews => &[AnswerLost],
            Self::StartsOnce => &[StartedTwice],
            Self::BeginsEffectsInTime => &[LostRun, RepeatedUncertain, RepeatedAfterResult],
            Self::EndsOnce => &[BrokenLog, StopIgnored],
            Self::WakesParents => &[NeverEnds],
            Self::StopsCalls => &[Orphan],
            Self::CancelsReviews => &[ReviewLeftOpen],
            Self::KeepsResults => &[OtherCalls, OtherRequest],
        }
    }

    fn first_seed(self) -> u64 {
        match self {
            Self::HoldsByEpoch => 184,
            Self::RefusesStopped => 269,
            Self::ClaimsOnce => 126,
            Self::ExpiresOpenReviews => 133,
            Self::EndsOnce => 3,
            Self::AnswersOnce => 5,
            Self::ArrivesWithDueTime => 2,
            Self::ParksWithDueTime => 17,
            Self::ComparesWakes => 9,
            Self::SendsDueRunsAgain | Self::CountsBegins => 6,
            Self::RecordsInterruptions => 43,
            Self::StoresIntents => 2,
            Self::StartsOnce => 1,
            Self::StopsCalls => 14,
            Self::CancelsReviews => 283,
            Self::KeepsResults => 6,
            Self::WakesParents => 5,
            Self::BeginsEffectsInTime => 922,
        }
    }
}

impl Rule {
    /// Rewrites a request as a store without the rule would send it.
    pub fn rewrite(self, accounts: &Accounts, operation: &str, request: &mut Value) {
        if self == Self::WakesParents
            && let Some(writes) = request["TransactItems"].as_array_mut()
            && writes.iter().any(is_end_of_call)
        {
            // Keeps the end and its log, without the writes to the parent.
            writes.retain(|write| !is_end_of_call(write) && !is_wake(write));
        }
        for body in write_bodies(operation, request) {
            self.rewrite_write(accounts, body);
        }
    }

    fn rewrite_write(self, accounts: &Accounts, body: &mut Value) {
        let key = if body["Item"].is_object() { &body["Item"] } else { &body["Key"] };
        let (pk, sk) = (key["pk"]["S"].as_str().unwrap_or_default(), key["sk"]["S"].as_str().unwrap_or_default());
        let is_head = sk == "RUN";
        let is_review = sk.starts_with(keys::REVIEW);
        let is_start = pk.starts_with("STARTED#");
        let names = &body["ExpressionAttributeNames"];
        let has = |name: &str| names[format!("#{name}")].is_string();
        let is_held = is_head && has("stop") && has("next_event") && has("epoch");
        match self {
            Self::HoldsByEpoch if is_held => {
                ["epoch", "next_event"].iter().for_each(|name| drop_condition_on(body, name))
            }
            Self::RefusesStopped if is_held => drop_condition_on(body, "stop"),
            Self::ComparesWakes if is_held && has("seen_wakes") => drop_condition_on(body, "wakes"),
            Self::ClaimsOnce if is_head && has("claim") => drop_condition(body),
            Self::ArrivesWithDueTime if is_head && body["Item"]["claimed_until"].is_object() => {
                body["Item"]["due_at"] = json!({"S": NEVER});
            }
            Self::ParksWithDueTime if is_held && has("seen_wakes") && has("wake_at") => never_due(body),
            Self::StoresIntents if body["Item"]["events"].is_object() => hide_intents(body),
            Self::CountsBegins if body["Item"]["events"].is_object() => hide_repeated_begins(body, accounts),
            Self::RecordsInterruptions if body["Item"]["events"].is_object() => hide_interruptions(body),
            Self::AnswersOnce if is_review && has("answer") => drop_condition_on(body, "state"),
            Self::ExpiresOpenReviews if is_review && !has("answer") && body["UpdateExpression"].is_string() => {
                drop_condition(body)
            }
            Self::StartsOnce if is_start => drop_condition(body),
            Self::CancelsReviews if is_review && updates_to(body, "canceled") => {
                change_set(body, "state", json!({"S": "open"}))
            }
            Self::KeepsResults if body["Item"]["events"].is_object() => change_answers(body),
            Self::StopsCalls if is_head && has("stop") && has("wakes") && !has("epoch") => {
                let id = pk.trim_start_matches(keys::RUN).parse();
                let run = id.ok().and_then(|id: RunId| accounts.runs.get(&id));
                if run.is_some_and(|run| run.parent().is_some()) {
                    body["ExpressionAttributeNames"]["#stop"] = json!("ignored");
                }
            }
            Self::EndsOnce if is_head && has("ended_at") && has("next_event") => drop_condition(body),
            _ => {}
        }
    }
}

/// Whether a write marks a called run as ended.
fn is_end_of_call(write: &Value) -> bool {
    let update = &write["Update"];
    let is_call = update["Key"]["sk"]["S"].as_str().is_some_and(|sk| sk.starts_with(keys::CALLED_RUN));
    is_call && update["ExpressionAttributeNames"]["#has_ended"].is_string()
}

/// Whether a write wakes a run.
fn is_wake(write: &Value) -> bool {
    let names = &write["Update"]["ExpressionAttributeNames"];
    names["#wakes"].is_string() && !names["#epoch"].is_string()
}

/// A time that the ticker never reaches.
const NEVER: &str = "9999-01-01T00:00:00.000Z";

/// The ticker never sees the run.
fn never_due(body: &mut Value) {
    change_set(body, "due_at", json!({"S": NEVER}));
}

/// Turns the intent of an attempt that has begun before into an event without meaning.
fn hide_repeated_begins(part: &mut Value, accounts: &Accounts) {
    let id = part["Item"]["pk"]["S"].as_str().unwrap_or_default().trim_start_matches(keys::RUN).parse();
    let Some(run) = id.ok().and_then(|id: RunId| accounts.runs.get(&id)) else { return };
    hide_events(part, |kind| match kind {
        RunEventKind::StepStarted { step, attempt, .. } if run.has_intent(step, *attempt) => Some(step.clone()),
        _ => None,
    });
}

/// Turns the intent of every attempt into an event without meaning.
fn hide_intents(part: &mut Value) {
    hide_events(part, |kind| match kind {
        RunEventKind::StepStarted { step, .. } => Some(step.clone()),
        _ => None,
    });
}

/// Turns the interruption of an attempt into an event without meaning.
fn hide_interruptions(part: &mut Value) {
    hide_events(part, |kind| match kind {
        RunEventKind::StepInterrupted { step, .. } => Some(step.clone()),
        _ => None,
    });
}

/// Replaces the events for which `step_of` returns a step.
fn hide_events(part: &mut Value, step_of: impl Fn(&RunEventKind) -> Option<String>) {
    let text = part["Item"]["events"]["S"].as_str().unwrap_or_default();
    let mut events: Vec<RunEvent> = serde_json::from_str(text).expect("a part has events");
    for event in &mut events {
        if let Some(step) = step_of(&event.kind) {
            event.kind = RunEventKind::StepSkipped { step };
        }
    }
    part["Item"]["events"]["S"] = serde_json::to_string(&events).expect("events are JSON").into();
}

/// Turns the calls of tools that a model wants into another answer.
fn change_answers(part: &mut Value) {
    let text = part["Item"]["events"]["S"].as_str().unwrap_or_default();
    let mut events: Value = serde_json::from_str(text).expect("a part has events");
    for event in events.as_array_mut().expect("events are a list") {
        if let Some(message) =
            event.pointer_mut("/output/value/message").filter(|message| message["tool_calls"].is_array())
        {
            *message = json!({"role": "assistant", "content": "answer"});
        }
    }
    part["Item"]["events"]["S"] = events.to_string().into();
}

/// Whether an update sets something to this text.
fn updates_to(body: &Value, text: &str) -> bool {
    let values = body["ExpressionAttributeValues"].as_object().into_iter().flatten();
    body["UpdateExpression"].is_string() && values.into_iter().any(|(_, value)| value["S"] == text)
}
