//! The writes of the load plan in infra/README.md: those of real runs of one workflow, counted by partition key, index and table, and
//! multiplied by the load. A schedule starts at most one run a minute, so the items of schedules are not part of it.

use std::collections::{BTreeMap, BTreeSet};

use domain::id::{RunId, WebhookEventId, WebhookId};
use store::keys;
use tests::provider::{Behaviour, FakeProvider};

use super::hooks::{Hook, publish_hook};
use super::*;

/// A load of one stack, which workflows of different accounts share.
#[derive(Clone, Copy, Debug)]
struct Plan {
    runs_per_second: f64,
    workflows: f64,
}

const SMALL: Plan = Plan { runs_per_second: 10.0, workflows: 1.0 };
const LARGE: Plan = Plan { runs_per_second: 1_000.0, workflows: 1.0 };
/// What the index `due` carries, which is the only one that all workflows share. So 100,000 runs a second need many stacks.
const LARGEST: Plan = Plan { runs_per_second: 1_300.0, workflows: 2.0 };

/// DynamoDB gives one partition key at most 1,000 write units a second. The rest is for bursts and other workflows.
const MAX_UNITS_PER_SECOND: f64 = 500.0;
/// The default quota of AWS for the write units a second of an on-demand table, and of each of its global indexes.
const TABLE_QUOTA: f64 = 40_000.0;
const DUE: &str = "EntitiesTable.due";
/// The number of runs that are counted.
const RUNS: usize = 8;

/// The tables' keys and indexes that are spread over several partitions by the last byte of a random id, each with the
/// number of its partitions.
const SHARDED: [(&str, f64); 9] = [
    (DUE, keys::RUNS_DUE.count as f64),
    // Each list of a state has its own partitions. A run enters a list and leaves it, so at most two of the five writes
    // of its three states go to one list.
    ("EntitiesTable.runs_by_state", keys::STATE_LIST_SHARDS as f64 * 5.0 / 2.0),
    // The runs and the reviews of an account are in different lists.
    ("EntitiesTable.of_account", keys::ACCOUNT_LIST_SHARDS as f64 * 2.0),
    ("EntitiesTable.attention", keys::ACCOUNT_LIST_SHARDS as f64),
    ("EntitiesTable.runs_by_origin", keys::LIST_SHARDS as f64),
    ("EntitiesTable.runs", keys::LIST_SHARDS as f64),
    ("CountersTable RUNSTATISTICS#", keys::STATISTICS_SHARDS as f64),
    ("CountersTable RUNTOTALS#", keys::STATISTICS_SHARDS as f64),
    ("JournalTable WEBHOOK#", keys::EVENT_SHARDS as f64),
];

/// The name of a partition, or of the partitions that share the load.
fn name_of(table: &str, partition: &str) -> String {
    let name = format!("{table} {partition}");
    match name.rsplit_once('#') {
        Some((all, _)) if SHARDED.iter().any(|(sharded, _)| name.starts_with(sharded)) => all.to_owned(),
        _ => name,
    }
}

fn shards_of(name: &str) -> f64 {
    let sharded = SHARDED.iter().find(|(sharded, _)| name.starts_with(sharded));
    sharded.map_or(1.0, |(_, shards)| *shards)
}

/// The write units of several runs.
#[derive(Default)]
struct Load {
    runs: usize,
    /// The units and the runs of each partition key.
    partitions: BTreeMap<String, (f64, BTreeSet<usize>)>,
    indexes: BTreeMap<String, f64>,
    tables: BTreeMap<String, f64>,
}

impl Load {
    /// Adds what the platform wrote for one run.
    fn add_run(&mut self, app: &TestApp) {
        for writes in app.recorder.take().into_iter().flat_map(|call| call.writes) {
            // The items of a run are smaller than a unit, so a call takes the same units for each item of a table.
            let units = writes.units / writes.partitions.len() as f64;
            for partition in writes.partitions {
                let entry = self.partitions.entry(name_of(&writes.table, &partition)).or_default();
                entry.0 += units;
                entry.1.insert(self.runs);
            }
            for (index, units) in writes.index_units {
                *self.indexes.entry(format!("{}.{index}", writes.table)).or_default() += units;
            }
            *self.tables.entry(writes.table).or_default() += writes.units;
        }
        self.runs += 1;
    }

