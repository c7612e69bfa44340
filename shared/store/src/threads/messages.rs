//! Reads and writes the messages of a thread.

use bytes::Bytes;
use futures::future::try_join_all;
use serde_json::Value;
use uuid::Uuid;

use super::Threads;
use super::item::MessageItem;
use crate::attribute::SK;
use crate::item::{Item, parse};
use crate::keys;
use crate::query::{Range, TableQuery};
use crate::slice::slice;
use crate::stored_text::StoredText;
use domain::graph::hash;
use domain::id::ThreadId;
use domain::page::{Order, Slice};
use domain::retention::RunRetention;
use domain::run::RunThread;
use domain::thread::{MAX_WAITING, MessageRole, Thread, ThreadMessage};
use domain::{Error, Result};
use platform::bucket::SizedObject;

/// What a key of a message is stored as. Keys of providers may be long.
pub(super) fn key_hash(key: &str) -> String {
    hash(&Value::from(key))
}

/// What the id that a provider gave a message is stored as. The prefix separates it from the keys of messages.
pub(super) fn provider_key_hash(provider_id: &str) -> String {
    key_hash(&format!("provider:{provider_id}"))
}

/// The prefix of the objects of a thread.
fn object_prefix(retention: RunRetention, thread: ThreadId) -> String {
    format!("{}/{thread}", retention.thread_prefix())
}

/// All prefixes that the objects of a thread may have, because the plan may have changed.
pub(super) fn object_prefixes(thread: ThreadId) -> impl Iterator<Item = String> {
    RunRetention::thread_prefixes().map(move |prefix| format!("{prefix}/{thread}/"))
}

/// The maximum number of new messages that are read at once.
const MAX_NEW: u32 = 50;
/// No message has a higher number, because a sort key has twelve digits.
const LAST_NUMBER: u64 = 999_999_999_999;

/// The messages that were added to a thread.
pub struct NewMessages {
    pub messages: Vec<ThreadMessage>,
    /// The number of the last message that was read.
    pub last: u64,
    /// More messages are stored than were read.
    pub has_more: bool,
}

impl Threads {
    /// Lists the messages of a thread, in the order of their arrival or in the reverse order.
    pub async fn messages(
        &self,
        id: ThreadId,
        order: Order,
        limit: u32,
        after: Option<String>,
    ) -> Result<Slice<ThreadMessage>> {
        let page = slice(&self.journal, keys::messages(id), "", order, limit, after).await?;
        let items = try_join_all(page.items.into_iter().map(|item| self.read_message(item))).await?;
        Ok(Slice { items: items.into_iter().flatten().collect(), next: page.next })
    }

    /// The messages after a number, oldest first. Messages that have expired or were erased are skipped, and no others.
    pub async fn messages_after(&self, id: ThreadId, number: u64) -> Result<NewMessages> {
        let range = Range::between(SK, keys::message_place(number + 1), keys::message_place(LAST_NUMBER));
        let query = TableQuery {
            range: Some(range),
            order: Order::Asc,
            limit: Some(MAX_NEW),
            ..TableQuery::partition(keys::messages(id))
        };
        let (mut items, mut has_more) = self.read_messages(&query).await?;
        let last = items.last().map_or(number, MessageItem::number);
        if last - number > items.len() as u64 {
            // A query is no snapshot: it may find a message, but not the one before, which was stored during the query. A second
            // query finds it, unless it was deleted.
            let (again, _) = self.read_messages(&query).await?;
            let found = again.len();
            items = again.into_iter().filter(|item| item.number() <= last).collect();
            has_more |= items.len() < found;
        }
        let messages = try_join_all(items.into_iter().map(|item| self.read_item(item))).await?;
        Ok(NewMessages { messages: messages.into_iter().flatten().collect(), last, has_more })
    }

    async fn read_messages(&self, query: &TableQuery) -> Result<(Vec<MessageItem>, bool)> {
        let page = self.journal.query(query).await?;
        let items = page.items.into_iter().map(parse::<MessageItem>).collect::<Result<_>>()?;
        Ok((items, page.next.is_some()))
    }

