//! The DynamoDB of the simulation: the template's tables in memory, called with DynamoDB's JSON without a socket.

use std::sync::LazyLock;

use dynoxide::errors::DynoxideError;
use local::template::SamTemplate;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::dynamodb_json::to_plain_json;

pub const ENTITIES: &str = "entities";
pub const COUNTERS: &str = "counters";
pub const JOURNAL: &str = "journal";

static TEMPLATE: LazyLock<SamTemplate> = LazyLock::new(SamTemplate::read);

pub struct Database(dynoxide::Database);

pub struct Answer {
    pub status: u16,
    pub body: Value,
}

impl Database {
    pub fn new() -> Self {
        let database = dynoxide::Database::memory().unwrap();
        for (name, id) in [(ENTITIES, "EntitiesTable"), (COUNTERS, "CountersTable"), (JOURNAL, "JournalTable")] {
            let mut request = json!({"TableName": name, "BillingMode": "PAY_PER_REQUEST"});
            for property in ["AttributeDefinitions", "KeySchema", "LocalSecondaryIndexes", "GlobalSecondaryIndexes"] {
                request[property] = TEMPLATE.tables[id][property].clone();
            }
            database.create_table(serde_json::from_value(request).unwrap()).unwrap();
        }
        Self(database)
    }

    pub fn call(&self, operation: &str, request: &Value) -> Answer {
        let database = &self.0;
        let answer = match operation {
            "GetItem" => read(request, |request| database.get_item(request)),
            "BatchGetItem" => read(request, |request| database.batch_get_item(request)),
            "Query" => read(request, |request| database.query(request)),
            "Scan" => read(request, |request| database.scan(request)),
            "PutItem" => read(request, |request| database.put_item(request)),
            "UpdateItem" => read(request, |request| database.update_item(request)),
            "DeleteItem" => read(request, |request| database.delete_item(request)),
            "TransactWriteItems" => read(request, |request| database.transact_write_items(request)),
            _ => panic!("the simulation does not support {operation}"),
        };
        match answer {
            Ok(body) => Answer { status: 200, body },
            Err(error) => Answer { status: error.status_code(), body: serde_json::from_str(&error.to_json()).unwrap() },
        }
    }

    /// An item in plain JSON, or null.
    pub fn item(&self, table: &str, pk: &str, sk: &str) -> Value {
        let key = json!({"pk": {"S": pk}, "sk": {"S": sk}});
        let answer = self.call("GetItem", &json!({"TableName": table, "Key": key}));
        plain_item(&answer.body["Item"])
    }

    /// All items of a table, in plain JSON.
    pub fn items(&self, table: &str) -> Vec<Value> {
        let answer = self.call("Scan", &json!({"TableName": table}));
        assert!(answer.body["LastEvaluatedKey"].is_null(), "a history's table fits one page");
        answer.body["Items"].as_array().unwrap().iter().map(plain_item).collect()
    }

    pub fn update(&self, table: &str, pk: &str, sk: &str, expression: &str, values: &Value) {
        let key = json!({"pk": {"S": pk}, "sk": {"S": sk}});
        let request = json!({
            "TableName": table,
            "Key": key,
            "UpdateExpression": expression,
            "ExpressionAttributeValues": values,
        });
        let answer = self.call("UpdateItem", &request);
        assert_eq!(answer.status, 200, "{}", answer.body);
    }
}

fn plain_item(item: &Value) -> Value {
    to_plain_json(&json!({"M": item}))
}

fn read<R: DeserializeOwned, A: Serialize>(
    request: &Value,
    call: impl FnOnce(R) -> dynoxide::Result<A>,
) -> Result<Value, DynoxideError> {
    let request = R::deserialize(request).expect("the SDK sends DynamoDB's JSON");
    call(request).map(|answer| serde_json::to_value(answer).unwrap())
}
