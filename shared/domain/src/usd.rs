//! Money in JSON: US dollars as exact decimal digits, where a float would be rounded.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;
use utoipa::openapi::schema::SchemaType;
use utoipa::openapi::{ObjectBuilder, RefOr, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

use crate::money::Money;

/// US dollars: a number with all its decimals
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Usd {
    is_negative: bool,
    amount: Money,
}

impl Usd {
    pub fn difference(one: Money, other: Money) -> Self {
        Self { is_negative: one < other, amount: one.less(other) + other.less(one) }
    }
}

impl From<Money> for Usd {
    fn from(amount: Money) -> Self {
        Self { is_negative: false, amount }
    }
}

impl Serialize for Usd {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let sign = if self.is_negative { "-" } else { "" };
        let digits = RawValue::from_string(format!("{sign}{}", self.amount)).map_err(serde::ser::Error::custom)?;
        digits.serialize(serializer)
    }
}

impl PartialSchema for Usd {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new().schema_type(Type::Number).description(Some("US dollars, exact to the last digit")).into()
    }
}

impl ToSchema for Usd {}

/// US dollars as a string, for clients whose numbers are floats, such as those of JavaScript
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UsdText(Money);

impl From<Money> for UsdText {
    fn from(amount: Money) -> Self {
        Self(amount)
    }
}

impl Serialize for UsdText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

impl PartialSchema for UsdText {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(Type::String)
            .pattern(Some(r"^[0-9]+(\.[0-9]{1,12})?$"))
            .description(Some("The same amount in US dollars as a string, which no client rounds"))
            .examples(["0.000012"])
            .into()
    }
}

impl ToSchema for UsdText {}

/// US dollars: a number, or its digits in a string
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UsdIn(pub Money);

impl PartialSchema for UsdIn {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(SchemaType::from_iter([Type::Number, Type::String]))
            .minimum(Some(0))
            .pattern(Some(r"^([0-9]{1,7}|1[0-8][0-9]{6})(\.[0-9]{1,12})?$"))
            .description(Some("US dollars, not negative: a number, or its decimal digits in a string"))
            .into()
    }
}

impl ToSchema for UsdIn {}

impl Serialize for UsdIn {
    /// Serializes the amount as a string, so that it is read back exactly.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for UsdIn {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // The raw digits are read, because a float cannot represent 0.1 exactly.
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        let text = raw.get();
        let digits = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(text);
        digits.parse().map(Self).map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_read_and_written_exactly() {
        for text in ["0", "0.000000000001", "9000000.123456789012", "25"] {
            let read: UsdIn = serde_json::from_str(text).unwrap();
            assert_eq!(serde_json::to_string(&Usd::from(read.0)).unwrap(), text);
            assert_eq!(serde_json::to_string(&UsdText::from(read.0)).unwrap(), format!("{text:?}"));
            assert_eq!(serde_json::from_str::<UsdIn>(&format!("{text:?}")).unwrap(), read);
        }
        for text in ["null", "-1", "\"\"", "\"1,5\"", "true", "0.0000000000001", "[1]", "\"1\\u0030\""] {
            assert!(serde_json::from_str::<UsdIn>(text).is_err(), "{text}");
        }
    }

    #[test]
    fn differences_are_signed() {
        let money = Money::from_usd;
        assert_eq!(serde_json::to_string(&Usd::difference(money(2), money(5))).unwrap(), "-3");
        assert_eq!(serde_json::to_string(&Usd::difference(money(5), money(5))).unwrap(), "0");
    }
}
