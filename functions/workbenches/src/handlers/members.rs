//! Handlers for the editors of a workbench.

use axum::Json as Body;
use axum::extract::State;
use axum::http::StatusCode;
use domain::Error;
use domain::id::{UserId, WorkbenchId};
use domain::workbench::{Access, Workbench};
use web::workbenches::{Caller, Created, ErrorBody, ErrorResponses, ItemList, NotFound, NotJson, NotOwner};
use web::{Json, Path, Query, Result};

use crate::Stores;
use crate::dto::{MemberIn, MemberOut, MemberQuery};

/// List the editors of a workbench
#[utoipa::path(
    get, path = "/workbenches/v1/{id}/members", tag = "workbenches",
    params(("id" = String, Path, description = "The workbench")),
    responses(
        (status = 200, description = "The editors", body = ItemList<MemberOut>),
        NotFound<WorkbenchId>, ErrorResponses,
    ),
)]
pub async fn list_members(
    State(stores): State<Stores>,
    Caller(caller): Caller,
    Path(id): Path<WorkbenchId>,
) -> Result<ItemList<MemberOut>> {
    let (workbench, _) = stores.workbenches.get(caller.account(), id).await?;
    let items: Vec<_> = workbench.editors.iter().map(MemberOut::from).collect();
    Ok(ItemList { total: items.len() as u64, items })
}

/// Share a workbench
///
/// Makes a user of the organization an editor: the user can open and start the workbench, and read its details. Only the
/// owner can share a workbench.
#[utoipa::path(
    post, path = "/workbenches/v1/{id}/members", tag = "workbenches",
    params(("id" = String, Path, description = "The workbench")), request_body = MemberIn,
    responses(
        Created<MemberOut>,
        (status = 200, description = "The user is an editor already", body = MemberOut),
        (status = 403, description = "`LAB_NOT_OWNER`, `LAB_MEMBER_IS_OWNER` or `LAB_INVALID_ROLE`", body = ErrorBody),
        (status = 404, description = "`LAB_NOT_FOUND`: the workbench does not exist or is not shared with the caller. \
            `LAB_MEMBER_NOT_IN_ORGANIZATION`: the organization has no such user", body = ErrorBody),
        (status = 409, description = "`LAB_DELETION_IN_PROGRESS`, or `LAB_INVALID_STATE` if the workbench has the maximum \
            number of editors", body = ErrorBody),
        NotJson, ErrorResponses,
    ),
)]
pub async fn add_member(
    State(stores): State<Stores>,
    Caller(caller): Caller,
    Path(id): Path<WorkbenchId>,
    Json(body): Json<MemberIn>,
) -> Result<(StatusCode, Body<MemberOut>)> {
    let (before, access) = stores.workbenches.get(caller.account(), id).await?;
    access.require(Access::Owner)?;
    body.check_role()?;
    let user = body.user_id;
    if user != before.owner && stores.identities.find(caller.org, user).await?.is_none() {
        return Err(Error::not_in_organization().into());
    }
    let change = |workbench: &Workbench| workbench.add_editor(user, caller.user, caller.at);
    stores.workbenches.change(caller.account(), id, Access::Owner, change).await?;
    let status = if before.editors.contains(&user) { StatusCode::OK } else { StatusCode::CREATED };
    Ok((status, Body((&user).into())))
}

/// Remove an editor
///
/// Only the owner can remove an editor.
#[utoipa::path(
    delete, path = "/workbenches/v1/{id}/members/{user_id}", tag = "workbenches",
    params(("id" = String, Path, description = "The workbench"), ("user_id" = String, Path, description = "The editor")),
    responses(
        (status = 204, description = "Removed"),
        (status = 409, description = "`LAB_DELETION_IN_PROGRESS`", body = ErrorBody),
        NotOwner, NotFound<(WorkbenchId, UserId)>, ErrorResponses,
    ),
)]
pub async fn remove_member(
    State(stores): State<Stores>,
    Caller(caller): Caller,
    Path((id, user)): Path<(WorkbenchId, UserId)>,
) -> Result<StatusCode> {
    let change = |workbench: &Workbench| {
        let change = workbench.remove_editor(user, caller.user, caller.at)?;
        change.map(Some).ok_or(Error::NotFound { kind: "editor" })
    };
    stores.workbenches.change(caller.account(), id, Access::Owner, change).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Remove an editor, named by the query
///
/// The same as `DELETE /workbenches/v1/{id}/members/{user_id}`.
#[utoipa::path(
    delete, path = "/workbenches/v1/{id}/members", tag = "workbenches",
    params(("id" = String, Path, description = "The workbench"), MemberQuery),
    responses(
        (status = 204, description = "Removed"),
        (status = 409, description = "`LAB_DELETION_IN_PROGRESS`", body = ErrorBody),
        NotOwner, NotFound<(WorkbenchId, UserId)>, ErrorResponses,
    ),
)]
pub async fn remove_member_by_query(
    state: State<Stores>,
    caller: Caller,
    Query(MemberQuery { user_id }): Query<MemberQuery>,
    Path(id): Path<WorkbenchId>,
) -> Result<StatusCode> {
    remove_member(state, caller, Path((id, user_id))).await
}
