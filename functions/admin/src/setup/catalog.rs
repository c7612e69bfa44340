//! The provider, the models and the aliases of a setup.

use std::collections::BTreeMap;
use std::sync::Arc;

use domain::body_problems::Problems;
use domain::catalog::Model;
use domain::{Error, Result};
use store::admin::CatalogChange;
use store::catalog::{CatalogEntry, Listing};

use super::provider::{self, DeclaredProvider, check_offered};
use super::{Setup, merged};
use crate::dto::model_kind::guess_kind;
use crate::dto::models::ModelIn;
use crate::dto::setup::{ModelChoice, SetupOut, SetupOutcome, SetupProviderIn, check_choice};
use crate::handlers::{aliases, models};

/// The validated parts, and the catalog as it will be.
pub struct DeclaredCatalog {
    pub listing: Listing,
    provider: Option<DeclaredProvider>,
    models: Vec<(ModelIn, SetupOutcome)>,
    aliases: Vec<(String, String, SetupOutcome)>,
    /// The first alias or model that can chat.
    pub callable: Option<String>,
}

type Declared = (Option<SetupProviderIn>, Vec<ModelIn>, BTreeMap<String, String>);

/// Validates the parts, each against the catalog with those before it.
pub async fn read(
    setup: Setup<'_>,
    mut listing: Listing,
    (provider, models, aliases): Declared,
    out: &mut SetupOut,
    problems: &mut Problems,
) -> Result<DeclaredCatalog> {
    let (mut declared_models, mut chosen) = (Vec::new(), Vec::new());
    let provider = match provider {
        Some(provider) => {
            let pricing = provider.pricing.clone();
            let choice = provider.models.clone();
            let read = provider::read(setup, provider.settings(), &listing).await;
            let provider = problems.take_within("provider", read);
            if let Some(provider) = &provider {
                listing.providers.insert(provider.stored.name.clone(), provider.stored.clone());
                let names = choose(setup, provider, choice, out, problems).await?;
                let of_provider =
                    |name: &String| ModelIn::offered(name, &provider.stored.name, pricing.clone(), &listing);
                chosen = names
                    .iter()
                    .filter_map(|name| problems.take_within("provider.models", of_provider(name)))
                    .collect();
            }
            provider
        }
        None => None,
    };
    let fields = chosen.iter().map(|_| "provider".to_owned()).collect::<Vec<_>>();
    let fields = fields.into_iter().chain((0..models.len()).map(|i| format!("models[{i}]")));
    let mut names = Vec::new();
    for (field, model) in fields.zip(chosen.into_iter().chain(models)).collect::<Vec<_>>() {
        let Some(change) = problems.take_within(&field, change_model(&model, &listing)) else { continue };
        let after = models::stored_model(change.after.as_ref())?.clone();
        let outcome = match change.before {
            Some((CatalogEntry::Model(before), _)) if is_same(&before, &after) => SetupOutcome::Unchanged,
            Some(_) => SetupOutcome::Changed,
            None => SetupOutcome::Created,
        };
        let has_no_price = after.pricing == domain::catalog::Pricing::default();
        if has_no_price && outcome != SetupOutcome::Unchanged {
            out.notes.push(format!("calls of {} cost nothing, because it has no price; set `pricing`", after.name));
        }
        names.push(after.name.clone());
        listing.models.insert(after.name.clone(), after.into());
        declared_models.push((model, outcome));
    }
    let mut declared_aliases = Vec::new();
    for (alias, model) in aliases {
        let read = aliases::change_alias(&alias, &model, &listing);
        if problems.take_within(&format!("aliases.{alias}"), read).is_some() {
            let outcome = match listing.aliases.insert(alias.clone(), model.clone()) {
                Some(before) if before == model => SetupOutcome::Unchanged,
                Some(_) => SetupOutcome::Changed,
                None => SetupOutcome::Created,
            };
            declared_aliases.push((alias, model, outcome));
        }
    }
    let can_chat = |name: &&String| listing.find(name).is_some_and(|model| model.can("chat"));
    let aliases = declared_aliases.iter().map(|(alias, ..)| alias);
    let callable = aliases.chain(names.iter()).find(can_chat).cloned();
    Ok(DeclaredCatalog { listing, provider, models: declared_models, aliases: declared_aliases, callable })
}

