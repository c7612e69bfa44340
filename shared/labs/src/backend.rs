//! What provides the environments of workbenches: a cluster, or this machine.

use domain::Result;
use domain::workbench::{Phase, Report, Workbench};
use futures::FutureExt;
use futures::future::BoxFuture;

use crate::Permit;

/// A provider of environments.
pub trait Backend: Send + Sync {
    /// Makes one step towards [`Workbench::target`], and reports what there is now. It must be idempotent: a step may be
    /// repeated, and it may begin from any state that an interrupted step has left. It checks the permit before each call
    /// that changes something.
    ///
    /// An error means that one of its calls may still take effect: the next step follows only after the claim has expired. If
    /// none can, a failed step is a report, such as [`backend_error`].
    fn step<'a>(&'a self, workbench: &'a Workbench, permit: &'a Permit) -> BoxFuture<'a, Result<Report>>;
}

/// The environment variable with the path of the folder that the workbenches of an organization share.
pub const SHARED_FOLDER: &str = "ATELIER_SHARED_FOLDER";

/// The report of a failed step of which no call can take effect any more.
pub fn backend_error() -> Report {
    let message = "the backend could not be reached, or refused the call; the step is tried again";
    Report::new(Phase::Progressing).rejected("BACKEND_ERROR", message)
}

/// The backend of a platform without one. Its workbenches have the status `not_installed`.
pub struct NoBackend;

impl Backend for NoBackend {
    fn step<'a>(&'a self, _: &'a Workbench, _: &'a Permit) -> BoxFuture<'a, Result<Report>> {
        async { Ok(Report::new(Phase::NotInstalled)) }.boxed()
    }
}
