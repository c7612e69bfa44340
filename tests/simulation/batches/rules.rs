//! The rules of the protocol of batches. A rule is switched off by changing requests, or by an index that finds nothing.

use serde_json::{Value, json};

use super::oracle::Oracle;
use crate::machine::dynamodb_json::{drop_condition, drop_condition_on, value_set, write_bodies};
use crate::machine::runner::ProtocolRule;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// Only the worker of the last claim commits how far a batch has come.
    CommitsWithItsClaim,
    /// A call is charged only while it has the claim of its line.
    ChargesWithTheClaim,
    /// A call is charged only together with its answer, so that it is found again.
    StoresAnswers,
    /// A line that is not made any more is sealed.
    SealsLines,
    /// A line that has an answer keeps it when it is sealed.
    SealsOnCondition,
    /// The ticker sends the hints of batches that are due again.
    SendsDueBatchesAgain,
}

impl ProtocolRule for Rule {
    type Oracle = Oracle;

    const ALL: &'static [Self] = &[
        Self::CommitsWithItsClaim,
        Self::ChargesWithTheClaim,
        Self::StoresAnswers,
        Self::SealsLines,
        Self::SealsOnCondition,
        Self::SendsDueBatchesAgain,
    ];

    fn expected_oracles(self) -> &'static [Oracle] {
        match self {
            Self::CommitsWithItsClaim => &[Oracle::WrongResults, Oracle::WronglyCharged],
            Self::ChargesWithTheClaim | Self::StoresAnswers | Self::SealsLines | Self::SealsOnCondition => {
                &[Oracle::WronglyCharged]
            }
            Self::SendsDueBatchesAgain => &[Oracle::NeverEnds],
        }
    }

    fn first_seed(self) -> u64 {
        match self {
            Self::CommitsWithItsClaim | Self::ChargesWithTheClaim | Self::StoresAnswers => 0,
            Self::SealsLines | Self::SealsOnCondition => 19,
            Self::SendsDueBatchesAgain => 3,
        }
    }
}

/// The beginning of the partition keys of claims of calls.
const CLAIMS: &str = "CALLS#";

/// Whether a request seals a line: unlike other claims, a seal is owned as long as it is kept.
fn is_seal(operation: &str, request: &Value) -> bool {
    let item = &request["Item"];
    let is_claim = item["pk"]["S"].as_str().is_some_and(|pk| pk.starts_with(CLAIMS));
    operation == "PutItem" && is_claim && item["owned_until"] == item["expires_at"]
}

impl Rule {
    /// Rewrites a request as a store without the rule would send it.
    pub fn rewrite(self, operation: &str, request: &mut Value) {
        let has = |body: &Value, name: &str| !body["ExpressionAttributeNames"][name].is_null();
        let is_claim = |body: &Value| body["Key"]["pk"]["S"].as_str().is_some_and(|pk| pk.starts_with(CLAIMS));
        match self {
            Self::CommitsWithItsClaim => {
                for body in write_bodies(operation, request) {
                    if has(body, "#progress") && value_set(body, "state").is_none() {
                        drop_condition_on(body, "epoch");
                    }
                }
            }
            Self::ChargesWithTheClaim => {
                for body in write_bodies(operation, request) {
                    if is_claim(body) && has(body, "#answer") && body["UpdateExpression"].is_string() {
                        drop_condition(body);
                    }
                }
            }
            Self::StoresAnswers => {
                if let Some(items) = request["TransactItems"].as_array_mut() {
                    items.retain(|item| !(is_claim(&item["Update"]) && has(&item["Update"], "#answer")));
                }
            }
            Self::SealsLines | Self::SealsOnCondition if is_seal(operation, request) => match self {
                // The seal is written to another place.
                Self::SealsLines => request["Item"]["sk"] = json!({"S": "nothing"}),
                _ => drop_condition(request),
            },
            Self::SealsLines | Self::SealsOnCondition | Self::SendsDueBatchesAgain => {}
        }
    }
}
