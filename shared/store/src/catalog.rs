//! The catalog: models, their aliases, their providers, and the maintenance state of the platform.

use std::collections::BTreeMap;
use std::sync::Arc;

use attributes::Attributes;
use serde::{Deserialize, Serialize};

use super::item::{Item, parse};
use super::keys;
use super::query::{Range, TableQuery};
use super::table::Table;
use super::write::Write;
use domain::Result;
use domain::catalog::{Maintenance, Model};
use domain::guard::GuardCategory;
use domain::identity::Plan;
use domain::provider::{ProviderKind, Timeouts};
use domain::time::Time;
use platform::secrets::Sealed;
use platform::{Context, config};

#[derive(Clone)]
pub struct Catalog {
    table: Table,
}

/// A provider of models. Its API key is encrypted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StoredProvider {
    pub name: String,
    pub kind: ProviderKind,
    pub base_url: Option<String>,
    pub api_key: Option<Sealed>,
    pub api_key_last4: Option<String>,
    pub auth_header: Option<String>,
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    pub region: Option<String>,
    #[serde(default)]
    pub timeouts: Timeouts,
    #[serde(default)]
    pub version: u64,
}

impl StoredProvider {
    /// The associated data of the provider's encrypted API key, so that it cannot be decrypted in another place.
    pub fn sealed_for(name: &str) -> String {
        format!("provider#{name}")
    }
}

/// The whole catalog, as one query read it. It is small: hundreds of models, not millions.
#[derive(Clone, Debug, Default)]
pub struct Listing {
    pub models: BTreeMap<String, Arc<Model>>,
    /// The aliases, each with the name of its model.
    pub aliases: BTreeMap<String, String>,
    pub providers: BTreeMap<String, StoredProvider>,
    /// The risk categories, by their codes.
    pub guard_categories: BTreeMap<String, GuardCategory>,
    pub maintenance: Maintenance,
    /// The time at which each model was added. Models that came with the platform have none.
    pub added_at: BTreeMap<String, Time>,
    /// The number of changes by operators, which is the optimistic lock of the catalog.
    pub revision: u64,
}

/// One entry of the catalog.
#[derive(Clone, Debug, PartialEq)]
pub enum CatalogEntry {
    Model(Box<Model>),
    Alias { alias: String, model: String },
    Provider(StoredProvider),
    GuardCategory(GuardCategory),
    Maintenance(Maintenance),
}

impl Listing {
    /// The version of the next entry that changes. No other entry of the catalog ever had it.
    pub fn next_version(&self) -> u64 {
        // Entries that came with the platform have version 1.
        self.revision + 2
    }

    /// Finds a model by its name or an alias. A retired model is found too.
    pub fn find(&self, name: &str) -> Option<&Arc<Model>> {
        self.models.get(self.aliases.get(name).map_or(name, String::as_str))
    }
}

#[derive(Serialize, Deserialize, Attributes)]
pub(super) struct ModelItem {
    pk: String,
    sk: String,
    model: Model,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    added_at: Option<Time>,
}

#[derive(Serialize, Deserialize, Attributes)]
struct AliasItem {
    pk: String,
    sk: String,
    model: String,
}

#[derive(Serialize, Deserialize, Attributes)]
struct ProviderItem {
    pk: String,
    sk: String,
    provider: StoredProvider,
}

#[derive(Serialize, Deserialize, Attributes)]
struct GuardCategoryItem {
    pk: String,
    sk: String,
    category: GuardCategory,
}

#[derive(Serialize, Deserialize, Attributes)]
struct MaintenanceItem {
    pk: String,
    sk: String,
    maintenance: Maintenance,
}

/// Puts an entry, and replaces the existing one.
pub(super) fn put(table: &Table, entry: &CatalogEntry, added_at: Option<Time>) -> Write {
    match entry {
        CatalogEntry::Model(model) => {
            let key = keys::model(&model.name);
            table.put(&ModelItem { pk: key.pk, sk: key.sk, model: (**model).clone(), added_at })
        }
        CatalogEntry::Alias { alias, model } => {
            let key = keys::alias(alias);
            table.put(&AliasItem { pk: key.pk, sk: key.sk, model: model.clone() })
        }
        CatalogEntry::Provider(provider) => {
            let key = keys::provider(&provider.name);
            table.put(&ProviderItem { pk: key.pk, sk: key.sk, provider: provider.clone() })
        }
        CatalogEntry::GuardCategory(category) => {
            let key = keys::guard_category(&category.code);
            table.put(&GuardCategoryItem { pk: key.pk, sk: key.sk, category: category.clone() })
        }
        CatalogEntry::Maintenance(maintenance) => {
            let key = keys::maintenance();
            table.put(&MaintenanceItem { pk: key.pk, sk: key.sk, maintenance: maintenance.clone() })
        }
    }
}

