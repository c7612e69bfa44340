//! The rules of the protocol of threads. A rule is switched off by changing requests, by an index that finds nothing, by a
//! clock that is late, or by a take that does not wait.

use serde_json::Value;
use store::keys;

use super::oracle::Oracle;
use crate::machine::database::{ENTITIES, JOURNAL};
use crate::machine::dynamodb_json::{Write, drop_condition, drop_condition_on, write_bodies, writes};
use crate::machine::runner::ProtocolRule;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// A repeated delivery is not stored again.
    RecognizesDeliveries,
    /// A message is added to the head that was read.
    ReceivesIntoItsRevision,
    /// A run is started only if its thread is as it was read.
    StartsFromItsRevision,
    /// A permit is given only if the thread is as it was read.
    PermitsFromItsRevision,
    /// An operator takes a thread only as it was read.
    TakesItsRevision,
    /// The end of a run gives its thread back.
    GivesThreadsBack,
    /// The end of a run makes its thread due if a message waits.
    LooksForWaitingMessages,
    /// The ticker sends the hints of threads and erasures that are due again.
    SendsDueThreadsAgain,
    /// A take is answered after the delivery in flight.
    TakesWaitForDeliveries,
    /// The run from which an operator took over sends nothing any more.
    SilencesOvertakenRuns,
    /// A process sends nothing after the end of its permit.
    SendsOnlyWithAPermit,
    /// Nothing is added to a thread that is being deleted.
    DeletesMarkedThreads,
}

impl ProtocolRule for Rule {
    type Oracle = Oracle;

    const ALL: &'static [Self] = &[
        Self::RecognizesDeliveries,
        Self::ReceivesIntoItsRevision,
        Self::StartsFromItsRevision,
        Self::PermitsFromItsRevision,
        Self::TakesItsRevision,
        Self::GivesThreadsBack,
        Self::LooksForWaitingMessages,
        Self::SendsDueThreadsAgain,
        Self::TakesWaitForDeliveries,
        Self::SilencesOvertakenRuns,
        Self::SendsOnlyWithAPermit,
        Self::DeletesMarkedThreads,
    ];

    fn expected_oracles(self) -> &'static [Oracle] {
        use Oracle::{
            BotOverHuman, LostMessage, NeverAnswered, NotStored, StoredTwice, TwoHolders, TwoRuns, TwoSenders,
        };
        match self {
            Self::RecognizesDeliveries => &[StoredTwice],
            Self::ReceivesIntoItsRevision => &[LostMessage, TwoRuns],
            Self::StartsFromItsRevision => &[LostMessage, TwoRuns],
            Self::PermitsFromItsRevision => &[BotOverHuman, TwoSenders, LostMessage],
            Self::TakesItsRevision => &[TwoHolders, LostMessage],
            Self::GivesThreadsBack | Self::LooksForWaitingMessages | Self::SendsDueThreadsAgain => &[NeverAnswered],
            Self::TakesWaitForDeliveries | Self::SilencesOvertakenRuns => &[BotOverHuman],
            Self::SendsOnlyWithAPermit => &[BotOverHuman, TwoSenders],
            Self::DeletesMarkedThreads => &[LostMessage, NotStored],
        }
    }

    fn first_seed(self) -> u64 {
        match self {
            Self::RecognizesDeliveries | Self::GivesThreadsBack => 0,
            Self::LooksForWaitingMessages => 1,
            Self::TakesWaitForDeliveries => 10,
            Self::StartsFromItsRevision => 14,
            Self::ReceivesIntoItsRevision => 22,
            Self::TakesItsRevision => 45,
            Self::DeletesMarkedThreads => 27,
            Self::SilencesOvertakenRuns => 103,
            Self::PermitsFromItsRevision => 308,
            Self::SendsOnlyWithAPermit => 149,
            Self::SendsDueThreadsAgain => 122,
        }
    }
}

/// What a request does with a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Change {
    Receive,
    StartRun,
    BeginSend,
    /// A take or a release.
    Operate,
}

impl Rule {
    /// Rewrites a request as a store without the rule would send it.
    pub fn rewrite(self, operation: &str, request: &mut Value) {
        let change = change_of(operation, request);
        if self == Self::GivesThreadsBack
            && let Some(items) = request["TransactItems"].as_array_mut()
        {
            items.retain(|item| !gives_back(&item["Update"]));
        }
        for body in write_bodies(operation, request) {
            match self {
                Self::RecognizesDeliveries if change == Some(Change::Receive) && is_key(body) => drop_condition(body),
                Self::LooksForWaitingMessages if gives_back(body) => drop_condition_on(body, "control.#waiting"),
                Self::SilencesOvertakenRuns => forget_overtaken(body),
                Self::DeletesMarkedThreads => forget_mark(body),
                _ if self.concerns_heads_in(change) && is_head(body) => drop_condition(body),
                _ => {}
            }
        }
    }

    fn concerns_heads_in(self, change: Option<Change>) -> bool {
        let of_rule = match self {
            Self::ReceivesIntoItsRevision => Change::Receive,
            Self::StartsFromItsRevision => Change::StartRun,
            Self::PermitsFromItsRevision => Change::BeginSend,
            Self::TakesItsRevision => Change::Operate,
            _ => return false,
        };
        change == Some(of_rule)
    }
}

fn change_of(operation: &str, request: &Value) -> Option<Change> {
    let writes = writes(operation, request);
    if let [write] = &writes[..] {
        return (write.kind == "Put" && is_head(write.body)).then_some(Change::Operate);
    }
    writes
        .iter()
        .filter(|write| write.table == JOURNAL && write.pk.starts_with(keys::THREAD))
        .find_map(change_of_message)
}

fn change_of_message(write: &Write) -> Option<Change> {
    let names = &write.body["ExpressionAttributeNames"];
    let values = write.body["ExpressionAttributeValues"].as_object().into_iter().flatten();
    match write.kind {
        "Put" if write.body["Item"]["role"]["S"] == "user" => Some(Change::Receive),
        "Put" => Some(Change::BeginSend),
        _ if names["#run"].is_string() => Some(Change::StartRun),
        _ => values.into_iter().any(|(_, value)| value["S"] == "sending").then_some(Change::BeginSend),
    }
}

fn key_of(body: &Value) -> (&str, &str) {
    let key = if body["Item"].is_object() { &body["Item"] } else { &body["Key"] };
    (key["pk"]["S"].as_str().unwrap_or_default(), key["sk"]["S"].as_str().unwrap_or_default())
}

fn is_key(body: &Value) -> bool {
    key_of(body).0.starts_with("MESSAGEKEYS#")
}

fn is_head(body: &Value) -> bool {
    body["TableName"] == ENTITIES && key_of(body).0.starts_with(keys::THREAD)
}

/// Whether an update gives a thread back at the end of its run.
fn gives_back(body: &Value) -> bool {
    is_head(body) && body["UpdateExpression"].as_str().is_some_and(|update| update.contains("#control.#run"))
}

fn forget_mark(body: &mut Value) {
    if let Some(head) = body.pointer_mut("/Item") {
        head.as_object_mut().map(|head| head.remove("is_erased"));
    }
}

fn forget_overtaken(body: &mut Value) {
    if let Some(control) = body.pointer_mut("/Item/control/M") {
        control.as_object_mut().map(|control| control.remove("overtaken"));
    }
}
