//! The partition and sort keys of every DynamoDB table and index. A key is built here and nowhere else.
//!
//! `entities` has four local secondary indexes, one for each sort order of lists. They are sparse: an item without the
//! index's attribute is in no list. Each index projects the item's `head`, which is all that a list shows.
//!
//! | index | sort key |
//! |---|---|
//! | `by_name` | `<name without case and accents>#<id>` |
//! | `by_created` | `<id>` (version 7: in order of creation) |
//! | `by_updated` | `<time>#<id>` |
//! | `by_requests` | a number, see [`requests_rank`] |
//!
//! `entities` and `counters` each have a global secondary index `due` (`due_shard`, `due_at`). It lists the unfinished work of
//! `entities` and the open leases of `counters`. `entities` has five more, which list runs by `run_id`: `runs`,
//! `runs_by_state`, `runs_by_origin`, `runs_by_channel` and `runs_by_participant`. The last two are sparse: only a run that a
//! message has started is in them.
//!
//! Two more list what is stored under an account, over all of its workflows: `of_account` (`listed_of`, `listed_at`) its runs,
//! its threads and its open reviews, and the sparse `attention` (`attention_of`, `attention_at`) the runs that have failed or
//! wait, and the threads that wait for an operator. See [`AccountList`].

mod account_lists;
mod counters;
mod credentials;
mod data_tables;
mod journal;
mod mcp;
mod private_agents;
mod runs;
mod threads;
mod workbenches;

use aws_sdk_dynamodb::types::AttributeValue;
use uuid::Uuid;

use domain::id::{
    AgentId, ApiKeyId, AssistantSessionId, DeploymentId, Id, OrgId, ReleaseId, ServiceTokenId, UserId, WorkId,
    WorkflowId,
};
use domain::identity::Account;
use domain::reference::Reference;
use domain::text;
use domain::time::Time;
use domain::token::TokenHash;
use domain::{Error, Result};

pub use account_lists::*;
pub use counters::*;
pub use credentials::*;
pub use data_tables::*;
pub use journal::*;
pub use mcp::*;
pub use private_agents::*;
pub use runs::*;
pub use threads::*;
pub use workbenches::*;

pub use tables::Key;

/// The id after the prefix of a partition key.
pub fn read_id<T: Id>(prefix: &str, pk: &str) -> Result<T> {
    let id = pk.strip_prefix(prefix).and_then(|id| id.parse().ok());
    id.ok_or_else(|| Error::internal(format!("the key {pk} has no {}", T::KIND)))
}

/// The shard of an item. The last byte of an id is random, so it spreads the items evenly.
fn shard_of(id: Uuid, shards: u8) -> u8 {
    id.as_bytes()[15] % shards
}

// entities

pub fn agents(account: Account) -> String {
    format!("AGENTS#{}#{}", account.org, account.user)
}

pub fn agent(account: Account, id: AgentId) -> Key {
    Key::new(agents(account), id)
}

pub fn workflows(account: Account) -> String {
    format!("WORKFLOWS#{}#{}", account.org, account.user)
}

pub fn workflow(account: Account, id: WorkflowId) -> Key {
    Key::new(workflows(account), id)
}

/// The workflows of others that a user may use, and those that the user owns although others have created them.
pub fn shared_workflows(user: Account) -> String {
    format!("SHAREDWORKFLOWS#{}#{}", user.org, user.user)
}

/// Like [`shared_workflows`], for agents.
pub fn shared_agents(user: Account) -> String {
    format!("SHAREDAGENTS#{}#{}", user.org, user.user)
}

/// A workflow's releases. The index `by_created` orders them by number, see [`by_number`].
pub fn releases(account: Account, workflow: WorkflowId) -> String {
    format!("RELEASES#{}#{}#{workflow}", account.org, account.user)
}

pub fn release(account: Account, workflow: WorkflowId, id: ReleaseId) -> Key {
    Key::new(releases(account, workflow), id)
}

/// What happened to a workflow.
pub fn workflow_changes(account: Account, workflow: WorkflowId) -> String {
    format!("CHANGES#{}#{}#{workflow}", account.org, account.user)
}

/// A change, by the id of its write.
pub fn workflow_change(account: Account, workflow: WorkflowId, id: Uuid) -> Key {
    Key::new(workflow_changes(account, workflow), id)
}

/// A workflow's deployments: one for each release, in the order of the releases.
pub fn deployments(account: Account, workflow: WorkflowId) -> String {
    format!("DEPLOYMENTS#{}#{}#{workflow}", account.org, account.user)
}

pub fn deployment(account: Account, workflow: WorkflowId, id: DeploymentId) -> Key {
    Key::new(deployments(account, workflow), id)
}

