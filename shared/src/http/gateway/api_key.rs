//! API keys, without their secret.

use serde::Serialize;
use utoipa::ToSchema;

use super::LimitsOut;
use crate::store::api_keys::ApiKey;
use crate::store::meters::Meter;
use domain::token::TokenKind;
use domain::usd::Usd;

#[derive(Serialize, ToSchema)]
#[schema(as = ApiKey)]
pub struct ApiKeyOut {
    #[schema(example = "key_019a9b0c1d2e7f3a8b4c5d6e7f8a9b0c")]
    id: String,
    name: String,
    #[schema(example = "sk-svc-")]
    prefix: &'static str,
    last4: String,
    #[schema(format = DateTime)]
    created_at: String,
    /// To the age of a lease: ten seconds at most while the key is busy.
    #[schema(required, format = DateTime)]
    last_used_at: Option<String>,
    #[schema(required, format = DateTime)]
    expires_at: Option<String>,
    #[schema(required, format = DateTime)]
    revoked_at: Option<String>,
    /// The models it may call; null is all of the plan's.
    #[schema(required)]
    models: Option<Vec<String>>,
    /// Its own limits; where they say nothing, the plan's hold.
    #[schema(required)]
    limits: Option<LimitsOut>,
    /// US dollars a calendar month
    #[schema(required)]
    spending_cap: Option<Usd>,
}

impl ApiKeyOut {
    /// What a key is held to stands on its meter.
    pub fn new(key: &ApiKey, meter: &Meter) -> Self {
        let ApiKey { id, account: _, name, last4, created_at, expires_at, revoked_at, models } = key;
        Self {
            id: id.to_string(),
            name: name.clone(),
            prefix: TokenKind::ApiKey.prefix(),
            last4: last4.clone(),
            created_at: created_at.to_string(),
            last_used_at: meter.last_used_at().map(|at| at.to_string()),
            expires_at: expires_at.map(|at| at.to_string()),
            revoked_at: revoked_at.map(|at| at.to_string()),
            models: models.clone(),
            limits: meter.limits().map(LimitsOut::from),
            spending_cap: meter.cap().map(Usd::from),
        }
    }
}
