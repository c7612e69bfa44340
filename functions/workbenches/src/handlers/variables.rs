//! Handlers for the environment variables of a workbench.

use axum::Json as Body;
use axum::extract::State;
use domain::id::WorkbenchId;
use web::workbenches::{Caller, ErrorBody, ErrorResponses, NotFound, NotJson, NotOwner};
use web::{Json, Path, Result};

use crate::Stores;
use crate::dto::{VariablesIn, VariablesOut};

/// Read the environment variables of a workbench
///
/// Returns the plain variables with their values, and the names of the secret ones. Owner and editors can read them.
#[utoipa::path(
    get, path = "/workbenches/v1/{id}/variables", tag = "workbenches",
    params(("id" = String, Path, description = "The workbench")),
    responses(
        (status = 200, description = "The variables", body = VariablesOut),
        NotFound<WorkbenchId>, ErrorResponses,
    ),
)]
pub async fn get_variables(
    State(stores): State<Stores>,
    Caller(caller): Caller,
    Path(id): Path<WorkbenchId>,
) -> Result<Body<VariablesOut>> {
    stores.workbenches.get(caller.account(), id).await?;
    Ok(Body(stores.workbenches.variables(caller.org, id).await?.into()))
}

/// Change the environment variables of a workbench
///
/// The changed variables apply from the next start of the workbench. Secret variables are stored encrypted, and no answer
/// contains their values. The programs of the workbench can read them all, and so can its editors. A workbench has at most 40
/// variables of at most 4,096 bytes. Only the owner can change them.
#[utoipa::path(
    patch, path = "/workbenches/v1/{id}/variables", tag = "workbenches",
    params(("id" = String, Path, description = "The workbench")), request_body = VariablesIn,
    responses(
        (status = 200, description = "The variables after the change", body = VariablesOut),
        (status = 409, description = "`LAB_DELETION_IN_PROGRESS`", body = ErrorBody),
        NotOwner, NotFound<WorkbenchId>, NotJson, ErrorResponses,
    ),
)]
pub async fn update_variables(
    State(stores): State<Stores>,
    Caller(caller): Caller,
    Path(id): Path<WorkbenchId>,
    Json(body): Json<VariablesIn>,
) -> Result<Body<VariablesOut>> {
    let (_, access) = stores.workbenches.get(caller.account(), id).await?;
    access.require(domain::workbench::Access::Owner)?;
    let patch = stores.variables.seal_patch(caller.org, id, body.read()?).await?;
    let changed = stores.workbenches.change_variables(caller.account(), id, &patch, caller.at).await?;
    Ok(Body(changed.into()))
}
