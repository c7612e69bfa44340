//! The protocol of leases over three meters, a lease's item, and its slots in the journal.
//!
//! - `grant` takes the amounts of some calls, in one transaction, from every counter of every meter.
//! - Each call ends in a charge, put into its own slot of the lease if the slot is empty (`record`). A charge that the
//!   lease can pay is one write.
//! - **Overage.** A call may cost more than the lease holds for it, because the provider counted more than was
//!   foreseen. The rest is debited from the meters in the same transaction that fills the slot, so a crash or a
//!   repeated request debits it exactly once. It is debited as far as balance and caps go: in full on condition that
//!   there is room, or in part on condition that the tightest counter still is as it was read, and so is used up. What
//!   is missing is written down as `uncollected`. The row says how much was an overage: a close gives back the lease's
//!   amounts less what came out of the lease, and leaves overages alone.
//! - `close` gives back what was not used and adds the usage, in one transaction that deletes the lease: once.
//! - `sweep` closes the lease of an owner that is gone. It puts a void into every empty slot in the same transaction:
//!   of a late charge and the sweep, the second one sees the first.
//! - **Late charge.** A charge that finds a void has no lease any more. All of it is an overage, in a row of its own.
//! - A charge counts in the day and month in which its lease was granted, a late one in those of its own time: in the
//!   caps, the usage, and the list of transactions alike.
//! - `statement` reads an organization's meter, counters and the rows of its open leases until nothing changed
//!   meanwhile: balance, usage and totals agree with the rows at once.

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
use super::usage::MonthOfUsage;
use crate::domain::catalog::Pricing;
use crate::domain::lease::{Lease, Need, Room};
use crate::domain::ledger::Charge;
use crate::domain::money::Money;
use crate::domain::usage::Tokens;
use crate::{Context, Result, config};

pub(super) use items::listed_charge;

/// How often a transaction is put together anew when meters change under it.
const SIZINGS: usize = 12;
/// The ledger keeps its entries for so long.
pub const LEDGER_FOR: Duration = Duration::from_secs(400 * 24 * 60 * 60);

#[derive(Clone)]
pub struct Leases {
    counters: Table,
    journal: Table,
}

/// What a lease is wanted for.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// Of the call at hand.
    pub need: Need,
    /// Of calls as they have been lately: what each slot of a wide lease holds. No less than `need`.
    pub typical: Need,
    /// How many calls it should cover, if there is room for them.
    pub slots: u32,
    pub model: String,
    pub pricing: Pricing,
    pub price_version: u64,
}

/// A lease, and the meters as they were before it.
#[derive(Clone, Debug)]
pub struct Granted {
    pub lease: Lease,
    pub rooms: Vec<Room>,
    pub org: Meter,
}

/// The sums of a lease's charges.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spent {
    pub requests: u64,
    pub tokens: Tokens,
    pub images: u64,
    pub cost: Money,
    pub charged: Money,
    pub uncollected: Money,
    pub overage: Money,
}

impl Spent {
    pub fn add(&mut self, charge: &Charge) {
        self.requests += 1;
        self.tokens.input += charge.tokens.input;
        self.tokens.cached += charge.tokens.cached;
        self.tokens.output += charge.tokens.output;
        self.tokens.reasoning += charge.tokens.reasoning;
        self.images += charge.images;
        self.cost += charge.cost;
        self.charged += charge.charged;
        self.uncollected += charge.uncollected;
        self.overage += charge.overage;
    }

    /// What came out of the lease.
    pub fn from_lease(&self) -> Money {
        self.charged.less(self.overage)
    }
}

/// Where a charge was written. The charge is as it was written: it says what was collected.
#[derive(Clone, Debug, PartialEq)]
pub enum Recorded {
    InItsSlot(Charge),
    /// A sweep had closed the lease before.
    Late(Charge),
    /// Nowhere: another try of the same request owns the call by now.
    TakenOver,
}

/// What an organization has and has used, up to its last call.
#[derive(Clone, Debug)]
pub struct Statement {
    pub meter: Meter,
    pub balance: Money,
    pub usage: MonthOfUsage,
}

impl Leases {
    pub fn new(context: &Context) -> Result<Self> {
        Ok(Self {
            counters: Table::new(context, config::TABLE_COUNTERS)?,
            journal: Table::new(context, config::TABLE_JOURNAL)?,
        })
    }
}
