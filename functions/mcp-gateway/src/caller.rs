//! The callers of the door: programs with an API key.

use auth::ApiCaller;
use axum::extract::FromRequestParts;
use axum::http::header::ORIGIN;
use axum::http::request::Parts;
use domain::{Error, address};
use web::base_url::BaseUrl;
use web::gateway::{InferenceCaller, key_of_workbench};
use web::{ApiError, Result};

use crate::Stores;

/// A program with an API key, from a cache of 30 seconds. The leases of calls refuse revoked keys at once.
///
/// The key of a workbench is refused, because all of its editors know it. A page of another origin is refused too, so that no
/// website can use a key that a browser keeps (DNS rebinding).
pub struct DoorCaller(pub ApiCaller);

impl FromRequestParts<Stores> for DoorCaller {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, stores: &Stores) -> Result<Self> {
        check_origin(parts, stores).await?;
        let InferenceCaller(caller) = InferenceCaller::from_request_parts(parts, stores).await?;
        if caller.key.workbench.is_some() {
            return Err(key_of_workbench().into());
        }
        Ok(Self(caller))
    }
}

async fn check_origin(parts: &mut Parts, stores: &Stores) -> domain::Result<()> {
    let Ok(BaseUrl(base_url)) = BaseUrl::from_request_parts(parts, stores).await;
    let Some(origin) = parts.headers.get(ORIGIN) else { return Ok(()) };
    let is_own = |origin: &str| base_url.as_deref().is_some_and(|url| address::origin(url) == origin);
    let is_allowed = |origin: &str| stores.origins.iter().any(|allowed| allowed == origin) || is_own(origin);
    if origin.to_str().is_ok_and(is_allowed) {
        return Ok(());
    }
    let message = "pages of this origin may not use the gateway; the operator adds it to CORS_ORIGINS".to_owned();
    Err(Error::Forbidden { code: "origin_not_allowed", message })
}
