//! The request and the result of the setup: everything that a first call of a provider's model needs, as one declaration.

use std::collections::BTreeMap;

use domain::schema::{LongTitle, Title};
use domain::usd::UsdIn;
use domain::{Error, Result, schema};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use web::gateway::{KeySettingsIn, RoleName};

use super::models::ModelIn;
use super::people::{OrgIn, UserIn};
use super::plans::PlanIn;
use super::pricing::PricingIn;
use super::provider_checks::ProviderTestOut;
use super::providers::{KindWire, ProviderHeaders, ProviderIn, TimeoutsWire};
use super::{ApiKeyText, Email, ExternalId, PlainName};

const MAX_MODELS: usize = 100;

/// What the platform should have. Each part is created, or changed where it differs. Fields that are not sent keep their
/// values, and so do parts that are not sent.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SetupIn {
    pub organization: Option<SetupOrgIn>,
    /// A user of the organization.
    pub user: Option<SetupUserIn>,
    /// The plan of the organization.
    pub plan: Option<SetupPlanIn>,
    /// An API key of the user. It is recognized by its name, so a repetition creates no second key.
    pub key: Option<KeySettingsIn>,
    /// The first credits of the organization. They are given only if its balance has never changed.
    pub credits: Option<SetupCreditsIn>,
    pub provider: Option<SetupProviderIn>,
    /// Models with all of their settings.
    #[serde(default)]
    #[schema(max_items = 100)]
    pub models: Vec<ModelIn>,
    /// Aliases, each with the name of its model.
    #[serde(default)]
    pub aliases: BTreeMap<String, String>,
}

/// An organization, which is recognized by its external id.
#[derive(Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SetupOrgIn {
    #[schema(value_type = Title)]
    name: String,
    /// The organization's identifier in the identity provider's access tokens. Defaults to `name`.
    #[schema(value_type = Option<ExternalId>)]
    external_id: Option<String>,
}

/// A user, who is recognized by their external id.
#[derive(Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SetupUserIn {
    #[schema(value_type = Title)]
    name: String,
    /// The email of a new user.
    #[schema(value_type = Option<Email>)]
    email: Option<String>,
    /// The role in the organization. Defaults to `admin` for a new member.
    pub role: Option<RoleName>,
    /// The `sub` claim of the user's access tokens. Defaults to `name`.
    #[schema(value_type = Option<ExternalId>)]
    external_id: Option<String>,
}

/// A plan.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SetupPlanIn {
    /// The id of the plan.
    #[schema(value_type = PlainName)]
    pub id: String,
    /// All settings of the plan. Without them, the plan must exist.
    pub settings: Option<PlanIn>,
}

/// The first credits of an organization.
#[derive(Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SetupCreditsIn {
    /// The amount in US dollars. Must be greater than 0.
    pub amount: UsdIn,
    /// The reason, which the list of transactions shows. Defaults to `first credits`.
    #[schema(value_type = Option<LongTitle>)]
    pub reason: Option<String>,
}

/// A provider, and which of its models to offer.
#[derive(Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SetupProviderIn {
    /// A well-known provider, which fills in the other settings.
    #[schema(example = "openai")]
    preset: Option<String>,
    /// The name of the provider. Required without a preset.
    #[schema(value_type = Option<PlainName>)]
    name: Option<String>,
    /// The API that the provider implements. Required without a preset.
    kind: Option<KindWire>,
    base_url: Option<String>,
    /// The provider's API key. It is stored encrypted and never returned.
    #[schema(write_only, value_type = Option<ApiKeyText>)]
    api_key: Option<String>,
    auth_header: Option<String>,
    #[schema(value_type = Option<ProviderHeaders>)]
    headers: Option<BTreeMap<String, String>>,
    /// The AWS region. Only for Bedrock.
    #[schema(value_type = Option<PlainName>)]
    region: Option<String>,
    timeouts: Option<TimeoutsWire>,
    /// The provider's names of the models to offer, or `all` for those that it lists. Each gets the provider's name of it,
    /// and its type and capabilities are derived from that name.
    pub models: Option<ModelChoice>,
    /// The prices of these models. Without them, calls of a new model cost nothing.
    pub pricing: Option<PricingIn>,
}