/// Tests the provider and returns the names of the models to offer.
async fn choose(
    setup: Setup<'_>,
    provider: &DeclaredProvider,
    choice: Option<ModelChoice>,
    out: &mut SetupOut,
    problems: &mut Problems,
) -> Result<Vec<String>> {
    let named = match &choice {
        Some(ModelChoice::Names(names)) => names.clone(),
        _ => Vec::new(),
    };
    problems.take_within("provider", check_choice(&named));
    let tested = provider.test(setup, named.first().map(String::as_str)).await?;
    let (outcome, offered) = tested.map_or((None, None), |(outcome, offered)| (Some(outcome), offered));
    out.provider_test = outcome.map(Into::into);
    match choice {
        None => Ok(Vec::new()),
        Some(ModelChoice::Names(_)) => {
            check_offered(&named, offered.as_deref(), problems);
            Ok(named)
        }
        Some(ModelChoice::All(_)) => {
            let Some(offered) = offered else {
                out.notes.push("the provider listed no models; name them in `provider.models`".to_owned());
                return Ok(Vec::new());
            };
            let (usable, others): (Vec<_>, Vec<_>) = offered
                .into_iter()
                .partition(|name| guess_kind(name).is_some() && check_choice(std::slice::from_ref(name)).is_ok());
            if !others.is_empty() {
                out.notes
                    .push(format!("not added, because their kind must be declared in `models`: {}", others.join(", ")));
            }
            problems.take_within("provider", check_choice(&usable));
            Ok(usable)
        }
    }
}

fn is_same(before: &Model, after: &Model) -> bool {
    Model { version: before.version, ..after.clone() } == *before
}

fn change_model(declared: &ModelIn, listing: &Listing) -> Result<CatalogChange> {
    let before = listing.models.get(declared.name()).map(Arc::as_ref);
    let after = match before {
        Some(before) => merged(&ModelIn::from(before), declared)?,
        None => declared.clone(),
    };
    let after = after.read(listing, listing.next_version())?;
    if listing.aliases.contains_key(&after.name) {
        return Err(Error::invalid_body("name", "an alias with this name exists; choose another name"));
    }
    Ok(CatalogChange { before: before.cloned().map(models::entry), after: Some(models::entry(after)) })
}

impl DeclaredCatalog {
    pub async fn write(&self, setup: Setup<'_>, out: &mut SetupOut) -> Result<()> {
        let (stores, operator) = (setup.stores, setup.operator);
        if let Some(provider) = &self.provider {
            provider.write(setup).await?;
            out.add("provider", &provider.stored.name, provider.outcome);
        }
        for (model, outcome) in &self.models {
            if *outcome != SetupOutcome::Unchanged {
                let verb = if *outcome == SetupOutcome::Created { "model.create" } else { "model.update" };
                let action = operator.audit_action(verb, model.name());
                let change = |listing: &Listing| change_model(model, listing);
                let (_, work_ids) = stores.admin.change_catalog(&action, &stores.catalog, change).await?;
                stores.hints.send_all(work_ids).await;
            }
            out.add("model", model.name(), *outcome);
        }
        for (alias, model, outcome) in &self.aliases {
            if *outcome != SetupOutcome::Unchanged {
                let action = operator.audit_action("alias.put", alias);
                let change = |listing: &Listing| aliases::change_alias(alias, model, listing);
                stores.admin.change_catalog(&action, &stores.catalog, change).await?;
            }
            out.add("alias", alias, *outcome);
        }
        Ok(())
    }
}
