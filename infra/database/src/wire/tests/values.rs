//! The JSON of values.

use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue;
use proptest::collection::{btree_set, hash_map, vec};
use proptest::prelude::*;
use serde_json::{Value, json};
use tables::item::Item;

use crate::json::{JsonItem, JsonValue, write_item};

fn text() -> impl Strategy<Value = String> {
    vec(any::<char>(), 0..5).prop_map(String::from_iter)
}

fn value() -> impl Strategy<Value = AttributeValue> {
    let blob = || vec(any::<u8>(), 0..5);
    let number = || any::<i64>().prop_map(|number| number.to_string());
    let one = prop_oneof![
        text().prop_map(AttributeValue::S),
        number().prop_map(AttributeValue::N),
        blob().prop_map(|bytes| AttributeValue::B(Blob::new(bytes))),
        any::<bool>().prop_map(AttributeValue::Bool),
        Just(AttributeValue::Null(true)),
        btree_set(text(), 1..4).prop_map(|texts| AttributeValue::Ss(texts.into_iter().collect())),
        btree_set(number(), 1..4).prop_map(|numbers| AttributeValue::Ns(numbers.into_iter().collect())),
        btree_set(blob(), 1..4).prop_map(|blobs| AttributeValue::Bs(blobs.into_iter().map(Blob::new).collect())),
    ];
    one.prop_recursive(4, 32, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(AttributeValue::L),
            hash_map(text(), inner, 0..4).prop_map(AttributeValue::M),
        ]
    })
}

proptest! {
    #[test]
    fn items_are_read_as_they_were_written(item in hash_map(text(), value(), 0..4)) {
        let JsonItem(read) = serde_json::from_value(write_item(&item)).unwrap();
        prop_assert_eq!(read, item);
    }
}

fn read(json: Value) -> Result<AttributeValue, String> {
    serde_json::from_value(json).map(|JsonValue(value)| value).map_err(|error| error.to_string())
}

/// A text in many lists.
fn nested(levels: usize) -> Value {
    (0..levels).fold(json!({"S": "a"}), |inner, _| json!({"L": [inner]}))
}

#[test]
fn values_that_dynamodb_refuses_are_refused() {
    let wrong = [
        json!(null),
        json!("a"),
        json!({}),
        json!({"S": 1}),
        json!({"S": "a", "N": "1"}),
        json!({"X": "a"}),
        json!({"N": 1}),
        json!({"N": ""}),
        json!({"N": "NaN"}),
        json!({"N": "1".repeat(39)}),
        json!({"N": "1e126"}),
        json!({"B": "?"}),
        json!({"NULL": false}),
        json!({"SS": []}),
        json!({"SS": ["a", "a"]}),
        json!({"SS": [1]}),
        json!({"NS": ["1", "1.0"]}),
        json!({"NS": ["a"]}),
        json!({"BS": ["YQ==", "YQ=="]}),
        json!({"L": {}}),
        json!({"M": {"a": "b"}}),
        nested(33),
    ];
    for json in wrong {
        assert!(read(json.clone()).is_err(), "{json}");
    }
    assert!(read(nested(32)).is_ok());
    assert_eq!(
        write_item(&Item::from([("a".to_owned(), read(json!({"B": "YWI="})).unwrap())])),
        json!({"a": {"B": "YWI="}})
    );
}
