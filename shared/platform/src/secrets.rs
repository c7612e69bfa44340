//! Envelope encryption of users' secrets: each is encrypted with AES-256-GCM under a data key that KMS wraps. Its place
//! (tenant, item, field) is the additional authenticated data, so a copy in another tenant's item cannot be decrypted.

use std::collections::HashMap;
use std::iter;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use aws_sdk_kms::Client;
use aws_sdk_kms::primitives::Blob;
use aws_sdk_kms::types::DataKeySpec;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ring::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::rand::{SecureRandom, SystemRandom};
use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

use crate::aws::convert_error;
use crate::cache::Cache;
use crate::{Context, config};
use domain::credential::Credential;
use domain::{Error, Result};

/// A data key encrypts at most this many secrets, for at most this long. Then KMS generates a new one.
const MAX_SECRETS_PER_KEY: u32 = 1_000;
const DATA_KEY_TTL: Duration = Duration::from_secs(5 * 60);
const DECRYPTED_KEY_TTL: Duration = Duration::from_secs(5 * 60);

/// The encryption context of the data keys names their purpose: KMS unwraps a key only for it, and the policy of a function
/// names the purposes that it may use.
const PURPOSE: &str = "purpose";
const CREDENTIALS: &str = "atelier-secret";
const RUNS: &str = "atelier-run";
const RECEIPTS: &str = "atelier-receipt";
const SIGN_INS: &str = "atelier-sign-in";
const MCP: &str = "atelier-mcp";
const CONSENTS: &str = "atelier-consent";
const CALL_BODIES: &str = "atelier-call-body";
/// The encryption context of the data keys of one tenant also names the tenant.
const TENANT: &str = "tenant";

/// An encrypted secret, as it is stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sealed {
    wrapped_key: String,
    ciphertext: String,
}

pub struct Secrets {
    master: MasterKey,
    /// The tenant to which all data keys belong, if there is one.
    tenant: Option<String>,
    sealing: Mutex<Option<Sealing>>,
    opening: Cache<String, DataKey>,
}

/// The key in KMS that wraps the data keys of a purpose.
#[derive(Clone)]
struct MasterKey {
    client: Client,
    key_id: String,
    purpose: &'static str,
}

impl MasterKey {
    fn new(context: &Context, purpose: &'static str) -> Result<Self> {
        let key_id = context.config.required(config::KMS_KEY).map_err(Error::internal)?.to_owned();
        Ok(Self { client: context.aws.kms(), key_id, purpose })
    }
}

#[derive(Clone)]
struct Sealing {
    key: DataKey,
    wrapped: String,
    since: Instant,
    seals_left: u32,
}

impl Secrets {
    /// The credentials of users and of the operator.
    pub fn of_credentials(context: &Context) -> Result<Self> {
        Self::new(context, CREDENTIALS)
    }

    /// The keys of runs with masked parts.
    pub fn of_runs(context: &Context) -> Result<Self> {
        Self::new(context, RUNS)
    }

    /// The keys that sign receipts.
    pub fn of_receipts(context: &Context) -> Result<Self> {
        Self::new(context, RECEIPTS)
    }

    /// The cookies of sign-ins that the issuer has not answered yet.
    pub fn of_sign_ins(context: &Context) -> Result<Self> {
        Self::new(context, SIGN_INS)
    }

    /// What the gateway's door to MCP servers gives to clients and browsers, and the tokens of connected users.
    pub fn of_mcp(context: &Context) -> Result<Self> {
        Self::new(context, MCP)
    }

    /// The tokens of credentials to which users have consented, and the consents that browsers have begun.
    pub fn of_consents(context: &Context) -> Result<Self> {
        Self::new(context, CONSENTS)
    }

    fn new(context: &Context, purpose: &'static str) -> Result<Self> {
        Ok(Self::with_master(MasterKey::new(context, purpose)?, None))
    }

    fn with_master(master: MasterKey, tenant: Option<String>) -> Self {
        Self { master, tenant, sealing: Mutex::default(), opening: Cache::new(DECRYPTED_KEY_TTL, 1_000) }
    }

    /// The encryption context of the data keys.
    fn encryption_context(&self) -> HashMap<String, String> {
        let purpose = (PURPOSE.to_owned(), self.master.purpose.to_owned());
        let tenant = self.tenant.clone().map(|tenant| (TENANT.to_owned(), tenant));
        iter::once(purpose).chain(tenant).collect()
    }

    /// Encrypts a secret for one place (a tenant, an item, a field).
    pub async fn seal(&self, place: &str, secret: &[u8]) -> Result<Sealed> {
        let Sealing { key, wrapped, .. } = match self.take_seal() {
            Some(sealing) => sealing,
            None => self.new_data_key().await?,
        };
        Ok(Sealed { wrapped_key: wrapped, ciphertext: key.seal(place, secret)? })
    }

    /// Decrypts a secret that was encrypted for this place.
    pub async fn open(&self, place: &str, sealed: &Sealed) -> Result<Zeroizing<Vec<u8>>> {
        let load = async || self.unwrap(&sealed.wrapped_key).await;
        let key = self.opening.get_or_load(&sealed.wrapped_key, load).await?;
        key.open(place, &sealed.ciphertext)
    }

    pub async fn seal_credential(&self, place: &str, credential: &Credential) -> Result<Sealed> {
        let secret = Zeroizing::new(serde_json::to_vec(credential).map_err(Error::internal)?);
        self.seal(place, &secret).await
    }

    pub async fn open_credential(&self, place: &str, sealed: &Sealed) -> Result<Credential> {
        serde_json::from_slice(&self.open(place, sealed).await?).map_err(Error::internal)
    }

