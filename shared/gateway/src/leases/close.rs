//! Closing a lease of this process, at once or after a delay.

use std::sync::Arc;
use std::time::Duration;

use super::LeaseSource;
use super::open::OpenLease;

/// Closes the lease after the delay, if no call is in flight then; otherwise its last call closes it. A frozen Lambda
/// process runs this late, and the sweep may close the lease before.
pub fn close_later(source: LeaseSource, open: Arc<OpenLease>, after: Duration) {
    tokio::spawn(async move {
        tokio::time::sleep(after).await;
        close(&source, &open).await;
    });
}

/// Closes a lease that is over and has no calls in flight. If this fails, the sweep closes the lease later.
pub async fn close(source: &LeaseSource, open: &OpenLease) {
    let now = source.clock.now();
    let Some((spent, calls)) = open.take_closing_sums(now) else { return };
    match source.store.close(&open.lease, &spent, &calls, now).await {
        Ok(true) => {}
        Ok(false) => tracing::warn!(lease_id = %open.lease.id, "a lease was swept before its owner closed it"),
        Err(error) => tracing::warn!(?error, lease_id = %open.lease.id, "a lease stays open until it is swept"),
    }
}