    /// The last messages before the one that a run answers, oldest first. Messages of participants have the order of the
    /// provider, as their runs have. A message that waits belongs to a later run.
    pub async fn messages_before_run(&self, run: &RunThread, limit: usize) -> Result<Vec<ThreadMessage>> {
        let answered =
            self.journal.get(&keys::message(run.id, run.message)).await?.map(parse::<MessageItem>).transpose()?;
        let position = answered.and_then(|answered| answered.position);
        let is_earlier = |item: &MessageItem| match (item.role, item.position, position) {
            (MessageRole::User, Some(own), Some(answered)) => (own, item.number()) < (answered, run.message),
            (MessageRole::User, ..) => item.number() < run.message,
            _ => true,
        };
        let range = Range::between(SK, keys::message_place(1), keys::message_place(run.newest));
        let mut query =
            TableQuery { range: Some(range), order: Order::Desc, ..TableQuery::partition(keys::messages(run.id)) };
        // Between the messages that the run knows are at most those that wait.
        let (mut known, mut left) = (Vec::new(), limit + MAX_WAITING);
        while known.len() < limit && left > 0 {
            query.limit = u32::try_from(left).ok();
            let page = self.journal.query(&query).await?;
            left = left.saturating_sub(page.items.len());
            for item in page.items {
                let item: MessageItem = parse(item)?;
                if is_earlier(&item) {
                    known.push(item);
                }
            }
            match page.next {
                None => break,
                next => query.after = next,
            }
        }
        known.truncate(limit);
        known.reverse();
        sort_by_position(&mut known);
        let messages = try_join_all(known.into_iter().map(|item| self.read_item(item))).await?;
        Ok(messages.into_iter().flatten().collect())
    }

    /// The message with this number.
    pub async fn message(&self, id: ThreadId, number: u64) -> Result<Option<ThreadMessage>> {
        match self.journal.get(&keys::message(id, number)).await? {
            Some(item) => self.read_message(item).await,
            None => Ok(None),
        }
    }

    /// Notes where the files of a message are, once they were fetched.
    pub async fn set_attachments(&self, id: ThreadId, message: &ThreadMessage) -> Result<()> {
        let update =
            self.journal.update(keys::message(id, message.number)).set(MessageItem::ATTACHMENTS, &message.attachments);
        self.journal.write(update.require_exists()).await.map(drop)
    }

    /// Stores a file of a message, and returns its object.
    pub async fn store_file(&self, thread: &Thread, media_type: &str, content: &Bytes) -> Result<String> {
        let object = format!("{}/{}", object_prefix(thread.retention, thread.id), Uuid::now_v7());
        self.bucket.put(&object, media_type, content.to_vec()).await?;
        Ok(object)
    }

    /// Reads a file of a message. None if it has expired.
    pub async fn read_file(&self, object: &str, max_bytes: usize) -> Result<Option<Bytes>> {
        match self.bucket.get_small(object, max_bytes).await? {
            Some(SizedObject::Small(content)) => Ok(Some(content)),
            _ => Ok(None),
        }
    }

    /// Reads the text of a stored message. None if the message has expired.
    async fn read_message(&self, item: Item) -> Result<Option<ThreadMessage>> {
        self.read_item(parse(item)?).await
    }

    async fn read_item(&self, item: MessageItem) -> Result<Option<ThreadMessage>> {
        if item.expires_at <= self.now().as_seconds() {
            return Ok(None);
        }
        // An erasure deletes the object before the item.
        let text = item.text.read(&self.bucket).await?.unwrap_or_default();
        let text = String::from_utf8(text.to_vec()).map_err(Error::internal)?;
        Ok(Some(item.into_message(text)))
    }

    pub(super) async fn store_text(&self, thread: ThreadId, retention: RunRetention, text: &str) -> Result<StoredText> {
        let prefix = object_prefix(retention, thread);
        StoredText::store(&self.bucket, &prefix, "text/plain", text.as_bytes()).await
    }
}

/// Puts the messages of participants into the order of the provider. The others stay where they are.
fn sort_by_position(messages: &mut [MessageItem]) {
    let places: Vec<usize> = messages
        .iter()
        .enumerate()
        .filter(|(_, item)| item.role == MessageRole::User)
        .map(|(place, _)| place)
        .collect();
    let mut sorted: Vec<MessageItem> = places.iter().map(|place| messages[*place].clone()).collect();
    sorted.sort_by_key(|item| (item.position, item.number()));
    for (place, item) in places.into_iter().zip(sorted) {
        messages[place] = item;
    }
}
