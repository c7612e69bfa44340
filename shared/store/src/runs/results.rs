//! The input, the output and the end of a run. They are in the first and in the last part of its log, so the rest is not
//! read.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use super::items::LogItem;
use super::sealing::{RunKey, open_or_hide};
use super::{Runs, parse};
use crate::keys;
use crate::query::TableQuery;
use domain::id::RunId;
use domain::page::Order;
use domain::run::{RunEnd, RunEventKind, RunState, RunValue};
use domain::{Error, Result};
use platform::bucket::SizedObject;

/// A larger value is shown as a URL.
const MAX_SHOWN_BYTES: usize = 256 * 1024;
/// How long the URL of a value is valid.
pub(super) const URL_VALID: Duration = Duration::from_secs(15 * 60);

/// A value of a run, as it is shown.
#[derive(Clone, Debug, PartialEq)]
pub enum ShownValue {
    Value(Value),
    /// A presigned URL of the value as JSON.
    Url(String),
}

impl Runs {
    pub async fn input(&self, id: RunId) -> Result<ShownValue> {
        match self.log_end(id, Order::Asc, None).await? {
            Some(RunEventKind::RunQueued { input }) => self.shown(input).await,
            _ => Err(Error::internal("the log of a run has no beginning")),
        }
    }

    /// The output of a run that has completed.
    pub async fn output(&self, id: RunId) -> Result<ShownValue> {
        self.shown(self.stored_output(id, None).await?).await
    }

    /// How a run has ended, with its whole output, in which parts may be masked. `None` while it is in progress.
    pub async fn find_end(&self, id: RunId) -> Result<Option<RunEnd>> {
        let item = self.item(id).await?.ok_or_else(|| Error::internal("a run that was started is missing"))?;
        Ok(match item.state {
            RunState::Queued | RunState::Running | RunState::Paused => None,
            RunState::Completed => {
                let key = self.required_key(&item).await?;
                let output = self.whole(self.stored_output(id, key.as_ref()).await?, key.as_ref()).await?;
                Some(RunEnd::Completed { output: Arc::new(output) })
            }
            RunState::Cancelled => Some(RunEnd::Cancelled),
            RunState::Failed => {
                let error = item.error.ok_or_else(|| Error::internal("a failed run has no error"))?;
                Some(RunEnd::Failed(error))
            }
        })
    }

    /// The output of a run that has completed, as the log has it.
    async fn stored_output(&self, id: RunId, key: Option<&RunKey>) -> Result<RunValue> {
        match self.log_end(id, Order::Desc, key).await? {
            Some(RunEventKind::RunCompleted { output }) => Ok(output),
            _ => Err(Error::internal("the log of a completed run has no end")),
        }
    }

    /// The first or the last event of a log.
    async fn log_end(&self, id: RunId, order: Order, key: Option<&RunKey>) -> Result<Option<RunEventKind>> {
        let query = TableQuery { order, limit: Some(1), ..TableQuery::partition(keys::run_log(id)) };
        let part = self.journal.query(&query).await?.items.into_iter().next();
        let mut events = part.map(|part| parse::<LogItem>(part)?.events(key)).transpose()?.unwrap_or_default();
        let event = match order {
            Order::Asc => (!events.is_empty()).then(|| events.swap_remove(0)),
            Order::Desc => events.pop(),
        };
        Ok(event.map(|event| event.kind))
    }

    async fn shown(&self, value: RunValue) -> Result<ShownValue> {
        let name = match value {
            RunValue::Value(value) => return Ok(ShownValue::Value(value)),
            RunValue::Object(name) => name,
        };
        match self.bucket.get_small(&name, MAX_SHOWN_BYTES).await? {
            Some(SizedObject::Small(text)) => {
                let mut value = serde_json::from_slice(&text).map_err(Error::internal)?;
                open_or_hide(&mut value, None);
                Ok(ShownValue::Value(value))
            }
            Some(SizedObject::Large) => self.bucket.presigned(&name, URL_VALID).await.map(ShownValue::Url),
            None => Err(Error::internal(format!("the value {name} is missing"))),
        }
    }
}
