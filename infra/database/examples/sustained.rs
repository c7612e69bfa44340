//! Measures the database alone, doing for minutes what webhooks without effects do: one batch of reads and one transaction for
//! each run. It prints the CPU time of a transaction, the size of the file and the memory as rows grow.
//!
//! `cargo run --release -p database --example sustained -- <folder> <minutes> <tasks>`
#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a tool for the terminal")]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use aws_sdk_dynamodb::types::AttributeValue;
use aws_sdk_dynamodb::types::AttributeValue::{N, S};
use database::{Database, IndexSchema, Kind, MERGE_EVERY, Options, Projection, SortAttribute, TableSchema, Token};
use domain::time::Time;
use tables::Key;
use tables::attribute::Attribute;
use tables::item::Item;
use tables::write::{Write, WriteOperation};
use tokio::time::interval;
use uuid::Uuid;

const ENTITIES: &str = "EntitiesTable";
const JOURNAL: &str = "JournalTable";
const COUNTERS: &str = "CountersTable";
const WINDOW: Duration = Duration::from_secs(10);
/// How many counters the runs share.
const SHARDS: u128 = 16;

fn index(name: &str, partition: &str, sort: &str) -> IndexSchema {
    IndexSchema {
        name: name.to_owned(),
        partition: partition.to_owned(),
        sort: SortAttribute { name: sort.to_owned(), is_number: false },
        projection: Projection::Keys,
    }
}

/// Tables with indexes like those of the template.
fn schemas() -> [TableSchema; 3] {
    let lists = ["runs", "runs_by_state", "runs_by_origin", "runs_by_channel", "runs_by_participant"]
        .map(|name| index(name, &name.replace("runs", "listed"), "run_id"));
    let local = ["by_name", "by_created", "by_updated"].map(|name| index(name, "pk", name));
    let due = || index("due", "due_shard", "due_at");
    let table =
        |name: &str, indexes| TableSchema { name: name.to_owned(), indexes, expiry: Some("expires_at".to_owned()) };
    [
        table(ENTITIES, lists.into_iter().chain(local).chain([due()]).collect()),
        table(JOURNAL, vec![index("by_org", "org", "run_id")]),
        table(COUNTERS, vec![due()]),
    ]
}

fn item(pk: &str, sk: &str, values: &[(&str, AttributeValue)]) -> Item {
    let keys = [("pk", S(pk.to_owned())), ("sk", S(sk.to_owned()))];
    keys.iter().chain(values).map(|(name, value)| ((*name).to_owned(), value.clone())).collect()
}

/// The writes of one run: its head, its log, the event of its webhook, and two counters.
fn run_writes() -> Vec<Write> {
    let (run, event) = (Uuid::now_v7(), Uuid::now_v7());
    let (pk, id) = (format!("RUN#run_{}", run.simple()), S(format!("run_{}", run.simple())));
    let text = |length: usize| S("a value of the run, ".repeat(length / 20));
    let expires_at = N((Time::now().as_seconds() + 30 * 24 * 3600).to_string());
    let shard = run.as_u128() % SHARDS;
    let put = |table: &str, item| Write::new(table, WriteOperation::Put(item));
    let lists = ["listed", "listed_by_state", "listed_by_origin"];
    let lists = lists.map(|name| (name, S(format!("WORKFLOW#wf_1#{name}#{shard}"))));
    let head = [("run_id", id.clone()), ("head", text(700)), ("expires_at", expires_at.clone())];
    let head = item(&pk, "RUN", &[&head[..], &lists[..]].concat());
    let log = item(&pk, "LOG#0001", &[("events", text(1_400)), ("expires_at", expires_at.clone())]);
    let call = item("WEBHOOK#wh_1", &format!("EVENT#{}", event.simple()), &[("run", id), ("expires_at", expires_at)]);
    let count = |name: &'static str, key: Key| {
        let update = Write::new(COUNTERS, WriteOperation::Update { key, changes: Vec::new() });
        update.add(Attribute::<u64>::named(name.to_owned()), 1)
    };
    let total = Key { pk: "ORG#org_1".to_owned(), sk: format!("RUNS#{shard}") };
    let day = Key { pk: format!("WORKFLOW#wf_1#{shard}"), sk: "ENDED#2026-01-01".to_owned() };
    vec![put(JOURNAL, log), put(JOURNAL, call), put(ENTITIES, head), count("ended", total), count("c17", day)]
}

