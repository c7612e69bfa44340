//! Request and response bodies of the deployments of a model, and their validation.

use domain::Result;
use domain::body_problems::Problems;
use domain::catalog::ModelDeployment;
use domain::money::Money;
use domain::provider::{DeploymentDialect, ProviderKind};
use domain::routing::{DeploymentCost, RoutingPolicy, RoutingStrategy};
use domain::schema::Title;
use domain::usd::{Usd, UsdIn};
use serde::{Deserialize, Serialize};
use store::catalog::Listing;
use utoipa::ToSchema;

use super::model_options::DialectWire;
use super::pricing::micro_usd;

/// A provider that serves the model.
#[derive(Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct DeploymentIn {
    /// The name of the provider.
    provider: String,
    /// The provider's name for the model.
    #[schema(value_type = Title)]
    model: String,
    /// The share of calls relative to other deployments of the same priority.
    #[schema(minimum = 1, maximum = 1000000, default = 1)]
    weight: Option<u32>,
    /// The priority. Deployments with the lowest number are tried first.
    #[schema(default = 0)]
    priority: Option<u32>,
    /// The API through which the model answers chats. Only providers of kind `openai` have `responses`. Defaults to
    /// `chat_completions`.
    dialect: Option<DialectWire>,
    /// What you pay for the deployment. The routing strategy `cost` needs it.
    cost: Option<DeploymentCostIn>,
}

/// What the operator pays, in US dollars per million tokens, with at most 6 decimals.
#[derive(Clone, Copy, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct DeploymentCostIn {
    input: UsdIn,
    output: UsdIn,
}

impl DeploymentCostIn {
    fn read(self, field: &str) -> Result<DeploymentCost> {
        let mut problems = Problems::default();
        let mut read = |name, price| problems.or_default(micro_usd(&format!("{field}.{name}"), price));
        let cost = DeploymentCost {
            input_micro_usd: read("input", self.input),
            output_micro_usd: read("output", self.output),
        };
        problems.finish().map(|()| cost)
    }
}

impl DeploymentIn {
    pub fn new(provider: &str, model: &str) -> Self {
        let (provider, model) = (provider.to_owned(), model.to_owned());
        Self { provider, model, weight: None, priority: None, dialect: None, cost: None }
    }

    #[must_use]
    pub fn with_dialect(self, dialect: DeploymentDialect) -> Self {
        Self { dialect: Some(dialect.into()), ..self }
    }
}

impl From<&ModelDeployment> for DeploymentIn {
    fn from(ModelDeployment { provider, model, weight, priority, dialect, cost }: &ModelDeployment) -> Self {
        let usd = |micro| UsdIn(Money::from_micro_usd(micro));
        Self {
            provider: provider.clone(),
            model: model.clone(),
            weight: Some(*weight),
            priority: Some(*priority),
            dialect: Some((*dialect).into()),
            cost: cost
                .map(|cost| DeploymentCostIn { input: usd(cost.input_micro_usd), output: usd(cost.output_micro_usd) }),
        }
    }
}

/// Validates the providers and the costs of the deployments of a model.
pub fn read_deployments(
    given: Vec<DeploymentIn>,
    routing: RoutingPolicy,
    listing: &Listing,
) -> Result<Vec<ModelDeployment>> {
    let mut problems = Problems::default();
    let mut read = |(i, given): (usize, DeploymentIn)| {
        let DeploymentIn { provider, model, weight, priority, dialect, cost } = given;
        let dialect = dialect.unwrap_or_default().into();
        match listing.providers.get(&provider) {
            None => problems.add(&format!("deployments[{i}].provider"), "no such provider"),
            Some(stored) if stored.kind != ProviderKind::OpenAi && dialect != DeploymentDialect::default() => {
                let problem = "only providers of kind openai have this dialect; leave it out";
                problems.add(&format!("deployments[{i}].dialect"), problem);
            }
            Some(_) => {}
        }
        let field = format!("deployments[{i}].cost");
        if cost.is_none() && routing.strategy == RoutingStrategy::Cost {
            problems.add(&field, "is required by the routing strategy `cost`; add the cost of this deployment");
        }
        ModelDeployment {
            provider,
            model,
            weight: weight.unwrap_or(1),
            priority: priority.unwrap_or_default(),
            dialect,
            cost: cost.and_then(|cost| problems.take(cost.read(&field))),
        }
    };
    let deployments = given.into_iter().enumerate().map(&mut read).collect();
    problems.finish().map(|()| deployments)
}

/// A provider that serves the model.
#[derive(Serialize, ToSchema)]
#[schema(as = Deployment)]
pub struct DeploymentOut {
    /// The name of the provider.
    provider: String,
    /// The provider's name for the model.
    model: String,
    /// The share of calls relative to other deployments of the same priority.
    weight: u32,
    /// The priority. Deployments with the lowest number are tried first.
    priority: u32,
    /// The API through which the model answers chats.
    dialect: DialectWire,
    /// What the operator pays for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    cost: Option<DeploymentCostOut>,
}

/// What the operator pays, in US dollars per million tokens.
#[derive(Serialize, ToSchema)]
#[schema(as = DeploymentCost)]
pub struct DeploymentCostOut {
    input: Usd,
    output: Usd,
}

impl From<DeploymentCost> for DeploymentCostOut {
    fn from(DeploymentCost { input_micro_usd, output_micro_usd }: DeploymentCost) -> Self {
        let usd = |micro| Money::from_micro_usd(micro).into();
        Self { input: usd(input_micro_usd), output: usd(output_micro_usd) }
    }
}

impl From<&ModelDeployment> for DeploymentOut {
    fn from(ModelDeployment { provider, model, weight, priority, dialect, cost }: &ModelDeployment) -> Self {
        Self {
            provider: provider.clone(),
            model: model.clone(),
            weight: *weight,
            priority: *priority,
            dialect: (*dialect).into(),
            cost: cost.map(DeploymentCostOut::from),
        }
    }
}
