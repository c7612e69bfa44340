//! The embedded database does what DynamoDB does: random operations have the same outcomes, the same items, the same pages
//! and the same units in it and in an independent DynamoDB.
#![expect(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod random;
mod upgrade;

use std::collections::BTreeMap;

use database::{Database, Kind, Options, Token};
use domain::page::Order;
use local::recorder::Recorder;
use local::tables::schemas;
use local::template::SamTemplate;
use platform::config::TABLE_ENTITIES;
use store::table::Table;
use tables::Key;
use tables::attribute::Attribute;
use tables::item::Item;
use tables::outcome::WriteOutcome;
use tables::query::{QueryResult, TableQuery};
use tables::write::{Write, WriteOperation};
use tests::oracle::Oracle;
use uuid::Uuid;

use self::random::Random;

/// The name of the table in both databases.
const TABLE: &str = "entities";

/// The outcome of an operation, to be compared.
#[derive(Debug, PartialEq)]
enum Seen {
    Written,
    /// The label and the item.
    Refused(&'static str, Option<BTreeMap<String, String>>),
    Found(Vec<BTreeMap<String, String>>, u64, Option<BTreeMap<String, String>>),
    Invalid,
}

/// An item whose text does not depend on the order of its fields.
fn ordered(item: &Item) -> BTreeMap<String, String> {
    use aws_sdk_dynamodb::types::AttributeValue;
    fn text(value: &AttributeValue) -> String {
        match value {
            AttributeValue::M(fields) => format!("{:?}", ordered(fields)),
            AttributeValue::L(items) => format!("{:?}", items.iter().map(text).collect::<Vec<_>>()),
            other => format!("{other:?}"),
        }
    }
    item.iter().map(|(name, value)| (name.clone(), text(value))).collect()
}

impl Seen {
    fn write(outcome: WriteOutcome) -> Self {
        match outcome {
            WriteOutcome::Written => Self::Written,
            WriteOutcome::Refused(refused) => Self::Refused(refused.label, refused.item.as_ref().map(ordered)),
        }
    }

    fn page(QueryResult { items, count, next }: QueryResult) -> Self {
        Self::Found(items.iter().map(ordered).collect(), count, next.as_ref().map(ordered))
    }

    fn items(mut items: Vec<Item>) -> Self {
        items.sort_by_key(|item| Key::from_item(item).map(|key| (key.pk, key.sk)));
        Self::Found(items.iter().map(ordered).collect(), 0, None)
    }
}

/// Both databases. Each operation is carried out in both.
struct Pair {
    embedded: Database,
    oracle: Table,
    recorder: Recorder,
    /// What was done, for the message of a failure.
    trace: Vec<String>,
    /// The number of pages of queries that had items.
    full_pages: usize,
}

impl Pair {
    fn new() -> Self {
        let mut tables = schemas(&SamTemplate::read()).unwrap();
        tables.retain(|table| table.name == "EntitiesTable");
        tables[0].name = TABLE.to_owned();
        let embedded =
            Database::open(Options { file: None, is_used: false, waits_for_disk: false, count_units: true }, tables)
                .unwrap();
        let (context, recorder) = Oracle::default().context();
        let oracle = Table::new(&context, TABLE_ENTITIES).unwrap();
        Self { embedded, oracle, recorder, trace: Vec::new(), full_pages: 0 }
    }

    fn compare(&mut self, done: String, embedded: (Seen, f64), oracle: Seen) {
        self.trace.push(done);
        let units = self.recorder.take_costs().units();
        let (embedded, own_units) = embedded;
        assert_eq!(embedded, oracle, "{}", self.shown());
        if oracle != Seen::Invalid && !matches!(oracle, Seen::Refused(..)) {
            assert!((own_units - units).abs() < 0.01, "{own_units} units, and {units}: {}", self.shown());
        }
    }

