//! The stored form of a lease.

use attributes::Attributes;
use serde::{Deserialize, Serialize};

use crate::keys;
use domain::catalog::Pricing;
use domain::id::{ApiKeyId, LeaseId, OrgId, UserId};
use domain::lease::{CallLimits, Counter, Lease, Payer};
use domain::time::Time;

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
