//! Request and response bodies of the deployments of a model, and their validation.

use domain::Result;
use domain::body_problems::Problems;
use domain::catalog::ModelDeployment;
use domain::provider::{DeploymentDialect, ProviderKind};
use domain::schema::Title;
use serde::{Deserialize, Serialize};
use store::catalog::Listing;
use utoipa::ToSchema;

use super::model_options::DialectWire;

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
}

impl DeploymentIn {
    pub fn new(provider: &str, model: &str) -> Self {
        Self { provider: provider.to_owned(), model: model.to_owned(), weight: None, priority: None, dialect: None }
    }

    #[must_use]
    pub fn with_dialect(self, dialect: DeploymentDialect) -> Self {
        Self { dialect: Some(dialect.into()), ..self }
    }
}

impl From<&ModelDeployment> for DeploymentIn {
    fn from(ModelDeployment { provider, model, weight, priority, dialect }: &ModelDeployment) -> Self {
        let (provider, model) = (provider.clone(), model.clone());
        Self { provider, model, weight: Some(*weight), priority: Some(*priority), dialect: Some((*dialect).into()) }
    }
}

/// Validates the providers of the deployments of a model.
pub fn read_deployments(given: Vec<DeploymentIn>, listing: &Listing) -> Result<Vec<ModelDeployment>> {
    let mut problems = Problems::default();
    let mut read = |(i, DeploymentIn { provider, model, weight, priority, dialect }): (usize, DeploymentIn)| {
        let dialect = dialect.unwrap_or_default().into();
        match listing.providers.get(&provider) {
            None => problems.add(&format!("deployments[{i}].provider"), "no such provider"),
            Some(stored) if stored.kind != ProviderKind::OpenAi && dialect != DeploymentDialect::default() => {
                let problem = "only providers of kind openai have this dialect; leave it out";
                problems.add(&format!("deployments[{i}].dialect"), problem);
            }
            Some(_) => {}
        }
        let (weight, priority) = (weight.unwrap_or(1), priority.unwrap_or_default());
        ModelDeployment { provider, model, weight, priority, dialect }
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
}

impl From<&ModelDeployment> for DeploymentOut {
    fn from(ModelDeployment { provider, model, weight, priority, dialect }: &ModelDeployment) -> Self {
        let (provider, model) = (provider.clone(), model.clone());
        Self { provider, model, weight: *weight, priority: *priority, dialect: (*dialect).into() }
    }
}
