//! The rules of the protocol of workbenches. A rule is switched off by changing requests, by an index that finds nothing,
//! or in the cluster of the simulation.

use serde_json::{Value, json};

use super::oracle::Oracle;
use crate::machine::dynamodb_json::{change_set, drop_condition, write_bodies};
use crate::machine::runner::ProtocolRule;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// A worker claims a workbench only if no other worker has it.
    ClaimsOnce,
    /// A worker stores its result only if no user has changed the workbench since its claim.
    KeepsChangesOfUsers,
    /// A worker makes no call after its permit has ended.
    ActsOnlyWithAPermit,
    /// A worker keeps its claim if a call of its step may still take effect.
    KeepsTheClaimOfAnUncertainStep,
    /// A worker mints a key only while it has the workbench.
    MintsOnlyWithItsClaim,
    /// A worker revokes a key only while it has the workbench.
    RevokesOnlyWithItsClaim,
    /// A name is given only once.
    GivesANameOnce,
    /// Capacity is reserved only while enough is left.
    ReservesWhatIsLeft,
    /// The ticker sends the hints of workbenches that are due again.
    SendsDueWorkbenchesAgain,
}

impl ProtocolRule for Rule {
    type Oracle = Oracle;

    const ALL: &'static [Self] = &[
        Self::ClaimsOnce,
        Self::KeepsChangesOfUsers,
        Self::ActsOnlyWithAPermit,
        Self::KeepsTheClaimOfAnUncertainStep,
        Self::MintsOnlyWithItsClaim,
        Self::RevokesOnlyWithItsClaim,
        Self::GivesANameOnce,
        Self::ReservesWhatIsLeft,
        Self::SendsDueWorkbenchesAgain,
    ];

    fn expected_oracles(self) -> &'static [Oracle] {
        match self {
            Self::ClaimsOnce => &[Oracle::ClaimedTwice],
            Self::KeepsChangesOfUsers => &[Oracle::NotDeleted],
            Self::ActsOnlyWithAPermit | Self::KeepsTheClaimOfAnUncertainStep => &[Oracle::StaleEffect],
            Self::MintsOnlyWithItsClaim => &[Oracle::TwoKeys, Oracle::KeyLeft],
            Self::RevokesOnlyWithItsClaim => &[Oracle::KeyMissing],
            Self::GivesANameOnce => &[Oracle::NameTwice],
            Self::ReservesWhatIsLeft => &[Oracle::OverCapacity],
            Self::SendsDueWorkbenchesAgain => &[Oracle::NeverSettles],
        }
    }

    fn first_seed(self) -> u64 {
        match self {
            Self::ClaimsOnce | Self::GivesANameOnce | Self::MintsOnlyWithItsClaim => 0,
            Self::SendsDueWorkbenchesAgain => 10,
            Self::ActsOnlyWithAPermit => 27,
            Self::RevokesOnlyWithItsClaim => 45,
            Self::KeepsTheClaimOfAnUncertainStep => 16,
            Self::KeepsChangesOfUsers => 6,
            Self::ReservesWhatIsLeft => 73,
        }
    }
}

impl Rule {
    /// Rewrites a request as a store without the rule would send it.
    pub fn rewrite(self, operation: &str, request: &mut Value) {
        let names = |body: &Value, name: &str| !body["ExpressionAttributeNames"][name].is_null();
        let begins = |body: &Value, prefix: &str| {
            let pk = [&body["Item"]["pk"]["S"], &body["Key"]["pk"]["S"]].into_iter().find_map(Value::as_str);
            pk.is_some_and(|pk| pk.starts_with(prefix))
        };
        let is_minting = write_bodies(operation, request).iter().any(|body| !body["Item"]["of_workbench"].is_null());
        for body in write_bodies(operation, request) {
            // The claim, in a transaction that writes a key.
            let is_key_check = begins(body, "WORKBENCHES#") && is_check(body);
            let is_step = updates(body, "#owned_until");
            let is_claim = is_step && !names(body, "#write_id");
            if self == Self::KeepsTheClaimOfAnUncertainStep {
                release_claim(body);
            }
            let drops = match self {
                Self::ClaimsOnce => is_claim,
                Self::KeepsChangesOfUsers => is_step && !is_claim,
                Self::GivesANameOnce => begins(body, "WORKBENCHNAMES#"),
                Self::ReservesWhatIsLeft => begins(body, "WORKBENCHCAPACITY"),
                Self::MintsOnlyWithItsClaim => is_key_check && is_minting,
                Self::RevokesOnlyWithItsClaim => is_key_check && !is_minting,
                Self::ActsOnlyWithAPermit | Self::KeepsTheClaimOfAnUncertainStep | Self::SendsDueWorkbenchesAgain => {
                    false
                }
            };
            if drops {
                drop_condition(body);
                if is_key_check {
                    // A check needs a condition.
                    body["ConditionExpression"] = "attribute_exists(pk)".into();
                }
            }
        }
    }
}

/// Whether an update changes an attribute, beyond what its condition requires of it.
fn updates(body: &Value, name: &str) -> bool {
    body["UpdateExpression"].as_str().is_some_and(|update| update.contains(name))
}

fn is_check(body: &Value) -> bool {
    body["UpdateExpression"].is_null() && body["Item"].is_null()
}

/// Makes the result of a step release the claim, if it does not. Then the next step is due at once.
fn release_claim(body: &mut Value) {
    let condition = body["ConditionExpression"].as_str().unwrap_or_default();
    let is_result = condition.contains("attribute_exists(#owned_until)");
    let expression = body["UpdateExpression"].as_str().unwrap_or_default().to_owned();
    if is_result && !expression.contains("#owned_until") {
        body["UpdateExpression"] = match expression.contains("REMOVE ") {
            true => format!("{expression}, owned_until").into(),
            false => format!("{expression} REMOVE owned_until").into(),
        };
        change_set(body, "due_at", json!({"S": "1970-01-01T00:00:00.000Z"}));
    }
}
