//! The callers of the door: programs with an API key.

use auth::ApiCaller;
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
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
        let Ok(BaseUrl(base_url)) = BaseUrl::from_request_parts(parts, stores).await;
        stores.origins.check(&parts.headers, base_url.as_deref())?;
        let InferenceCaller(caller) = InferenceCaller::from_request_parts(parts, stores).await?;
        if caller.key.workbench.is_some() {
            return Err(key_of_workbench().into());
        }
        Ok(Self(caller))
    }
}
