//! The protocol of leases over three meters, a lease's item, and its slots in the journal.
//!
//! - `grant` takes the amounts of some calls, in one transaction, from every counter of every meter.
//! - Each call ends in a charge, put into its own slot of the lease if nothing is there yet (`record`).
//! - `close` gives back what was not used and adds the usage, in one transaction that deletes the lease: once.
//! - `sweep` closes the lease of an owner that is gone. It puts a void into every empty slot in the same transaction,
//!   so that of a late charge and the sweep whoever comes second sees the other.
//! - A charge that finds a void is debited as far as there is room (`record_late`).

mod close;
mod counters;
mod grant;
mod items;
mod record;
mod standing;
mod sweep;

use std::time::Duration;

use super::meters::Meter;
use super::table::Table;
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

/// What the calls of a lease came to.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spent {
    pub requests: u64,
    pub tokens: Tokens,
    pub images: u64,
    pub cost: Money,
    pub charged: Money,
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
    }
}

/// How a charge came to stand in the ledger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recorded {
    InItsSlot,
    /// Its lease had been closed by a sweep; so much was debited.
    Late {
        collected: Money,
    },
}

impl Leases {
    pub fn new(context: &Context) -> Result<Self> {
        Ok(Self {
            counters: Table::new(context, config::TABLE_COUNTERS)?,
            journal: Table::new(context, config::TABLE_JOURNAL)?,
        })
    }
}
