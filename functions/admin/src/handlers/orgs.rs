//! Handlers for organizations.

use axum::Json as Body;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use domain::id::OrgId;
use domain::identity::Org;
use domain::merge::MergePatch;
use web::cursor::{CursorQuery, Cursors};
use web::etag::{ETag, IfMatch, IfMatchHeaders};
use web::gateway::{
    BodyRefused, Created, CursorList, ErrorBody, ErrorResponses, NotFound, Operator, OperatorOnly, Stale,
};
use web::idempotency::{self, IdempotencyHeaders};
use web::responses::Replayed;
use web::{Hashed, Path, Query, Result, UncheckedJson};

use crate::Stores;
use crate::dto::people::{OrgIn, OrgOut, OrgPatch, to_page};
use crate::snapshot::{check_version, etag, render_snapshot};

const ORGS: Cursors = Cursors("orgs");

/// List organizations
#[utoipa::path(
    get, path = "/gateway/v1/admin/orgs", operation_id = "admin_list_orgs", tag = "admin", params(CursorQuery),
    responses(
        (status = 200, description = "A page of organizations", body = CursorList<OrgOut>),
        OperatorOnly, ErrorResponses,
    ),
)]
pub async fn list_orgs(
    State(stores): State<Stores>,
    _: Operator,
    Query(query): Query<CursorQuery>,
) -> Result<CursorList<OrgOut>> {
    let after = ORGS.read(query.cursor.as_deref())?;
    Ok(to_page(stores.identities.list_orgs(query.limit, after).await?, ORGS))
}

/// Create an organization
///
/// Use it without an identity provider, or before the first access token that names the organization. The new organization
/// has no credits: add some with `POST /gateway/v1/billing/admin/credits`, or its calls of models are refused with 402, unless
/// its plan is exempt from billing.
#[utoipa::path(
    post, path = "/gateway/v1/admin/orgs", tag = "admin", params(IdempotencyHeaders), request_body = OrgIn,
    responses(
        Created<OrgOut, Replayed>,
        (status = 409, description = "`organization_exists`: an organization with this `external_id` exists; \
            `idempotency_conflict`: the `Idempotency-Key` was used with another request", body = ErrorBody),
        BodyRefused, OperatorOnly, ErrorResponses,
    ),
)]
pub async fn create_org(
    State(stores): State<Stores>,
    operator: Operator,
    headers: HeaderMap,
    Hashed { body: UncheckedJson(body), hash, .. }: Hashed<UncheckedJson<OrgIn>>,
) -> Result<Response> {
    let idempotency_key = idempotency::read_key(&headers, hash)?;
    let org = body.read(&stores.auth, operator.at())?;
    let answer = render_snapshot(&OrgOut::from(&org));
    let created = stores
        .admin
        .create_org(&operator.audit_action("org.create", org.id), &org, idempotency_key.as_ref(), &answer)
        .await?;
    Ok(idempotency::creation_response(created, None, answer))
}

/// Read an organization
#[utoipa::path(
    get, path = "/gateway/v1/admin/orgs/{id}", tag = "admin",
    params(("id" = String, Path, description = "The organization")),
    responses(
        (status = 200, description = "The organization", body = OrgOut,
            headers(("ETag" = String, description = "The organization's version"))),
        NotFound<OrgId>, OperatorOnly, ErrorResponses,
    ),
)]
pub async fn get_org(State(stores): State<Stores>, _: Operator, Path(id): Path<OrgId>) -> Result<(ETag, Body<OrgOut>)> {
    let out = OrgOut::from(&stores.identities.org(id).await?);
    Ok((etag(&render_snapshot(&out)), Body(out)))
}

/// Update an organization
///
/// Applies a JSON merge patch (RFC 7396). The credentials of a suspended organization are refused immediately. A new
/// plan applies immediately, and to model calls within 30 seconds.
#[utoipa::path(
    patch, path = "/gateway/v1/admin/orgs/{id}", tag = "admin",
    params(("id" = String, Path, description = "The organization"), IfMatchHeaders), request_body = OrgPatch,
    responses(
        (status = 200, description = "The updated organization", body = OrgOut,
            headers(("ETag" = String, description = "The organization's version"))),
        NotFound<OrgId>, Stale, BodyRefused, OperatorOnly, ErrorResponses,
    ),
)]
pub async fn update_org(
    State(stores): State<Stores>,
    operator: Operator,
    Path(id): Path<OrgId>,
    if_match: IfMatch,
    UncheckedJson(patch): UncheckedJson<MergePatch>,
) -> Result<(ETag, Body<OrgOut>)> {
    let render = |org: &Org| render_snapshot(&OrgOut::from(org));
    let change = |before: &Org| {
        let after = patch.merge(&OrgPatch::from(before), &[])?.read(before)?;
        check_version(&if_match, &render(before))?;
        Ok(after)
    };
    let org = stores.admin.change_org(&operator.audit_action("org.update", id), id, change, render).await?;
    Ok((etag(&render(&org)), Body(OrgOut::from(&org))))
}
