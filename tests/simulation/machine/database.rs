//! The DynamoDB of the simulation: the template's tables in memory, called with DynamoDB's JSON without a socket.

use serde_json::{Value, json};
use tests::oracle::Oracle;
pub use tests::oracle::OracleAnswer as Answer;

use super::dynamodb_json::to_plain_json;

pub const ENTITIES: &str = "entities";
pub const COUNTERS: &str = "counters";
pub const JOURNAL: &str = "journal";

#[derive(Default)]
pub struct Database(Oracle);

impl Database {
    pub fn call(&self, operation: &str, request: &Value) -> Answer {
        self.0.call(operation, request)
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
