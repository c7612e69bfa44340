//! The values of an evaluation. Values from JSON input are borrowed, never copied.

use std::rc::Rc;

use jiff::SignedDuration;
use serde_json::{Map as JsonMap, Number, Value as Json};

use super::Cause;
use super::budget::{EvaluationBudget, MAX_VALUE_DEPTH, check_output_size};
use super::datetime::UtcDateTime;

#[derive(Clone, Debug)]
pub enum Value<'a> {
    /// A missing value, which differs from null.
    Undefined,
    Null,
    Bool(bool),
    Int(i64),
    /// An integer above the range of 64 signed bits. It can be passed through exactly, but not used in arithmetic.
    Large(u64),
    Float(f64),
    Text(Text<'a>),
    List(List<'a>),
    Map(Map<'a>),
    Time(UtcDateTime),
    Duration(SignedDuration),
}

#[derive(Clone, Debug)]
pub enum Text<'a> {
    Borrowed(&'a str),
    Owned(Rc<str>),
    /// Markup that is already escaped, as the `escape` and `safe` of Jinja return it. CEL never creates it.
    Safe(Rc<str>),
}

#[derive(Clone, Debug)]
pub enum List<'a> {
    Borrowed(&'a [Json]),
    Owned(Rc<WithDepth<Vec<Value<'a>>>>),
    /// A group of Jinja's `groupby`: a pair, whose elements also have the names `grouper` and `list`.
    Group(Rc<WithDepth<[Value<'a>; 2]>>),
}

#[derive(Clone, Debug)]
pub enum Map<'a> {
    Borrowed(&'a JsonMap<String, Json>),
    Owned(Rc<WithDepth<Vec<(Text<'a>, Value<'a>)>>>),
}

/// A collection that the evaluation created, with its nesting depth.
#[derive(Debug)]
pub struct WithDepth<T> {
    items: T,
    depth: u16,
}

/// JSON has neither infinity nor NaN, and they cannot be printed either.
pub const NOT_FINITE: Cause = Cause::Message("not a finite number");

/// The maximum nesting of JSON that the parser accepts.
const JSON_DEPTH: u16 = 127;
/// The size of a text besides its bytes.
const TEXT_BYTES: usize = 32;
/// The size of a list or a map besides its elements.
const LIST_BYTES: usize = 48;

impl<'a> Value<'a> {
    pub fn from_json(json: &'a Json) -> Self {
        match json {
            Json::Null => Self::Null,
            Json::Bool(value) => Self::Bool(*value),
            Json::Number(number) => Self::number(number),
            Json::String(text) => Self::Text(Text::Borrowed(text)),
            Json::Array(items) => Self::List(List::Borrowed(items)),
            Json::Object(entries) => Self::Map(Map::Borrowed(entries)),
        }
    }

    pub fn number(number: &Number) -> Self {
        match (number.as_i64(), number.as_u64()) {
            (Some(whole), _) => Self::Int(whole),
            (None, Some(large)) => Self::Large(large),
            (None, None) => Self::Float(number.as_f64().unwrap_or(f64::NAN)),
        }
    }

    /// Creates a text value, and charges for it.
    pub fn text(made: &str, budget: &mut EvaluationBudget) -> Result<Self, Cause> {
        budget.bytes(TEXT_BYTES + made.len())?;
        Ok(Self::Text(Text::Owned(made.into())))
    }

    pub fn list(items: Vec<Self>, budget: &mut EvaluationBudget) -> Result<Self, Cause> {
        budget.bytes(LIST_BYTES + items.len() * size_of::<Self>())?;
        let depth = deeper(items.iter())?;
        Ok(Self::List(List::Owned(Rc::new(WithDepth { items, depth }))))
    }

    /// Creates a markup value, and charges for it.
    pub fn safe_text(made: &str, budget: &mut EvaluationBudget) -> Result<Self, Cause> {
        budget.bytes(TEXT_BYTES + made.len())?;
        Ok(Self::Text(Text::Safe(made.into())))
    }

    pub fn group(grouper: Self, items: Self, budget: &mut EvaluationBudget) -> Result<Self, Cause> {
        budget.bytes(2 * size_of::<Self>())?;
        let pair = [grouper, items];
        let depth = deeper(pair.iter())?;
        Ok(Self::List(List::Group(Rc::new(WithDepth { items: pair, depth }))))
    }

    pub fn map(entries: Vec<(Text<'a>, Self)>, budget: &mut EvaluationBudget) -> Result<Self, Cause> {
        budget.bytes(LIST_BYTES + entries.len() * size_of::<(Text, Self)>())?;
        let depth = deeper(entries.iter().map(|(_, value)| value))?;
        Ok(Self::Map(Map::Owned(Rc::new(WithDepth { items: entries, depth }))))
    }

    /// The name of the kind in messages, which never show the value itself.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Undefined => "undefined",
            Self::Null => "null",
            Self::Bool(_) => "bool",
            Self::Int(_) | Self::Large(_) => "int",
            Self::Float(_) => "double",
            Self::Text(_) => "string",
            Self::List(_) => "list",
            Self::Map(_) => "map",
            Self::Time(_) => "timestamp",
            Self::Duration(_) => "duration",
        }
    }

    fn depth(&self) -> u16 {
        match self {
            Self::List(List::Owned(created)) => created.depth,
            Self::List(List::Group(created)) => created.depth,
            Self::Map(Map::Owned(created)) => created.depth,
            Self::List(List::Borrowed(_)) | Self::Map(Map::Borrowed(_)) => JSON_DEPTH,
            _ => 0,
        }
    }

    pub fn is_undefined(&self) -> bool {
        matches!(self, Self::Undefined)
    }

    /// The truth value in a template: false for undefined, null, false, zero and empty values.
    pub fn is_truthy(&self) -> bool {
        match self {
            Self::Undefined | Self::Null => false,
            Self::Bool(value) => *value,
            Self::Int(number) => *number != 0,
            Self::Float(number) => *number != 0.0,
            Self::Text(text) => !text.is_empty(),
            Self::List(list) => list.len() > 0,
            Self::Map(map) => map.len() > 0,
            Self::Large(_) | Self::Time(_) | Self::Duration(_) => true,
        }
    }

    /// Converts a result to JSON, and checks its size.
    pub fn output(&self, budget: &mut EvaluationBudget) -> Result<Json, Cause> {
        let json = self.to_json(budget)?;
        check_output_size(&json)?;
        Ok(json)
    }

    /// Converts a value to JSON. Timestamps and durations become text.
    pub fn to_json(&self, budget: &mut EvaluationBudget) -> Result<Json, Cause> {
        self.json_at(0, budget)
    }

    fn json_at(&self, depth: u16, budget: &mut EvaluationBudget) -> Result<Json, Cause> {
        budget.steps(1)?;
        if depth > JSON_DEPTH {
            return Err(Cause::Limit("the evaluation creates data that is nested too deeply; nest it less"));
        }
        Ok(match self {
            Self::Undefined | Self::Null => Json::Null,
            Self::Bool(value) => Json::Bool(*value),
            Self::Int(number) => (*number).into(),
            Self::Large(number) => (*number).into(),
            Self::Float(number) => Json::Number(Number::from_f64(*number).ok_or(NOT_FINITE)?),
            Self::Text(text) => {
                budget.bytes(text.len())?;
                Json::String(text.to_string())
            }
            Self::List(list) => {
                budget.bytes(list.len() * size_of::<Json>())?;
                Json::Array(list.iter().map(|item| item.json_at(depth + 1, budget)).collect::<Result<_, _>>()?)
            }
            Self::Map(map) => {
                let mut entries = JsonMap::new();
                for (key, value) in map.iter() {
                    budget.bytes(key.len() + size_of::<(String, Json)>())?;
                    entries.insert(key.to_string(), value.json_at(depth + 1, budget)?);
                }
                Json::Object(entries)
            }
            Self::Time(time) => Json::String(time.to_string()),
            Self::Duration(duration) => Json::String(seconds(*duration)),
        })
    }
}

/// Formats a duration as CEL does: `90s`, `1.5s`.
pub fn seconds(duration: SignedDuration) -> String {
    let (whole, nanos) = (duration.as_secs(), duration.subsec_nanos().unsigned_abs());
    if nanos == 0 {
        return format!("{whole}s");
    }
    let sign = if duration.is_negative() { "-" } else { "" };
    let fraction = format!("{nanos:09}");
    format!("{sign}{}.{}s", whole.unsigned_abs(), fraction.trim_end_matches('0'))
}

fn deeper<'v, 'a: 'v>(children: impl Iterator<Item = &'v Value<'a>>) -> Result<u16, Cause> {
    let depth = children.map(Value::depth).max().unwrap_or(0) + 1;
    if depth > MAX_VALUE_DEPTH {
        Err(Cause::Limit("the evaluation creates data that is nested too deeply; nest it less"))
    } else {
        Ok(depth)
    }
}

impl std::ops::Deref for Text<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        match self {
            Self::Borrowed(text) => text,
            Self::Owned(text) | Self::Safe(text) => text,
        }
    }
}

impl<'a> Text<'a> {
    pub fn is_safe(&self) -> bool {
        matches!(self, Self::Safe(_))
    }

    /// Creates a text with other letters, which is safe markup if this is.
    pub fn with_letters(&self, made: &str, budget: &mut EvaluationBudget) -> Result<Value<'a>, Cause> {
        if self.is_safe() { Value::safe_text(made, budget) } else { Value::text(made, budget) }
    }
}

