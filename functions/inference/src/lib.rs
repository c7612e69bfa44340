//! `/gateway/v1/chat/completions` and `/gateway/v1/embeddings`: calls of models, in OpenAI's form.

mod dto;
mod handlers;
mod headers;
mod routes;

use std::sync::Arc;

use shared::auth::Auth;
use shared::gateway::{Gateway, Models};
use shared::{Context, Result};

pub use routes::{document, router};

/// What the handlers work with.
#[derive(Clone)]
pub struct Stores {
    auth: Arc<Auth>,
    gateway: Gateway,
}

impl Stores {
    fn new(context: &Context) -> Result<Self> {
        Ok(Self { auth: Arc::new(Auth::new(context)?), gateway: Gateway::new(context)? })
    }
}

impl AsRef<Auth> for Stores {
    fn as_ref(&self) -> &Auth {
        &self.auth
    }
}

impl AsRef<Models> for Stores {
    fn as_ref(&self) -> &Models {
        self.gateway.models()
    }
}
