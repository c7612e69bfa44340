//! The wire type of API keys. It never holds the secret.

use serde::Serialize;
use utoipa::ToSchema;

use super::LimitsOut;
use domain::token::TokenKind;
use domain::usd::Usd;
use store::api_keys::ApiKey;
use store::meters::Meter;

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
    /// Exact to about ten seconds while the key is in use
    #[schema(required, format = DateTime)]
    last_used_at: Option<String>,
    #[schema(required, format = DateTime)]
    expires_at: Option<String>,
    #[schema(required, format = DateTime)]
    revoked_at: Option<String>,
    /// The models the key may call; null means all models of the plan
    #[schema(required)]
    models: Option<Vec<String>>,
    /// The limits of this key; the limits of the plan apply where these are null
    #[schema(required)]
    limits: Option<LimitsOut>,
    /// In US dollars per calendar month
    #[schema(required)]
    spending_cap: Option<Usd>,
    /// The workbench whose programs have the key. It calls models and is refused elsewhere. Null for all other keys
    #[schema(required, example = "wb_019a9b0c1d2e7f3a8b4c5d6e7f8a9b0c")]
    workbench_id: Option<String>,
}

impl ApiKeyOut {
    /// The limits and the spending cap of a key are stored on its meter.
    pub fn new(key: &ApiKey, meter: &Meter) -> Self {
        let ApiKey { id, account: _, name, last4, created_at, expires_at, revoked_at, models, workbench } = key;
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
            workbench_id: workbench.map(|id| id.to_string()),
        }
    }
}
