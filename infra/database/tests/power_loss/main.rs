//! A power loss at any time. If each commit is synced, the database has every acknowledged transaction afterwards, and no part
//! of a transaction without the rest. The machine's disk cannot be made to lose data, so SQLite writes through a file system that records what is synced.
#![expect(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod disk;
mod vfs;

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use aws_sdk_dynamodb::types::AttributeValue;
use database::{Database, Kind, Options, TableSchema};
use disk::{Acknowledged, Disk, PowerLoss};
use tables::Key;
use tables::item::Item;
use tables::write::{Write, WriteOperation};
use uuid::Uuid;

const TABLE: &str = "items";
const FILE: &str = "database.sqlite";
const WRITERS: usize = 4;
/// The power fails at one of this many changes of the disk.
const LOSSES_EVERY: u32 = 40;

struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        let folder = std::env::temp_dir().join(format!("atelier-power-{}", Uuid::now_v7().simple()));
        std::fs::create_dir(&folder).unwrap();
        // SQLite names its files by their real paths.
        Self(folder.canonicalize().unwrap())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn open(file: PathBuf, waits_for_disk: bool) -> database::Result<Database> {
    let options = Options { file: Some(file), is_used: false, waits_for_disk, count_units: false };
    Database::open(options, [TableSchema { name: TABLE.to_owned(), indexes: Vec::new(), expiry: None }])
}

/// The last transaction of a writer, and the two items of each one.
fn last_key(writer: usize) -> Key {
    Key { pk: format!("writer {writer}"), sk: "last".to_owned() }
}

fn half_key(writer: usize, number: u64, half: &str) -> Key {
    Key { pk: format!("{half} of {writer}"), sk: format!("{number:06}") }
}

fn item(key: &Key, number: u64, text: String) -> Item {
    let number = AttributeValue::N(number.to_string());
    let values = [("number", number), ("text", AttributeValue::S(text))];
    key.attributes().into_iter().chain(values.map(|(name, value)| (name.to_owned(), value))).collect()
}

async fn write_pairs(database: Database, writer: usize, acknowledged: Acknowledged, numbers: RangeInclusive<u64>) {
    for number in numbers {
        let keys = [last_key(writer), half_key(writer, number, "left"), half_key(writer, number, "right")];
        let writes = keys.iter().map(|key| {
            // Some items take several pages.
            let text = "text ".repeat(fastrand::usize(0..400));
            Write::new(TABLE, WriteOperation::Put(item(key, number, text)))
        });
        let written = database.write(writes.collect(), Kind::Transaction(None)).await.unwrap();
        assert!(written.0.is_written());
        acknowledged[writer].store(number, Ordering::SeqCst);
    }
}

/// Writes for a while, and returns what power losses meanwhile would have left.
async fn lose_power(folder: &Path, waits_for_disk: bool, seed: u64, count: u64) -> Vec<PowerLoss> {
    let acknowledged: Acknowledged = (0..WRITERS).map(|_| AtomicU64::new(0)).collect();
    vfs::watch(folder, Disk::new(seed, acknowledged.clone(), LOSSES_EVERY));
    let database = open(folder.join(FILE), waits_for_disk).unwrap();
    let has_ended = Arc::new(AtomicBool::new(false));
    let (merging, ended) = (database.clone(), has_ended.clone());
    let merger = tokio::task::spawn_blocking(move || {
        while !ended.load(Ordering::SeqCst) {
            merging.merge_log().unwrap();
            // Begins the log anew.
            merging.close().unwrap();
            std::thread::yield_now();
        }
    });
    let writers =
        (0..WRITERS).map(|writer| tokio::spawn(write_pairs(database.clone(), writer, acknowledged.clone(), 1..=count)));
    for writer in writers.collect::<Vec<_>>() {
        writer.await.unwrap();
    }
    has_ended.store(true, Ordering::SeqCst);
    merger.await.unwrap();
    // No merge syncs this last transaction. The database stays open, because closing it would sync it.
    write_pairs(database.clone(), 0, acknowledged, count + 1..=count + 1).await;
    vfs::unwatch(folder).unwrap().take_losses()
}

