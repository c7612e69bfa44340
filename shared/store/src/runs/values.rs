//! Large values of runs, which are objects in the bucket.

use futures::future::try_join_all;

use super::Runs;
use super::sealing::{RunKey, open_or_hide};
use crate::run_statistics::RunPlace;
use domain::run::{RunEvent, RunValue};
use domain::{Error, Result};
use serde_json::Value;
use uuid::Uuid;

/// A larger value is an object in the bucket, so that an item stays small.
const MAX_INLINE_BYTES: usize = 32 * 1024;

impl Runs {
    /// Writes the events as JSON. Large values are stored in the bucket first.
    pub(super) async fn serialize(&self, run: RunPlace, events: &[RunEvent]) -> Result<Vec<String>> {
        try_join_all(events.iter().map(|event| self.serialize_event(run, event))).await
    }

    pub(super) async fn serialize_event(&self, run: RunPlace, event: &RunEvent) -> Result<String> {
        let text = serde_json::to_string(event).map_err(Error::internal)?;
        if text.len() <= MAX_INLINE_BYTES {
            return Ok(text);
        }
        let mut event = event.clone();
        if let Some(value) = event.kind.value_mut()
            && let RunValue::Value(content) = value
        {
            let name = format!("{}/{}/{}", run.retention.object_prefix(), run.id, Uuid::now_v7());
            self.bucket.put(&name, "application/json", content.to_string().into_bytes()).await?;
            *value = RunValue::Object(name);
        }
        serde_json::to_string(&event).map_err(Error::internal)
    }

    pub(super) async fn load_values(&self, events: &mut [RunEvent], key: Option<&RunKey>) -> Result<()> {
        let loads = events.iter_mut().filter_map(|event| event.kind.value_mut()).map(async |value| {
            let stored = std::mem::replace(value, RunValue::Value(Value::Null));
            *value = RunValue::Value(self.whole(stored, key).await?);
            Ok(())
        });
        try_join_all(loads).await.map(drop)
    }

    /// Reads a value from the bucket, if it is there. Without the key of the run, its masked parts are hidden.
    pub(super) async fn whole(&self, value: RunValue, key: Option<&RunKey>) -> Result<Value> {
        let name = match value {
            RunValue::Value(value) => return Ok(value),
            RunValue::Object(name) => name,
        };
        let stored = self.bucket.get(&name).await?;
        let stored = stored.ok_or_else(|| Error::internal(format!("the value {name} is missing")))?;
        let mut value = serde_json::from_slice(&stored).map_err(Error::internal)?;
        open_or_hide(&mut value, key);
        Ok(value)
    }
}
