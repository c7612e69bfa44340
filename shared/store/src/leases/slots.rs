//! The rows of the version before, in which each charge had a row of its own, its slot. They are kept for 400 days, and then
//! this file can be deleted.
//!
//! During an upgrade, a process of the version before may still charge: its leases, and the leases of jobs. So a sweep also
//! voids the slots without a charge, as that version did.

use attributes::Attributes;
use serde::{Deserialize, Serialize};

use crate::item::{Item, parse};
use crate::keys::{self, Key};
use domain::Result;
use domain::id::LeaseId;
use domain::ledger::Charge;

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum SlotContent {
    Charge(Box<Charge>),
    Void,
}

#[derive(Serialize, Deserialize, Attributes)]
pub(super) struct SlotItem {
    pk: String,
    sk: String,
    slot: SlotContent,
    #[serde(skip_serializing_if = "Option::is_none")]
    listed_in: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    listed_at: Option<String>,
    expires_at: i64,
}

/// Whether an item is a row of the version before.
pub(super) fn is_slot(item: &Item) -> bool {
    SlotItem::SLOT.find(item).is_some()
}

/// The charge in a row. None if it is a void.
pub(super) fn slot_charge(item: Item) -> Result<Option<Charge>> {
    Ok(match parse::<SlotItem>(item)?.slot {
        SlotContent::Charge(charge) => Some(*charge),
        SlotContent::Void => None,
    })
}

pub(super) fn slot_void(lease: LeaseId, slot: u32, expires_at: i64) -> SlotItem {
    let Key { pk, sk } = Key::new(keys::charges(lease), format!("SLOT#{slot:02}"));
    SlotItem { pk, sk, slot: SlotContent::Void, listed_in: None, listed_at: None, expires_at }
}
