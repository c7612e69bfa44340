//! Creation of organizations and users by an operator, without the identity provider.

use super::Admin;
use crate::idempotency::{self, CreateOutcome, IdempotencyKey};
use crate::identities::{member_entry, stored};
use crate::keys::{self, Key};
use crate::table::{RefusedWrite, WriteOutcome};
use crate::write::Write;
use domain::audit::AuditAction;
use domain::id::{Id, OrgId};
use domain::identity::{Account, Membership, Org, User};
use domain::{Error, Result};

const ORG: &str = "organization";
const USER: &str = "user";
const PLAN: &str = "plan";
const ORG_OF_USER: &str = "organization of the user";

impl Admin {
    /// Creates an organization, once for all requests with the same idempotency key. `answer` is stored and replayed to
    /// later requests.
    pub async fn create_org(
        &self,
        action: &AuditAction,
        org: &Org,
        idempotency_key: Option<&IdempotencyKey>,
        answer: &str,
    ) -> Result<CreateOutcome> {
        let writes = [
            self.entities.check(keys::plan(&org.plan)).require_exists().labeled(PLAN),
            self.entities.put_new(&stored(keys::org(org.id), org)).labeled(ORG),
            self.list_entry_write(keys::listed_org(org.id)),
        ];
        self.create(action, "orgs", idempotency_key, answer, writes).await
    }

    /// Creates a user in an organization, once for all requests with the same idempotency key.
    pub async fn create_user(
        &self,
        action: &AuditAction,
        user: &User,
        membership: &Membership,
        idempotency_key: Option<&IdempotencyKey>,
        answer: &str,
    ) -> Result<CreateOutcome> {
        let Membership { org, .. } = *membership;
        let writes = [
            self.entities.check(keys::org(org)).require_exists().labeled(ORG_OF_USER),
            self.entities.put_new(&stored(keys::user(user.id), user)).labeled(USER),
            self.entities.put_new(&stored(keys::membership(org, user.id), membership)).labeled(USER),
            self.list_entry_write(keys::listed_user(user.id)),
            member_entry(&self.entities, org, user),
        ];
        self.create(action, "users", idempotency_key, answer, writes).await
    }

    async fn create<const N: usize>(
        &self,
        action: &AuditAction,
        route: &str,
        idempotency_key: Option<&IdempotencyKey>,
        answer: &str,
        own: [Write; N],
    ) -> Result<CreateOutcome> {
        let mut writes: Vec<Write> = self.claim(action, route, idempotency_key, answer).into_iter().collect();
        writes.extend(own);
        writes.push(self.audit_write(action, None, Some(answer.to_owned())));
        match self.transact(action, writes).await? {
            WriteOutcome::Written => Ok(CreateOutcome::Now),
            WriteOutcome::Refused(refused) => match idempotency::replay(idempotency_key, &refused)? {
                Some(first) => first.into_text().map(CreateOutcome::Before),
                None => Err(refusal(&refused)),
            },
        }
    }

    /// The write that claims the request's idempotency key, if there is one, and stores the first answer.
    pub(super) fn claim(
        &self,
        action: &AuditAction,
        route: &str,
        idempotency_key: Option<&IdempotencyKey>,
        answer: &str,
    ) -> Option<Write> {
        let account = Account { org: action.actor.org, user: action.actor.user };
        idempotency_key.map(|idempotency_key| {
            idempotency::claim(&self.entities, account, route, idempotency_key, answer, action.at)
        })
    }

    /// The write of an entry in the list of all organizations or users.
    fn list_entry_write(&self, key: Key) -> Write {
        self.entities.put_item(key.attributes())
    }
}

/// Why nothing was created.
fn refusal(refused: &RefusedWrite) -> Error {
    let exists = |code, kind| {
        let message =
            format!("the external_id belongs to an existing {kind}; change that one, or send another external_id");
        Error::Conflict { code, message }
    };
    match refused.label {
        ORG => exists("organization_exists", "organization"),
        USER => exists("user_exists", "user"),
        PLAN => Error::invalid_body("plan", "this plan does not exist; send an existing one"),
        ORG_OF_USER => Error::NotFound { kind: OrgId::KIND },
        _ => Error::internal("a creation was refused by an unknown condition"),
    }
}
