//! Files of earlier versions: those of dynoxide, and those without an index.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use database::{Database, Kind, Options, TableSchema};
use domain::page::Order;
use local::tables::schemas;
use local::template::SamTemplate;
use serde_json::{Value, json};
use tables::Key;
use tables::attribute::Attribute;
use tables::query::{TableIndex, TableQuery};
use tables::write::{Write, WriteOperation};

use crate::random::Random;

const TABLE: &str = "EntitiesTable";

/// A folder that is deleted after the test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("atelier-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    fn file(&self) -> PathBuf {
        self.0.join("dynamodb.sqlite")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn open(file: &Path, schemas: Vec<TableSchema>) -> Database {
    let options = Options { file: Some(file.to_owned()), is_used: false, waits_for_disk: false, count_units: false };
    Database::open(options, schemas).unwrap()
}

fn all_schemas() -> Vec<TableSchema> {
    schemas(&SamTemplate::read()).unwrap()
}

fn parse<T: serde::de::DeserializeOwned>(json: Value) -> T {
    serde_json::from_value(json).unwrap()
}

/// Writes a file as the platform did with dynoxide. Returns the items in DynamoDB's JSON, by their keys.
fn write_with_dynoxide(file: &Path) -> BTreeMap<(String, String), Value> {
    let database = dynoxide::Database::new(&file.to_string_lossy()).unwrap();
    for (name, properties) in SamTemplate::read().tables {
        let mut request = json!({"TableName": name, "BillingMode": "PAY_PER_REQUEST"});
        for property in ["AttributeDefinitions", "KeySchema", "LocalSecondaryIndexes", "GlobalSecondaryIndexes"] {
            if !properties[property].is_null() {
                request[property] = properties[property].clone();
            }
        }
        database.create_table(parse(request)).unwrap();
        let arn = format!("arn:aws:dynamodb:us-east-1:000000000000:table/{name}");
        let tags = json!([{"Key": "key", "Value": format!("of {name}")}]);
        if name == TABLE {
            database.tag_resource(parse(json!({"ResourceArn": arn, "Tags": tags}))).unwrap();
        }
    }
    let mut items = BTreeMap::new();
    for number in 0..40 {
        let (pk, sk) = (format!("org#{}", number % 3), format!("item#{number:02}"));
        let item = json!({
            "pk": {"S": pk}, "sk": {"S": sk}, "by_name": {"S": format!("{}", number % 7)},
            "by_requests": {"N": format!("{}", 100 - number)}, "expires_at": {"N": "4000000000"},
            "head": {"M": {"list": {"L": [{"BOOL": true}, {"NULL": true}, {"B": "AQL/"}]}, "ä": {"SS": ["a", "b"]}}},
        });
        database.put_item(parse(json!({"TableName": TABLE, "Item": item}))).unwrap();
        items.insert((pk, sk), item);
    }
    items
}

fn by_name(partition: &str, schema_index: &str, order: Order) -> TableQuery {
    let index = TableIndex::local(Attribute::<String>::named(schema_index.to_owned()));
    TableQuery { index: Some(index), order, ..TableQuery::partition(partition) }
}

/// The sort keys of the table, in the order of an index.
fn sort_keys(database: &Database, query: &TableQuery) -> Vec<String> {
    let (page, _) = database.query(TABLE, query).unwrap();
    page.items.iter().map(|item| item["sk"].as_s().unwrap().clone()).collect()
}

#[tokio::test]
async fn a_file_of_dynoxide_is_converted() {
    let folder = Folder::new("dynoxide");
    let items = write_with_dynoxide(&folder.file());
    // The second time, it is a file of this version.
    for _ in 0..2 {
        let database = open(&folder.file(), all_schemas());
        let api = database::wire::Api::new(database.clone());
        let scanned = api.call("Scan", json!({"TableName": TABLE}).to_string().as_bytes()).await.unwrap();
        let scanned: Value = serde_json::from_slice(&scanned).unwrap();
        assert_eq!(scanned["Items"].as_array().unwrap(), &items.values().cloned().collect::<Vec<_>>());
        assert_eq!(database.tag("key").unwrap().as_deref(), Some("of EntitiesTable"));
        let requests = sort_keys(&database, &by_name("org#1", "by_requests", Order::Asc));
        let mut expected: Vec<_> = items.keys().filter(|(pk, _)| pk == "org#1").map(|(_, sk)| sk.clone()).collect();
        expected.reverse();
        assert_eq!(requests, expected);
        let changed = Write::new(TABLE, WriteOperation::Delete(Key::new("org#1", "item#99")));
        assert!(database.write(vec![changed], Kind::Single).await.unwrap().0.is_written());
        database.close().unwrap();
    }
}

#[tokio::test]
async fn a_new_index_gets_the_items_that_exist() {
    let folder = Folder::new("new-index");
    let mut before = all_schemas();
    for table in &mut before {
        table.indexes.retain(|index| index.name != "by_name");
    }
    let database = open(&folder.file(), before);
    let mut random = Random::new(1);
    for _ in 0..50 {
        let put = Write::new(TABLE, WriteOperation::Put(random.item()));
        // Some of the random items have no key for an index.
        let _ = database.write(vec![put], Kind::Single).await;
    }
    drop(database);
    let database = open(&folder.file(), all_schemas());
    for partition in ["a", "b"] {
        let (all, _) = database.query(TABLE, &TableQuery::partition(partition)).unwrap();
        let mut expected: Vec<_> = all
            .items
            .iter()
            .filter_map(|item| Some((item.get("by_name")?.as_s().ok()?, item["sk"].as_s().unwrap())))
            .collect();
        expected.retain(|(name, _)| !name.is_empty());
        expected.sort();
        let found = sort_keys(&database, &by_name(partition, "by_name", Order::Asc));
        assert_eq!(found.iter().collect::<Vec<_>>(), expected.iter().map(|(_, sk)| *sk).collect::<Vec<_>>());
    }
}
