//! First answers to requests that carried an `Idempotency-Key`, kept for a day.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::keys;
use super::stored_text::StoredText;
use super::table::{Refused, Table, parse};
use super::write::Write;
use crate::Result;
use crate::domain::identity::Account;
use crate::domain::time::Time;

pub const WINDOW: Duration = Duration::from_secs(24 * 60 * 60);

/// What came of a creation.
#[derive(Debug)]
pub enum Created {
    Now,
    /// The key was used before; this was the answer then.
    Before(String),
}

#[derive(Serialize, Deserialize)]
struct AnswerItem {
    pk: String,
    sk: String,
    answer: StoredText,
    /// TTL deletes late, so the condition below is what ends the window.
    expires_at: i64,
}

/// Claims the key for `answer`. It belongs in the transaction of what the answer tells of.
pub(super) fn claim(
    table: &Table,
    account: Account,
    route: &str,
    key: Uuid,
    answer: impl Into<StoredText>,
    now: Time,
) -> Write {
    let place = keys::idempotency(account, route, &key.to_string());
    let expires_at = now.plus(WINDOW).as_seconds();
    table
        .put(&AnswerItem { pk: place.pk, sk: place.sk, answer: answer.into(), expires_at })
        .require("attribute_not_exists(pk) OR expires_at <= :now")
        .bind(":now", now.as_seconds())
}

/// The first answer, out of the refusal of a later claim.
pub(super) fn first_answer(refused: Refused) -> Result<StoredText> {
    let item: AnswerItem = parse(refused.item.unwrap_or_default())?;
    Ok(item.answer)
}

/// The first answer, if there was one within the window.
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
