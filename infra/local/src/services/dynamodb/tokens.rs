//! Idempotency tokens (`ClientRequestToken`): a retry of a transaction whose answer was lost changes nothing.
//!
//! dynoxide has them too, but inspects every token of the last ten minutes in every transaction: under a steady load,
//! each transaction would be slower than the one before. It therefore gets none. Here, a lookup takes constant time.

use std::collections::{HashMap, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use dynoxide::actions::transact_write_items::{TransactWriteItemsRequest, TransactWriteItemsResponse};
use dynoxide::{Database, DynoxideError};
use serde_json::Value;
use uuid::Uuid;

/// How long a token is remembered, as in DynamoDB.
const WINDOW: Duration = Duration::from_secs(600);
/// The maximum number of remembered tokens. They take 16 MB, and retries follow within seconds.
const MAX_TOKENS: usize = 200_000;

/// The tokens of committed transactions.
pub struct Tokens {
    committed: Mutex<Committed>,
    max: usize,
}

#[derive(Default)]
struct Committed {
    /// The digest of each transaction's writes.
    digests: HashMap<Uuid, u64>,
    /// The tokens, oldest first.
    by_age: VecDeque<(Instant, Uuid)>,
}

impl Default for Tokens {
    fn default() -> Self {
        Self { committed: Mutex::default(), max: MAX_TOKENS }
    }
}

impl Tokens {
    /// Commits a transaction, unless it was committed before.
    pub fn transact(
        &self,
        database: &Database,
        mut request: TransactWriteItemsRequest,
    ) -> Result<TransactWriteItemsResponse, DynoxideError> {
        // The platform's tokens are UUIDs. dynoxide handles others.
        let Some(token) = request.client_request_token.as_deref().and_then(|token| token.parse::<Uuid>().ok()) else {
            return database.transact_write_items(request);
        };
        request.client_request_token = None;
        let writes = serde_json::to_value(&request.transact_items);
        let digest = digest(&writes.map_err(|error| DynoxideError::InternalServerError(error.to_string()))?);
        // The lock is held during the commit, so that a retry waits for the first attempt.
        let mut committed = self.committed.lock().unwrap_or_else(PoisonError::into_inner);
        match committed.digests.get(&token) {
            Some(first) if *first == digest => return Ok(TransactWriteItemsResponse::default()),
            Some(_) => {
                let message = "the token was used for a transaction with other writes".to_owned();
                return Err(DynoxideError::IdempotentParameterMismatchException(message));
            }
            None => {}
        }
        let response = database.transact_write_items(request)?;
        committed.remember(token, digest, Instant::now(), self.max);
        Ok(response)
    }
}

impl Committed {
    fn remember(&mut self, token: Uuid, digest: u64, now: Instant, max: usize) {
        while let Some((at, oldest)) = self.by_age.front().copied()
            && (self.by_age.len() >= max || now.duration_since(at) >= WINDOW)
        {
            self.by_age.pop_front();
            self.digests.remove(&oldest);
        }
        self.by_age.push_back((now, token));
        self.digests.insert(token, digest);
    }
}

/// A digest of JSON that does not depend on the order of the fields of objects.
fn digest(json: &Value) -> u64 {
    let mut hasher = DefaultHasher::new();
    match json {
        Value::Object(fields) => {
            let field = |(name, value): (&String, &Value)| {
                let mut hasher = DefaultHasher::new();
                (name, digest(value)).hash(&mut hasher);
                hasher.finish()
            };
            ("object", fields.iter().map(field).fold(0, u64::wrapping_add)).hash(&mut hasher);
        }
        Value::Array(items) => ("array", items.iter().map(digest).collect::<Vec<_>>()).hash(&mut hasher),
        other => other.hash(&mut hasher),
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const TABLE: &str = "counters";

    fn parse<T: serde::de::DeserializeOwned>(request: Value) -> T {
        serde_json::from_value(request).unwrap()
    }

    fn database() -> Database {
        let database = Database::memory().unwrap();
        let table = json!({
            "TableName": TABLE, "BillingMode": "PAY_PER_REQUEST",
            "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
            "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
        });
        database.create_table(parse(table)).unwrap();
        database
    }

    /// A transaction that adds to a counter. It has no condition, so only its token makes a retry safe.
    fn addition(token: Uuid, number: u32) -> TransactWriteItemsRequest {
        parse(json!({"ClientRequestToken": token, "TransactItems": [{"Update": {
            "TableName": TABLE, "Key": {"pk": {"S": "a"}}, "UpdateExpression": "ADD calls :n, tokens :t",
            "ExpressionAttributeValues": {":n": {"N": number.to_string()}, ":t": {"N": "1"}},
        }}]}))
    }

    fn calls(database: &Database) -> Value {
        let found = database.get_item(parse(json!({"TableName": TABLE, "Key": {"pk": {"S": "a"}}}))).unwrap();
        serde_json::to_value(found).unwrap()["Item"]["calls"]["N"].clone()
    }

    #[test]
    fn a_retry_changes_nothing_and_other_writes_are_refused() {
        let (database, tokens, token) = (database(), Tokens::default(), Uuid::now_v7());
        for _ in 0..3 {
            tokens.transact(&database, addition(token, 1)).unwrap();
        }
        assert_eq!(calls(&database), "1");
        let other = tokens.transact(&database, addition(token, 2)).unwrap_err();
        assert!(matches!(other, DynoxideError::IdempotentParameterMismatchException(_)), "{other}");
        tokens.transact(&database, addition(Uuid::now_v7(), 1)).unwrap();
        assert_eq!(calls(&database), "2");
    }

    #[test]
    fn a_refused_transaction_can_be_tried_again() {
        let (database, tokens, token) = (database(), Tokens::default(), Uuid::now_v7());
        let update = json!({"TableName": TABLE, "Key": {"pk": {"S": "a"}}, "UpdateExpression": "ADD calls :n",
            "ConditionExpression": "calls = :n", "ExpressionAttributeValues": {":n": {"N": "1"}}});
        let request = || parse(json!({"ClientRequestToken": token, "TransactItems": [{"Update": update}]}));
        tokens.transact(&database, request()).unwrap_err();
        tokens.transact(&database, addition(Uuid::now_v7(), 1)).unwrap();
        tokens.transact(&database, request()).unwrap();
        assert_eq!(calls(&database), "2");
    }

    #[test]
    fn the_number_of_tokens_is_bounded_and_dynoxide_gets_none() {
        let (database, tokens) = (database(), Tokens { committed: Mutex::default(), max: 10 });
        let used: Vec<_> = (0..100).map(|_| Uuid::now_v7()).collect();
        for token in &used {
            tokens.transact(&database, addition(*token, 1)).unwrap();
        }
        {
            let committed = tokens.committed.lock().unwrap();
            assert_eq!((committed.by_age.len(), committed.digests.len()), (10, 10));
            assert!(used[90..].iter().all(|token| committed.digests.contains_key(token)));
        }
        // dynoxide would refuse other writes with a token that it remembers.
        database.transact_write_items(addition(used[99], 2)).unwrap();
        assert_eq!(calls(&database), "102");
    }

    #[test]
    fn old_tokens_are_forgotten() {
        let (mut committed, start) = (Committed::default(), Instant::now());
        let tokens: Vec<_> = (0..3).map(|_| Uuid::now_v7()).collect();
        for (token, after) in tokens.iter().zip([Duration::ZERO, Duration::from_secs(1), WINDOW]) {
            committed.remember(*token, 0, start + after, MAX_TOKENS);
        }
        assert_eq!((committed.by_age.len(), committed.digests.contains_key(&tokens[0])), (2, false));
    }

    #[test]
    fn a_digest_depends_on_the_content_and_not_on_the_order_of_fields() {
        let digest = |text: &str| digest(&serde_json::from_str(text).unwrap());
        assert_eq!(digest(r#"[{"a": 1, "b": {"c": 2, "d": 3}}]"#), digest(r#"[{"b": {"d": 3, "c": 2}, "a": 1}]"#));
        for other in [r#"{"a": 2, "b": 1}"#, r#"{"a": "1", "b": 2}"#, r#"["a", 1, "b", 2]"#, r#"{"a": {"b": 2}}"#] {
            assert_ne!(digest(r#"{"a": 1, "b": 2}"#), digest(other), "{other}");
        }
    }
}
