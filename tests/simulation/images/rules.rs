//! The rules of the protocol of image jobs. A rule is switched off by changing requests, or by an index that finds nothing.

use serde_json::Value;
use store::keys;

use super::oracle::Oracle;
use crate::machine::dynamodb_json::{drop_condition, write_bodies};
use crate::machine::runner::ProtocolRule;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// A worker begins a job only if no other worker has it.
    ClaimsOnce,
    /// A job ends only once, and only by the worker of its last attempt.
    EndsOnce,
    /// The charge of a job is written only together with its end.
    ChargesWithTheEnd,
    /// A new job extends its lease.
    ExtendsItsLease,
    /// The ticker sends the hints of jobs that are due again, and fails them at their deadline.
    SendsDueJobsAgain,
}

impl ProtocolRule for Rule {
    type Oracle = Oracle;

    const ALL: &'static [Self] =
        &[Self::ClaimsOnce, Self::EndsOnce, Self::ChargesWithTheEnd, Self::ExtendsItsLease, Self::SendsDueJobsAgain];

    fn expected_oracles(self) -> &'static [Oracle] {
        match self {
            Self::ClaimsOnce => &[Oracle::TwoWorkers],
            Self::EndsOnce => &[Oracle::EndedTwice, Oracle::WronglyCharged],
            Self::ChargesWithTheEnd => &[Oracle::WronglyCharged],
            Self::ExtendsItsLease => &[Oracle::LeaseLost],
            Self::SendsDueJobsAgain => &[Oracle::NeverEnds],
        }
    }

    fn first_seed(self) -> u64 {
        0
    }
}

impl Rule {
    /// Rewrites a request as a store without the rule would send it.
    pub fn rewrite(self, operation: &str, request: &mut Value) {
        let names = |body: &Value, name: &str| !body["ExpressionAttributeNames"][name].is_null();
        match self {
            Self::ChargesWithTheEnd | Self::ExtendsItsLease => {
                let Some(items) = request["TransactItems"].as_array_mut() else { return };
                let is_job =
                    |item: &Value| item["Put"]["Item"]["sk"]["S"].as_str().is_some_and(|sk| sk.starts_with("job_"));
                let is_charge = |item: &Value| {
                    item["Put"]["Item"]["sk"]["S"].as_str().is_some_and(|sk| sk.starts_with(keys::RECORD))
                };
                if self == Self::ChargesWithTheEnd && items.iter().any(is_charge) {
                    items.retain(|item| !names(&item["Update"], "#end"));
                }
                if self == Self::ExtendsItsLease && items.iter().any(is_job) {
                    items.retain(|item| item["Update"].is_null());
                }
            }
            Self::ClaimsOnce | Self::EndsOnce => {
                for body in write_bodies(operation, request) {
                    let is_end = names(body, "#end");
                    let is_claim = names(body, "#owned_until") && !is_end;
                    if (self == Self::EndsOnce && is_end) || (self == Self::ClaimsOnce && is_claim) {
                        drop_condition(body);
                    }
                }
            }
            Self::SendsDueJobsAgain => {}
        }
    }
}
