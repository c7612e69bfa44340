//! The stored form of charges: the records of the log of a lease, and late charges. A record without charges is a void.

use attributes::Attributes;
use serde::{Deserialize, Serialize};

use super::packed::{PackedCharge, Shared};
use super::slots::{is_slot, slot_charge};
use crate::item::{Item, parse};
use crate::keys::{self, Key};
use domain::Result;
use domain::id::LeaseId;
use domain::lease::month;
use domain::ledger::{Charge, RETENTION};
use domain::time::Time;

#[derive(Serialize, Deserialize, Attributes)]
pub(super) struct RecordItem {
    pk: String,
    sk: String,
    /// What the charges have in common.
    #[serde(skip_serializing_if = "Option::is_none")]
    shared: Option<Shared>,
    charges: Vec<PackedCharge>,
    #[serde(skip_serializing_if = "Option::is_none")]
    listed_in: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    listed_at: Option<String>,
    expires_at: i64,
}

/// A record of charges of one lease. It is listed in the month of `counts_at`, at the place of its newest charge: in the ledger,
/// or among the calls that moved no credits.
pub(super) fn record_item(key: Key, charges: &[&Charge], counts_at: Time) -> RecordItem {
    let newest = charges.iter().map(|charge| (place(charge), charge.org)).max();
    let list = if charges.iter().any(|charge| is_listed(charge)) { keys::ledger } else { keys::unbilled };
    let created_at = charges.iter().map(|charge| charge.created_at).max().unwrap_or(counts_at);
    RecordItem {
        listed_in: newest.as_ref().map(|(_, org)| list(*org, month(counts_at))),
        listed_at: newest.map(|(place, _)| place),
        ..packed_item(key, charges, created_at)
    }
}

/// An item with charges that no index lists.
fn packed_item(key: Key, charges: &[&Charge], created_at: Time) -> RecordItem {
    let shared = charges.first().map(|first| Shared::of(first));
    let packed = shared.iter().flat_map(|shared| charges.iter().map(|charge| PackedCharge::new(charge, shared)));
    RecordItem {
        pk: key.pk,
        sk: key.sk,
        charges: packed.collect(),
        listed_in: None,
        listed_at: None,
        expires_at: created_at.plus(RETENTION).as_seconds(),
        shared,
    }
}

/// A row of a list of the log of calls. It has the only call of its lease in this list, or leads to the log of the lease.
pub(super) fn call_row_item(list: String, newest: &Charge, holds_call: bool) -> RecordItem {
    let key = keys::call_row(list, &place(newest), newest.lease);
    let held: &[&Charge] = if holds_call { &[newest] } else { &[] };
    packed_item(key, held, newest.created_at)
}

/// A call that failed and was not charged.
pub(super) fn uncharged_item(call: &Charge) -> RecordItem {
    let place = place(call);
    let key = keys::uncharged_call(call.id, &place, call.lease);
    RecordItem {
        listed_in: Some(keys::uncharged(call.org, month(call.created_at))),
        listed_at: Some(place),
        ..packed_item(key, &[call], call.created_at)
    }
}

/// A record that holds no charges, and closes the log.
pub(super) fn void_item(key: Key, expires_at: i64) -> RecordItem {
    RecordItem {
        pk: key.pk,
        sk: key.sk,
        shared: None,
        charges: Vec::new(),
        listed_in: None,
        listed_at: None,
        expires_at,
    }
}

/// The charges of an item of a lease's log, in the order in which they waited. A void has none.
pub fn read_charges(item: Item) -> Result<Vec<Charge>> {
    if is_slot(&item) {
        return Ok(slot_charge(item)?.into_iter().collect());
    }
    let RecordItem { pk, sk, shared, charges, .. } = parse(item)?;
    let Some(shared) = shared else { return Ok(Vec::new()) };
    let lease = lease_of(&pk, &sk)?;
    Ok(charges.into_iter().map(|charge| charge.unpack(lease, &shared)).collect())
}

/// The lease of an item. A row of the log of calls ends with it.
pub(crate) fn lease_of(pk: &str, sk: &str) -> Result<LeaseId> {
    match pk.starts_with(keys::LEASE) {
        true => keys::read_id(keys::LEASE, pk),
        false => keys::read_id("", sk.rsplit('#').next().unwrap_or_default()),
    }
}

/// The charges of an item that the ledger lists, each with its place in the list.
pub(crate) fn listed_charges(item: Item) -> Result<Vec<(String, Charge)>> {
    let charges = read_charges(item)?.into_iter().filter(is_listed);
    Ok(charges.map(|charge| (place(&charge), charge)).collect())
}

/// An exempt plan moves no credits, so its charges are not listed as transactions.
fn is_listed(charge: &Charge) -> bool {
    !charge.charged.is_zero() || !charge.uncollected.is_zero()
}

/// The place of a charge in the lists of charges and calls.
pub(crate) fn place(charge: &Charge) -> String {
    keys::listed_at(charge.created_at, charge.id)
}