    /// The last operations, the sequence first.
    fn shown(&self) -> String {
        let shown = self.trace.iter().take(1).chain(self.trace.iter().rev().take(3).rev());
        let cut = |line: &String| line.replace(&"x".repeat(100), "…");
        shown.map(cut).collect::<Vec<_>>().join("\n")
    }

    async fn write(&mut self, write: Write) {
        let oracle = self.oracle.write(write.clone()).await.map_or(Seen::Invalid, Seen::write);
        let embedded = self.embedded.write(vec![write.clone()], Kind::Single).await;
        self.compare(format!("{write:?}"), seen_write(embedded), oracle);
    }

    async fn remove(&mut self, key: Key) {
        let oracle = self.oracle.remove(&key).await.map_or(Seen::Invalid, |()| Seen::Written);
        let embedded = self.embedded.write(vec![self.oracle.delete(key.clone())], Kind::Single).await;
        self.compare(format!("remove {key:?}"), seen_write(embedded), oracle);
    }

    async fn transact(&mut self, writes: Vec<Write>) {
        let oracle = self.oracle.transact(Uuid::now_v7(), &writes).await.map_or(Seen::Invalid, Seen::write);
        let embedded = self.embedded.write(writes.clone(), Kind::Transaction(None)).await;
        self.compare(format!("transaction {writes:?}"), seen_write(embedded), oracle);
    }

    async fn get(&mut self, keys: &[Key]) {
        let oracle = self.oracle.batch_get(keys).await.map_or(Seen::Invalid, Seen::items);
        let embedded = self.embedded.batch_get(TABLE, keys);
        let embedded = embedded.map_or((Seen::Invalid, 0.0), |(items, units)| (Seen::items(items), units));
        self.compare(format!("get {keys:?}"), embedded, oracle);
        let oracle =
            self.oracle.get(&keys[0]).await.map_or(Seen::Invalid, |item| Seen::items(item.into_iter().collect()));
        let embedded = self.embedded.get(TABLE, &keys[0]);
        let embedded =
            embedded.map_or((Seen::Invalid, 0.0), |(item, units)| (Seen::items(item.into_iter().collect()), units));
        self.compare(format!("get {:?}", keys[0]), embedded, oracle);
    }

    /// Compares a page. Returns the cursor of the next one.
    async fn query(&mut self, query: &TableQuery) -> Option<Item> {
        let oracle = self.oracle.query(query).await;
        let next = oracle.as_ref().ok().and_then(|page| page.next.clone());
        let embedded = self.embedded.query(TABLE, query);
        self.full_pages += usize::from(embedded.as_ref().is_ok_and(|(page, _)| page.count > 0));
        let embedded = embedded.map_or((Seen::Invalid, 0.0), |(page, units)| (Seen::page(page), units));
        self.compare(format!("{query:?}"), embedded, oracle.map_or(Seen::Invalid, Seen::page));
        next
    }

