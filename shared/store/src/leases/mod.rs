//! Leases: calls are paid in advance from up to three meters (organization, user, API key), so that concurrent calls
//! cannot exceed a balance, a cap or a rate limit. A lease is an item of `counters`; its log is a partition of `journal`.
//!
//! - `grant` deducts the amounts of one or more calls from every counter of every meter, in one transaction.
//! - Each call ends in a charge. `append` writes charges to the log of the lease: record *n* has all charges that waited
//!   while record *n* - 1 was written, and is written on condition that there is no record *n*. Charges that the lease can
//!   pay do not touch the meters.
//! - **Overage.** A call may cost more than the lease holds for it, because the provider counted more tokens than were
//!   estimated. The rest is debited from the meters in the transaction that writes the record, so a crash or a retried
//!   request debits it exactly once. The balance and the caps limit the debit. A full debit requires that every counter
//!   has enough left. A partial debit requires that the counter with the least left is unchanged since it was read, and
//!   uses that counter up. The unpaid part is recorded as `uncollected`. The record also has the overage, because
//!   the lease did not pay it: `close` gives back the lease's amounts less what the lease paid.
//! - `close` gives back what was not used and adds the usage. The same transaction deletes the lease, so a lease is
//!   closed once.
//! - `sweep` closes an expired lease that its owner left open. It reads the log, and the same transaction writes a tombstone,
//!   the void, as the next record. The void is refused if the owner has written that record since the reading. Once it is
//!   written, it fences the owner: the owner writes record *n* only if there is none, and *n* + 1 only after *n*.
//! - **Late charge.** A charge that finds the void has no lease any more. All of it is an overage, stored in a separate
//!   row.
//! - A charge counts in the day and month in which its lease was granted; a late charge counts in those of its own
//!   time. This is the same for caps, usage and the list of transactions.
//! - A call for a step of a run also adds its charge to the usage of the run, in the transaction that writes the charge.
//! - Each charge has what the log of calls shows. The transaction that closes a lease also writes its rows in the lists of that
//!   log (`call_rows.rs`).
//! - `statement` reads an organization's meter, its usage and the logs of its open leases, again and again until
//!   nothing changed during a reading. The balance, the usage and the totals then agree with the logs.
//! - The version before wrote each charge to a row of its own, its slot (`slots.rs`).

mod call_rows;
mod charge_items;
mod close;
mod counters;
mod end;
mod grant;
mod items;
mod log;
mod packed;
mod packed_facts;
mod record;
mod slots;
mod statement;
mod sweep;

use super::meters::Meter;
use super::table::Table;
use super::usage::MonthlyUsage;
use domain::Result;
use domain::catalog::Pricing;
use domain::lease::{CallLimits, CounterHeadroom, Lease, Shortage};
use domain::money::Money;
use platform::{Context, config};

pub(super) use call_rows::{ANSWERED, BROKEN, UNCHARGED, name};
pub use charge_items::read_charges;
pub(super) use charge_items::{lease_of, listed_charges, place};
pub use end::CallEnd;
pub use log::{Appended, ChargeLog};
pub use record::PendingCharge;

/// The maximum number of writes of a DynamoDB transaction.
const MAX_WRITES: usize = 100;
/// How many times a transaction is built again, when the meters changed after they were read.
const MAX_ATTEMPTS: usize = 12;

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
    /// The least number of calls. A lease that no call waits for needs room for more than one.
    pub least: u32,
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
    /// Some calls would be covered, but fewer than the least number.
    TooFew,
}

/// A granted lease, and the meters as they were before it.
#[derive(Clone, Debug)]
pub struct GrantedLease {
    pub lease: Lease,
    pub headrooms: Vec<CounterHeadroom>,
    pub org: Meter,
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
