//! The usage of runs: what the calls of models for each step have cost. The transaction that writes a charge also adds it to
//! the item of its step. So the sum of a run equals the sum of its charges in the ledger, whatever crashes or is canceled.
//!
//! Each step has an item of its own, so the charges of concurrent steps do not conflict.

use std::collections::BTreeMap;

use super::attribute::EXPIRES_AT;
use super::item::parse;
use super::keys::{self, Key};
use super::query::TableQuery;
use super::table::Table;
use super::usage::{Figures, add_figures};
use super::write::Write;
use domain::id::RunId;
use domain::ledger::Charge;
use domain::retention::RunRetention;
use domain::{Error, Result};
use platform::{Context, config};

#[derive(Clone)]
pub struct RunUsage {
    counters: Table,
}

impl RunUsage {
    pub fn new(context: &Context) -> Result<Self> {
        Ok(Self { counters: Table::new(context, config::TABLE_COUNTERS)? })
    }

    /// The figures of the steps with at least one charge, by their paths.
    pub async fn find(&self, run: RunId) -> Result<BTreeMap<String, Figures>> {
        let items = self.counters.query_all(TableQuery::partition(keys::run_usage(run))).await?.into_iter();
        let figures = items.map(|item| {
            let key = Key::from_item(&item).ok_or_else(|| Error::internal("a usage item has no key"))?;
            Ok((key.sk, parse(item)?))
        });
        figures.collect()
    }
}

/// The write that adds a charge to the usage of its step. A call that was not made for a run has none.
pub(super) fn add_charge(counters: &Table, charge: &Charge) -> Option<Write> {
    let step = charge.step.as_ref()?;
    let expires_at = RunRetention::LONGEST.latest_expiry(charge.created_at).as_seconds();
    Some(add_figures(counters.update(keys::step_usage(step)), charge.into()).set(EXPIRES_AT, expires_at))
}
