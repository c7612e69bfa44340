//! Leases: calls are paid in advance from up to three meters (organization, user, API key), so that concurrent calls
//! cannot exceed a balance, a cap or a rate limit. A lease is an item of `counters`; its slots are rows of `journal`.
//!
//! - `grant` deducts the amounts of one or more calls from every counter of every meter, in one transaction.
//! - Each call ends in a charge. `record` writes the charge into the call's own slot of the lease, on condition that
//!   the slot is empty. A charge that the lease can pay does not touch the meters.
//! - **Overage.** A call may cost more than the lease holds for it, because the provider counted more tokens than were
//!   estimated. The rest is debited from the meters in the transaction that fills the slot, so a crash or a retried
//!   request debits it exactly once. The balance and the caps limit the debit. A full debit requires that every counter
//!   has enough left. A partial debit requires that the counter with the least left is unchanged since it was read, and
//!   uses that counter up. The unpaid part is recorded as `uncollected`. The row also records the overage, because
//!   the lease did not pay it: `close` gives back the lease's amounts less what the lease paid.
//! - `close` gives back what was not used and adds the usage. The same transaction deletes the lease, so a lease is
//!   closed once.
//! - `sweep` closes an expired lease that its owner left open. The same transaction writes a tombstone, the void, into
//!   every empty slot. Of a sweep and a late charge, the second one therefore sees the first.
//! - **Late charge.** A charge that finds a void has no lease any more. All of it is an overage, stored in a separate
//!   row.
//! - A charge counts in the day and month in which its lease was granted; a late charge counts in those of its own
//!   time. This is the same for caps, usage and the list of transactions.
//! - A call for a step of a run also adds its charge to the usage of the run, in the transaction that writes the charge.
//! - `statement` reads an organization's meter, its usage and the rows of its open leases, again and again until
//!   nothing changed during a reading. The balance, the usage and the totals then agree with the rows.

mod close;
mod counters;
mod grant;
mod items;
mod record;
mod statement;
mod sweep;

use std::time::Duration;

use super::meters::Meter;
use super::table::Table;
use super::usage::MonthlyUsage;
use domain::Result;
use domain::catalog::Pricing;
use domain::lease::{CallLimits, CounterHeadroom, Lease, Shortage};
use domain::ledger::Charge;
use domain::money::Money;
use platform::{Context, config};

pub(super) use items::listed_charge;
pub use record::CallEnd;

/// How many times a transaction is built again, when the meters changed after they were read.
const MAX_ATTEMPTS: usize = 12;
/// The retention of ledger entries.
pub const LEDGER_RETENTION: Duration = Duration::from_secs(400 * 24 * 60 * 60);

#[derive(Clone)]
pub struct Leases {
    counters: Table,
    journal: Table,
}

/// The request for a lease.
#[derive(Clone, Debug)]
pub struct LeaseRequest {
    /// The need of the call that asks for the lease.
    pub need: CallLimits,
    /// The need of recent calls, which each slot of a wide lease holds. It is never less than `need`.
    pub typical: CallLimits,
    /// The number of calls that the lease should cover, if the meters have room for them.
    pub slots: u32,
    pub model: String,
    pub pricing: Pricing,
    pub price_version: u64,
}

/// The outcome of a request for a lease.
#[derive(Debug)]
pub enum Grant {
    Granted(Box<GrantedLease>),
    /// Not even one call is covered.
    Short(Shortage),
}

/// A granted lease, and the meters as they were before it.
#[derive(Clone, Debug)]
pub struct GrantedLease {
    pub lease: Lease,
    pub headrooms: Vec<CounterHeadroom>,
    pub org: Meter,
}

/// Where a charge was written. The charge inside is the stored one, with what was collected.
#[derive(Clone, Debug, PartialEq)]
pub enum Recorded {
    InItsSlot(Charge),
    /// A sweep had closed the lease, so the charge is in a separate row.
    Late(Charge),
    /// The charge was not written, because a retry of the same request owns the call now.
    TakenOver,
}

/// The balance and the usage of an organization, up to its last call.
#[derive(Clone, Debug)]
pub struct BillingStatement {
    pub meter: Meter,
    pub balance: Money,
    pub usage: MonthlyUsage,
}

impl Leases {
    pub fn new(context: &Context) -> Result<Self> {
        Ok(Self {
            counters: Table::new(context, config::TABLE_COUNTERS)?,
            journal: Table::new(context, config::TABLE_JOURNAL)?,
        })
    }
}
