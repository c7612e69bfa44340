//! Which rows of a table an operation is about.

use std::borrow::Cow;
use std::cmp::Ordering;

use serde::{Deserialize, Serialize};
use serde_json::{Number, Value};
use utoipa::ToSchema;

use super::{ID, Row, read_id};
use crate::page::Order;

/// How the value of a field is compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum Operator {
    #[default]
    Equals,
    NotEquals,
    Less,
    AtMost,
    Greater,
    AtLeast,
    /// The field is a text with this part, or a list with this element.
    Contains,
    BeginsWith,
    /// The value is a list that has the field's value.
    IsOneOf,
    /// The field is missing, null, or an empty text, list or object.
    IsEmpty,
    IsNotEmpty,
}

impl Operator {
    pub fn takes_value(self) -> bool {
        !matches!(self, Self::IsEmpty | Self::IsNotEmpty)
    }
}

/// Whether a row must match all filters, or one of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Matching {
    #[default]
    All,
    Any,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Filter {
    pub field: String,
    pub operator: Operator,
    pub value: Value,
}

/// The filters of an operation. Without any, it is about all rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RowFilter {
    pub filters: Vec<Filter>,
    pub matching: Matching,
}

impl RowFilter {
    pub fn matches(&self, row: &Row) -> bool {
        let mut matches = self.filters.iter().map(|filter| filter.matches(row));
        match self.matching {
            _ if self.filters.is_empty() => true,
            Matching::All => matches.all(|holds| holds),
            Matching::Any => matches.any(|holds| holds),
        }
    }

    /// The id of the only row that can match, if the filters name one. It is read without the rest of the table.
    pub fn id(&self) -> Option<String> {
        if self.has_alternatives() {
            return None;
        }
        let of_id = self.filters.iter().filter(|filter| filter.field == ID && filter.operator == Operator::Equals);
        of_id.filter_map(|filter| read_id(filter.value.clone()).ok()).next()
    }

    fn has_alternatives(&self) -> bool {
        self.matching == Matching::Any && self.filters.len() > 1
    }

    /// The values that the filters demand of a row, if each demands one.
    pub fn demanded_values(&self) -> Option<Vec<(&str, &Value)>> {
        let is_exact =
            !self.filters.is_empty() && self.filters.iter().all(|filter| filter.operator == Operator::Equals);
        let values = || self.filters.iter().map(|filter| (filter.field.as_str(), &filter.value)).collect();
        (is_exact && !self.has_alternatives()).then(values)
    }
}

impl Filter {
    /// Why no row can match, if the value has the wrong type.
    pub fn problem(&self) -> Option<&'static str> {
        match (self.operator, &self.value) {
            (Operator::IsOneOf, Value::Array(_)) | (Operator::BeginsWith, Value::String(_)) => None,
            (Operator::IsOneOf, _) => Some("`isOneOf` compares with a list; use `equals` for one value"),
            (Operator::BeginsWith, _) => Some("`beginsWith` compares with a text"),
            (
                Operator::Less | Operator::AtMost | Operator::Greater | Operator::AtLeast,
                Value::Null | Value::Array(_) | Value::Object(_),
            ) => Some("less and greater compare with a number or a text; check the value"),
            _ => None,
        }
    }

    fn matches(&self, row: &Row) -> bool {
        // A missing field counts as null.
        let field = row.field(&self.field).unwrap_or(Cow::Owned(Value::Null));
        let ordering = || compare(&field, &self.value);
        match self.operator {
            Operator::Equals => self.is_met(&field, &self.value),
            Operator::NotEquals => !self.is_met(&field, &self.value),
            Operator::Less => ordering() == Some(Ordering::Less),
            Operator::AtMost => ordering().is_some_and(Ordering::is_le),
            Operator::Greater => ordering() == Some(Ordering::Greater),
            Operator::AtLeast => ordering().is_some_and(Ordering::is_ge),
            Operator::Contains => match (&*field, &self.value) {
                (Value::String(text), Value::String(part)) => text.contains(part.as_str()),
                (Value::Array(items), part) => items.iter().any(|item| equals(item, part)),
                _ => false,
            },
            Operator::BeginsWith => match (&*field, &self.value) {
                (Value::String(text), Value::String(start)) => text.starts_with(start.as_str()),
                _ => false,
            },
            Operator::IsOneOf => {
                self.value.as_array().is_some_and(|values| values.iter().any(|value| self.is_met(&field, value)))
            }
            Operator::IsEmpty => is_empty(&field),
            Operator::IsNotEmpty => !is_empty(&field),
        }
    }

    /// Whether the field has this value. An id may be given as a number.
    fn is_met(&self, field: &Value, value: &Value) -> bool {
        equals(field, value) || (self.field == ID && read_id(value.clone()).is_ok_and(|id| *field == id.as_str()))
    }
}

