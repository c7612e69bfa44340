//! Responses of models that a client may read again, or continue with `previous_response_id`. The plan says for how many days
//! they are kept.

use attributes::Attributes;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

use super::item::parse;
use super::keys;
use super::stored_text::StoredText;
use super::table::Table;
use domain::id::{ApiKeyId, Id, ResponseId};
use domain::identity::Account;
use domain::retention::RunRetention;
use domain::time::Time;
use domain::{Error, Result};
use platform::bucket::Bucket;
use platform::{Context, config};

#[derive(Clone)]
pub struct Responses {
    journal: Table,
    files: Bucket,
}

#[derive(Clone, Debug, PartialEq)]
pub struct StoredResponse {
    /// The key that made the call.
    pub key: Option<ApiKeyId>,
    pub content: ResponseContent,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ResponseContent {
    /// What the client got.
    pub object: Value,
    /// All items of the conversation up to this response: what the next request continues.
    pub items: Vec<Value>,
}

#[derive(Serialize, Deserialize, Attributes)]
struct ResponseItem {
    pk: String,
    sk: String,
    content: StoredText,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    key: Option<ApiKeyId>,
    expires_at: i64,
}

impl Responses {
    pub fn new(context: &Context) -> Result<Self> {
        Ok(Self {
            journal: Table::new(context, config::TABLE_JOURNAL)?,
            files: Bucket::new(context, config::BUCKET_FILES)?,
        })
    }

    pub async fn put(
        &self,
        account: Account,
        id: ResponseId,
        response: &StoredResponse,
        retention: RunRetention,
        now: Time,
    ) -> Result<()> {
        let content = serde_json::to_vec(&response.content).map_err(Error::internal)?;
        let prefix = retention.response_prefix();
        let content = StoredText::store(&self.files, &prefix, "application/json", &content).await?;
        let key = keys::response(account, id);
        let item = ResponseItem {
            pk: key.pk,
            sk: key.sk,
            content,
            key: response.key,
            expires_at: retention.expiry(now).as_seconds(),
        };
        self.journal.write(self.journal.put(&item)).await.map(drop)
    }

    pub async fn get(&self, account: Account, id: ResponseId, now: Time) -> Result<StoredResponse> {
        let item = self.find(account, id, now).await?;
        let content = item.content.read(&self.files).await?.ok_or(Error::NotFound { kind: ResponseId::KIND })?;
        let content = serde_json::from_slice(&content).map_err(Error::internal)?;
        Ok(StoredResponse { key: item.key, content })
    }

    pub async fn delete(&self, account: Account, id: ResponseId, now: Time) -> Result<()> {
        let item = self.find(account, id, now).await?;
        let delete = self.journal.delete(keys::response(account, id));
        let _ = self.journal.transact(Uuid::now_v7(), &[delete]).await?;
        if let Some(object) = item.content.object() {
            self.files.discard(object).await;
        }
        Ok(())
    }

    /// The item, unless it has expired: the table deletes expired items late.
    async fn find(&self, account: Account, id: ResponseId, now: Time) -> Result<ResponseItem> {
        let item = self.journal.get(&keys::response(account, id)).await?.map(parse::<ResponseItem>).transpose()?;
        let item = item.filter(|item| item.expires_at > now.as_seconds());
        item.ok_or(Error::NotFound { kind: ResponseId::KIND })
    }
}