    fn take_seal(&self) -> Option<Sealing> {
        let mut sealing = self.sealing.lock().unwrap_or_else(PoisonError::into_inner);
        let current =
            sealing.as_mut().filter(|sealing| sealing.seals_left > 0 && sealing.since.elapsed() < DATA_KEY_TTL)?;
        current.seals_left -= 1;
        Some(current.clone())
    }

    async fn new_data_key(&self) -> Result<Sealing> {
        let MasterKey { client, key_id, .. } = &self.master;
        let call = client.generate_data_key().key_id(key_id).key_spec(DataKeySpec::Aes256);
        let call = call.set_encryption_context(Some(self.encryption_context()));
        let made = Box::pin(call.send()).await.map_err(convert_error)?;
        let plain = Zeroizing::new(made.plaintext.map(Blob::into_inner).unwrap_or_default());
        let wrapped = STANDARD.encode(made.ciphertext_blob.ok_or_else(|| Error::internal("KMS returned no data key"))?);
        let sealing =
            Sealing { key: DataKey::new(&plain)?, wrapped, since: Instant::now(), seals_left: MAX_SECRETS_PER_KEY - 1 };
        *self.sealing.lock().unwrap_or_else(PoisonError::into_inner) = Some(sealing.clone());
        Ok(sealing)
    }

    async fn unwrap(&self, wrapped: &str) -> Result<DataKey> {
        let wrapped = Blob::new(STANDARD.decode(wrapped).map_err(Error::internal)?);
        let MasterKey { client, key_id, .. } = &self.master;
        let call = client.decrypt().key_id(key_id).ciphertext_blob(wrapped);
        let call = call.set_encryption_context(Some(self.encryption_context()));
        let opened = Box::pin(call.send()).await.map_err(convert_error)?;
        DataKey::new(&Zeroizing::new(opened.plaintext.map(Blob::into_inner).unwrap_or_default()))
    }
}

/// Secrets of many tenants. Each tenant has data keys of its own, which KMS unwraps only for this tenant.
pub struct TenantSecrets {
    master: MasterKey,
    tenants: Cache<String, Arc<Secrets>>,
}

impl TenantSecrets {
    /// The bodies of calls of models.
    pub fn of_call_bodies(context: &Context) -> Result<Self> {
        let master = MasterKey::new(context, CALL_BODIES)?;
        Ok(Self { master, tenants: Cache::new(DATA_KEY_TTL, 1_000) })
    }

    pub async fn seal(&self, tenant: &str, place: &str, secret: &[u8]) -> Result<Sealed> {
        self.tenant_secrets(tenant).await?.seal(place, secret).await
    }

    pub async fn open(&self, tenant: &str, place: &str, sealed: &Sealed) -> Result<Zeroizing<Vec<u8>>> {
        self.tenant_secrets(tenant).await?.open(place, sealed).await
    }

    async fn tenant_secrets(&self, tenant: &str) -> Result<Arc<Secrets>> {
        let tenant = tenant.to_owned();
        let create = async || Ok(Arc::new(Secrets::with_master(self.master.clone(), Some(tenant.clone()))));
        self.tenants.get_or_load(&tenant, create).await
    }
}

/// A key of AES-256-GCM.
#[derive(Clone)]
pub struct DataKey(Arc<LessSafeKey>);

impl DataKey {
    pub fn new(key: &[u8]) -> Result<Self> {
        let key = UnboundKey::new(&AES_256_GCM, key).map_err(|_| Error::internal("not an AES-256 key"))?;
        Ok(Self(Arc::new(LessSafeKey::new(key))))
    }

    /// A random key, and its bytes.
    pub fn generate() -> Result<(Self, Zeroizing<Vec<u8>>)> {
        let mut bytes = Zeroizing::new(vec![0; AES_256_GCM.key_len()]);
        fill_randomly(&mut bytes)?;
        Ok((Self::new(&bytes)?, bytes))
    }

    /// Encrypts a secret for a place, as base64.
    pub fn seal(&self, place: &str, secret: &[u8]) -> Result<String> {
        let mut nonce = [0; NONCE_LEN];
        fill_randomly(&mut nonce)?;
        let mut sealed = secret.to_vec();
        self.0
            .seal_in_place_append_tag(Nonce::assume_unique_for_key(nonce), Aad::from(place.as_bytes()), &mut sealed)
            .map_err(|_| Error::internal("a secret could not be encrypted"))?;
        Ok(STANDARD.encode([&nonce[..], &sealed].concat()))
    }

    /// Decrypts a secret that was encrypted for this place.
    pub fn open(&self, place: &str, sealed: &str) -> Result<Zeroizing<Vec<u8>>> {
        let broken = || Error::internal("a sealed secret could not be decrypted");
        let bytes = STANDARD.decode(sealed).map_err(Error::internal)?;
        let (nonce, ciphertext) = bytes.split_at_checked(NONCE_LEN).ok_or_else(broken)?;
        let nonce = Nonce::try_assume_unique_for_key(nonce).map_err(|_| broken())?;
        let mut secret = Zeroizing::new(ciphertext.to_vec());
        let opened = self.0.open_in_place(nonce, Aad::from(place.as_bytes()), &mut secret);
        let length = opened.map_err(|_| broken())?.len();
        secret.truncate(length);
        Ok(secret)
    }
}

pub(crate) fn fill_randomly(bytes: &mut [u8]) -> Result<()> {
    SystemRandom::new().fill(bytes).map_err(|_| Error::internal("the random number generator failed"))
}
