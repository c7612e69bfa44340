//! What may never happen, and did.

use std::fmt;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Oracle {
    /// A balance below zero, or more charged than was given.
    Overdrawn,
    /// More charged in a month than a cap allows.
    CapExceeded,
    /// More calls or tokens admitted in a window than a limit allows.
    LimitExceeded,
    /// Fewer counted in a window than were admitted.
    Undercounted,
    /// A call with more than one charge.
    ChargedTwice,
    /// A call that was answered without a charge.
    NotCharged,
    /// In the end, balance and ledger are not what was given, or a meter's spending is not what was charged.
    Unbalanced,
    /// The usage is not the ledger's sum.
    Usage,
    /// A cost that was reported is not what was charged and what could not be collected.
    Misreported,
    /// Less was collected than balance and caps allowed.
    Forgiven,
    /// A balance shown that never was.
    Shown,
    /// A lease that stays open, or one that a living owner left to the sweep.
    LeftOpen,
    /// What wide leases hold is not zero when there are none.
    Wide,
    /// An error that is the platform's own fault.
    Failed,
}

#[derive(Clone, Debug)]
pub struct Violation {
    pub oracle: Oracle,
    pub what: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {}", self.oracle, self.what)
    }
}