/// Deletes an entry from the catalog.
pub(super) fn remove(table: &Table, entry: &CatalogEntry) -> Write {
    table.delete(match entry {
        CatalogEntry::Model(model) => keys::model(&model.name),
        CatalogEntry::Alias { alias, .. } => keys::alias(alias),
        CatalogEntry::Provider(provider) => keys::provider(&provider.name),
        CatalogEntry::GuardCategory(category) => keys::guard_category(&category.code),
        CatalogEntry::Maintenance(_) => keys::maintenance(),
    })
}

/// The model of an item.
pub(super) fn model(item: Item) -> Result<Model> {
    parse::<ModelItem>(item).map(|item| item.model)
}

/// Whether the model of an item can be called at this time.
pub(super) fn is_callable(item: Item, now: Time) -> bool {
    model(item).is_ok_and(|model| !model.is_retired(now))
}

#[derive(Deserialize, Attributes)]
pub(super) struct RevisionItem {
    revision: u64,
}

impl Catalog {
    pub fn new(context: &Context) -> Result<Self> {
        Ok(Self { table: Table::new(context, config::TABLE_ENTITIES)? })
    }

    /// Adds a model, unless one with its name exists.
    pub async fn add(&self, model: &Model) -> Result<()> {
        let key = keys::model(&model.name);
        let item = ModelItem { pk: key.pk, sk: key.sk, model: model.clone(), added_at: None };
        self.table.write(self.table.put_new(&item)).await.map(drop)
    }

    /// Adds a provider, unless one with its name exists.
    pub async fn add_provider(&self, provider: &StoredProvider) -> Result<()> {
        let key = keys::provider(&provider.name);
        let item = ProviderItem { pk: key.pk, sk: key.sk, provider: provider.clone() };
        self.table.write(self.table.put_new(&item)).await.map(drop)
    }

    /// Adds a risk category, unless one with its code exists.
    pub async fn add_guard_category(&self, category: &GuardCategory) -> Result<()> {
        let key = keys::guard_category(&category.code);
        let item = GuardCategoryItem { pk: key.pk, sk: key.sk, category: category.clone() };
        self.table.write(self.table.put_new(&item)).await.map(drop)
    }

    /// Lists the models that a plan allows and that have not retired, ordered by name.
    pub async fn list(&self, plan: &Plan, now: Time) -> Result<Vec<Model>> {
        let models = Range::beginning(keys::MODEL);
        let items =
            self.table.query_all(TableQuery { range: Some(models), ..TableQuery::partition(keys::CATALOG) }).await?;
        let models: Vec<Model> = items.into_iter().map(model).collect::<Result<_>>()?;
        Ok(models.into_iter().filter(|model| plan.allows(&model.name) && !model.is_retired(now)).collect())
    }

    pub async fn read(&self) -> Result<Listing> {
        let mut listing = Listing::default();
        for item in self.table.query_all(TableQuery::partition(keys::CATALOG)).await? {
            let sk = keys::Key::from_item(&item).map(|key| key.sk).unwrap_or_default();
            if sk.starts_with(keys::MODEL) {
                let ModelItem { model, added_at, .. } = parse(item)?;
                listing.added_at.extend(added_at.map(|at| (model.name.clone(), at)));
                listing.models.insert(model.name.clone(), model.into());
            } else if let Some(alias) = sk.strip_prefix(keys::ALIAS) {
                listing.aliases.insert(alias.to_owned(), parse::<AliasItem>(item)?.model);
            } else if sk.starts_with(keys::PROVIDER) {
                let ProviderItem { provider, .. } = parse(item)?;
                listing.providers.insert(provider.name.clone(), provider);
            } else if sk.starts_with(keys::GUARD_CATEGORY) {
                let GuardCategoryItem { category, .. } = parse(item)?;
                listing.guard_categories.insert(category.code.clone(), category);
            } else if sk == keys::MAINTENANCE {
                listing.maintenance = parse::<MaintenanceItem>(item)?.maintenance;
            } else if sk == keys::REVISION {
                listing.revision = parse::<RevisionItem>(item)?.revision;
            }
        }
        Ok(listing)
    }
}