    async fn step(&mut self, random: &mut Random) {
        match random.below(10) {
            0..4 => self.write(random.write(&self.oracle)).await,
            4 => self.remove(random.key()).await,
            5 | 6 => {
                let writes = random.transaction(&self.oracle);
                self.transact(writes).await;
            }
            7 => self.get(&random.keys()).await,
            _ => {
                let mut query = random.query();
                for _ in 0..4 {
                    match self.query(&query).await {
                        Some(next) => query.after = Some(next),
                        None => break,
                    }
                }
            }
        }
    }
}

fn seen_write(outcome: database::Result<(WriteOutcome, database::Consumed)>) -> (Seen, f64) {
    match outcome {
        Ok((outcome, consumed)) => (Seen::write(outcome), consumed.values().map(database::TableUnits::total).sum()),
        Err(database::Error::Invalid(_)) => (Seen::Invalid, 0.0),
        Err(error) => panic!("{error}"),
    }
}

#[tokio::test]
async fn random_operations_do_what_they_do_in_dynamodb() {
    let sequences = std::env::var("DATABASE_SEQUENCES").map_or(60, |count| count.parse().unwrap());
    let mut full_pages = 0;
    for seed in 0..sequences {
        let (mut pair, mut random) = (Pair::new(), Random::new(seed));
        pair.trace.push(format!("sequence {seed}"));
        for _ in 0..60 {
            pair.step(&mut random).await;
        }
        full_pages += pair.full_pages;
    }
    assert!(full_pages > 2 * sequences as usize, "{full_pages} pages had items");
}

/// Ten items of 150 KB do not fit into a page of 1 MB.
#[tokio::test]
async fn large_partitions_are_read_in_the_same_pages() {
    let mut pair = Pair::new();
    for number in 0..10_u32 {
        let item = random::large_item(number);
        pair.write(pair.oracle.put_item(item)).await;
    }
    for order in [Order::Asc, Order::Desc] {
        let mut query = TableQuery { order, ..TableQuery::partition("a") };
        let mut pages = 1;
        while let Some(next) = pair.query(&query).await {
            query.after = Some(next);
            pages += 1;
        }
        assert!(pages > 1, "{pages}");
    }
}

/// A counter that many tasks increase, in memory and in a file that waits for the disk.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn concurrent_writes_share_commits_and_lose_nothing() {
    let file = std::env::temp_dir().join(format!("atelier-concurrent-{}.sqlite", std::process::id()));
    for (file, waits_for_disk) in [(None, false), (Some(file.clone()), false), (Some(file.clone()), true)] {
        let options = Options { is_used: false, waits_for_disk, count_units: false, file };
        let database = Database::open(options, schemas(&SamTemplate::read()).unwrap()).unwrap();
        let key = Key::new("counter", waits_for_disk.to_string());
        let before = count(&database, &key);
        let tasks = (0..16_u32).map(|task| {
            let (database, key) = (database.clone(), key.clone());
            tokio::spawn(async move {
                for number in 0..25_u32 {
                    let add = update(&key).add(Attribute::<u64>::named("count".to_owned()), 1_u32);
                    let own = Key::new("own", format!("{task} {number}"));
                    let new = Write::new("EntitiesTable", WriteOperation::Put(own.attributes()));
                    // A repetition changes nothing: neither at once, nor later.
                    let token = Token::from_text(&format!("{waits_for_disk} {task} {number}"), 0);
                    let transaction = || database.write(vec![add.clone(), new.clone()], Kind::Transaction(Some(token)));
                    let (first, second) = futures::future::join(transaction(), transaction()).await;
                    assert!(first.unwrap().0.is_written() && second.unwrap().0.is_written());
                    assert!(transaction().await.unwrap().0.is_written());
                    // What was acknowledged is read.
                    assert!(database.get("EntitiesTable", &own).unwrap().0.is_some());
                }
            })
        });
        for task in tasks.collect::<Vec<_>>() {
            task.await.unwrap();
        }
        assert_eq!(count(&database, &key), before + 400);
        // Only one of many conditional writes wins.
        let won = futures::future::join_all((0..32).map(|_| {
            let first = update(&Key::new("race", waits_for_disk.to_string())).require_new();
            database.write(vec![first.remove(Attribute::<()>::named("nothing".to_owned()))], Kind::Single)
        }));
        let won = won.await.into_iter().filter(|outcome| outcome.as_ref().unwrap().0.is_written()).count();
        assert_eq!(won, 1, "only one of many conditional writes creates the item");
    }
    for suffix in ["", "-wal", "-shm"] {
        let _ = std::fs::remove_file(format!("{}{suffix}", file.display()));
    }
}

fn update(key: &Key) -> Write {
    Write::new("EntitiesTable", WriteOperation::Update { key: key.clone(), changes: Vec::new() })
}

fn count(database: &Database, key: &Key) -> u64 {
    let (item, _) = database.get("EntitiesTable", key).unwrap();
    item.map_or(0, |item| item["count"].as_n().unwrap().parse().unwrap())
}
