//! The models of the platform.

use serde::{Deserialize, Serialize};

use super::keys;
use super::table::{Query, Table, parse};
use crate::domain::catalog::Model;
use crate::domain::identity::Plan;
use crate::domain::time::Time;
use crate::{Context, Result, config};

#[derive(Clone)]
pub struct Catalog {
    table: Table,
}

#[derive(Serialize, Deserialize)]
struct ModelItem {
    pk: String,
    sk: String,
    model: Model,
}

impl Catalog {
    pub fn new(context: &Context) -> Result<Self> {
        Ok(Self { table: Table::new(context, config::TABLE_ENTITIES)? })
    }

    /// Adds a model, unless there is one of its name.
    pub async fn add(&self, model: &Model) -> Result<()> {
        let key = keys::model(&model.name);
        let item = ModelItem { pk: key.pk, sk: key.sk, model: model.clone() };
        self.table.write(self.table.put_new(&item)).await.map(drop)
    }

    /// What a plan may call today, by name. The catalog is small: hundreds of models, not millions.
    pub async fn list(&self, plan: &Plan, now: Time) -> Result<Vec<Model>> {
        let items = self.table.query_all(Query::partition(keys::MODELS)).await?;
        let models = items.into_iter().map(|item| parse::<ModelItem>(item).map(|item| item.model));
        let models: Vec<Model> = models.collect::<Result<_>>()?;
        Ok(models.into_iter().filter(|model| plan.allows(&model.name) && !model.is_retired(now)).collect())
    }
}
