//! What a protocol adds to the machine: the rule that is switched off, and the oracles that observe commits.

use std::time::Duration;

use serde_json::Value;

use super::dynamodb_json::Write;
use super::world::World;

/// Values in requests and items are DynamoDB's JSON (`{"S": "x"}`).
pub trait Protocol: Send + Sync {
    /// Rewrites a request as a store without the disabled rule would send it.
    fn rewrite(&self, _world: &World, _operation: &str, _request: &mut Value) {}

    /// How long the network holds a request back, in addition to its own faults.
    fn hold(&self, _world: &World, _operation: &str, _request: &Value) -> Duration {
        Duration::ZERO
    }

    /// Records the writes that a request has just committed, and describes them for the trace.
    fn record_writes(&self, _world: &World, _writes: &[Write]) -> Vec<String> {
        vec![]
    }

    /// Whether a query reads this item later than its other items: a query is not a snapshot.
    fn is_read_late(&self, _item: &Value) -> bool {
        false
    }

    /// Changes the items that a query found, as an index that lags behind its table would.
    fn lag(&self, _world: &World, _query: &Value, _items: &mut Vec<Value>) {}
}
