//! Secondary indexes that lag behind their tables (eventual consistency).

use domain::time::Time;
use serde_json::{Value, json};
use store::keys;

use super::accounting::Accounting;

impl Accounting {
    /// Makes the due index lag: it misses some leases, and still lists some that are closed.
    pub fn lag(&mut self, items: &mut Vec<Value>, shard: &str) {
        let is_first = keys::LEASES_DUE.all().next().is_some_and(|first| shard == first);
        if is_first {
            self.due_reads += 1;
        }
        let reads = self.due_reads;
        let lags = |number: usize| fastrand::Rng::with_seed(reads * 1_000 + number as u64).u8(..4) == 0;
        let number = |item: &Value| {
            let id = item["lease"]["S"].as_str()?.parse().ok()?;
            Some(self.leases.get(&id)?.number)
        };
        items.retain(|item| !number(item).is_some_and(lags));
        if is_first {
            let gone = self.leases.iter().filter(|(_, lease)| !lease.is_open && lags(lease.number));
            items.extend(
                gone.map(|(id, lease)| json!({"lease": {"S": id.to_string()}, "org": {"S": lease.org.to_string()}})),
            );
        }
    }

    /// Removes the charges of the last 0.8 s, as an index that lags would.
    pub fn hide_newest_charges(&self, items: &mut Vec<Value>, now: Time) {
        items.retain(|item| {
            let id = item["pk"]["S"].as_str().unwrap_or_default().strip_prefix("LEASE#");
            let lease = id.and_then(|id| self.leases.get(&id.parse().ok()?));
            let written = lease.and_then(|lease| lease.written.get(item["sk"]["S"].as_str()?));
            written.is_none_or(|written| now.as_millis() - written.as_millis() > 800)
        });
    }
}