    /// The units a second of each partition key, hottest first.
    fn by_partition(&self, plan: Plan) -> Vec<(String, f64)> {
        let share = |name: &str, units: f64| {
            let workflows = if name == DUE { 1.0 } else { plan.workflows };
            units / self.runs as f64 * plan.runs_per_second / workflows / shards_of(name)
        };
        let keys = self.partitions.iter().map(|(partition, (units, runs))| {
            // The partition of one run is written by this run only.
            (partition.clone(), if runs.len() == 1 { *units } else { share(partition, *units) })
        });
        let indexes = self.indexes.iter().map(|(index, units)| (index.clone(), share(index, *units)));
        let mut all: Vec<_> = keys.chain(indexes).collect();
        all.sort_by(|one, other| other.1.total_cmp(&one.1));
        all
    }

    #[track_caller]
    fn assert_cool(&self, name: &str, plan: Plan) {
        let all = self.by_partition(plan);
        eprintln!("{name}, {plan:?}: {:?}", &all[..all.len().min(3)]);
        assert!(all[0].1 <= MAX_UNITS_PER_SECOND, "{name}, {plan:?}: {:?}", &all[..all.len().min(5)]);
    }

    /// The units of each table and of each index for one run.
    fn units_per_run(&self) -> BTreeMap<&str, f64> {
        let all = self.tables.iter().chain(&self.indexes);
        all.map(|(name, units)| (name.as_str(), units / self.runs as f64)).collect()
    }

    /// Checks that the default quotas of a new AWS account carry the plan.
    #[track_caller]
    fn assert_within_quotas(&self, name: &str, plan: Plan) {
        let units = self.units_per_run();
        eprintln!("{name}, units per run: {units:?}");
        assert!(units.values().all(|units| units * plan.runs_per_second <= TABLE_QUOTA), "{name}, {plan:?}: {units:?}");
    }
}

/// Calls a webhook, each time with another idempotency key, and carries out the runs to their end.
async fn load_of(app: &TestApp, ada: &Person, hook: &Hook) -> Load {
    let mut load = Load::default();
    // The processes are warm.
    for number in 0..=RUNS {
        let answer = hook.call_with_key(&format!("order-{number}"), json!({"n": 21})).await;
        assert!(answer.status.starts_with('2'), "{}", answer.text);
        if answer.status == "202 Accepted" {
            let path = format!("{}/{}", runs_path(&hook.workflow), answer.json["runId"].as_str().unwrap());
            assert_eq!(carry_out(app, ada, &path).await["state"], "completed");
        }
        match number {
            0 => drop(app.recorder.take()),
            _ => load.add_run(app),
        }
    }
    load
}

/// A graph that a webhook starts, with one node before its result.
fn with_node(node_type: &str, config: Value, port: &str) -> Value {
    let nodes = [
        node("hook", "webhook", json!({})),
        node("work", node_type, config),
        node("end", "send_result", json!({"output": "input"})),
    ];
    graph(&nodes, &["hook.out work", &format!("work.{port} end")])
}

#[tokio::test]
async fn no_partition_is_hot() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let server = FakeProvider::start().await;
    server.respond_with(Behaviour::json(200, json!({"state": "open"})));
    let called = publish(&ada, double()).await;
    for (name, mode, graph) in [
        ("without effects", "sync", with_node("transform", json!({"value": "input.n * 2"}), "out")),
        ("asynchronous", "async", with_node("transform", json!({"value": "input.n * 2"}), "out")),
        ("HTTP call", "async", with_node("http", json!({"method": "POST", "url": server.base_url}), "out")),
        ("delay", "async", with_node("delay", json!({"seconds": 3_600}), "out")),
        ("review", "async", with_node("review", json!({"title": "Send it?"}), "approved")),
        ("other workflow", "async", with_node("workflow", json!({"workflowId": called}), "out")),
    ] {
        let hook = publish_hook(&app, &ada, graph, mode).await;
        let load = load_of(&app, &ada, &hook).await;
        for plan in [SMALL, LARGE, LARGEST] {
            load.assert_cool(name, plan);
        }
        load.assert_within_quotas(name, LARGEST);
        if mode == "sync" {
            // It ends where it arrives, so it is never due.
            let units = load.units_per_run();
            assert_eq!((units["EntitiesTable"], units["CountersTable"], units["JournalTable"]), (4.0, 4.0, 4.0));
            assert_eq!(units.get(DUE).copied().unwrap_or_default(), 0.0, "{units:?}");
        }
    }
}

#[test]
fn random_ids_spread_over_all_partitions() {
    let (mut due, mut events) = (BTreeSet::new(), BTreeSet::new());
    let webhook = WebhookId::new();
    for _ in 0..1_000 {
        due.insert(keys::RUNS_DUE.of(RunId::new().uuid()));
        events.insert(keys::webhook_event(webhook, WebhookEventId::new()).pk);
    }
    assert_eq!(due.len(), usize::from(keys::RUNS_DUE.count));
    assert_eq!(events.len(), usize::from(keys::EVENT_SHARDS));
}
