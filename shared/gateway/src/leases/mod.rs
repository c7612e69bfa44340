//! Quota leases: each call takes a slot of a lease that this process holds in memory, or of a new lease. The next lease of a
//! busy pool is granted before the open one is used up or ends, so that few calls wait for one.
//!
//! A lease reserves credits, caps and rate limits for some calls with one database transaction. Memory holds only what
//! the lease has reserved in the tables. Calls of one key and one model share their leases, so that a process does not
//! refuse a call while one of its slots is idle.
//!
//! A call that costs more than its slot holds is paid from its lease first: from money that finished calls did not
//! need, then from free slots. The charges of a lease therefore never exceed what the lease reserved, and closing and
//! sweeping rely on this. The process that owns the lease decides this in memory, before it writes the charge. A call
//! with an unknown end keeps the money set aside for it. Only the part that the lease cannot pay is debited from the
//! meters (`store/leases`).

mod close;
mod group;
mod log;
mod open;
mod pool;
mod slot;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use domain::call_facts::CallLabels;
use domain::catalog::{Model, Pricing};
use domain::id::{ApiKeyId, OrgId, UserId};
use domain::lease::{CallLimits, Lease, Payer, Shortage};
use domain::time::Clock;
use domain::{Error, Result};
use platform::Context;
use store::leases::{Grant, LeaseRequest};

use open::OpenLease;
pub use open::{QuotaLeft, Remaining};
use pool::LeasePool;
pub use slot::{CallUsage, LeaseSlot};

/// Maximum number of pools in memory. At the limit, pools without a lease or a call are dropped.
const MAX_POOLS: usize = 10_000;

/// The outcome of a call's request for a slot.
pub enum Taken {
    Slot(LeaseSlot),
    /// The credits, a cap or a limit do not cover the call.
    Short(Shortage),
}

#[derive(Clone)]
pub struct LeasePools {
    shared: Arc<Shared>,
}

struct Shared {
    source: LeaseSource,
    pools: Mutex<BTreeMap<PoolKey, Arc<LeasePool>>>,
}

/// The store that grants leases, and the clock that they expire by.
#[derive(Clone)]
struct LeaseSource {
    store: store::Leases,
    clock: Clock,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct PoolKey {
    org: OrgId,
    user: UserId,
    key: Option<ApiKeyId>,
    model: String,
}

/// What a call needs of a slot.
#[derive(Clone, Copy)]
pub struct SlotRequest<'a> {
    pub payer: &'a Payer,
    pub model: Priced<'a>,
    /// The most that the call uses.
    pub need: CallLimits,
    pub labels: &'a CallLabels,
}

/// What the calls of a lease share: the name of a model, and its prices.
#[derive(Clone, Copy)]
pub struct Priced<'a> {
    pub name: &'a str,
    pub pricing: Pricing,
    pub version: u64,
}

impl<'a> From<&'a Model> for Priced<'a> {
    fn from(Model { name, pricing, version, .. }: &'a Model) -> Self {
        Self { name, pricing: *pricing, version: *version }
    }
}

impl LeasePools {
    pub fn new(context: &Context) -> Result<Self> {
        let source = LeaseSource { store: store::Leases::new(context)?, clock: context.clock.clone() };
        Ok(Self { shared: Arc::new(Shared { source, pools: Mutex::default() }) })
    }

    /// Takes a slot for a call, or returns the shortage that prevents it.
    pub async fn take(&self, request: SlotRequest<'_>) -> Result<Taken> {
        let pool = self.pool(request.payer, request.model.name);
        match pool.take(request).await? {
            Taken::Short(_) if self.close_idle(request.payer.org, Some(&pool)).await? => pool.take(request).await,
            taken => Ok(taken),
        }
    }

    /// Takes the only slot of a lease of its own, which a job can take over.
    pub async fn take_for_job(&self, payer: &Payer, model: &Model, need: CallLimits) -> Result<Taken> {
        match self.grant_for_job(payer, model, need).await? {
            Taken::Short(_) if self.close_idle(payer.org, None).await? => self.grant_for_job(payer, model, need).await,
            taken => Ok(taken),
        }
    }

    async fn grant_for_job(&self, payer: &Payer, model: &Model, need: CallLimits) -> Result<Taken> {
        let source = &self.shared.source;
        let request = LeaseRequest {
            need,
            typical: need,
            slots: 1,
            least: 1,
            model: model.name.clone(),
            pricing: model.pricing,
            price_version: model.version,
        };
        Ok(match source.store.grant(payer, &request, source.clock.now()).await? {
            Grant::Granted(granted) => {
                let open = OpenLease::new(*granted, source.store.clone());
                open.take_only_slot();
                Taken::Slot(LeaseSlot::new(source.clone(), Arc::new(open), 1))
            }
            Grant::Short(shortage) => Taken::Short(shortage),
            Grant::TooFew => return Err(Error::internal("a lease for one call covers none")),
        })
    }

    /// The slot of a job that has taken over the lease.
    pub fn slot_of_job(&self, lease: Lease) -> LeaseSlot {
        let source = &self.shared.source;
        LeaseSlot::new(source.clone(), Arc::new(OpenLease::of_job(lease, source.store.clone())), 1)
    }

    fn pool(&self, payer: &Payer, model: &str) -> Arc<LeasePool> {
        let key = PoolKey { org: payer.org, user: payer.user, key: payer.key, model: model.to_owned() };
        let mut pools = self.shared.pools.lock().unwrap_or_else(PoisonError::into_inner);
        if pools.len() >= MAX_POOLS && !pools.contains_key(&key) {
            pools.retain(|_, pool| Arc::strong_count(pool) > 1 || pool.is_open());
        }
        pools.entry(key).or_insert_with(|| Arc::new(LeasePool::new(self.shared.source.clone()))).clone()
    }

    /// Closes the idle leases of the organization's keys and models, which may hold what a call is short of. `except` is
    /// not closed. Returns whether there were any.
    async fn close_idle(&self, org: OrgId, except: Option<&Arc<LeasePool>>) -> Result<bool> {
        let is_other = |pool: &Arc<LeasePool>| except.is_none_or(|own| !Arc::ptr_eq(pool, own));
        let neighbours: Vec<Arc<LeasePool>> = {
            let pools = self.shared.pools.lock().unwrap_or_else(PoisonError::into_inner);
            let of_org = pools.iter().filter(|(key, pool)| key.org == org && is_other(pool));
            of_org.map(|(_, pool)| pool.clone()).collect()
        };
        let mut any = false;
        for pool in neighbours {
            any |= pool.close_idle().await?;
        }
        Ok(any)
    }
}
