//! Reads all runs and their logs from the tables, as they are stored.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use aws_sdk_dynamodb::types::AttributeValue;
use domain::run::RunEvent;
use local::{DataDir, Options, Platform};
use store::keys;

use crate::Result;

/// A run as it is stored.
#[derive(Default)]
pub struct StoredRun {
    pub state: String,
    pub error: Option<String>,
    pub next_event: u64,
    /// Whether another run started it.
    pub is_called: bool,
    /// The parts of the log, by the number of their first event.
    pub log: BTreeMap<u64, Vec<RunEvent>>,
}

/// The counters of all runs. The numbers of ended runs are those that completed, failed and were cancelled.
#[derive(Debug, Default, PartialEq)]
pub struct Statistics {
    pub started: u64,
    pub ended: [u64; 3],
    pub ended_on_days: [u64; 3],
}

impl Statistics {
    fn add(&mut self, item: &Item) {
        let (pk, sk) = (text(item, "pk"), text(item, "sk"));
        if pk.starts_with("RUNTOTALS#") {
            self.started += number(item, "started");
            for (place, name) in ["completed", "failed", "cancelled"].into_iter().enumerate() {
                self.ended[place] += number(item, name);
            }
        } else if pk.starts_with("RUNSTATISTICS#") && sk.ends_with(keys::ENDED) {
            for (place, kind) in ["c", "f", "x"].into_iter().enumerate() {
                let quarters =
                    item.keys().filter(|name| name.strip_prefix(kind).is_some_and(|n| n.parse::<u8>().is_ok()));
                self.ended_on_days[place] += quarters.map(|name| number(item, name)).sum::<u64>();
            }
        }
    }
}

/// Reads the runs of a data folder that no platform uses, by their ids, and their counters.
pub async fn read_runs(folder: &Path) -> Result<(BTreeMap<String, StoredRun>, Statistics)> {
    let data = DataDir::open(folder).map_err(|failure| failure.to_string())?;
    let platform = Platform::start(Options::new(data)).await.map_err(|failure| failure.to_string())?;
    let context = platform.context();
    let client = context.aws.dynamodb();
    let table = |setting| context.config.required(setting).map_err(|error| error.to_string());
    let mut runs: BTreeMap<String, StoredRun> = BTreeMap::new();
    for item in scan(&client, table("TABLE_ENTITIES")?).await? {
        if let (Some(id), "RUN") = (run_id(&item), text(&item, "sk")) {
            let error = item.get("error").and_then(|error| error.as_m().ok());
            let run = StoredRun {
                state: text(&item, "state").to_owned(),
                error: error.map(|error| format!("{}: {}", text(error, "code"), text(error, "message"))),
                next_event: number(&item, "next_event"),
                is_called: item.contains_key("parent"),
                log: BTreeMap::new(),
            };
            runs.insert(id, run);
        }
    }
    for item in scan(&client, table("TABLE_JOURNAL")?).await? {
        if let Some(id) = run_id(&item) {
            let first = text(&item, "sk").parse()?;
            runs.entry(id).or_default().log.insert(first, serde_json::from_str(text(&item, "events"))?);
        }
    }
    let mut statistics = Statistics::default();
    scan(&client, table("TABLE_COUNTERS")?).await?.iter().for_each(|item| statistics.add(item));
    platform.stop().await.map_err(|failure| failure.to_string())?;
    Ok((runs, statistics))
}

type Item = HashMap<String, AttributeValue>;

async fn scan(client: &aws_sdk_dynamodb::Client, table: &str) -> Result<Vec<Item>> {
    let pages = client.scan().table_name(table).into_paginator().items().send();
    Ok(pages.collect::<std::result::Result<_, _>>().await?)
}

fn run_id(item: &Item) -> Option<String> {
    text(item, "pk").strip_prefix("RUN#").map(str::to_owned)
}

fn text<'a>(item: &'a Item, field: &str) -> &'a str {
    item.get(field).and_then(|value| value.as_s().ok()).map_or("", String::as_str)
}

fn number(item: &Item, field: &str) -> u64 {
    item.get(field).and_then(|value| value.as_n().ok()).and_then(|number| number.parse().ok()).unwrap_or_default()
}