fn is_empty(field: &Value) -> bool {
    match field {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

fn equals(one: &Value, other: &Value) -> bool {
    one == other || compare(one, other) == Some(Ordering::Equal)
}

/// The order of two numbers, texts or booleans; `None` for other values. Times are texts of one form, so their order is that of time.
fn compare(one: &Value, other: &Value) -> Option<Ordering> {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => compare_numbers(one, other),
        (Value::String(one), Value::String(other)) => Some(one.cmp(other)),
        (Value::Bool(one), Value::Bool(other)) => Some(one.cmp(other)),
        _ => None,
    }
}

/// Compares exactly: a float would take large integers for equal, and then the order has contradictions.
fn compare_numbers(one: &Number, other: &Number) -> Option<Ordering> {
    match (one.as_i128(), other.as_i128()) {
        (Some(one), Some(other)) => Some(one.cmp(&other)),
        (Some(one), None) => compare_with_float(one, other.as_f64()?),
        (None, Some(other)) => compare_with_float(other, one.as_f64()?).map(Ordering::reverse),
        (None, None) => one.as_f64()?.partial_cmp(&other.as_f64()?),
    }
}

fn compare_with_float(integer: i128, float: f64) -> Option<Ordering> {
    // A float beyond the integers becomes the last one of them, which no field has.
    let floor = float.floor();
    let of_whole = integer.cmp(&(floor as i128));
    Some(of_whole.then(if float > floor { Ordering::Less } else { Ordering::Equal }))
}

/// The order of rows by a field. Those without a value come last in both orders, and the types keep their order.
pub fn by_field(field: &str, order: Order, one: &Row, other: &Row) -> Ordering {
    let rank = |value: &Value| match value {
        Value::Number(_) => 0,
        Value::String(_) => 1,
        Value::Bool(_) => 2,
        Value::Object(_) | Value::Array(_) => 3,
        Value::Null => 4,
    };
    let [one, other] = [one, other].map(|row| row.field(field).unwrap_or(Cow::Owned(Value::Null)));
    let values = || compare(&one, &other).unwrap_or(Ordering::Equal);
    rank(&one).cmp(&rank(&other)).then_with(|| if order == Order::Asc { values() } else { values().reverse() })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::time::Time;

    fn row(values: Value) -> Row {
        let Value::Object(values) = values else { panic!("an object") };
        Row { id: "ada".into(), values, created_at: Time::from_millis(0), updated_at: Time::from_millis(0) }
    }

    fn filter(field: &str, operator: Operator, value: Value) -> Filter {
        Filter { field: field.into(), operator, value }
    }

    #[test]
    fn numbers_are_compared_exactly() {
        // Each is less than the next one.
        let numbers = [
            json!(-1e300),
            json!(i64::MIN),
            json!(-2.5),
            json!(-2),
            json!(0.5),
            json!(9_007_199_254_740_992.0),
            json!(9_007_199_254_740_993_i64),
            json!(u64::MAX),
            json!(1e300),
        ];
        for (at, one) in numbers.iter().enumerate() {
            for (other_at, other) in numbers.iter().enumerate() {
                assert_eq!(compare(one, other), Some(at.cmp(&other_at)), "{one} {other}");
            }
        }
        assert!(equals(&json!(3), &json!(3.0)));
    }

    #[test]
    fn filters_compare_values_of_one_type() {
        use Operator::*;
        let row = row(json!({"n": 3, "text": "Ada Lovelace", "list": ["a", 2], "none": null, "yes": true}));
        let cases = [
            ("n", Equals, json!(3.0), true),
            ("n", Equals, json!("3"), false),
            ("n", NotEquals, json!(4), true),
            ("n", Greater, json!(2.5), true),
            ("n", AtMost, json!(3), true),
            ("n", Less, json!("4"), false),
            ("missing", Equals, json!(null), true),
            ("missing", NotEquals, json!(1), true),
            ("missing", Less, json!(1), false),
            ("text", BeginsWith, json!("Ada"), true),
            ("text", Contains, json!("Love"), true),
            ("list", Contains, json!(2), true),
            ("list", Contains, json!(3), false),
            ("text", IsOneOf, json!(["x", "Ada Lovelace"]), true),
            ("text", IsOneOf, json!("Ada Lovelace"), false),
            ("none", IsEmpty, json!(null), true),
            ("missing", IsEmpty, json!(null), true),
            ("yes", IsNotEmpty, json!(null), true),
            ("id", Equals, json!("ada"), true),
            ("id", IsOneOf, json!([1, "ada"]), true),
            ("createdAt", AtLeast, json!("1970-01-01T00:00:00.000Z"), true),
        ];
        for (field, operator, value, expected) in cases {
            assert_eq!(filter(field, operator, value.clone()).matches(&row), expected, "{field} {operator:?} {value}");
        }
    }

    #[test]
    fn a_number_names_the_row_whose_id_has_its_digits() {
        let seven = Row { id: "7".into(), ..row(json!({})) };
        assert!(filter("id", Operator::Equals, json!(7)).matches(&seven));
        assert!(filter("id", Operator::IsOneOf, json!([6, 7])).matches(&seven));
        assert!(!filter("id", Operator::NotEquals, json!(7)).matches(&seven));
    }

    #[test]
    fn values_of_the_wrong_type_are_problems() {
        let problem = |operator, value| filter("a", operator, value).problem();
        assert!(problem(Operator::IsOneOf, json!("a")).is_some());
        assert!(problem(Operator::BeginsWith, json!(1)).is_some());
        assert!(problem(Operator::Less, json!(null)).is_some());
        for (operator, value) in [
            (Operator::IsOneOf, json!([])),
            (Operator::BeginsWith, json!("a")),
            (Operator::AtLeast, json!(1)),
            (Operator::Equals, json!(null)),
            (Operator::Contains, json!({})),
        ] {
            assert_eq!(problem(operator, value), None);
        }
    }

    #[test]
    fn rows_match_all_filters_or_one() {
        let row = row(json!({"a": 1}));
        let (holds, fails) = (filter("a", Operator::Equals, json!(1)), filter("b", Operator::Equals, json!(1)));
        let both = |matching| RowFilter { filters: vec![holds.clone(), fails.clone()], matching };
        assert!(!both(Matching::All).matches(&row));
        assert!(both(Matching::Any).matches(&row));
        assert!(RowFilter::default().matches(&row));
        assert!(RowFilter { matching: Matching::Any, ..RowFilter::default() }.matches(&row));
    }

    #[test]
    fn filters_that_name_ids_need_no_scan() {
        let id = |matching, more: &[Filter]| {
            let filters = [filter("id", Operator::Equals, json!(7))].iter().chain(more).cloned().collect();
            RowFilter { filters, matching }.id()
        };
        let other = filter("a", Operator::Equals, json!(1));
        assert_eq!(id(Matching::All, std::slice::from_ref(&other)), Some("7".to_owned()));
        assert_eq!(id(Matching::Any, &[]), Some("7".to_owned()));
        assert_eq!(id(Matching::Any, &[other]), None);
    }

    #[test]
    fn sorts_rows_without_a_value_last() {
        let mut rows = [json!({}), json!({"n": "a"}), json!({"n": 2}), json!({"n": 1}), json!({"n": null})].map(row);
        let mut sorted = |order| {
            rows.sort_by(|one, other| by_field("n", order, one, other));
            Value::from_iter(rows.iter().map(|row| row.field("n").map(Cow::into_owned).unwrap_or_default()))
        };
        assert_eq!(sorted(Order::Asc), json!([1, 2, "a", null, null]));
        assert_eq!(sorted(Order::Desc), json!([2, 1, "a", null, null]));
    }
}
