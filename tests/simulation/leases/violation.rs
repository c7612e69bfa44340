//! The violations that the oracles find.

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Oracle {
    /// A balance is below zero, or more was charged than the credits given.
    Overdrawn,
    /// More was charged in a month than a cap allows.
    CapExceeded,
    /// More calls or tokens were admitted in a window than a limit allows.
    LimitExceeded,
    /// A window's counter is below what was admitted.
    Undercounted,
    /// A call has more than one charge.
    ChargedTwice,
    /// A call was answered without a charge.
    NotCharged,
    /// At the end, balance and ledger do not add up to the credits given, or a meter's spending is not the sum charged.
    Unbalanced,
    /// The usage is not the sum of the ledger.
    Usage,
    /// A reported cost is not the sum of the charged and the uncollected amount.
    Misreported,
    /// Less was collected than the balance and the caps allowed.
    Undercollected,
    /// A balance was shown that was never the true one.
    WrongBalanceShown,
    /// The log of calls misses a charge, or has one twice.
    NotListed,
    /// A lease stays open, or its running owner left it to the sweep.
    LeftOpen,
    /// The counter of wide leases is not zero, although no wide lease is open.
    WideCounterLeft,
    /// An internal error of the platform.
    Failed,
}