/// The key of the item that a reference points to.
pub fn reference_key(account: Account, reference: &Reference) -> Key {
    match reference {
        Reference::Agent(id) => agent(account, *id),
        Reference::Workflow(id) => workflow(account, *id),
        Reference::Model(name) => model(name),
        Reference::Credential(workflow, id) => credential(account, *workflow, *id),
        Reference::Webhook(id) => webhook(*id),
    }
}

/// The stored first answer to a request with an `Idempotency-Key`.
pub fn idempotency(account: Account, route: &str, key: &str) -> Key {
    Key::new(format!("IDEMPOTENCY#{}#{}", account.org, account.user), format!("{route}#{key}"))
}

/// The partition of an entity's dependents. Any account may reference a model; every other entity is referenced only
/// by its own account.
pub fn dependents(account: Account, reference: &Reference) -> String {
    match reference {
        Reference::Model(name) => dependents_of_model(name),
        _ => format!("DEPENDENTS#{}#{}#{reference}", account.org, account.user),
    }
}

pub fn dependents_of_model(name: &str) -> String {
    format!("DEPENDENTS#model:{name}")
}

pub fn dependent_agent(account: Account, reference: &Reference, agent: AgentId) -> Key {
    Key::new(dependents(account, reference), format!("AGENT#{}#{}#{agent}", account.org, account.user))
}

