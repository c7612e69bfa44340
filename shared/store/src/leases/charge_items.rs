//! The stored form of charges: the records of the log of a lease, and late charges. A record without charges is a void.

use attributes::Attributes;
use serde::{Deserialize, Serialize};

use super::LEDGER_RETENTION;
use super::packed::{PackedCharge, Shared};
use super::slots::{is_slot, slot_charge};
use crate::item::{Item, parse};
use crate::keys::{self, Key};
use domain::Result;
use domain::lease::month;
use domain::ledger::Charge;
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

/// A record of charges of one lease. The ledger lists it in the month of `counts_at`, at the place of its newest charge.
pub(super) fn record_item(key: Key, charges: &[&Charge], counts_at: Time) -> RecordItem {
    let listed = charges.iter().filter(|charge| is_listed(charge));
    let newest = listed.map(|charge| (place(charge), charge.org)).max();
    let created_at = charges.iter().map(|charge| charge.created_at).max().unwrap_or(counts_at);
    let shared = charges.first().map(|first| Shared::of(first));
    let packed = shared.iter().flat_map(|shared| charges.iter().map(|charge| PackedCharge::new(charge, shared)));
    RecordItem {
        pk: key.pk,
        sk: key.sk,
        charges: packed.collect(),
        listed_in: newest.as_ref().map(|(_, org)| keys::ledger(*org, month(counts_at))),
        listed_at: newest.map(|(place, _)| place),
        expires_at: created_at.plus(LEDGER_RETENTION).as_seconds(),
        shared,
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
    let RecordItem { pk, shared, charges, .. } = parse(item)?;
    let Some(shared) = shared else { return Ok(Vec::new()) };
    let lease = keys::read_id("LEASE#", &pk)?;
    Ok(charges.into_iter().map(|charge| charge.unpack(lease, &shared)).collect())
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

fn place(charge: &Charge) -> String {
    keys::listed_at(charge.created_at, charge.id)
}
