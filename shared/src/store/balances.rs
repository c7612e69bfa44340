//! What an organization may still spend, in pico-USD (10⁻¹² USD): whole numbers, never floats.

use serde::Deserialize;

use super::keys;
use super::table::{Table, parse};
use crate::domain::id::OrgId;
use crate::{Context, Result, config};

#[derive(Clone)]
pub struct Balances {
    table: Table,
}

#[derive(Deserialize)]
struct BalanceItem {
    left: u64,
}

impl Balances {
    pub fn new(context: &Context) -> Result<Self> {
        Ok(Self { table: Table::new(context, config::TABLE_COUNTERS)? })
    }

    /// Gives an organization its first credits. One that has a balance keeps it.
    pub async fn open(&self, org: OrgId, credits_pico_usd: u64) -> Result<()> {
        let first =
            self.table.update(keys::balance(org)).set("left", credits_pico_usd).set("granted", credits_pico_usd);
        self.table.write(first.require("attribute_not_exists(pk)")).await.map(drop)
    }

    pub async fn left(&self, org: OrgId) -> Result<u64> {
        let item = self.table.get(&keys::balance(org)).await?;
        item.map_or(Ok(0), |item| Ok(parse::<BalanceItem>(item)?.left))
    }
}