pub fn dependent_workflow(account: Account, reference: &Reference, workflow: WorkflowId) -> Key {
    Key::new(dependents(account, reference), format!("WORKFLOW#{}#{}#{workflow}", account.org, account.user))
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

/// The workflows of an organization, in the index `organization`.
pub fn workflows_of_org(org: OrgId) -> String {
    format!("WORKFLOWS#{org}")
}

/// The agents of an organization, in the index `organization`.
pub fn agents_of_org(org: OrgId) -> String {
    format!("AGENTS#{org}")
}

/// The owner of an item, from its partition of workflows or agents.
pub fn owner_of(pk: &str) -> Option<Account> {
    let (org, user) = pk.split_once('#')?.1.split_once('#')?;
    Some(Account { org: org.parse().ok()?, user: user.parse().ok()? })
}

/// The list of an organization's members.
pub fn members(org: OrgId) -> String {
    format!("MEMBERS#{org}")
}

pub fn member(org: OrgId, user: UserId) -> Key {
    Key::new(members(org), user)
}

/// The partition of a user's memberships. It also holds the user.
pub fn memberships(user: UserId) -> String {
    format!("USER#{user}")
}

pub const MEMBER: &str = "MEMBER#";

/// An organization's entry in the list of all organizations. It is created with the organization.
pub fn listed_org(id: OrgId) -> Key {
    Key::new(ORGS, id)
}

pub fn listed_user(id: UserId) -> Key {
    Key::new(USERS, id)
}

pub fn plan(id: &str) -> Key {
    Key::new(PLANS, id)
}

/// The copies of a plan. Each request reads the plan of its caller, and DynamoDB gives a key 3,000 reads a second.
pub fn plan_copies(id: &str) -> impl Iterator<Item = Key> {
    (0..PLAN_COPIES).map(move |copy| plan_copy(id, copy))
}

/// The copy of a plan that the requests of a user read.
pub fn plan_copy_for(user: UserId, id: &str) -> Key {
    plan_copy(id, shard_of(user.uuid(), PLAN_COPIES))
}

fn plan_copy(id: &str, copy: u8) -> Key {
    Key::new(format!("{PLANS}#{copy}"), id)
}

/// A model of the catalog. The whole catalog is one partition, so that one query reads all of it.
pub fn model(name: &str) -> Key {
    Key::new(CATALOG, format!("{MODEL}{name}"))
}

/// A public name of a model.
pub fn alias(name: &str) -> Key {
    Key::new(CATALOG, format!("{ALIAS}{name}"))
}

pub fn provider(name: &str) -> Key {
    Key::new(CATALOG, format!("{PROVIDER}{name}"))
}

/// A risk category of the guard.
pub fn guard_category(code: &str) -> Key {
    Key::new(CATALOG, format!("{GUARD_CATEGORY}{code}"))
}

pub fn maintenance() -> Key {
    Key::new(CATALOG, MAINTENANCE)
}

/// The optimistic lock of the catalog: a counter of its changes. A change is validated against the whole catalog, and
/// is written only if the counter is unchanged since the catalog was read.
pub fn catalog_revision() -> Key {
    Key::new(CATALOG, REVISION)
}

pub fn api_key(hash: &TokenHash) -> Key {
    Key::new(format!("KEY#{}", hash.as_str()), "KEY")
}

/// The item that maps an API key's id to the account that owns the key.
pub fn api_key_of(id: ApiKeyId) -> Key {
    Key::new(format!("KEY#{id}"), "PLACE")
}

/// An organization's API keys, grouped by user, each user's keys in order of creation.
pub fn listed_keys(org: OrgId) -> String {
    format!("KEYS#{org}")
}

pub fn listed_keys_of(user: UserId) -> String {
    format!("{user}#")
}

pub fn listed_key(account: Account, id: ApiKeyId) -> Key {
    Key::new(listed_keys(account.org), format!("{}{id}", listed_keys_of(account.user)))
}

/// The number of a user's API keys that are not revoked. A count has its own partition, so that the partition of a list
/// holds only what the list shows.
pub fn live_keys(account: Account) -> Key {
    Key::new(format!("KEYCOUNT#{}#{}", account.org, account.user), "KEYCOUNT")
}

/// A session, by the hash of its id.
pub fn session(id: &TokenHash) -> Key {
    Key::new(format!("SESSION#{}", id.as_str()), "SESSION")
}

/// A session of an assistant.
pub fn assistant_session(id: AssistantSessionId) -> Key {
    Key::new(format!("ASSISTANT#{id}"), "ASSISTANT")
}

/// The token of a service account, by the hash of its secret.
pub fn service_token(hash: &TokenHash) -> Key {
    Key::new(format!("SERVICETOKEN#{}", hash.as_str()), "SERVICETOKEN")
}

/// An organization's service tokens, in order of creation.
pub fn listed_service_tokens(org: OrgId) -> String {
    format!("SERVICETOKENS#{org}")
}

pub fn listed_service_token(org: OrgId, id: ServiceTokenId) -> Key {
    Key::new(listed_service_tokens(org), id)
}

pub fn service_token_count(org: OrgId) -> Key {
    Key::new(format!("SERVICETOKENCOUNT#{org}"), "COUNT")
}

pub fn work(id: WorkId) -> Key {
    Key::new(format!("WORK#{id}"), "WORK")
}

/// The keys that sign receipts of calls.
pub fn receipt_keys() -> Key {
    Key::new("RECEIPTKEYS", "RECEIPTKEYS")
}

pub const PLANS: &str = "PLANS";
const PLAN_COPIES: u8 = 16;
pub const ORGS: &str = "ORGS";
pub const USERS: &str = "USERS";
pub const CATALOG: &str = "CATALOG";
pub const MODEL: &str = "MODEL#";
pub const ALIAS: &str = "ALIAS#";
pub const PROVIDER: &str = "PROVIDER#";
pub const GUARD_CATEGORY: &str = "GUARDCATEGORY#";
pub const MAINTENANCE: &str = "MAINTENANCE";
pub const REVISION: &str = "REVISION";

/// The partitions of a due index that one kind of item uses. Items are spread over them, so that no partition becomes
/// hot.
#[derive(Clone, Copy)]
pub struct DueShards {
    prefix: &'static str,
    pub count: u8,
}

impl DueShards {
    const fn new(prefix: &'static str, count: u8) -> Self {
        Self { prefix, count }
    }

    /// The partition of an item.
    pub fn of(self, id: Uuid) -> String {
        self.at(shard_of(id, self.count))
    }

    pub fn all(self) -> impl Iterator<Item = String> {
        (0..self.count).map(move |shard| self.at(shard))
    }

    fn at(self, shard: u8) -> String {
        format!("{}{shard}", self.prefix)
    }
}

pub const WORKS_DUE: DueShards = DueShards::new("DUE#", 4);

// entities: sort keys of the local indexes

pub fn by_name(name: &str, id: impl ToString) -> String {
    format!("{}#{}", text::sort_key(name), id.to_string())
}

pub fn by_updated(at: Time, id: impl ToString) -> String {
    format!("{at}#{}", id.to_string())
}

pub fn by_number(number: u64) -> String {
    format!("{number:012}")
}

/// One more request adds this number to [`requests_rank`].
pub const REQUESTS_STEP: u128 = 10u128.pow(26);

/// The sort key of the index `by_requests`: the number of requests, then the first 86 bits of the id, which order by
/// age. It is a number, so that one unconditional `ADD` counts a request and moves the item in the index. DynamoDB
/// keeps 38 digits of a number, which leaves twelve for the count.
pub fn requests_rank(requests: u64, id: AgentId) -> AttributeValue {
    let rank = u128::from(requests) * REQUESTS_STEP + (id.uuid().as_u128() >> 42);
    AttributeValue::N(rank.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_rank_fits_38_digits_and_orders_by_count_then_age() {
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
    fn accounts_have_separate_partitions() {
        let (org, one, two) = (OrgId::new(), UserId::new(), UserId::new());
        assert_ne!(agents(Account { org, user: one }), agents(Account { org, user: two }));
        assert_ne!(agents(Account { org, user: one }), agents(Account { org: OrgId::new(), user: one }));
    }
}
