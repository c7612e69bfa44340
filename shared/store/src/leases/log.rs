//! The charge log of a lease: records of charges, numbered without gaps. Only the owner of the lease appends to it, and one
//! append is in flight at a time. Each record is written only if there is none with its number, so a sweep fences the owner
//! by writing a void there.
//!
//! An append whose answer is lost may have written its record, or may still write it. So the next append takes the same
//! number. If it finds a record there, the charges in it are stored, and it continues with the next number.

use std::sync::Arc;

use super::record::{PendingCharge, RecordOutcome};
use super::{Leases, MAX_WRITES};
use domain::Result;
use domain::lease::Lease;
use domain::ledger::Charge;

/// What the owner of a lease knows of its log.
#[derive(Debug)]
pub struct ChargeLog {
    /// The number of the first record that is not known to exist.
    next: u32,
    /// A sweep has closed the log.
    is_closed: bool,
    /// Charges that were found stored, but whose callers have not asked again.
    found: Vec<Charge>,
}

/// What became of a charge.
#[derive(Clone, Debug, PartialEq)]
pub enum Appended {
    /// It is stored, with what was collected.
    Stored(Box<Charge>),
    /// It was not stored, because a retry of the same request owns the call now.
    TakenOver,
    /// It was not stored, because a sweep has closed the log. It is late.
    Closed,
}

impl Default for ChargeLog {
    fn default() -> Self {
        Self { next: 1, is_closed: false, found: Vec::new() }
    }
}

impl ChargeLog {
    /// Chooses the charges that are written with the first one: those that also need nothing but a record, or those that
    /// also need a transaction, as many as fit one. A debit of the meters has a transaction of its own.
    pub fn choose_batch(
        first: Arc<PendingCharge>,
        others: impl IntoIterator<Item = Arc<PendingCharge>>,
    ) -> Vec<Arc<PendingCharge>> {
        let mut batch = vec![first];
        if batch[0].needs_debit() {
            return batch;
        }
        let mut writes = 1 + batch[0].other_writes();
        for other in others {
            let is_same_kind = (other.other_writes() == 0) == (batch[0].other_writes() == 0);
            // A transaction writes an item only once.
            if is_same_kind
                && !other.needs_debit()
                && writes + other.other_writes() <= MAX_WRITES
                && batch.iter().all(|member| !member.ends_with_same_item(&other))
            {
                writes += other.other_writes();
                batch.push(other);
            }
        }
        batch
    }

    /// The charge, if an earlier append has stored it.
    fn take_found(&mut self, charge: &Charge) -> Option<Charge> {
        let index = self.found.iter().position(|found| found.id == charge.id)?;
        Some(self.found.swap_remove(index))
    }
}

impl Leases {
    /// Appends the charges of a batch, in one record. Returns what became of each. After an error this is unknown, and each
    /// charge may be appended again. The same holds if the future is dropped.
    pub async fn append(
        &self,
        lease: &Lease,
        log: &mut ChargeLog,
        batch: &[Arc<PendingCharge>],
    ) -> Result<Vec<Appended>> {
        let mut appended: Vec<Option<Appended>> = batch.iter().map(|_| None).collect();
        loop {
            for (pending, appended) in batch.iter().zip(&mut appended).filter(|(_, appended)| appended.is_none()) {
                *appended = match log.take_found(&pending.charge) {
                    Some(charge) => Some(Appended::Stored(Box::new(charge))),
                    None => log.is_closed.then_some(Appended::Closed),
                };
            }
            let left: Vec<usize> = (0..batch.len()).filter(|index| appended[*index].is_none()).collect();
            if left.is_empty() {
                return Ok(appended.into_iter().flatten().collect());
            }
            let pending: Vec<&PendingCharge> = left.iter().map(|index| &*batch[*index]).collect();
            match self.write_record(lease, log.next, &pending).await? {
                RecordOutcome::Written(charges) => {
                    log.next += 1;
                    for (index, charge) in left.iter().zip(charges) {
                        appended[*index] = Some(Appended::Stored(Box::new(charge)));
                    }
                }
                RecordOutcome::Existing(charges) if charges.is_empty() => log.is_closed = true,
                RecordOutcome::Existing(charges) => {
                    log.next += 1;
                    log.found.extend(charges);
                }
                RecordOutcome::TakenOver(index) => appended[left[index]] = Some(Appended::TakenOver),
            }
        }
    }
}
