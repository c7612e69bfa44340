//! What a function may do with the embedded services, by the policies of the template, and what tests see of its calls.

use domain::Result;

use crate::permissions::Permissions;
use crate::recorder::{Call, Recorder};

#[derive(Clone)]
pub struct FunctionAccess {
    /// Tools and tests have none: they may do everything.
    pub permissions: Option<Permissions>,
    pub recorder: Option<Recorder>,
}

impl FunctionAccess {
    /// Refuses a call that the policies of the function do not allow.
    pub fn require(&self, service: &str, action: &str, resource: &str) -> Result<()> {
        self.permissions.as_ref().map_or(Ok(()), |permissions| permissions.require(service, action, resource))
    }

    /// Records a call that was carried out, and lets other tasks have their turn. Tests stop a task at any call, as a crash
    /// would, so there each call pauses.
    pub async fn finish_call(&self, call: impl FnOnce() -> Call) {
        match &self.recorder {
            Some(recorder) => {
                recorder.record(call());
                tokio::task::yield_now().await;
            }
            None => tokio::task::consume_budget().await,
        }
    }
}
