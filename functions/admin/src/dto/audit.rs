//! Query parameters and entries of the audit log.

use domain::audit::Actor;
use domain::id::UserId;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use store::admin::AuditEntry;
use utoipa::{IntoParams, ToSchema};
use web::paging::{default_per_page, per_page};

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct AuditQuery {
    /// The calendar month in UTC, as `YYYY-MM`. Defaults to the current month.
    #[param(nullable = false, pattern = "^[0-9]{4}-(0[1-9]|1[0-2])$", example = "2026-03")]
    pub period: Option<String>,
    /// Returns only changes by the operator with this user id.
    #[param(nullable = false, value_type = Option<String>)]
    pub actor: Option<UserId>,
    /// Returns only changes with this action, such as `model.update`, or of this kind of resource, such as `model`.
    #[param(nullable = false, example = "model")]
    pub action: Option<String>,
    /// Returns only changes of the resource with this id or name.
    #[param(nullable = false)]
    pub target: Option<String>,
    /// The maximum number of items to return.
    #[serde(default = "default_per_page", deserialize_with = "per_page")]
    #[param(minimum = 1, maximum = 100, default = 20)]
    pub limit: u32,
    /// The `next_cursor` of the previous page.
    #[param(nullable = false)]
    pub cursor: Option<String>,
}

/// An entry of the audit log: one change that an operator made.
#[derive(Serialize, ToSchema)]
#[schema(as = AuditEntry)]
pub struct AuditOut {
    id: String,
    actor: ActorOut,
    /// The action, as the resource and the verb.
    #[schema(example = "model.update")]
    action: String,
    /// The id or name of the changed resource.
    target: String,
    /// The resource before the change, as the API returned it. Null if the change created it.
    #[schema(required, value_type = Option<Object>)]
    before: Option<Box<RawValue>>,
    /// The resource after the change. Null if the change deleted it.
    #[schema(required, value_type = Option<Object>)]
    after: Option<Box<RawValue>>,
    /// The `X-Request-Id` of the request that made the change.
    request_id: String,
    /// When the change was made.
    #[schema(format = DateTime)]
    at: String,
}

/// The operator who made the change.
#[derive(Serialize, ToSchema)]
#[schema(as = Actor)]
struct ActorOut {
    org: String,
    user: String,
    /// The API key that authenticated the request. Null if the request used an access token.
    #[schema(required)]
    api_key: Option<String>,
}

impl From<AuditEntry> for AuditOut {
    fn from(entry: AuditEntry) -> Self {
        let AuditEntry { id, actor: Actor { org, user, key }, action, target, before, after, request_id, at } = entry;
        let raw = |text: Option<String>| text.and_then(|text| RawValue::from_string(text).ok());
        Self {
            id: id.to_string(),
            actor: ActorOut { org: org.to_string(), user: user.to_string(), api_key: key.map(|key| key.to_string()) },
            action,
            target,
            before: raw(before),
            after: raw(after),
            request_id,
            at: at.to_string(),
        }
    }
}
