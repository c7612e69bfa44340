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
use super::usage::{Figures, add_figures, sum_figures};
use super::write::Write;
use domain::id::RunId;
use domain::ledger::Charge;
use domain::retention::RunRetention;
use domain::run::RunStep;
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

    /// The figures of some steps, by their paths. A step without a charge has none.
    pub async fn of_steps(&self, run: RunId, paths: &[&str]) -> Result<BTreeMap<String, Figures>> {
        // A long path is not the sort key of its item.
        let key_of = |path: &str| keys::step_usage(&RunStep { run, workflow: None, path: path.to_owned() });
        let keys: BTreeMap<String, (Key, &str)> = paths
            .iter()
            .map(|path| {
                let key = key_of(path);
                (key.sk.clone(), (key, *path))
            })
            .collect();
        let wanted: Vec<Key> = keys.values().map(|(key, _)| key.clone()).collect();
        let items = self.counters.batch_get(&wanted).await?.into_iter();
        let figures = items.map(|item| {
            let found = Key::from_item(&item).and_then(|key| keys.get(&key.sk));
            let (_, path) = found.ok_or_else(|| Error::internal("a usage item has no key"))?;
            Ok(((*path).to_owned(), parse(item)?))
        });
        figures.collect()
    }

    /// The figures of all steps of a run.
    pub async fn total(&self, run: RunId) -> Result<Figures> {
        let mut total = Figures::default();
        self.find(run).await?.into_values().for_each(|figures| total += figures);
        Ok(total)
    }
}

/// The writes that add charges to the usage of their steps. A call that was not made for a run has none.
pub(super) fn add_charges(counters: &Table, charges: &[&Charge]) -> Vec<Write> {
    let of_steps = charges.iter().filter_map(|charge| Some((keys::step_usage(charge.step.as_ref()?), *charge)));
    let used = sum_figures(of_steps).into_iter();
    let writes = used.map(|(key, figures, last)| {
        let expires_at = RunRetention::LONGEST.latest_expiry(last.created_at).as_seconds();
        add_figures(counters.update(key), figures).set(EXPIRES_AT, expires_at)
    });
    writes.collect()
}