impl<'a> List<'a> {
    pub fn len(&self) -> usize {
        match self {
            Self::Borrowed(items) => items.len(),
            Self::Owned(created) => created.items.len(),
            Self::Group(created) => created.items.len(),
        }
    }

    /// Returns an element by name; only groups have names.
    pub fn named(&self, name: &str) -> Option<Value<'a>> {
        match (self, name) {
            (Self::Group(_), "grouper") => self.get(0),
            (Self::Group(_), "list") => self.get(1),
            _ => None,
        }
    }

    pub fn get(&self, index: usize) -> Option<Value<'a>> {
        match self {
            Self::Borrowed(items) => items.get(index).map(Value::from_json),
            Self::Owned(created) => created.items.get(index).cloned(),
            Self::Group(created) => created.items.get(index).cloned(),
        }
    }

    /// The address in memory, which is unique among live lists.
    pub fn address(&self) -> usize {
        match self {
            Self::Borrowed(items) => items.as_ptr().addr(),
            Self::Owned(created) => Rc::as_ptr(created).addr(),
            Self::Group(created) => Rc::as_ptr(created).addr(),
        }
    }

    pub fn iter(&self) -> impl DoubleEndedIterator<Item = Value<'a>> + '_ {
        (0..self.len()).filter_map(|index| self.get(index))
    }
}

impl<'a> Map<'a> {
    pub fn len(&self) -> usize {
        match self {
            Self::Borrowed(entries) => entries.len(),
            Self::Owned(created) => created.items.len(),
        }
    }

    pub fn get(&self, name: &str, budget: &mut EvaluationBudget) -> Result<Option<Value<'a>>, Cause> {
        budget.steps(name.len() / 64)?;
        Ok(match self {
            Self::Borrowed(entries) => entries.get(name).map(Value::from_json),
            Self::Owned(created) => {
                budget.steps((created.items.len() / 8).saturating_mul(1 + name.len() / 64))?;
                created.items.iter().find(|(key, _)| **key == *name).map(|(_, value)| value.clone())
            }
        })
    }

    pub fn iter(&self) -> Box<dyn Iterator<Item = (Text<'a>, Value<'a>)> + '_> {
        match self {
            Self::Borrowed(entries) => {
                let entries: &'a JsonMap<String, Json> = entries;
                Box::new(entries.iter().map(|(key, value)| (Text::Borrowed(key), Value::from_json(value))))
            }
            Self::Owned(created) => Box::new(created.items.iter().cloned()),
        }
    }
}
