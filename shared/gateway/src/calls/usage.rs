//! The usage of a call: what is to be charged, and what its answer reports.

use crate::answers::Usage;
use crate::leases::CallUsage;
use crate::routing::Served;
use crate::tokens;
use domain::ledger::{CallOrigin, Charge};
use domain::usage::{Quantities, Tokens, UsageSource};

/// The tokens to charge for a call without output tokens: what the provider counted, or else the likely input.
pub fn count_input(reported: Option<Tokens>, greatest_input: u64) -> (Tokens, UsageSource) {
    match reported {
        Some(tokens) => (tokens, UsageSource::Provider),
        None => (Tokens { input: tokens::likely(greatest_input), ..Tokens::default() }, UsageSource::Counted),
    }
}

/// What a call used.
#[derive(Clone, Copy, Debug)]
pub struct Used {
    pub tokens: Tokens,
    pub source: UsageSource,
    pub quantities: Quantities,
}

impl From<(Tokens, UsageSource)> for Used {
    fn from((tokens, source): (Tokens, UsageSource)) -> Self {
        Self { tokens, source, quantities: Quantities::default() }
    }
}

impl Used {
    pub fn of_call(&self, call: &CallOrigin, alias: Option<&str>, served: Served) -> CallUsage {
        let usage = CallUsage::of_tokens(call, alias, served, (self.tokens, self.source));
        CallUsage { quantities: self.quantities, ..usage }
    }
}

impl Usage {
    pub(in crate::calls) fn of_charge(charge: &Charge) -> Self {
        Self { tokens: charge.tokens, cost: charge.cost }
    }
}