async fn run_all(database: Database, stop: Arc<AtomicBool>, done: Arc<AtomicU64>) {
    let read = ["webhook", "workflow", "owner", "organization"];
    let read = read.map(|name| Key { pk: format!("READ#{name}"), sk: name.to_owned() });
    while !stop.load(Ordering::Relaxed) {
        assert_eq!(database.batch_get(ENTITIES, &read).unwrap().0.len(), read.len());
        let token = Token { id: Uuid::now_v7().as_u128(), digest: 0 };
        let written = database.write(run_writes(), Kind::Transaction(Some(token))).await.unwrap();
        assert!(written.0.is_written());
        done.fetch_add(1, Ordering::Relaxed);
        tokio::task::yield_now().await;
    }
}

async fn maintain(database: Database) {
    let (mut merge, mut expiry) = (interval(MERGE_EVERY), interval(Duration::from_secs(60)));
    loop {
        tokio::select! {
            _ = merge.tick() => {
                let database = database.clone();
                tokio::task::spawn_blocking(move || database.merge_log()).await.unwrap().unwrap();
            }
            _ = expiry.tick() => drop(database.delete_expired(Time::now()).await.unwrap()),
        }
    }
}

/// The CPU time of this process, in user mode and in the kernel.
fn cpu() -> [Duration; 2] {
    let fields = fs::read_to_string("/proc/self/stat").unwrap();
    let ticks =
        |at: usize| fields.rsplit(')').next().unwrap().split_whitespace().nth(at).unwrap().parse::<u64>().unwrap();
    [11, 12].map(|at| Duration::from_millis(10 * ticks(at)))
}

/// The resident memory in MB: anonymous, and of files.
fn memory() -> String {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let of = |name: &str| {
        let line = status.lines().find(|line| line.starts_with(name)).unwrap();
        line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() / 1024
    };
    format!("{} + {}", of("RssAnon"), of("RssFile"))
}

fn megabytes(file: &Path) -> u64 {
    fs::metadata(file).map_or(0, |file| file.len() >> 20)
}

#[tokio::main]
async fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let folder = PathBuf::from(&arguments[0]);
    let (minutes, tasks): (u64, u64) = (arguments[1].parse().unwrap(), arguments[2].parse().unwrap());
    let file = folder.join("sustained.sqlite");
    let log = folder.join("sustained.sqlite-wal");
    let options = Options { file: Some(file.clone()), is_used: false, waits_for_disk: false, count_units: false };
    let database = Database::open(options, schemas()).unwrap();
    for name in ["webhook", "workflow", "owner", "organization"] {
        let read = item(&format!("READ#{name}"), name, &[("head", S("text ".repeat(300)))]);
        let put = Write::new(ENTITIES, WriteOperation::Put(read));
        assert!(database.write(vec![put], Kind::Single).await.unwrap().0.is_written());
    }
    let (stop, done) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
    let running: Vec<_> =
        (0..tasks).map(|_| tokio::spawn(run_all(database.clone(), stop.clone(), done.clone()))).collect();
    let maintaining = tokio::spawn(maintain(database.clone()));
    let (began, mut before, mut runs_before) = (Instant::now(), cpu(), 0);
    println!("seconds     runs   runs/s  µs user  µs kernel  file MB  log MB  RSS MB anonymous + files");
    while began.elapsed() < Duration::from_secs(60 * minutes) {
        tokio::time::sleep(WINDOW).await;
        let (now, runs) = (cpu(), done.load(Ordering::Relaxed));
        let new = runs - runs_before;
        let [user, kernel] = [0, 1].map(|at| (now[at] - before[at]).as_micros() as u64 / new.max(1));
        let seconds = began.elapsed().as_secs();
        let (rate, file, log) = (new / WINDOW.as_secs(), megabytes(&file), megabytes(&log));
        println!("{seconds:7} {runs:8} {rate:8} {user:8} {kernel:10} {file:8} {log:7}  {}", memory());
        (before, runs_before) = (now, runs);
    }
    stop.store(true, Ordering::Relaxed);
    for task in running {
        task.await.unwrap();
    }
    maintaining.abort();
}
