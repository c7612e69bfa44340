//! Handlers for users.

use axum::Json as Body;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use domain::id::{OrgId, UserId};
use domain::identity::User;
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
use crate::dto::people::{NewUserOut, UserIn, UserOut, UserPatch, to_page};
use crate::snapshot::{check_version, etag, render_snapshot};

const USERS: Cursors = Cursors("users");

/// List users
#[utoipa::path(
    get, path = "/gateway/v1/admin/users", tag = "admin", params(CursorQuery),
    responses(
        (status = 200, description = "A page of users", body = CursorList<UserOut>),
        OperatorOnly, ErrorResponses,
    ),
)]
pub async fn list_users(
    State(stores): State<Stores>,
    _: Operator,
    Query(query): Query<CursorQuery>,
) -> Result<CursorList<UserOut>> {
    let after = USERS.read(query.cursor.as_deref())?;
    Ok(to_page(stores.identities.list_users(query.limit, after).await?, USERS))
}

/// Create a user
///
/// Creates a user in an organization. Use it without an identity provider, or before the user's first access token.
#[utoipa::path(
    post, path = "/gateway/v1/admin/users", tag = "admin", params(IdempotencyHeaders), request_body = UserIn,
    responses(
        Created<NewUserOut, Replayed>,
        (status = 409, description = "`user_exists`: a user with this `external_id` exists; `idempotency_conflict`: the \
            `Idempotency-Key` was used with another request", body = ErrorBody),
        NotFound<OrgId>, BodyRefused, OperatorOnly, ErrorResponses,
    ),
)]
pub async fn create_user(
    State(stores): State<Stores>,
    operator: Operator,
    headers: HeaderMap,
    Hashed { body: UncheckedJson(body), hash, .. }: Hashed<UncheckedJson<UserIn>>,
) -> Result<Response> {
    let idempotency_key = idempotency::read_key(&headers, hash)?;
    let (user, membership) = body.read(&stores.auth, operator.at())?;
    let answer = render_snapshot(&NewUserOut::new(&user, &membership));
    let action = operator.audit_action("user.create", user.id);
    let created = stores.admin.create_user(&action, &user, &membership, idempotency_key.as_ref(), &answer).await?;
    Ok(idempotency::creation_response(created, None, answer))
}

/// Read a user
#[utoipa::path(
    get, path = "/gateway/v1/admin/users/{id}", tag = "admin", params(("id" = String, Path, description = "The user")),
    responses(
        (status = 200, description = "The user", body = UserOut,
            headers(("ETag" = String, description = "The user's version"))),
        NotFound<UserId>, OperatorOnly, ErrorResponses,
    ),
)]
pub async fn get_user(
    State(stores): State<Stores>,
    _: Operator,
    Path(id): Path<UserId>,
) -> Result<(ETag, Body<UserOut>)> {
    let out = UserOut::from(&stores.identities.user(id).await?);
    Ok((etag(&render_snapshot(&out)), Body(out)))
}

/// Suspend or restore a user
///
/// Applies a JSON merge patch (RFC 7396). The credentials of a suspended user are refused immediately, in every
/// organization.
#[utoipa::path(
    patch, path = "/gateway/v1/admin/users/{id}", tag = "admin",
    params(("id" = String, Path, description = "The user"), IfMatchHeaders), request_body = UserPatch,
    responses(
        (status = 200, description = "The updated user", body = UserOut,
            headers(("ETag" = String, description = "The user's version"))),
        NotFound<UserId>, Stale, BodyRefused, OperatorOnly, ErrorResponses,
    ),
)]
pub async fn update_user(
    State(stores): State<Stores>,
    operator: Operator,
    Path(id): Path<UserId>,
    if_match: IfMatch,
    UncheckedJson(patch): UncheckedJson<MergePatch>,
) -> Result<(ETag, Body<UserOut>)> {
    let render = |user: &User| render_snapshot(&UserOut::from(user));
    let change = |before: &User| {
        let after = patch.merge(&UserPatch::from(before), &[])?.read(before);
        check_version(&if_match, &render(before))?;
        Ok(after)
    };
    let user = stores.admin.change_user(&operator.audit_action("user.update", id), id, change, render).await?;
    Ok((etag(&render(&user)), Body(UserOut::from(&user))))
}
