//! Tokens of service accounts, which administrators of an organization create and delete.

use super::Admin;
use crate::identities::{member_entry, stored};
use crate::service_tokens::{ServiceTokens, create_writes};
use crate::table::WriteOutcome;
use crate::{keys, quota};
use domain::audit::AuditAction;
use domain::id::{Id, OrgId, ServiceTokenId};
use domain::identity::{Membership, Role, User};
use domain::service_token::{MAX_SERVICE_TOKENS, ServiceToken, too_many};
use domain::token::TokenHash;
use domain::{Error, Result};

impl Admin {
    /// Creates a token, and its service account if there is none with its name.
    pub async fn create_service_token(
        &self,
        action: &AuditAction,
        token: &ServiceToken,
        hash: &TokenHash,
        audit: String,
    ) -> Result<()> {
        self.record_service_account(token).await?;
        let count = keys::service_token_count(token.account.org);
        let mut writes = vec![quota::increment(&self.entities, count, MAX_SERVICE_TOKENS)];
        writes.extend(create_writes(&self.entities, token, hash));
        writes.push(self.audit_write(action, None, Some(audit)));
        match self.transact(action, writes).await? {
            WriteOutcome::Written => Ok(()),
            WriteOutcome::Refused(refused) if refused.label == quota::LABEL => Err(too_many()),
            WriteOutcome::Refused(_) => Err(Error::internal("a new service token's hash or id is in use")),
        }
    }

    /// Deletes a token. What its service account owns stays, and a new token with the same name can reach it.
    pub async fn delete_service_token(
        &self,
        action: &AuditAction,
        tokens: &ServiceTokens,
        org: OrgId,
        id: ServiceTokenId,
    ) -> Result<()> {
        let gone = || Error::NotFound { kind: ServiceTokenId::KIND };
        let hash = tokens.hash(org, id).await?.ok_or_else(gone)?;
        let writes = vec![
            self.entities.delete(keys::listed_service_token(org, id)).require_exists(),
            self.entities.delete(keys::service_token(&hash)),
            quota::decrement(&self.entities, keys::service_token_count(org)),
            self.audit_write(action, None, None),
        ];
        self.transact(action, writes).await?.or_error(|_| gone())
    }

    /// Records the user and the membership of a service account. Its organization exists, because its administrator acts.
    async fn record_service_account(&self, token: &ServiceToken) -> Result<()> {
        let (org, user) = (token.account.org, token.account.user);
        if self.identities.find(org, user).await?.is_some() {
            return Ok(());
        }
        let name = token.name.clone();
        let record = User { id: user, name, email: None, suspended: false, created_at: token.created_at };
        let (role, created_at) = (Role::Member, token.created_at);
        let membership = Membership { org, user, role, role_at: created_at.as_seconds(), listed: true, created_at };
        let writes = [
            self.entities.put_new(&stored(keys::user(user), &record)),
            self.entities.put_item(keys::listed_user(user).attributes()),
            self.entities.put_new(&stored(keys::membership(org, user), &membership)),
            member_entry(&self.entities, org, &record),
        ];
        // Of two requests that create the first tokens of an account, the second one finds it.
        self.entities.transact(uuid::Uuid::now_v7(), &writes).await.map(drop)
    }
}
