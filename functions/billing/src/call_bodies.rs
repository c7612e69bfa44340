//! HTTP handlers of the bodies of calls: whether an organization keeps them, and those of one call.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use domain::call_body::BodyPlace;
use domain::call_retention::CallRetention;
use domain::id::Id;
use domain::identity::Org;
use domain::receipt::CallName;
use domain::{Error, Result as DomainResult};
use web::gateway::{Administrator, AdministratorOnly, BodyReader, BodyRefused, ErrorResponses, NoBodies};
use web::{Json as Body, Path, Result};

use crate::Stores;
use crate::body_dto::{CallBodiesOut, CallRetentionIn, CallRetentionOut};

/// Read the retention of bodies
///
/// Returns for how many days the requests and answers of the organization's calls are kept.
#[utoipa::path(
    get, path = "/gateway/v1/billing/call-retention", tag = "billing",
    responses((status = 200, description = "The retention", body = CallRetentionOut), AdministratorOnly, ErrorResponses),
)]
pub async fn get_call_retention(administrator: Administrator) -> Json<CallRetentionOut> {
    let caller = administrator.caller();
    let retention = caller.identity.org.call_retention_on(&caller.plan);
    Json(CallRetentionOut::new(retention, longest_retention(&administrator)))
}

/// Change the retention of bodies
///
/// Keeps the request and the answer of each call that is made with an API key of the organization from now on, encrypted, for
/// 1 to 30 days. The plan may allow fewer: not more than it keeps runs. Calls follow the change within 30 seconds. `0` stops keeping
/// the bodies of new calls. Bodies that are already kept expire as before. The platform's own calls, for runs and previews, are not
/// kept here. The change is in the audit log.
#[utoipa::path(
    put, path = "/gateway/v1/billing/call-retention", tag = "billing", request_body = CallRetentionIn,
    responses(
        (status = 200, description = "The changed retention", body = CallRetentionOut),
        AdministratorOnly, BodyRefused, ErrorResponses,
    ),
)]
pub async fn put_call_retention(
    State(stores): State<Stores>,
    administrator: Administrator,
    Body(body): Body<CallRetentionIn>,
) -> Result<Json<CallRetentionOut>> {
    let longest = longest_retention(&administrator);
    let retention = body.read(longest)?;
    let action = administrator.audit_action("call_retention.put", administrator.org());
    let change = |before: &Org| Ok(Org { call_retention: retention, ..before.clone() });
    let render = |org: &Org| CallRetentionIn::render(org.call_retention);
    let org = stores.admin.change_org(&action, administrator.org(), change, render).await?;
    Ok(Json(CallRetentionOut::new(org.call_retention, longest)))
}

/// Read the bodies of a call
///
/// Returns the request as the client sent it, and the answer: that of a chat has the choices of a chat completion, in any dialect,
/// streamed or not. They are stored some seconds after the call. Only administrators of the organization may read them: not its
/// members, and not the operators of the platform. Each read is in the audit log.
#[utoipa::path(
    get, path = "/gateway/v1/billing/calls/{request_id}/body", tag = "billing",
    params(("request_id" = String, Path, description = "The request, the chat completion or the call")),
    responses((status = 200, description = "The bodies", body = CallBodiesOut), NoBodies, AdministratorOnly, ErrorResponses),
)]
pub async fn get_call_body(
    State(stores): State<Stores>,
    BodyReader(administrator): BodyReader,
    Path(name): Path<CallName>,
) -> Result<Json<CallBodiesOut>> {
    let place = find_place(&stores, &administrator, name).await?;
    let bodies = stores.bodies.get(&place).await?.ok_or(Error::NoCallBody)?;
    stores.admin.record(&administrator.audit_action("call_body.read", place.call)).await?;
    Ok(Json(CallBodiesOut::new(bodies, place.expires_at)?))
}

/// Delete the bodies of a call
///
/// The call stays in the log. The deletion is in the audit log.
#[utoipa::path(
    delete, path = "/gateway/v1/billing/calls/{request_id}/body", tag = "billing",
    params(("request_id" = String, Path, description = "The request, the chat completion or the call")),
    responses((status = 204, description = "The bodies are deleted"), NoBodies, AdministratorOnly, ErrorResponses),
)]
pub async fn delete_call_body(
    State(stores): State<Stores>,
    BodyReader(administrator): BodyReader,
    Path(name): Path<CallName>,
) -> Result<StatusCode> {
    let place = find_place(&stores, &administrator, name).await?;
    stores.admin.record(&administrator.audit_action("call_body.delete", place.call)).await?;
    stores.bodies.delete(&place).await?;
    Ok(StatusCode::NO_CONTENT)
}

fn longest_retention(administrator: &Administrator) -> CallRetention {
    CallRetention::longest(administrator.caller().plan.run_retention)
}

/// Where the bodies of a call of the administrator's organization are kept.
async fn find_place(
    stores: &Stores,
    administrator: &Administrator,
    CallName(name): CallName,
) -> DomainResult<BodyPlace> {
    let call = stores.calls.find(administrator.org(), None, name).await?;
    let call = call.ok_or(Error::NotFound { kind: CallName::KIND })?;
    let place = BodyPlace::of_call(&call).filter(|place| place.expires_at > administrator.at());
    place.ok_or(Error::NoCallBody)
}
