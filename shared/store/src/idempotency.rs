//! Idempotency keys: the first answer to a request is stored for a day, and replayed to later requests with the same
//! `Idempotency-Key`.

use std::time::Duration;

use attributes::Attributes;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::item::parse;
use super::keys::{self, Key};
use super::stored_text::StoredText;
use super::table::{RefusedWrite, Table};
use super::write::{Write, is_new_or_expired};
use domain::identity::Account;
use domain::time::Time;
use domain::{Error, Result};

/// A key is remembered for this time after its first use.
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

#[derive(Serialize, Deserialize, Attributes)]
struct AnswerItem {
    pk: String,
    sk: String,
    /// The hash of the request. Items of older versions have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    request: Option<String>,
    answer: StoredText,
    /// TTL deletes items late, so the condition of the claim also compares this time.
    expires_at: i64,
}

/// Claims the key for one request and stores the answer. The write belongs in the transaction of the change that the
/// answer reports.
pub(super) fn claim(
    table: &Table,
    account: Account,
    route: &str,
    idempotency_key: &IdempotencyKey,
    answer: impl Into<StoredText>,
    now: Time,
) -> Write {
    let Key { pk, sk } = keys::idempotency(account, route, &idempotency_key.key.to_string());
    let (request, expires_at) = (Some(idempotency_key.request.clone()), now.plus(WINDOW).as_seconds());
    table
        .put(&AnswerItem { pk, sk, request, answer: answer.into(), expires_at })
        .require(is_new_or_expired(now))
        .labeled(CLAIM)
}

/// The first answer, if a write was refused because an earlier request has claimed the key.
pub(super) fn replay(idempotency_key: Option<&IdempotencyKey>, refused: &RefusedWrite) -> Result<Option<StoredText>> {
    let Some(idempotency_key) = idempotency_key.filter(|_| refused.label == CLAIM) else { return Ok(None) };
    parse::<AnswerItem>(refused.item.clone().unwrap_or_default())?.answer_to(idempotency_key).map(Some)
}

/// Finds the first answer, if it is not older than the window.
pub(super) async fn find(
    table: &Table,
    account: Account,
    route: &str,
    idempotency_key: &IdempotencyKey,
    now: Time,
) -> Result<Option<StoredText>> {
    let item = table.get(&keys::idempotency(account, route, &idempotency_key.key.to_string())).await?;
    let item: Option<AnswerItem> = item.map(parse).transpose()?;
    let item = item.filter(|item| item.expires_at > now.as_seconds());
    item.map(|item| item.answer_to(idempotency_key)).transpose()
}

impl AnswerItem {
    /// A different request with the same key is a conflict.
    fn answer_to(self, idempotency_key: &IdempotencyKey) -> Result<StoredText> {
        match self.request {
            Some(request) if request != idempotency_key.request => Err(Error::idempotency_conflict()),
            _ => Ok(self.answer),
        }
    }
}
