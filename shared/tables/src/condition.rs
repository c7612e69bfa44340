//! Conditions of writes and filters of queries, as values. `expressions.rs` renders them for DynamoDB.

use std::borrow::Cow;
use std::fmt;

use aws_sdk_dynamodb::types::AttributeValue;

/// The place of a value in an item: an attribute, or a field of the map that it holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    pub attribute: Cow<'static, str>,
    pub fields: Vec<Cow<'static, str>>,
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.attribute)?;
        self.fields.iter().try_for_each(|field| write!(f, ".{field}"))
    }
}

/// How a stored value is compared with another one. An absent value fulfils no comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    Equal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

impl Comparison {
    /// The operator, which DynamoDB and SQLite write alike.
    pub fn operator(self) -> &'static str {
        match self {
            Self::Equal => "=",
            Self::Less => "<",
            Self::LessOrEqual => "<=",
            Self::Greater => ">",
            Self::GreaterOrEqual => ">=",
        }
    }
}

/// What must be true of an item.
#[derive(Clone, Debug, PartialEq)]
pub enum Condition {
    Exists(Path),
    Missing(Path),
    Compare(Path, Comparison, AttributeValue),
    /// The value is at least the first and at most the second.
    Between(Path, AttributeValue, AttributeValue),
    /// The text has this part.
    Contains(Path, String),
    OneOf(Path, Vec<AttributeValue>),
    And(Vec<Self>),
    Or(Vec<Self>),
}

impl Condition {
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        match self {
            Self::And(mut all) => {
                all.push(other);
                Self::And(all)
            }
            first => Self::And(vec![first, other]),
        }
    }

    #[must_use]
    pub fn or(self, other: Self) -> Self {
        match self {
            Self::Or(mut any) => {
                any.push(other);
                Self::Or(any)
            }
            first => Self::Or(vec![first, other]),
        }
    }

    /// All of the given conditions. None if no condition is given.
    pub fn all(conditions: impl IntoIterator<Item = Option<Self>>) -> Option<Self> {
        conditions.into_iter().flatten().reduce(Self::and)
    }
}
