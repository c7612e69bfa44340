//! Idempotency keys: the first answer to a request is stored for a day, and replayed to later requests with the same
//! `Idempotency-Key`.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::keys::{self, Key};
use super::stored_text::StoredText;
use super::table::{RefusedWrite, Table, parse};
use super::write::Write;
use domain::identity::Account;
use domain::time::Time;
use domain::{Error, Result};

pub const WINDOW: Duration = Duration::from_secs(24 * 60 * 60);

/// The outcome of a creation.
#[derive(Debug)]
pub enum CreateOutcome {
    Now,
    /// The idempotency key was used before, with this answer.
    Before(String),
}

/// An `Idempotency-Key`, and the hash of the request that carries it.
#[derive(Clone, Debug)]
pub struct IdempotencyKey {
    pub key: Uuid,
    pub request: String,
}

/// The label of the write that claims a key.
pub(super) const CLAIM: &str = "idempotency key";

#[derive(Serialize, Deserialize)]
struct AnswerItem {
    pk: String,
    sk: String,
    /// The hash of the request. If it is present, a different request with the same key is refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    request: Option<String>,
    answer: StoredText,
    /// TTL deletes items late, so the condition of the claim also compares this time.
    expires_at: i64,
}

/// Claims the key and stores the answer. The write belongs in the transaction of the change that the answer reports.
pub(super) fn claim(
    table: &Table,
    account: Account,
    route: &str,
    key: Uuid,
    answer: impl Into<StoredText>,
    now: Time,
) -> Write {
    put_claim(table, keys::idempotency(account, route, &key.to_string()), None, answer.into(), now)
}

/// Like [`claim`], and binds the key to one request: a different request with the same key is a conflict.
pub(super) fn claim_once(
    table: &Table,
    account: Account,
    route: &str,
    idempotency_key: &IdempotencyKey,
    answer: impl Into<StoredText>,
    now: Time,
) -> Write {
    let item_key = keys::idempotency(account, route, &idempotency_key.key.to_string());
    put_claim(table, item_key, Some(idempotency_key.request.clone()), answer.into(), now)
}

fn put_claim(table: &Table, item_key: Key, request: Option<String>, answer: StoredText, now: Time) -> Write {
    let expires_at = now.plus(WINDOW).as_seconds();
    table
        .put(&AnswerItem { pk: item_key.pk, sk: item_key.sk, request, answer, expires_at })
        .require("attribute_not_exists(pk) OR expires_at <= :now")
        .bind(":now", now.as_seconds())
        .labeled(CLAIM)
}

/// The first answer, from the refusal of a later claim.
pub(super) fn first_answer(refused: RefusedWrite) -> Result<StoredText> {
    let item: AnswerItem = parse(refused.item.unwrap_or_default())?;
    Ok(item.answer)
}

/// The first answer to the same request, from the refusal of a later claim. A different request is a conflict.
pub(super) fn first_answer_to(idempotency_key: &IdempotencyKey, refused: RefusedWrite) -> Result<String> {
    let item: AnswerItem = parse(refused.item.unwrap_or_default())?;
    if item.request.as_ref().is_some_and(|request| *request != idempotency_key.request) {
        return Err(Error::Conflict {
            code: "idempotency_conflict",
            message: "this Idempotency-Key was used with another request; send another key".to_owned(),
        });
    }
    item.answer.into_text()
}

/// Finds the first answer, if it is not older than the window.
pub(super) async fn find(
    table: &Table,
    account: Account,
    route: &str,
    key: Uuid,
    now: Time,
) -> Result<Option<StoredText>> {
    let Some(item) = table.get(&keys::idempotency(account, route, &key.to_string())).await? else { return Ok(None) };
    let item: AnswerItem = parse(item)?;
    Ok(Some(item.answer).filter(|_| item.expires_at > now.as_seconds()))
}
