//! Handler for the audit log.

use axum::extract::State;
use domain::lease::month;
use store::admin::AuditFilter;
use web::cursor::Cursors;
use web::gateway::month_of;
use web::gateway::{CursorList, ErrorResponses, Operator, OperatorOnly};
use web::{Query, Result};

use crate::Stores;
use crate::dto::audit::{AuditOut, AuditQuery};

const AUDIT: Cursors = Cursors("audit");

/// List audit entries
///
/// Returns the changes that operators made in a month, newest first, and what administrators did with the bodies of calls:
/// `call_retention.put`, `call_body.read` and `call_body.delete`. Each entry has the actor, the action, and the resource before
/// and after the change, without secrets and bodies. A page can have fewer items than `limit` although more pages follow.
#[utoipa::path(
    get, path = "/gateway/v1/admin/audit", tag = "admin", params(AuditQuery),
    responses(
        (status = 200, description = "A page of entries", body = CursorList<AuditOut>),
        OperatorOnly, ErrorResponses,
    ),
)]
pub async fn list_audit(
    State(stores): State<Stores>,
    operator: Operator,
    Query(query): Query<AuditQuery>,
) -> Result<CursorList<AuditOut>> {
    let AuditQuery { period, actor, action, target, limit, cursor } = query;
    let month = month_of(period.as_deref(), month(operator.at()))?;
    let after = AUDIT.read(cursor.as_deref())?;
    let filter = AuditFilter { actor, action, target };
    Ok(CursorList::new(stores.admin.audit(month, &filter, limit, after).await?, AUDIT))
}
