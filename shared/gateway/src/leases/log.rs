//! Writes charges to the log of a lease: those that wait while a record is written share the next one.

use std::sync::Arc;

use futures::future::BoxFuture;

use domain::lease::Lease;
use domain::{Error, Result};
use store::leases::{Appended, ChargeLog, PendingCharge};

use super::group::Writer;

pub struct LogWriter {
    store: store::Leases,
    lease: Arc<Lease>,
    log: ChargeLog,
}

impl LogWriter {
    pub fn new(store: store::Leases, lease: Arc<Lease>) -> Self {
        Self { store, lease, log: ChargeLog::default() }
    }
}

impl Writer for LogWriter {
    type Entry = PendingCharge;
    type Outcome = Result<Appended>;

    fn choose(own: Arc<PendingCharge>, others: Vec<Arc<PendingCharge>>) -> Vec<Arc<PendingCharge>> {
        ChargeLog::choose_batch(own, others)
    }

    fn write<'a>(&'a mut self, charges: &'a [Arc<PendingCharge>]) -> BoxFuture<'a, Vec<Result<Appended>>> {
        Box::pin(async {
            match self.store.append(&self.lease, &mut self.log, charges).await {
                Ok(appended) => appended.into_iter().map(Ok).collect(),
                Err(error) => charges.iter().map(|_| Err(repeat(&error))).collect(),
            }
        })
    }
}

/// The same error, for each caller whose charge was in the record.
fn repeat(error: &Error) -> Error {
    match error {
        Error::Unavailable { retry_after_s, cause } => {
            Error::Unavailable { retry_after_s: *retry_after_s, cause: cause.clone() }
        }
        Error::StorageTrouble(trouble) => Error::StorageTrouble(trouble.clone()),
        other => Error::internal(format!("{other:?}")),
    }
}
