//! `ListTables` and `DescribeTable`.

use serde::Deserialize;
use serde_json::{Value, json};
use tables::Key;

use super::Api;
use super::refusal::{Answer, Refusal, Result};
use super::requests::parse;
use crate::schema::{IndexSchema, Projection, Stored};

/// The most tables of one answer.
const MAX_TABLES: usize = 100;

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase", deny_unknown_fields)]
struct ListTables {
    limit: Option<usize>,
    exclusive_start_table_name: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase", deny_unknown_fields)]
struct DescribeTable {
    table_name: String,
}

impl Api {
    pub(super) fn list_tables(&self, body: &[u8]) -> Result<Value> {
        let request: ListTables = parse(body)?;
        let limit = request.limit.unwrap_or(MAX_TABLES);
        if !(1..=MAX_TABLES).contains(&limit) {
            return Err(Refusal::invalid(format_args!("Limit is 1 to {MAX_TABLES}")));
        }
        let mut names: Vec<&str> = self.database.tables().all().map(|table| table.schema.name.as_str()).collect();
        names.retain(|name| request.exclusive_start_table_name.as_deref().is_none_or(|after| *name > after));
        names.sort_unstable();
        let is_cut = names.len() > limit;
        names.truncate(limit);
        let mut answer = json!({"TableNames": names});
        if is_cut {
            answer["LastEvaluatedTableName"] = names.last().copied().into();
        }
        Ok(answer)
    }

    pub(super) fn describe_table(&self, body: &[u8]) -> Answer {
        let request: DescribeTable = parse(body)?;
        Ok(json!({"Table": describe(self.table(&request.table_name)?)}))
    }
}

fn describe(table: &Stored) -> Value {
    let attribute = |name: &str, kind: &str| json!({"AttributeName": name, "AttributeType": kind});
    let mut attributes = vec![attribute(Key::PK, "S"), attribute(Key::SK, "S")];
    let columns = table.columns.iter();
    attributes.extend(columns.map(|column| attribute(&column.attribute, if column.is_number { "N" } else { "S" })));
    let mut description = json!({
        "TableName": table.schema.name,
        "TableStatus": "ACTIVE",
        "KeySchema": key_schema(Key::PK, Key::SK),
        "AttributeDefinitions": attributes,
        "BillingModeSummary": {"BillingMode": "PAY_PER_REQUEST"},
    });
    for (kind, is_local) in [("LocalSecondaryIndexes", true), ("GlobalSecondaryIndexes", false)] {
        let indexes = table.schema.indexes.iter().filter(|index| index.is_local() == is_local);
        let indexes: Vec<_> = indexes.map(describe_index).collect();
        if !indexes.is_empty() {
            description[kind] = indexes.into();
        }
    }
    description
}

fn describe_index(index: &IndexSchema) -> Value {
    let projection = match &index.projection {
        Projection::Keys => json!({"ProjectionType": "KEYS_ONLY"}),
        Projection::Some(names) => json!({"ProjectionType": "INCLUDE", "NonKeyAttributes": names}),
        Projection::All => json!({"ProjectionType": "ALL"}),
    };
    let keys = key_schema(&index.partition, &index.sort.name);
    json!({"IndexName": index.name, "KeySchema": keys, "Projection": projection})
}

fn key_schema(partition: &str, sort: &str) -> Value {
    json!([{"AttributeName": partition, "KeyType": "HASH"}, {"AttributeName": sort, "KeyType": "RANGE"}])
}
