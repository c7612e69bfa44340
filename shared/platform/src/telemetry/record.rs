//! A span that has ended, as it waits for its export.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use super::trace_context::TraceContext;

/// The role of a span, with its number in OTLP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpanKind {
    Internal = 1,
    /// Handles a request.
    Server = 2,
    /// Makes a request.
    Client = 3,
    /// Handles a message of a queue.
    Consumer = 5,
}

#[derive(Clone, Debug, PartialEq)]
pub enum AttributeValue {
    Text(Cow<'static, str>),
    Number(i64),
    Texts(Vec<String>),
}

impl From<&'static str> for AttributeValue {
    fn from(text: &'static str) -> Self {
        Self::Text(Cow::Borrowed(text))
    }
}

impl From<String> for AttributeValue {
    fn from(text: String) -> Self {
        Self::Text(Cow::Owned(text))
    }
}

impl From<u64> for AttributeValue {
    fn from(number: u64) -> Self {
        Self::Number(i64::try_from(number).unwrap_or(i64::MAX))
    }
}

impl From<Vec<String>> for AttributeValue {
    fn from(texts: Vec<String>) -> Self {
        Self::Texts(texts)
    }
}

#[derive(Clone, Debug)]
pub struct SpanRecord {
    /// The function that did the work.
    pub function: Arc<str>,
    pub name: String,
    pub kind: SpanKind,
    pub context: TraceContext,
    pub parent: Option<u64>,
    /// Since the Unix epoch.
    pub started: Duration,
    pub took: Duration,
    pub attributes: Vec<(&'static str, AttributeValue)>,
    pub has_failed: bool,
}
