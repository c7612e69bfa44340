//! The request and the result of an import of models.

use domain::body_problems::Problems;
use domain::merge::MergePatch;
use domain::model_facts::{ModelFacts, find_facts};
use domain::schema::{self, Title};
use domain::{Error, Result};
use serde::{Deserialize, Serialize};
use store::catalog::StoredProvider;
use utoipa::ToSchema;

use super::model_kind::guess_kind;
use super::models::ModelIn;
use super::{CatalogName, PlainName};

const MAX_MODELS: usize = 100;
/// What the import itself sets.
const IMPORT_FIELDS: [&str; 2] = ["name", "deployments"];

/// The models of a provider to add to the catalog.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ModelImport)]
pub struct ModelImportIn {
    /// The name of the provider that serves the models.
    #[schema(value_type = PlainName)]
    pub provider: String,
    #[schema(min_items = 1, max_items = 100)]
    pub models: Vec<ImportedModelIn>,
    /// Settings of all models, which replace those of the facts: any subset of the fields of a new model except `name` and
    /// `deployments`, as a JSON merge patch.
    #[serde(default)]
    #[schema(value_type = Option<Object>, example = json!({"unsupported": "reject"}))]
    pub overrides: Option<MergePatch>,
}

/// One model to add.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ImportedModel)]
pub struct ImportedModelIn {
    /// The provider's name of the model.
    #[schema(value_type = Title, example = "gpt-5-mini")]
    pub id: String,
    /// The name in the catalog. Defaults to `id`.
    #[schema(value_type = Option<CatalogName>)]
    name: Option<String>,
    /// Settings of this model, which replace those of all models. A model without facts needs at least `pricing`.
    #[schema(value_type = Option<Object>, example = json!({"pricing": {"input": "0.10", "output": "0.40"}}))]
    overrides: Option<MergePatch>,
}

impl ModelImportIn {
    /// The number of models, and the form of the names. Everything else is decided for each model.
    pub fn check(&self) -> Result<()> {
        let mut problems = Problems::default();
        problems.take(schema::check_text::<PlainName>("provider", &self.provider));
        match self.models.len() {
            0 => problems.add("models", "at least 1 model"),
            1..=MAX_MODELS => {}
            count => problems.add("models", format_args!("at most {MAX_MODELS} models; these are {count}")),
        }
        for (i, model) in self.models.iter().enumerate().take(MAX_MODELS) {
            problems.take(schema::check_text::<Title>(&format!("models[{i}].id"), &model.id));
            if let Some(name) = &model.name {
                problems.take(schema::check_text::<CatalogName>(&format!("models[{i}].name"), name));
            }
        }
        problems.finish()
    }
}

impl ImportedModelIn {
    pub fn name(&self) -> &str {
        self.name.as_deref().unwrap_or(&self.id)
    }

    pub fn facts(&self, provider: &StoredProvider) -> Option<&'static ModelFacts> {
        find_facts(&self.id, provider.base_url.as_deref())
    }

    /// The settings of the model: its facts, then the overrides of all models, then its own.
    pub fn settings(&self, provider: &StoredProvider, for_all: Option<&MergePatch>) -> Result<ModelIn> {
        let patches: Vec<&MergePatch> = for_all.into_iter().chain(&self.overrides).collect();
        let has = |pointer: &str| {
            let value = |patch: &&MergePatch| patch.value().pointer(pointer).is_some_and(|value| !value.is_null());
            patches.iter().any(value)
        };
        let mut problems = Problems::default();
        for field in IMPORT_FIELDS {
            if patches.iter().any(|patch| patch.value().get(field).is_some()) {
                problems.add(field, "cannot be overridden; the import sets it");
            }
        }
        problems.finish()?;
        let mut settings = match self.facts(provider) {
            Some(facts) => ModelIn::well_known(self.name(), provider, &self.id, facts),
            None => {
                let is_guessed = guess_kind(&self.id).is_some();
                let needed: &[&str] = if is_guessed {
                    &["/pricing/input", "/pricing/output"]
                } else {
                    &["/type", "/capabilities", "/pricing/input", "/pricing/output"]
                };
                let missing: Vec<_> = needed.iter().filter(|pointer| !has(pointer)).collect();
                if !missing.is_empty() {
                    return Err(facts_not_known(&missing));
                }
                ModelIn::unknown(self.name(), &provider.name, &self.id)
            }
        };
        for patch in patches {
            settings = patch.merge(&settings, &["pricing"])?;
        }
        Ok(settings)
    }
}

fn facts_not_known(missing: &[&&str]) -> Error {
    let fields: Vec<String> = missing.iter().map(|pointer| pointer[1..].replace('/', ".")).collect();
    let message = format!(
        "no facts of this model are known; send {} in its `overrides`, and `context_window` if you know it",
        fields.join(", ")
    );
    Error::Unsound { code: "facts_not_known", message, details: serde_json::json!({"fields": fields}) }
}

/// What happened to a model of an import.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ImportOutcome {
    Created,
    /// A model or an alias already had the name. It was not changed.
    Exists,
    /// The model is invalid, and was not added.
    Refused,
}

/// The result of the import of one model.
#[derive(Serialize, ToSchema)]
#[schema(as = ModelImportResult)]
pub struct ImportedModelOut {
    /// The provider's name of the model.
    #[schema(example = "gpt-5-mini")]
    id: String,
    /// The name in the catalog.
    #[schema(example = "gpt-5-mini")]
    name: String,
    outcome: ImportOutcome,
    /// Why the model was refused.
    #[schema(required)]
    error: Option<ImportErrorOut>,
    /// What the prices of a created model do not express, such as a higher price of long prompts.
    #[schema(required)]
    note: Option<&'static str>,
}

#[derive(Serialize, ToSchema)]
#[schema(as = ModelImportError)]
struct ImportErrorOut {
    /// `facts_not_known` if fields are missing that no facts fill in, or `invalid_body`.
    #[schema(example = "facts_not_known")]
    code: String,
    message: String,
}

impl ImportedModelOut {
    pub fn new(model: &ImportedModelIn, outcome: ImportOutcome) -> Self {
        Self { id: model.id.clone(), name: model.name().to_owned(), outcome, error: None, note: None }
    }

    pub fn created(model: &ImportedModelIn, provider: &StoredProvider) -> Self {
        let note = model.facts(provider).and_then(|facts| facts.note.as_deref());
        Self { note, ..Self::new(model, ImportOutcome::Created) }
    }

    pub fn refused(model: &ImportedModelIn, error: &Error) -> Self {
        let error = ImportErrorOut { code: error.code().into_owned(), message: error.to_string() };
        Self { error: Some(error), ..Self::new(model, ImportOutcome::Refused) }
    }
}
