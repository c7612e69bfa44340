//! Every key of every table, spelled once.
//!
//! `entities` has four local indexes, one a sort order of lists. They are sparse: an item without the attribute is in
//! no list. Each carries the item's `head`, which is what a list shows, and nothing else.
//!
//! | index | sort key |
//! |---|---|
//! | `by_name` | `<name without case and accents>#<id>` |
//! | `by_created` | `<id>` (version 7: in order of creation) |
//! | `by_updated` | `<time>#<id>` |
//! | `by_requests` | a number, see [`requests_rank`] |
//!
//! and one global index, `due` (`due_shard`, `due_at`), of what must not be forgotten; see `work`.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;

use crate::domain::id::{AgentId, OrgId, UserId, WorkId, WorkflowId};
use crate::domain::identity::Account;
use crate::domain::reference::Reference;
use crate::domain::text;
use crate::domain::time::Time;
use crate::domain::token::TokenHash;

/// The primary key of an item.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    pub pk: String,
    pub sk: String,
}

impl Key {
    fn new(pk: impl Into<String>, sk: impl ToString) -> Self {
        Self { pk: pk.into(), sk: sk.to_string() }
    }

    /// The key of a stored item.
    pub fn of(item: &HashMap<String, AttributeValue>) -> Option<Self> {
        let text = |name: &str| item.get(name)?.as_s().ok().cloned();
        Some(Self { pk: text("pk")?, sk: text("sk")? })
    }

    pub fn attributes(&self) -> HashMap<String, AttributeValue> {
        let text = |text: &String| AttributeValue::S(text.clone());
        HashMap::from([("pk".to_owned(), text(&self.pk)), ("sk".to_owned(), text(&self.sk))])
    }
}

// entities

pub fn agents(account: Account) -> String {
    format!("AGENTS#{}#{}", account.org, account.user)
}

pub fn agent(account: Account, id: AgentId) -> Key {
    Key::new(agents(account), id)
}

pub fn workflow(account: Account, id: WorkflowId) -> Key {
    Key::new(format!("WORKFLOWS#{}#{}", account.org, account.user), id)
}

/// First answers to requests that carried an `Idempotency-Key`.
pub fn idempotency(account: Account, route: &str, key: &str) -> Key {
    Key::new(format!("IDEMPOTENCY#{}#{}", account.org, account.user), format!("{route}#{key}"))
}

/// Who names a thing. An agent or workflow is named only by its own account; a model by anyone.
pub fn dependents(account: Account, reference: &Reference) -> String {
    match reference {
        Reference::Model(_) => format!("DEPENDENTS#{reference}"),
        _ => format!("DEPENDENTS#{}#{}#{reference}", account.org, account.user),
    }
}

pub fn dependent_agent(account: Account, reference: &Reference, agent: AgentId) -> Key {
    Key::new(dependents(account, reference), format!("AGENT#{}#{}#{agent}", account.org, account.user))
}

pub fn user(id: UserId) -> Key {
    Key::new(format!("USER#{id}"), "USER")
}

pub fn org(id: OrgId) -> Key {
    Key::new(format!("ORG#{id}"), "ORG")
}

pub fn membership(org: OrgId, user: UserId) -> Key {
    Key::new(format!("USER#{user}"), format!("MEMBER#{org}"))
}

pub fn plan(id: &str) -> Key {
    Key::new(PLANS, id)
}

pub fn model(name: &str) -> Key {
    Key::new(MODELS, name)
}

pub fn api_key(hash: &TokenHash) -> Key {
    Key::new(format!("KEY#{}", hash.as_str()), "KEY")
}

pub fn work(id: WorkId) -> Key {
    Key::new(format!("WORK#{id}"), "WORK")
}

pub const PLANS: &str = "PLANS";
pub const MODELS: &str = "MODELS";

/// Work is spread over this many partitions of the due index, so that none runs hot.
pub const DUE_SHARDS: u8 = 4;

pub fn due_shard(id: WorkId) -> String {
    due_shard_at(id.uuid().as_bytes()[15] % DUE_SHARDS)
}

pub fn due_shard_at(shard: u8) -> String {
    format!("DUE#{shard}")
}

// entities: sort keys of the local indexes

pub fn by_name(name: &str, id: impl ToString) -> String {
    format!("{}#{}", text::sort_key(name), id.to_string())
}

pub fn by_updated(at: Time, id: impl ToString) -> String {
    format!("{at}#{}", id.to_string())
}

/// One request more adds this to [`requests_rank`].
pub const REQUESTS_STEP: u128 = 10u128.pow(26);

/// Orders by requests, then by age: the count in front, the first 86 bits of the id behind it.
/// A number, so that one unconditional `ADD` counts and moves the item in the index at once;
/// DynamoDB keeps 38 digits, which leaves the count twelve.
pub fn requests_rank(requests: u64, id: AgentId) -> AttributeValue {
    let rank = u128::from(requests) * REQUESTS_STEP + (id.uuid().as_u128() >> 42);
    AttributeValue::N(rank.to_string())
}

// counters

/// How many agents an account's list has.
pub fn agent_count(account: Account) -> Key {
    Key::new(format!("COUNT#{}#{}", account.org, account.user), "AGENTS")
}

pub fn balance(org: OrgId) -> Key {
    Key::new(format!("ORG#{org}"), "BALANCE")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rank_fits_38_digits_and_orders_by_count_before_age() {
        let (older, newer) = (AgentId::new(), AgentId::new());
        let rank = |requests, id| match requests_rank(requests, id) {
            AttributeValue::N(number) => number.parse::<u128>().unwrap(),
            other => panic!("{other:?}"),
        };
        assert!(rank(0, older) <= rank(0, newer));
        assert!(rank(0, newer) < rank(1, older));
        assert_eq!(rank(1, older), rank(0, older) + REQUESTS_STEP);
        assert!(rank(999_999_999_999, newer).to_string().len() <= 38);
    }

    #[test]
    fn accounts_never_share_a_partition() {
        let (org, one, two) = (OrgId::new(), UserId::new(), UserId::new());
        assert_ne!(agents(Account { org, user: one }), agents(Account { org, user: two }));
        assert_ne!(agents(Account { org, user: one }), agents(Account { org: OrgId::new(), user: one }));
    }
}
