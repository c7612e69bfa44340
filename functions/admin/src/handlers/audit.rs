//! What operators did.

use axum::extract::State;
use domain::lease::month;
use domain::time::Time;
use shared::http::cursor::Cursors;
use shared::http::gateway::month_of;
use shared::http::openai::{CursorList, Operator, OperatorOnly, Query, Refused, Result};

use crate::Stores;
use crate::dto::audit::{AuditOut, AuditQuery};

const AUDIT: Cursors = Cursors("audit");

/// List what operators did
///
/// In a month, newest first: who, what, and the thing before and after, without secrets.
#[utoipa::path(
    get, path = "/gateway/v1/admin/audit", tag = "admin", params(AuditQuery), security(("bearer" = [])),
    responses((status = 200, description = "Some entries", body = CursorList<AuditOut>), OperatorOnly, Refused),
)]
pub async fn list_audit(
    State(stores): State<Stores>,
    _: Operator,
    Query(query): Query<AuditQuery>,
) -> Result<CursorList<AuditOut>> {
    let month = month_of(query.period.as_deref(), month(Time::now()))?;
    let after = AUDIT.read(query.cursor.as_deref())?;
    Ok(CursorList::new(stores.admin.audit(month, query.limit, after).await?, AUDIT))
}
