//! The audit log, newest first: every change by an operator, and what administrators do with the bodies of calls, with service
//! tokens, and with the workflows and agents of others. Its entries never expire.

use attributes::Attributes;
use serde::{Deserialize, Serialize};

use super::Admin;
use crate::item::parse;
use crate::keys;
use crate::listed::{ListedPage, list_page};
use crate::write::Write;
use domain::Result;
use domain::audit::{Actor, AuditAction};
use domain::id::{AuditId, UserId};
use domain::lease::month;
use domain::page::Slice;
use domain::time::Time;

/// One action.
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

/// The filter of a list of entries. By default it selects all entries.
#[derive(Clone, Debug, Default)]
pub struct AuditFilter {
    pub actor: Option<UserId>,
    /// An action such as `model.update`, or a kind of resource such as `model`.
    pub action: Option<String>,
    pub target: Option<String>,
}

impl AuditFilter {
    fn is_empty(&self) -> bool {
        self.actor.is_none() && self.action.is_none() && self.target.is_none()
    }

    fn includes(&self, entry: &AuditEntry) -> bool {
        let is_action = |action: &String| {
            let rest = entry.action.strip_prefix(action.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        self.actor.is_none_or(|user| entry.actor.user == user)
            && self.action.as_ref().is_none_or(is_action)
            && self.target.as_ref().is_none_or(|target| entry.target == *target)
    }
}

#[derive(Serialize, Deserialize, Attributes)]
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
        let AuditAction { actor, role: _, action, target, request_id, at } = action.clone();
        let key = keys::audit_entry(id);
        self.journal.put_new(&AuditItem {
            pk: key.pk,
            sk: key.sk,
            listed_in: keys::audit(month(at)),
            listed_at: keys::listed_at(at, id),
            entry: AuditEntry { id, actor, action: action.to_owned(), target, before, after, request_id, at },
        })
    }

    /// Records an action that changes no entity.
    pub async fn record(&self, action: &AuditAction) -> Result<()> {
        let entry = self.audit_write(action, None, None);
        self.transact(action, vec![entry]).await.map(drop)
    }

    /// Lists the audit entries of a month (`202611`), newest first. A short page may still have a next page.
    pub async fn audit(
        &self,
        month: i64,
        filter: &AuditFilter,
        limit: u32,
        after: Option<String>,
    ) -> Result<Slice<AuditEntry>> {
        let page = ListedPage { list: keys::audit(month), limit, after, is_filtered: !filter.is_empty() };
        let entry = |item| parse::<AuditItem>(item).map(|item| item.entry);
        list_page(&self.journal, page, entry, |entry| filter.includes(entry)).await
    }
}
