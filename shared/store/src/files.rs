//! Files of users, and those that batches write. A file has one or more objects of the bucket with its content, and an item that
//! names them. Both are deleted by the user, or when the file expires.

use std::cmp::Reverse;

use attributes::Attributes;
use bytes::Bytes;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::item::parse;
use super::keys;
use super::query::TableQuery;
use super::quota;
use super::slice::slice;
use super::table::{Table, WriteOutcome};
use super::write::Write;
use domain::file::{FilePart, FilePurpose, MAX_FILES, StoredFile};
use domain::id::{FileId, Id};
use domain::identity::Account;
use domain::page::{Order, Slice};
use domain::time::Time;
use domain::{Error, Result};
use platform::bucket::Bucket;
use platform::{Context, config};

/// The media type of the content of files.
pub(super) const JSON_LINES: &str = "application/jsonl";

#[derive(Clone)]
pub struct Files {
    counters: Table,
    bucket: Bucket,
}

/// A page of a list of files.
pub struct FilePage {
    pub files: Vec<StoredFile>,
    pub has_more: bool,
}

#[derive(Serialize, Deserialize, Attributes)]
struct FileItem {
    pk: String,
    sk: String,
    file: StoredFile,
    expires_at: i64,
}

impl Files {
    pub fn new(context: &Context) -> Result<Self> {
        Ok(Self {
            counters: Table::new(context, config::TABLE_COUNTERS)?,
            bucket: Bucket::new(context, config::BUCKET_FILES)?,
        })
    }

    /// Stores a file that a user has uploaded, unless the user keeps the maximum number of files.
    pub async fn create(&self, account: Account, file: &StoredFile, object: &str, content: Bytes) -> Result<()> {
        self.bucket.put(object, JSON_LINES, content.into()).await?;
        let created = self.write_new(account, file).await;
        if created.is_err() {
            self.bucket.discard(object).await;
        }
        created
    }

    async fn write_new(&self, account: Account, file: &StoredFile) -> Result<()> {
        let count = keys::file_count(account);
        let mut is_counted = false;
        loop {
            let more = quota::increment(&self.counters, count.clone(), MAX_FILES);
            let writes = [put_write(&self.counters, account, file), more];
            match self.counters.transact(Uuid::now_v7(), &writes).await? {
                WriteOutcome::Refused(refused) if refused.label == quota::LABEL && is_counted => {
                    let message = format!("a user keeps at most {MAX_FILES} files; delete one first");
                    return Err(Error::Conflict { code: "too_many_files", message });
                }
                WriteOutcome::Refused(refused) if refused.label == quota::LABEL => {
                    self.count_again(account).await?;
                    is_counted = true;
                }
                // The id is new, so an earlier attempt of this transaction wrote the file.
                WriteOutcome::Written | WriteOutcome::Refused(_) => return Ok(()),
            }
        }
    }

    /// Counts the files of an account, because those that have expired are still counted.
    async fn count_again(&self, account: Account) -> Result<()> {
        let count = keys::file_count(account);
        let read = quota::read(&self.counters, &count).await?;
        let mut counted = 0;
        for purpose in FilePurpose::ALL {
            counted += self.counters.query_all(TableQuery::partition(keys::files(account, purpose))).await?.len();
        }
        self.counters.write(quota::correct(&self.counters, count, read, counted)).await.map(drop)
    }

    pub async fn find(&self, account: Account, id: FileId, now: Time) -> Result<StoredFile> {
        let keys = FilePurpose::ALL.map(|purpose| keys::file(account, purpose, id));
        let found = self.counters.batch_get(&keys).await?.pop().map(parse::<FileItem>).transpose()?;
        // TTL deletes items late.
        let found = found.filter(|item| item.expires_at > now.as_seconds());
        found.map(|item| item.file).ok_or(Error::NotFound { kind: FileId::KIND })
    }

    /// A page of the files of an account, of one purpose or of all, after a file.
    pub async fn list(
        &self,
        account: Account,
        purpose: Option<FilePurpose>,
        order: Order,
        after: Option<FileId>,
        limit: usize,
        now: Time,
    ) -> Result<FilePage> {
        let purposes = FilePurpose::ALL.into_iter().filter(|listed| purpose.is_none_or(|purpose| purpose == *listed));
        let mut files = Vec::new();
        for purpose in purposes {
            // One extra file shows whether there is a next page.
            files.extend(self.list_purpose(account, purpose, order, after, limit + 1, now).await?);
        }
        match order {
            Order::Asc => files.sort_by_key(|file| file.id),
            Order::Desc => files.sort_by_key(|file| Reverse(file.id)),
        }
        let has_more = files.len() > limit;
        files.truncate(limit);
        Ok(FilePage { files, has_more })
    }

    async fn list_purpose(
        &self,
        account: Account,
        purpose: FilePurpose,
        order: Order,
        after: Option<FileId>,
        limit: usize,
        now: Time,
    ) -> Result<Vec<StoredFile>> {
        let (mut files, mut after) = (Vec::new(), after.map(|id| id.to_string()));
        loop {
            let most = u32::try_from(limit - files.len()).unwrap_or(u32::MAX);
            let Slice { items, next } =
                slice(&self.counters, keys::files(account, purpose), "", order, most, after).await?;
            for item in items {
                let item: FileItem = parse(item)?;
                if item.expires_at > now.as_seconds() {
                    files.push(item.file);
                }
            }
            match next {
                Some(next) if files.len() < limit => after = Some(next),
                _ => return Ok(files),
            }
        }
    }

    /// Reads a part of the content.
    pub async fn read(&self, part: &FilePart) -> Result<Bytes> {
        let content = self.bucket.get(&part.object).await?;
        content.ok_or(Error::NotFound { kind: FileId::KIND })
    }

    /// Deletes a file with its content.
    pub async fn delete(&self, account: Account, id: FileId, now: Time) -> Result<()> {
        let file = self.find(account, id, now).await?;
        let key = keys::file(account, file.purpose, id);
        let delete = self.counters.delete(key).require_exists();
        let writes = [delete, quota::decrement(&self.counters, keys::file_count(account))];
        match self.counters.transact(Uuid::now_v7(), &writes).await? {
            // Another request has deleted it.
            WriteOutcome::Refused(_) => return Err(Error::NotFound { kind: FileId::KIND }),
            WriteOutcome::Written => {}
        }
        for part in &file.parts {
            self.bucket.discard(&part.object).await;
        }
        Ok(())
    }
}

/// Stores a new file.
pub(super) fn put_write(counters: &Table, account: Account, file: &StoredFile) -> Write {
    let key = keys::file(account, file.purpose, file.id);
    let item = FileItem { pk: key.pk, sk: key.sk, file: file.clone(), expires_at: file.expires_at.as_seconds() };
    counters.put_new(&item)
}
