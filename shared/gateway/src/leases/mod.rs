//! Leases as calls use them: each call takes a slot of one that is held in memory, or of a new one.
//!
//! Memory holds only what a lease has already taken from the tables; it never decides what there is. Calls of one key
//! and one model share their leases, so that within a process no slot idles while a call is refused.
//!
//! A call that costs more than its slot holds is paid from its lease first: with what ended calls left over, then with
//! slots that no call has taken. The rows of a lease then never add up to more than the lease took, which is all that
//! its close and its sweep rely on. The owner alone decides this in memory, before the row is written, and a call whose
//! end is not known keeps what was set aside for it. Only what the lease cannot pay is debited from the meters
//! (`store/leases`).

mod open;
mod pool;
mod slot;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use domain::Result;
use domain::catalog::Model;
use domain::id::{ApiKeyId, OrgId, UserId};
use domain::lease::{Need, Payer, Shortage};
use domain::time::Clock;
use shared::{Context, store};

pub use open::{Remaining, Standing};
use pool::Pool;
pub use slot::{Outcome, Slot};

/// How many pools are kept; those that nothing uses are dropped first.
const POOLS: usize = 10_000;

#[derive(Clone)]
pub struct Leases {
    shared: Arc<Shared>,
}

struct Shared {
    source: Source,
    pools: Mutex<BTreeMap<PoolKey, Arc<Pool>>>,
}

/// Where leases come from, and by whose clock.
#[derive(Clone)]
struct Source {
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

impl Leases {
    pub fn new(context: &Context) -> Result<Self> {
        Self::by(Clock::default(), context)
    }

    /// By a clock that the caller holds.
    pub fn by(clock: Clock, context: &Context) -> Result<Self> {
        let source = Source { store: store::Leases::new(context)?, clock };
        Ok(Self { shared: Arc::new(Shared { source, pools: Mutex::default() }) })
    }

    /// A slot for one call that needs so much at most, or what there is too little of.
    pub async fn take(&self, payer: &Payer, model: &Model, need: Need) -> Result<Result<Slot, Shortage>> {
        let pool = self.pool(payer, model);
        match pool.take(payer, model, need).await? {
            // Slots that idle for this organization's other keys and models may be what is missing.
            Err(shortage) if self.close_idle_neighbours(&pool, payer.org).await? => {
                tracing::debug!(?shortage, "idle leases were closed before a refusal");
                pool.take(payer, model, need).await
            }
            taken => Ok(taken),
        }
    }

    fn pool(&self, payer: &Payer, model: &Model) -> Arc<Pool> {
        let key = PoolKey { org: payer.org, user: payer.user, key: payer.key, model: model.name.clone() };
        let mut pools = self.shared.pools.lock().unwrap_or_else(PoisonError::into_inner);
        if pools.len() >= POOLS && !pools.contains_key(&key) {
            pools.retain(|_, pool| Arc::strong_count(pool) > 1 || pool.is_open());
        }
        pools.entry(key).or_insert_with(|| Arc::new(Pool::new(self.shared.source.clone()))).clone()
    }

    /// Gives back what idles in the organization's other pools; whether there was any.
    async fn close_idle_neighbours(&self, own: &Arc<Pool>, org: OrgId) -> Result<bool> {
        let neighbours: Vec<Arc<Pool>> = {
            let pools = self.shared.pools.lock().unwrap_or_else(PoisonError::into_inner);
            let of_org = pools.iter().filter(|(key, pool)| key.org == org && !Arc::ptr_eq(pool, own));
            of_org.map(|(_, pool)| pool.clone()).collect()
        };
        let mut any = false;
        for pool in neighbours {
            any |= pool.close_idle().await?;
        }
        Ok(any)
    }
}
