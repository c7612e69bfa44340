//! Items as earlier versions of the platform stored them, which every later version must read.
//!
//! `items.jsonl` has an item in each line, in DynamoDB's JSON, with the types that read it. The items were recorded from the
//! writes of the suite `api`. The suite did not write three of them, which are written by hand: a claim with an answer,
//! uncollected usage, and a count of refused calls. The host of an attachment is replaced.
//!
//! A line is never changed, because tables and data folders have such items. If an item changes, add a line.
//! `#[derive(Attributes)]` checks each type by `check`. The types that are checked here have no derive, or are generic.

use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::attribute::{EXPIRES_AT, PK, SK, field};
use super::catalog::ModelItem;
use super::condition::Path;
use super::due::{DUE_AT, DUE_SHARD};
use super::identities::StoredEntity;
use super::item::{Item, parse};
use super::mcp_servers::StoredMcpServer;
use super::meters::Meter;
use super::receipt_keys::StoredReceiptKeys;
use super::revision::{DELETED_AT, REV, WRITE_ID};
use super::token_slot::TokensItem;
use super::workbench_cluster::StoredCluster;
use domain::identity::{Membership, Org, Plan, User};

/// The items that a type reads.
fn read(path: &str) -> Vec<Item> {
    let lines = include_str!("items.jsonl").lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let lines = lines.filter(|line| line["types"].as_array().unwrap().iter().any(|name| name == path));
    lines.map(|line| fields(&line["item"])).collect()
}

/// Checks that a type reads its items, and that they have all of its attributes. `path` is that of the type.
pub(super) fn check<T: DeserializeOwned>(path: &str, attributes: &[&str]) {
    let path = path.split_once("store::").map_or(path, |(_, path)| path);
    let items = read(path);
    for name in attributes {
        assert!(items.iter().any(|item| item.contains_key(*name)), "items.jsonl: no {path} has {name}; add a line");
    }
    for item in items {
        parse::<T>(item.clone()).unwrap_or_else(|error| panic!("{path} does not read {item:?}: {error:?}"));
    }
}

/// Checks that an item has values at these paths.
pub(super) fn require(item: &str, paths: &[Path]) {
    for path in paths {
        let has = |item: &Item| {
            let attribute = item.get(path.attribute.as_ref());
            path.fields.iter().fold(attribute, |map, field| map?.as_m().ok()?.get(field.as_ref())).is_some()
        };
        assert!(read(item).iter().any(has), "items.jsonl: no {item} has {path}");
    }
}

#[test]
fn entities_are_read() {
    check::<StoredEntity<User>>("identities::StoredEntity<User>", StoredEntity::<User>::ATTRIBUTES);
    check::<StoredEntity<Org>>("identities::StoredEntity<Org>", StoredEntity::<Org>::ATTRIBUTES);
    check::<StoredEntity<Plan>>("identities::StoredEntity<Plan>", StoredEntity::<Plan>::ATTRIBUTES);
    check::<StoredEntity<Membership>>("identities::StoredEntity<Membership>", StoredEntity::<Membership>::ATTRIBUTES);
    check::<StoredEntity<StoredCluster>>("identities::StoredEntity<StoredCluster>", StoredEntity::<()>::ATTRIBUTES);
    let server = "identities::StoredEntity<StoredMcpServer>";
    check::<StoredEntity<StoredMcpServer>>(server, StoredEntity::<()>::ATTRIBUTES);
    let keys = "identities::StoredEntity<StoredReceiptKeys>";
    check::<StoredEntity<StoredReceiptKeys>>(keys, StoredEntity::<()>::ATTRIBUTES);
}

/// Earlier versions had a type of their own for the connections to MCP servers.
#[test]
fn connections_are_read() {
    check::<TokensItem>("mcp_connections::ConnectionItem", TokensItem::ATTRIBUTES);
}

#[test]
fn meters_have_their_attributes() {
    let money = [Meter::BALANCE.path(), Meter::INITIAL.path(), Meter::CAP.path(), Meter::SEQUENCE.path()];
    require("meters::Meter", &money);
    require("meters::Meter", &[Meter::REVOKED.path(), Meter::LIMITS.path(), Meter::LAST_USED_AT.path()]);
}

/// These are the same in several items, so no derive names them.
#[test]
fn shared_attributes_have_their_stored_names() {
    let keys = [PK.path(), SK.path(), EXPIRES_AT.path(), DUE_SHARD.path(), DUE_AT.path()];
    require("runs::items::RunItem", &keys);
    require("agents::item::AgentItem", &[REV.path(), WRITE_ID.path(), DELETED_AT.path()]);
}

#[test]
fn fields_have_their_stored_names() {
    require("identities::StoredEntity<User>", &[field!(StoredEntity::<User>::ENTITY, suspended).path()]);
    require("identities::StoredEntity<Org>", &[field!(StoredEntity::<Org>::ENTITY, suspended).path()]);
    let membership = || StoredEntity::<Membership>::ENTITY;
    let roles = [field!(membership(), role).path(), field!(membership(), role_at).path()];
    require("identities::StoredEntity<Membership>", &roles);
    require("catalog::ModelItem", &[field!(ModelItem::MODEL, retires_at).path()]);
}

/// Reads the attributes of an item or a map from DynamoDB's JSON.
fn fields(map: &Value) -> Item {
    map.as_object().unwrap().iter().map(|(name, value)| (name.clone(), attribute_value(value))).collect()
}

fn attribute_value(typed: &Value) -> AttributeValue {
    let (kind, value) = typed.as_object().unwrap().iter().next().unwrap();
    match kind.as_str() {
        "S" => AttributeValue::S(value.as_str().unwrap().to_owned()),
        "N" => AttributeValue::N(value.as_str().unwrap().to_owned()),
        "B" => AttributeValue::B(Blob::new(BASE64_STANDARD.decode(value.as_str().unwrap()).unwrap())),
        "BOOL" => AttributeValue::Bool(value.as_bool().unwrap()),
        "NULL" => AttributeValue::Null(true),
        "L" => AttributeValue::L(value.as_array().unwrap().iter().map(attribute_value).collect()),
        "M" => AttributeValue::M(fields(value)),
        other => panic!("no item has a value of type {other}"),
    }
}
