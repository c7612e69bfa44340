//! Idempotency keys of gateway calls: a claim records which request owns the call, and later its answer for replay. The
//! answer is stored in the transaction that records the charge, on condition of ownership, so a call is charged once.

use attributes::Attributes;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::condition::Condition;
use super::idempotency::WINDOW;
use super::item::parse;
use super::keys;
use super::stored_text::StoredText;
use super::table::{Table, WriteOutcome};
use super::write::{Write, is_new_or_expired};
use domain::Result;
use domain::identity::Account;
use domain::lease::LONGEST_CALL;
use domain::time::Time;
use platform::{Context, config};

#[derive(Clone)]
pub struct Claims {
    counters: Table,
}

/// The ownership of a call. It lasts as long as the longest call.
#[derive(Clone, Debug)]
pub struct Claim {
    account: Account,
    key: String,
    owner: Uuid,
}

/// The stored answer of a call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StoredAnswer {
    pub content_type: String,
    pub body: StoredText,
}

#[derive(Debug)]
pub enum ClaimState {
    Claimed(Claim),
    Answered(StoredAnswer),
    InFlight,
    /// The key was used for another request.
    Reused,
}

#[derive(Serialize, Deserialize, Attributes)]
struct ClaimItem {
    pk: String,
    sk: String,
    held_by: Uuid,
    body_hash: String,
    /// After this time a call without an answer counts as failed, and another request may claim it.
    owned_until: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    answer: Option<StoredAnswer>,
    expires_at: i64,
}

impl Claim {
    pub fn key(&self) -> &str {
        &self.key
    }

    /// This claim owns the call, and the call has no answer yet.
    fn is_unanswered(&self) -> Condition {
        ClaimItem::HELD_BY.is(self.owner).and(ClaimItem::ANSWER.is_missing())
    }
}

impl Claims {
    pub fn new(context: &Context) -> Result<Self> {
        Ok(Self { counters: Table::new(context, config::TABLE_COUNTERS)? })
    }

    pub async fn claim(&self, account: Account, key: &str, body_hash: &str, now: Time) -> Result<ClaimState> {
        let (item_key, owner) = (keys::call(account, key), Uuid::now_v7());
        let item = ClaimItem {
            pk: item_key.pk,
            sk: item_key.sk,
            held_by: owner,
            body_hash: body_hash.to_owned(),
            owned_until: now.plus(LONGEST_CALL).as_seconds(),
            answer: None,
            expires_at: now.plus(WINDOW).as_seconds(),
        };
        let is_abandoned = ClaimItem::OWNED_UNTIL.is_at_most(now.as_seconds()).and(ClaimItem::BODY_HASH.is(body_hash));
        let is_free = is_new_or_expired(now).or(is_abandoned.and(ClaimItem::ANSWER.is_missing()));
        let claim = self.counters.put(&item).require(is_free);
        let WriteOutcome::Refused(refused) = self.counters.write(claim).await? else {
            return Ok(ClaimState::Claimed(Claim { account, key: key.to_owned(), owner }));
        };
        let existing: ClaimItem = parse(refused.item.unwrap_or_default())?;
        Ok(match existing.answer {
            // This request owns the claim already: the response to its first attempt was lost.
            _ if existing.held_by == owner => ClaimState::Claimed(Claim { account, key: key.to_owned(), owner }),
            _ if existing.body_hash != body_hash => ClaimState::Reused,
            Some(answer) => ClaimState::Answered(answer),
            None => ClaimState::InFlight,
        })
    }

    /// Seals a call and returns its stored answer. If there is none, no process can store or charge an answer for it any more.
    pub async fn seal(&self, account: Account, key: &str, body_hash: &str, now: Time) -> Result<Option<StoredAnswer>> {
        let (item_key, owner) = (keys::call(account, key), Uuid::now_v7());
        let ends_at = now.plus(WINDOW).as_seconds();
        let item = ClaimItem {
            pk: item_key.pk,
            sk: item_key.sk,
            held_by: owner,
            body_hash: body_hash.to_owned(),
            owned_until: ends_at,
            answer: None,
            expires_at: ends_at,
        };
        let is_unanswered = ClaimItem::ANSWER.is_missing().and(ClaimItem::BODY_HASH.is(body_hash));
        let seal = self.counters.put(&item).require(is_new_or_expired(now).or(is_unanswered));
        let WriteOutcome::Refused(refused) = self.counters.write(seal).await? else { return Ok(None) };
        let existing: ClaimItem = parse(refused.item.unwrap_or_default())?;
        Ok(existing.answer.filter(|_| existing.body_hash == body_hash))
    }

    /// Releases the claim of a failed call, so that a retry can make the call again. A stored answer stays: the call was
    /// charged, even if the response to that write was lost.
    pub async fn release(&self, claim: &Claim) -> Result<()> {
        let release = self.counters.delete(keys::call(claim.account, &claim.key)).require(claim.is_unanswered());
        self.counters.transact(Uuid::now_v7(), &[release]).await.map(drop)
    }

    /// Stores the answer, on condition that this claim still owns the call.
    pub(super) fn answer_write(counters: &Table, claim: &Claim, answer: &StoredAnswer) -> Write {
        let write = counters.update(keys::call(claim.account, &claim.key)).set(ClaimItem::ANSWER, answer);
        write.require(claim.is_unanswered())
    }
}
