//! HTTP handlers of the log of calls, for an organization.

use axum::Json;
use axum::extract::State;
use domain::Error;
use domain::call_log::CallProperty;
use domain::id::Id;
use domain::receipt::CallName;
use web::cursor::Cursors;
use web::gateway::{CallDetailOut, CallOut, CursorList, ErrorResponses, NotFound, Person, UserOnly};
use web::{Path, Query, Result, calls_query};

use crate::Stores;
use crate::handlers::only_user;

const CALLS: Cursors = Cursors("calls");

calls_query! { CallsQuery {} }

/// List calls
///
/// Returns the calls of models of the last 400 days, newest first: charged calls, and those that failed at their provider.
/// Requests that were refused before, such as for a rate limit, are not listed. Administrators see all calls of the
/// organization, members only their own. With a filter, the calls of a busy key appear after some seconds. A page can have fewer
/// items than `limit` although more pages follow.
#[utoipa::path(
    get, path = "/gateway/v1/billing/calls", tag = "billing", params(CallsQuery),
    responses((status = 200, description = "A page of calls", body = CursorList<CallOut>), UserOnly, ErrorResponses),
)]
pub async fn list_calls(
    State(stores): State<Stores>,
    person: Person,
    Query(query): Query<CallsQuery>,
) -> Result<CursorList<CallOut>> {
    let after = CALLS.read(query.cursor.as_deref())?;
    let mut filter = query.filter(vec![person.caller.org]);
    filter.properties.extend(only_user(&person.caller).map(CallProperty::User));
    Ok(CursorList::new(stores.calls.list(&filter, query.limit, after, person.caller.at).await?, CALLS))
}

/// Read a call
///
/// Returns a call with the attempts at deployments that failed. It has neither the request nor the answer, which administrators
/// can keep and read with `…/body`.
#[utoipa::path(
    get, path = "/gateway/v1/billing/calls/{request_id}", tag = "billing",
    params(("request_id" = String, Path, description = "The request, the chat completion or the call")),
    responses(
        (status = 200, description = "The call", body = CallDetailOut), NotFound<CallName>, UserOnly, ErrorResponses,
    ),
)]
pub async fn get_call(
    State(stores): State<Stores>,
    person: Person,
    Path(CallName(name)): Path<CallName>,
) -> Result<Json<CallDetailOut>> {
    let call = stores.calls.find(person.caller.org, only_user(&person.caller), name).await?;
    Ok(Json(call.ok_or(Error::NotFound { kind: CallName::KIND })?.into()))
}