/// Opens what a power loss left, and returns how many acknowledged transactions are missing. None may be half there.
fn count_lost(loss: &PowerLoss, folder: &Path) -> u64 {
    let mut lost = 0;
    let opened = open(loss.restore_to(folder, FILE), true);
    if let Err(error) = &opened {
        assert_eq!(loss.acknowledged, [0; WRITERS], "{error}");
        return 0;
    }
    let database = opened.unwrap();
    let has = |key: &Key, number: u64| {
        let found = database.get(TABLE, key).unwrap().0;
        found.is_some_and(|item| item["number"].as_n().unwrap() == &number.to_string())
    };
    for (writer, acknowledged) in loss.acknowledged.iter().enumerate() {
        let last = database.get(TABLE, &last_key(writer)).unwrap().0;
        let last = last.map_or(0, |item| item["number"].as_n().unwrap().parse().unwrap());
        for number in 1..=last {
            let halves = ["left", "right"].map(|half| has(&half_key(writer, number, half), number));
            assert_eq!(halves, [true; 2], "writer {writer}: transaction {number} of {last}");
        }
        let next = ["left", "right"].map(|half| has(&half_key(writer, last + 1, half), last + 1));
        assert_eq!(next, [false; 2], "writer {writer}: transaction {} is half there", last + 1);
        lost += acknowledged.saturating_sub(last);
    }
    lost
}

/// The power losses of some databases, and the acknowledged transactions that each has lost.
async fn losses(waits_for_disk: bool) -> Vec<u64> {
    let databases = if std::env::var_os("FULL_TESTS").is_some() { 40 } else { 2 };
    let mut lost = Vec::new();
    for seed in 0..databases {
        let folder = Folder::new();
        for (number, loss) in lose_power(&folder.0, waits_for_disk, seed, 40).await.iter().enumerate() {
            lost.push(count_lost(loss, &folder.0.join(number.to_string())));
        }
    }
    assert!(lost.len() > 20, "{}", lost.len());
    lost
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn no_acknowledged_transaction_is_lost_if_commits_wait_for_the_disk() {
    let lost = losses(true).await;
    assert!(lost.iter().all(|lost| *lost == 0), "{lost:?}");
}

/// The disk of this test would notice a commit that does not wait. Even so, no transaction is half there.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn acknowledged_transactions_are_lost_whole_if_commits_do_not_wait() {
    let lost = losses(false).await;
    assert!(lost.iter().any(|lost| *lost > 0), "{lost:?}");
}

#[tokio::test]
async fn the_pages_of_a_commit_are_written_to_the_log_together() {
    let folder = Folder::new();
    vfs::watch(&folder.0, Disk::new(0, [].into(), 0));
    let database = open(folder.0.join(FILE), false).unwrap();
    // The last commits have half a megabyte, which takes some writes.
    for (number, items, words, most) in [(1, 15, 400, 1), (2, 15, 400, 1), (3, 100, 1_000, 12), (4, 100, 1_000, 12)] {
        let before = vfs::count_changes(&folder.0, "database.sqlite-wal");
        let keys = (0..items).map(|place| half_key(0, place, "left"));
        let puts = keys.map(|key| item(&key, number, "text ".repeat(words))).map(WriteOperation::Put);
        let writes = puts.map(|put| Write::new(TABLE, put)).collect();
        assert!(database.write(writes, Kind::Transaction(None)).await.unwrap().0.is_written());
        let count = vfs::count_changes(&folder.0, "database.sqlite-wal") - before;
        assert!((1..=most).contains(&count), "transaction {number}: {count} writes");
        for place in 0..items {
            let found = database.get(TABLE, &half_key(0, place, "left")).unwrap().0.unwrap();
            assert_eq!(found["number"].as_n().unwrap(), &number.to_string());
        }
    }
    vfs::unwatch(&folder.0);
}
