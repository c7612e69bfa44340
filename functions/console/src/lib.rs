//! `/console…`: the files of the console, and signing in and out with a browser, by OpenID Connect's authorization code with PKCE
//! (RFC 7636).

mod assets;
mod error;
mod handlers;
mod issuer;
mod pending;
mod routes;

use std::sync::Arc;

use auth::Auth;
use domain::Result;
use platform::Context;
use platform::secrets::Secrets;

use issuer::Issuer;

pub use routes::router;

/// What the handlers share.
#[derive(Clone)]
pub struct Stores {
    auth: Arc<Auth>,
    issuer: Arc<Issuer>,
    secrets: Arc<Secrets>,
}

impl Stores {
    fn new(context: &Context) -> Result<Self> {
        let auth = Auth::new(context)?;
        Ok(Self {
            issuer: Arc::new(Issuer::new(&context.config, auth.issuer())),
            auth: Arc::new(auth),
            secrets: Arc::new(Secrets::of_sign_ins(context)?),
        })
    }
}

impl AsRef<Auth> for Stores {
    fn as_ref(&self) -> &Auth {
        &self.auth
    }
}
