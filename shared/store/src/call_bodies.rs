//! The bodies of calls that organizations keep: an encrypted object for each call, with data keys of its organization. A rule of
//! the bucket deletes the objects. The charge of a call says for how long its bodies are kept, so no table has an item for them.

use std::sync::Arc;

use domain::call_body::{BodyPlace, KeptBodies};
use domain::{Error, Result};
use platform::bucket::Bucket;
use platform::secrets::{Sealed, TenantSecrets};
use platform::{Context, config};

#[derive(Clone)]
pub struct CallBodies {
    files: Bucket,
    secrets: Arc<TenantSecrets>,
}

impl CallBodies {
    pub fn new(context: &Context) -> Result<Self> {
        let secrets = Arc::new(TenantSecrets::of_call_bodies(context)?);
        Ok(Self { files: Bucket::new(context, config::BUCKET_FILES)?, secrets })
    }

    pub async fn put(&self, place: &BodyPlace, bodies: &KeptBodies) -> Result<()> {
        let content = serde_json::to_vec(bodies).map_err(Error::internal)?;
        let sealed = self.secrets.seal(&place.org.to_string(), &secret_place(place), &content).await?;
        let sealed = serde_json::to_vec(&sealed).map_err(Error::internal)?;
        self.files.put(&place.object, "application/json", sealed).await
    }

    /// Reads the bodies. The bucket deletes expired objects late, so the caller checks `expires_at` of the place.
    pub async fn get(&self, place: &BodyPlace) -> Result<Option<KeptBodies>> {
        let Some(object) = self.files.get(&place.object).await? else { return Ok(None) };
        let sealed: Sealed = serde_json::from_slice(&object).map_err(Error::internal)?;
        let content = self.secrets.open(&place.org.to_string(), &secret_place(place), &sealed).await?;
        serde_json::from_slice(&content).map(Some).map_err(Error::internal)
    }

    pub async fn delete(&self, place: &BodyPlace) -> Result<()> {
        self.files.delete(&place.object).await
    }
}

fn secret_place(place: &BodyPlace) -> String {
    format!("CALLBODY#{}#{}", place.org, place.call)
}
