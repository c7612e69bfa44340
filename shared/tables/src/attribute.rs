//! Typed attributes of stored items. `#[derive(Attributes)]` gives an item one constant for each, so that a renamed field or a
//! value of another type does not compile.

use std::borrow::Cow;
use std::marker::PhantomData;

use aws_sdk_dynamodb::types::AttributeValue;
use serde::Serialize;

use crate::condition::{Comparison, Condition, Path};
use crate::item::{Item, to_value};
use crate::key::Key;
use domain::money::Money;

/// The partition key of each table.
pub const PK: Attribute<String> = Attribute::new(Key::PK);
/// The sort key of each table.
pub const SK: Attribute<String> = Attribute::new(Key::SK);
/// The time to live of each table, in Unix seconds. Items are deleted late, so readers compare it.
pub const EXPIRES_AT: Attribute<i64> = Attribute::new("expires_at");

/// An attribute of a stored item, or a field of a map, with a value of type `T`.
#[derive(Debug)]
pub struct Attribute<T> {
    path: Path,
    value: PhantomData<fn() -> T>,
}

impl<T> Clone for Attribute<T> {
    fn clone(&self) -> Self {
        Self { path: self.path.clone(), value: PhantomData }
    }
}

impl<T> Attribute<T> {
    pub const fn new(name: &'static str) -> Self {
        Self { path: Path { attribute: Cow::Borrowed(name), fields: Vec::new() }, value: PhantomData }
    }

    /// An attribute whose name is computed. It may have any characters, for example those of a user's text.
    pub fn named(name: String) -> Self {
        Self { path: Path { attribute: Cow::Owned(name), fields: Vec::new() }, value: PhantomData }
    }

    /// A field of the map. The macro `field!` checks the name and the type against the struct of the map.
    pub fn field<F>(mut self, name: &'static str, _: fn(&T) -> &F) -> Attribute<F> {
        self.path.fields.push(Cow::Borrowed(name.trim_start_matches("r#")));
        Attribute { path: self.path, value: PhantomData }
    }

    pub fn path(self) -> Path {
        self.path
    }

    /// The name of the attribute in an item.
    pub fn name(&self) -> &str {
        &self.path.attribute
    }

    /// The value in an item, as it is stored.
    pub fn find<'a>(&self, item: &'a Item) -> Option<&'a AttributeValue> {
        item.get(self.name())
    }

    pub fn exists(self) -> Condition {
        Condition::Exists(self.path)
    }

    pub fn is_missing(self) -> Condition {
        Condition::Missing(self.path)
    }

    pub fn is(self, value: impl ValueOf<T>) -> Condition {
        self.compare(Comparison::Equal, value)
    }

    pub fn is_less_than(self, value: impl ValueOf<T>) -> Condition {
        self.compare(Comparison::Less, value)
    }

    pub fn is_at_most(self, value: impl ValueOf<T>) -> Condition {
        self.compare(Comparison::LessOrEqual, value)
    }

    pub fn is_greater_than(self, value: impl ValueOf<T>) -> Condition {
        self.compare(Comparison::Greater, value)
    }

    pub fn is_at_least(self, value: impl ValueOf<T>) -> Condition {
        self.compare(Comparison::GreaterOrEqual, value)
    }

    pub fn is_missing_or_less_than(self, value: impl ValueOf<T>) -> Condition {
        self.clone().is_missing().or(self.is_less_than(value))
    }

    pub fn is_missing_or_at_most(self, value: impl ValueOf<T>) -> Condition {
        self.clone().is_missing().or(self.is_at_most(value))
    }

    fn compare(self, comparison: Comparison, value: impl ValueOf<T>) -> Condition {
        Condition::Compare(self.path, comparison, value.value())
    }

    /// The attribute has this value, or is absent if there is none.
    pub fn is_same(self, value: Option<impl ValueOf<T>>) -> Condition {
        self.is_same_raw(value.map(|value| value.value()))
    }

    /// Like [`Attribute::is_same`], for a value as it was read.
    pub fn is_same_raw(self, value: Option<AttributeValue>) -> Condition {
        match value {
            Some(value) => Condition::Compare(self.path, Comparison::Equal, value),
            None => self.is_missing(),
        }
    }
}

impl<T: Serialize> Attribute<T> {
    /// The attribute has one of these values.
    pub fn is_one_of(self, values: &[T]) -> Condition {
        Condition::OneOf(self.path, values.iter().map(to_value).collect())
    }
}

impl Attribute<String> {
    pub fn contains(self, part: String) -> Condition {
        Condition::Contains(self.path, part)
    }
}

/// A field of the map in an attribute: `field!(AgentItem::HEAD, status)`.
#[macro_export]
macro_rules! field {
    ($attribute:expr, $field:ident) => {
        $attribute.field(stringify!($field), |map| &map.$field)
    };
}
pub use crate::field;

/// A value that an attribute of type `T` can have.
pub trait ValueOf<T> {
    fn value(self) -> AttributeValue;
}

impl<T: Serialize> ValueOf<T> for T {
    fn value(self) -> AttributeValue {
        to_value(self)
    }
}

impl<T: Serialize> ValueOf<T> for &T {
    fn value(self) -> AttributeValue {
        to_value(self)
    }
}

/// A value of an attribute that is null otherwise.
impl<T: Serialize> ValueOf<Option<T>> for T {
    fn value(self) -> AttributeValue {
        to_value(self)
    }
}

impl ValueOf<String> for &str {
    fn value(self) -> AttributeValue {
        AttributeValue::S(self.to_owned())
    }
}

/// A number that can be added to a stored one.
pub trait Number {
    fn number(self) -> AttributeValue;
}

macro_rules! numbers {
    ($($number:ty)*) => {$(
        impl Number for $number {
            fn number(self) -> AttributeValue {
                AttributeValue::N(self.to_string())
            }
        }
    )*};
}
numbers!(i32 i128 u32 u64 u128 usize);

impl Number for Money {
    fn number(self) -> AttributeValue {
        self.pico_usd().number()
    }
}
