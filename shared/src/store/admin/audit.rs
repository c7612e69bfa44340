//! The audit log: every change by an operator, newest first. Its entries never expire.

use serde::{Deserialize, Serialize};

use super::Admin;
use crate::store::item::parse;
use crate::store::keys;
use crate::store::ledger::cursor_after;
use crate::store::table::{Range, TableIndex, TableQuery};
use crate::store::write::Write;
use domain::Result;
use domain::audit::{Actor, AuditAction};
use domain::id::AuditId;
use domain::lease::month;
use domain::page::{Order, Slice};
use domain::time::Time;

/// One change by an operator.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct AuditEntry {
    pub id: AuditId,
    pub actor: Actor,
    pub action: String,
    pub target: String,
    /// The entity as JSON text, as the API shows it: without secrets.
    pub before: Option<String>,
    pub after: Option<String>,
    pub request_id: String,
    pub at: Time,
}

#[derive(Serialize, Deserialize)]
struct AuditItem {
    pk: String,
    sk: String,
    listed_in: String,
    listed_at: String,
    entry: AuditEntry,
}

impl Admin {
    /// The write of an audit entry. It belongs in the transaction of the change that it records.
    pub(super) fn audit_write(&self, action: &AuditAction, before: Option<String>, after: Option<String>) -> Write {
        let id = AuditId::new();
        let AuditAction { actor, action, target, request_id, at } = action.clone();
        let key = keys::audit_entry(id);
        self.journal.put_new(&AuditItem {
            pk: key.pk,
            sk: key.sk,
            listed_in: keys::audit(month(at)),
            listed_at: keys::listed_at(at, id),
            entry: AuditEntry { id, actor, action: action.to_owned(), target, before, after, request_id, at },
        })
    }

    /// Lists the audit entries of a month (`202611`), newest first.
    pub async fn audit(&self, month: i64, limit: u32, after: Option<String>) -> Result<Slice<AuditEntry>> {
        let to = after.unwrap_or_else(|| "9".to_owned());
        let query = TableQuery {
            index: Some(TableIndex::Global { name: "listed", partition: "listed_in" }),
            range: Some(Range { attribute: "listed_at", from: "0".to_owned(), to }),
            order: Order::Desc,
            limit: Some(limit + 1),
            ..TableQuery::partition(keys::audit(month))
        };
        let items = self.journal.query(&query).await?.items.into_iter();
        let mut items: Vec<AuditItem> = items.map(parse).collect::<Result<_>>()?;
        let more = items.len() > limit as usize;
        items.truncate(limit as usize);
        let next = items.last().filter(|_| more).map(|item| cursor_after(&item.listed_at));
        Ok(Slice { items: items.into_iter().map(|item| item.entry).collect(), next })
    }
}