/// The models to offer: names, or all.
#[derive(Clone, Deserialize, ToSchema)]
#[serde(untagged, expecting = "a list of names, or the text \"all\"")]
pub enum ModelChoice {
    Names(Vec<String>),
    All(AllModels),
}

#[derive(Clone, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum AllModels {
    All,
}

impl SetupIn {
    /// The parts that other parts of the body need, and limits of lists.
    pub fn check(&self) -> Result<()> {
        let mut problems = domain::body_problems::Problems::default();
        for (needs, part) in
            [(self.user.is_some(), "user"), (self.credits.is_some(), "credits"), (self.plan.is_some(), "plan")]
        {
            if needs && self.organization.is_none() {
                problems.add("organization", format_args!("is missing; `{part}` belongs to an organization"));
            }
        }
        if self.key.is_some() && self.user.is_none() {
            problems.add("user", "is missing; `key` belongs to a user");
        }
        if let Some(plan) = &self.plan {
            problems.take(schema::check_text::<PlainName>("plan.id", &plan.id));
        }
        if self.models.len() > MAX_MODELS {
            problems.add("models", format_args!("at most {MAX_MODELS} models"));
        }
        if self.aliases.len() > MAX_MODELS {
            problems.add("aliases", format_args!("at most {MAX_MODELS} aliases"));
        }
        problems.finish()
    }
}

impl SetupOrgIn {
    pub fn settings(self, plan: Option<String>) -> OrgIn {
        let Self { name, external_id } = self;
        OrgIn { external_id: external_id.or_else(|| Some(name.clone())), name, plan }
    }
}

impl SetupUserIn {
    pub fn settings(self, org: String) -> UserIn {
        let Self { name, email, role, external_id } = self;
        let role = role.or(Some(RoleName::Admin));
        UserIn { external_id: external_id.or_else(|| Some(name.clone())), name, email, org, role }
    }
}

impl SetupProviderIn {
    pub fn settings(self) -> ProviderIn {
        let Self { preset, name, kind, base_url, api_key, auth_header, headers, region, timeouts, .. } = self;
        ProviderIn { preset, name, kind, base_url, api_key, auth_header, headers, region, timeouts }
    }
}

/// The names of the offered models to take.
pub fn check_choice(names: &[String]) -> Result<()> {
    let mut problems = domain::body_problems::Problems::default();
    if names.len() > MAX_MODELS {
        return Err(Error::invalid_body(
            "models",
            format_args!("at most {MAX_MODELS} models; this is {}", names.len()),
        ));
    }
    for (i, name) in names.iter().enumerate() {
        problems.take(super::check_model_name(&format!("models[{i}]"), name));
    }
    problems.finish()
}

/// What happened to a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum SetupOutcome {
    Created,
    Changed,
    /// The part was as declared, and nothing was written.
    Unchanged,
}

/// One part of the setup.
#[derive(Serialize, ToSchema)]
pub struct SetupPartOut {
    /// `plan`, `organization`, `user`, `key`, `credits`, `provider`, `model` or `alias`.
    #[schema(example = "provider")]
    part: &'static str,
    /// The id or the name of the part. For credits, the amount.
    #[schema(example = "openai")]
    id: String,
    outcome: SetupOutcome,
}

/// The result of a setup.
#[derive(Default, Serialize, ToSchema)]
pub struct SetupOut {
    /// Whether anything was created or changed.
    changed: bool,
    /// What happened to each part, in the order in which they were written.
    parts: Vec<SetupPartOut>,
    /// The secret of the key, if this request created it. It is not stored and not returned again.
    #[schema(required, example = "sk-svc-…")]
    pub secret: Option<String>,
    /// The result of the test call of the provider. Null if no provider was sent.
    #[schema(required)]
    pub provider_test: Option<ProviderTestOut>,
    /// What the operator should know, such as models without a price.
    pub notes: Vec<String>,
    /// A call of the first alias or model, ready to paste. Null if the request has none that can chat.
    #[schema(required)]
    pub curl: Option<String>,
}

impl SetupOut {
    pub fn add(&mut self, part: &'static str, id: impl ToString, outcome: SetupOutcome) {
        self.changed |= outcome != SetupOutcome::Unchanged;
        self.parts.push(SetupPartOut { part, id: id.to_string(), outcome });
    }
}
