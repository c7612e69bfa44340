//! The provider of a setup: its settings, its test and the models that it offers.

use domain::body_problems::Problems;
use domain::{Result, schema};
use gateway::providers::{OfferedModels, Probe, ProviderSettings, connect};
use store::admin::CatalogChange;
use store::catalog::{CatalogEntry, Listing, StoredProvider};
use web::builder::test_call::{TestCallError, TestCallOutcome};

use super::{Setup, merged};
use crate::dto::ApiKeyText;
use crate::dto::providers::{KeyChange, ProviderIn};
use crate::dto::setup::SetupOutcome;
use crate::handlers::providers;

/// A provider whose settings are valid, with its sealed key.
pub struct DeclaredProvider {
    settings: ProviderIn,
    key: KeyChange,
    pub stored: StoredProvider,
    pub outcome: SetupOutcome,
}

/// Validates the settings against the catalog.
pub async fn read(setup: Setup<'_>, settings: ProviderIn, listing: &Listing) -> Result<DeclaredProvider> {
    let before = settings.name_or_preset().and_then(|name| listing.providers.get(name));
    let mut settings = match before {
        // A preset fills in only what a new provider lacks.
        Some(before) => ProviderIn { preset: None, name: Some(before.name.clone()), ..settings },
        None => settings.with_preset()?,
    };
    let mut problems = Problems::default();
    problems.take(over(before, &settings)?.check(before, &setup.stores.outbound));
    if let (Some(key), Some(_)) = (&settings.api_key, before) {
        problems.take(schema::check_text::<ApiKeyText>("api_key", key));
    }
    problems.finish()?;
    let key = match settings.take_api_key() {
        Some(key) if is_stored_key(setup, before, &key).await? => KeyChange::Keep,
        Some(key) => providers::seal(setup.stores, settings.name(), &key).await?,
        None => KeyChange::Keep,
    };
    let change = change(setup, &settings, &key, listing)?;
    let outcome = match (&change.before, &change.after) {
        (Some((CatalogEntry::Provider(before), _)), Some((CatalogEntry::Provider(after), _))) => {
            let is_same = StoredProvider { version: before.version, ..after.clone() } == *before;
            if is_same { SetupOutcome::Unchanged } else { SetupOutcome::Changed }
        }
        _ => SetupOutcome::Created,
    };
    let stored = providers::stored_provider(change)?;
    Ok(DeclaredProvider { settings, key, stored, outcome })
}

async fn is_stored_key(setup: Setup<'_>, before: Option<&StoredProvider>, key: &str) -> Result<bool> {
    let Some(before) = before.filter(|before| before.api_key.is_some()) else { return Ok(false) };
    let opened = ProviderSettings::open(before, &setup.stores.secrets).await?;
    Ok(opened.api_key.is_some_and(|stored| stored.as_str() == key))
}

fn change(setup: Setup<'_>, settings: &ProviderIn, key: &KeyChange, listing: &Listing) -> Result<CatalogChange> {
    let before = listing.providers.get(settings.name());
    let after = over(before, settings)?.read(before, key, &setup.stores.outbound, listing.next_version())?;
    Ok(CatalogChange { before: before.cloned().map(providers::entry), after: Some(providers::entry(after)) })
}

/// The declared settings over the stored ones.
fn over(before: Option<&StoredProvider>, settings: &ProviderIn) -> Result<ProviderIn> {
    before.map_or_else(|| Ok(settings.clone()), |before| merged(&ProviderIn::from(before), settings))
}

impl DeclaredProvider {
    /// Tests the provider: lists its models, or asks the first named model for a few tokens if it has no list.
    pub async fn test(
        &self,
        setup: Setup<'_>,
        named: Option<&str>,
    ) -> Result<Option<(TestCallOutcome, Option<Vec<String>>)>> {
        let stores = setup.stores;
        let settings = ProviderSettings::open(&self.stored, &stores.secrets).await?;
        let provider = connect(&settings, &stores.outbound, &stores.aws)?;
        let mut offered = None;
        let call = async {
            let probe = match (provider.list_models().await, named) {
                (Ok(OfferedModels { probe, models }), _) => {
                    offered = probe.error.is_none().then_some(models);
                    probe
                }
                (Err(_), Some(model)) => provider.probe(Some(model)).await?,
                (Err(_), None) => return Ok((None, None)),
            };
            let Probe { status, error } = probe;
            Ok((status, error.map(|(code, message)| TestCallError { code, message })))
        };
        let tested = TestCallOutcome::run(call).await?;
        let was_tested = offered.is_some() || tested.status.is_some() || tested.error.is_some();
        Ok(was_tested.then_some((tested, offered)))
    }

    pub async fn write(&self, setup: Setup<'_>) -> Result<()> {
        if self.outcome == SetupOutcome::Unchanged {
            return Ok(());
        }
        let verb = if self.outcome == SetupOutcome::Created { "provider.create" } else { "provider.update" };
        let action = setup.operator.audit_action(verb, &self.stored.name);
        let change = |listing: &Listing| change(setup, &self.settings, &self.key, listing);
        setup.stores.admin.change_catalog(&action, &setup.stores.catalog, change).await.map(drop)
    }
}

/// The names to offer: the named ones, which the provider must list, or all that it lists and that can be used at once.
pub fn check_offered(names: &[String], offered: Option<&[String]>, problems: &mut Problems) {
    let Some(offered) = offered else { return };
    for (i, name) in names.iter().enumerate().filter(|(_, name)| !offered.contains(name)) {
        let some = offered.iter().take(20).map(String::as_str).collect::<Vec<_>>().join(", ");
        let field = format!("provider.models[{i}]");
        problems.add(
            &field,
            format_args!("the provider does not list `{name}`; it lists {} models: {some}", offered.len()),
        );
    }
}
