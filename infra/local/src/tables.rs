//! The template's tables, as the embedded database takes them.

use database::{IndexSchema, Projection, SortAttribute, TableSchema};
use serde::Deserialize;
use serde_json::Value;

use crate::failure::Failure;
use crate::template::SamTemplate;

/// The properties of a table in CloudFormation.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Table {
    attribute_definitions: Vec<AttributeDefinition>,
    #[serde(default)]
    local_secondary_indexes: Vec<Index>,
    #[serde(default)]
    global_secondary_indexes: Vec<Index>,
    time_to_live_specification: Option<TimeToLive>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct AttributeDefinition {
    attribute_name: String,
    attribute_type: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Index {
    index_name: String,
    /// The partition and the sort key.
    key_schema: [KeyAttribute; 2],
    projection: IndexProjection,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct KeyAttribute {
    attribute_name: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct IndexProjection {
    projection_type: ProjectionType,
    #[serde(default)]
    non_key_attributes: Vec<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
enum ProjectionType {
    KeysOnly,
    Include,
    All,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct TimeToLive {
    attribute_name: String,
}

/// The tables of the template.
pub fn schemas(template: &SamTemplate) -> Result<Vec<TableSchema>, Failure> {
    template.tables.iter().map(|(name, properties)| schema(name, properties)).collect()
}

fn schema(name: &str, properties: &Value) -> Result<TableSchema, Failure> {
    let table = Table::deserialize(properties)
        .map_err(|error| Failure::Template { resource: name.to_owned(), cause: error.to_string() })?;
    let is_number = |attribute: &str| {
        table.attribute_definitions.iter().any(|of| of.attribute_name == attribute && of.attribute_type == "N")
    };
    let indexes = table.local_secondary_indexes.into_iter().chain(table.global_secondary_indexes);
    let indexes = indexes.map(|Index { index_name, key_schema: [partition, sort], projection }| IndexSchema {
        name: index_name,
        partition: partition.attribute_name,
        sort: SortAttribute { is_number: is_number(&sort.attribute_name), name: sort.attribute_name },
        projection: match projection.projection_type {
            ProjectionType::KeysOnly => Projection::Keys,
            ProjectionType::Include => Projection::Some(projection.non_key_attributes),
            ProjectionType::All => Projection::All,
        },
    });
    Ok(TableSchema {
        name: name.to_owned(),
        indexes: indexes.collect(),
        expiry: table.time_to_live_specification.map(|expiry| expiry.attribute_name),
    })
}
