//! Credit adjustments by operators, with an idempotency key and an audit entry.

use super::Admin;
use crate::authority::Authority;
use crate::idempotency::{self, IdempotencyKey};
use crate::keys;
use crate::ledger::Adjusted;
use crate::stored_text::StoredText;
use domain::audit::AuditAction;
use domain::id::{Id, OrgId};
use domain::identity::Account;
use domain::ledger::Adjustment;
use domain::{Error, Result};

/// The route under which the idempotency keys of adjustments are stored.
const ROUTE: &str = "credits";
/// The label of the check that the organization exists.
const ORG: &str = "organization";

/// The outcome of an adjustment.
pub enum AdjustmentOutcome {
    Done(Adjustment),
    /// The idempotency key was used before, with this answer.
    Before(String),
    /// The balance is too low for the debit, or the credit exceeds the maximum balance.
    OutOfRange,
}

impl Admin {
    /// Gives or takes credits, once for all requests with the same idempotency key.
    pub async fn adjust_credits(
        &self,
        action: &AuditAction,
        adjustment: Adjustment,
        idempotency_key: Option<&IdempotencyKey>,
        render_audit: impl Fn(&Adjustment) -> String,
    ) -> Result<AdjustmentOutcome> {
        let account = Account { org: action.actor.org, user: action.actor.user };
        let org = adjustment.org;
        let authority = Authority::of_action(action);
        let with = |adjustment: &Adjustment| {
            let snapshot = render_audit(adjustment);
            let claim = idempotency_key.map(|idempotency_key| {
                idempotency::claim(&self.entities, account, ROUTE, idempotency_key, snapshot.as_str(), action.at)
            });
            let exists = self.entities.check(keys::org(org)).require_exists().labeled(ORG);
            let audited = self.audit_write(action, None, Some(snapshot));
            Ok(authority.guard(&self.entities, claim.into_iter().chain([exists, audited]).collect()))
        };
        let _queue = self.queue.lock().await;
        match self.ledger.adjust_with(adjustment, with).await? {
            Adjusted::Done(adjustment) => Ok(AdjustmentOutcome::Done(adjustment)),
            Adjusted::Refused(refused) => {
                if let Some(first) = idempotency::replay(idempotency_key, &refused)? {
                    return first.into_text().map(AdjustmentOutcome::Before);
                }
                authority.check(&refused)?;
                match refused.label {
                    ORG => Err(Error::NotFound { kind: OrgId::KIND }),
                    _ => Err(Error::internal("a new adjustment's id is in use")),
                }
            }
            Adjusted::OutOfRange => match idempotency_key {
                // An earlier attempt of the same request may have taken the credits that are missing now, so replay its
                // answer.
                Some(idempotency_key) => {
                    let answer = idempotency::find(&self.entities, account, ROUTE, idempotency_key, action.at).await?;
                    let answer = answer.map(StoredText::into_text).transpose()?;
                    Ok(answer.map_or(AdjustmentOutcome::OutOfRange, AdjustmentOutcome::Before))
                }
                None => Ok(AdjustmentOutcome::OutOfRange),
            },
        }
    }
}
