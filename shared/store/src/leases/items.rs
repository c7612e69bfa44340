//! The stored form of a lease and of its slots.

use attributes::Attributes;
use serde::{Deserialize, Serialize};

use super::LEDGER_RETENTION;
use crate::item::{Item, parse};
use crate::keys;
use domain::catalog::Pricing;
use domain::id::{ApiKeyId, LeaseId, OrgId, UserId};
use domain::lease::{CallLimits, Counter, Lease, Payer, month};
use domain::ledger::Charge;
use domain::time::Time;
use domain::{Error, Result};

#[derive(Serialize, Deserialize, Attributes)]
pub(super) struct LeaseItem {
    pk: String,
    sk: String,
    due_shard: String,
    due_at: Time,
    lease: LeaseId,
    org: OrgId,
    user: UserId,
    key: Option<ApiKeyId>,
    is_exempt: bool,
    model: String,
    pricing: Pricing,
    price_version: u64,
    unit: CallLimits,
    slots: u32,
    counted: Vec<Counter>,
    granted_at: Time,
    admits_until: Time,
}

impl From<LeaseItem> for Lease {
    fn from(item: LeaseItem) -> Self {
        let LeaseItem { lease, org, user, key, is_exempt, model, pricing, price_version, unit, slots, .. } = item;
        let LeaseItem { counted, granted_at, admits_until, due_at: expires_at, .. } = item;
        Self {
            id: lease,
            org,
            user,
            key,
            is_exempt,
            model,
            pricing,
            price_version,
            unit,
            slots,
            counted,
            granted_at,
            admits_until,
            expires_at,
        }
    }
}

pub(super) fn lease_item(lease: &Lease) -> LeaseItem {
    let key = keys::lease(lease.org, lease.id);
    LeaseItem {
        pk: key.pk,
        sk: key.sk,
        due_shard: keys::LEASES_DUE.of(lease.id.uuid()),
        due_at: lease.expires_at,
        lease: lease.id,
        org: lease.org,
        user: lease.user,
        key: lease.key,
        is_exempt: lease.is_exempt,
        model: lease.model.clone(),
        pricing: lease.pricing,
        price_version: lease.price_version,
        unit: lease.unit,
        slots: lease.slots,
        counted: lease.counted.clone(),
        granted_at: lease.granted_at,
        admits_until: lease.admits_until,
    }
}

/// The payer of a lease, without limits, because a granted lease is not checked against them again.
pub(super) fn payer_of(lease: &Lease) -> Payer {
    Payer { org: lease.org, user: lease.user, key: lease.key, is_exempt: lease.is_exempt, limits: Default::default() }
}

/// The content of a slot: a charge, or the tombstone of a sweep.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum SlotContent {
    Charge(Box<Charge>),
    Void,
}

#[derive(Serialize, Deserialize, Attributes)]
pub(super) struct SlotItem {
    pub pk: String,
    pub sk: String,
    pub slot: SlotContent,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub listed_in: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub listed_at: Option<String>,
    pub expires_at: i64,
}

/// The row of a charge. The ledger lists it in the month of `counts_at`.
pub(super) fn slot_item(key: keys::Key, charge: &Charge, counts_at: Time) -> SlotItem {
    // An exempt plan moves no credits, so its charges are not listed as transactions.
    let is_listed = !charge.charged.is_zero() || !charge.uncollected.is_zero();
    SlotItem {
        pk: key.pk,
        sk: key.sk,
        slot: SlotContent::Charge(Box::new(charge.clone())),
        listed_in: is_listed.then(|| keys::ledger(charge.org, month(counts_at))),
        listed_at: is_listed.then(|| keys::listed_at(charge.created_at, charge.id)),
        expires_at: charge.created_at.plus(LEDGER_RETENTION).as_seconds(),
    }
}

/// The charge in a row that the ledger lists.
pub(crate) fn listed_charge(item: Item) -> Result<Charge> {
    let item: SlotItem = parse(item)?;
    match item.slot {
        SlotContent::Charge(charge) => Ok(*charge),
        SlotContent::Void => Err(Error::internal("the ledger lists a void")),
    }
}
