//! The usage of a call: the tokens to charge, and what its answer reports.

use crate::answers::Usage;
use crate::tokens;
use domain::ledger::Charge;
use domain::usage::{Tokens, UsageSource};

/// The tokens to charge for a call without output tokens: what the provider counted, or else the likely input.
pub fn count_input(reported: Option<Tokens>, greatest_input: u64) -> (Tokens, UsageSource) {
    match reported {
        Some(tokens) => (tokens, UsageSource::Provider),
        None => (Tokens { input: tokens::likely(greatest_input), ..Tokens::default() }, UsageSource::Counted),
    }
}

impl Usage {
    pub(in crate::calls) fn of_charge(charge: &Charge) -> Self {
        Self { tokens: charge.tokens, cost: charge.cost }
    }
}
