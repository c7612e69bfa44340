//! Changes by operators and administrators. Each change is written in one transaction with its entry in the audit log.

mod audit;
mod catalog;
mod credits;
mod entities;
mod keys;
mod mcp_servers;
mod meters;
mod people;
mod service_tokens;

use std::sync::Arc;

use tokio::sync::Mutex;

use super::authority::Authority;
use super::identities::Identities;
use super::key_ring::KeyRing;
use super::ledger::Ledger;
use super::table::{Table, WriteOutcome};
use super::write::Write;
use domain::Result;
use domain::audit::AuditAction;
use platform::{Context, config};

pub use audit::{AuditEntry, AuditFilter};
pub use catalog::{CatalogChange, PendingWork};
pub use credits::AdjustmentOutcome;

#[derive(Clone)]
pub struct Admin {
    entities: Table,
    counters: Table,
    journal: Table,
    identities: Identities,
    keys: KeyRing,
    ledger: Ledger,
    /// Held during a change. A change has an optimistic lock, so concurrent changes of one process would only refuse
    /// each other. Between processes, `Backoff` retries a refused change.
    queue: Arc<Mutex<()>>,
}

impl Admin {
    pub fn new(context: &Context) -> Result<Self> {
        Ok(Self {
            entities: Table::new(context, config::TABLE_ENTITIES)?,
            counters: Table::new(context, config::TABLE_COUNTERS)?,
            journal: Table::new(context, config::TABLE_JOURNAL)?,
            identities: Identities::new(context)?,
            keys: KeyRing::new(context)?,
            ledger: Ledger::new(context)?,
            queue: Arc::default(),
        })
    }

    /// Carries out an action that other stores write, together with its entry in the audit log. `before` and `after` are JSON
    /// texts.
    pub(super) async fn transact_audited(
        &self,
        action: &AuditAction,
        before: String,
        after: String,
        mut writes: Vec<Write>,
    ) -> Result<WriteOutcome> {
        writes.push(self.audit_write(action, Some(before), Some(after)));
        self.transact(action, writes).await
    }

    /// Carries out the writes of an action, on condition that its actor still has the role that it requires.
    async fn transact(&self, action: &AuditAction, writes: Vec<Write>) -> Result<WriteOutcome> {
        Authority::of_action(action).transact(&self.entities, writes).await
    }
}
