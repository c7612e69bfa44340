//! Handlers for the log of calls of all organizations.

use axum::Json;
use axum::extract::State;
use domain::Error;
use domain::id::{Id, OrgId, UserId};
use domain::receipt::CallName;
use serde::Deserialize;
use utoipa::IntoParams;
use web::cursor::Cursors;
use web::gateway::{CallDetailOut, CallOut, CursorList, ErrorResponses, NotFound, Operator, OperatorOnly};
use web::{Path, Query, Result, calls_query};

use crate::Stores;
use crate::dto::meters::parse_id;

const CALLS: Cursors = Cursors("calls");
/// The number of a user's organizations whose calls are listed.
const MAX_ORGS: u32 = 100;

calls_query! { OrgCallsQuery {
    /// The organization whose calls are returned. Without one, those of all organizations are. `end_user` and `tag` need it.
    #[param(nullable = false)]
    org: Option<String>,
} }

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct CallQuery {
    /// The organization that made the call.
    pub org: String,
}

/// List calls
///
/// Returns the calls of models of the last 400 days, newest first: charged calls, and those that failed at their provider.
/// Requests that were refused before, such as for a rate limit, are not listed. Without `org`, or with another filter, the calls of
/// a busy key appear after some seconds. A page can have fewer items than `limit` although more pages follow.
#[utoipa::path(
    get, path = "/gateway/v1/admin/calls", tag = "admin", params(OrgCallsQuery),
    responses(
        (status = 200, description = "A page of calls", body = CursorList<CallOut>),
        NotFound<OrgId>, NotFound<UserId>, OperatorOnly, ErrorResponses,
    ),
)]
pub async fn list_calls(
    State(stores): State<Stores>,
    operator: Operator,
    Query(query): Query<OrgCallsQuery>,
) -> Result<CursorList<CallOut>> {
    let after = CALLS.read(query.cursor.as_deref())?;
    let orgs = match (&query.org, query.user) {
        (Some(org), _) => vec![stores.identities.org(parse_id::<OrgId>(org)?).await?.id],
        (None, Some(user)) => orgs_of(&stores, user).await?,
        (None, None) => Vec::new(),
    };
    if query.org.is_none() && (query.end_user.is_some() || query.tag.is_some()) {
        let problem = "is required with end_user or tag, which are names within one organization";
        return Err(Error::invalid_query("org", problem).into());
    }
    let page = stores.calls.list(&query.filter(orgs), query.limit, after, operator.at()).await?;
    Ok(CursorList::new(page, CALLS))
}

/// The organizations of a user.
async fn orgs_of(stores: &Stores, user: UserId) -> Result<Vec<OrgId>> {
    let user = stores.identities.user(user).await?.id;
    let orgs = stores.identities.list_orgs_of(user, MAX_ORGS, None).await?;
    Ok(orgs.items.into_iter().map(|org| org.id).collect())
}

/// Read a call
///
/// Returns a call with the attempts at deployments that failed. It has neither the request nor the answer.
#[utoipa::path(
    get, path = "/gateway/v1/admin/calls/{request_id}", tag = "admin",
    params(("request_id" = String, Path, description = "The request, the chat completion or the call"), CallQuery),
    responses(
        (status = 200, description = "The call", body = CallDetailOut), NotFound<CallName>, OperatorOnly, ErrorResponses,
    ),
)]
pub async fn get_call(
    State(stores): State<Stores>,
    _: Operator,
    Query(query): Query<CallQuery>,
    Path(CallName(name)): Path<CallName>,
) -> Result<Json<CallDetailOut>> {
    let org = stores.identities.org(parse_id::<OrgId>(&query.org)?).await?.id;
    let call = stores.calls.find(org, None, name).await?;
    Ok(Json(call.ok_or(Error::NotFound { kind: CallName::KIND })?.into()))
}
