//! Answers of models that are given again to equal requests of the same organization, while they are kept. They are stored
//! like those for an `Idempotency-Key`.

use attributes::Attributes;
use serde::{Deserialize, Serialize};

use super::claims::StoredAnswer;
use super::item::parse;
use super::keys::{self, Key};
use super::table::Table;
use domain::Result;
use domain::id::OrgId;
use domain::time::Time;
use platform::{Context, config};

#[derive(Clone)]
pub struct CachedAnswers {
    journal: Table,
}

/// What equal requests have in common.
#[derive(Clone, Debug)]
pub struct CachedRequest {
    pub org: OrgId,
    pub model: String,
    /// The version of the model. Another one may answer differently, or at another price.
    pub version: u64,
    /// What else the answer depends on, such as the dialect: a body means something else in another one.
    pub scope: String,
    pub body_hash: String,
}

#[derive(Serialize, Deserialize, Attributes)]
struct CachedAnswerItem {
    pk: String,
    sk: String,
    answer: StoredAnswer,
    expires_at: i64,
}

impl CachedRequest {
    fn key(&self) -> Key {
        let Self { org, model, version, scope, body_hash } = self;
        keys::cached_answer(*org, body_hash, &format!("{version}#{model}#{scope}"))
    }
}

impl CachedAnswers {
    pub fn new(context: &Context) -> Result<Self> {
        Ok(Self { journal: Table::new(context, config::TABLE_JOURNAL)? })
    }

    /// Finds an answer, unless it has expired: the table deletes expired items late.
    pub async fn find(&self, request: &CachedRequest, now: Time) -> Result<Option<StoredAnswer>> {
        let item = self.journal.get(&request.key()).await?.map(parse::<CachedAnswerItem>).transpose()?;
        Ok(item.filter(|item| item.expires_at > now.as_seconds()).map(|item| item.answer))
    }

    pub async fn put(&self, request: &CachedRequest, answer: StoredAnswer, expires_at: Time) -> Result<()> {
        let Key { pk, sk } = request.key();
        let item = CachedAnswerItem { pk, sk, answer, expires_at: expires_at.as_seconds() };
        self.journal.write(self.journal.put(&item)).await.map(drop)
    }
}
