//! One DynamoDB table: consistent reads, conditional writes that report which condition failed, and retries with
//! backoff after transaction conflicts and throttled transactions. The SDK retries throttled single calls.

use std::collections::HashMap;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::error::SdkError;
use aws_sdk_dynamodb::operation::delete_item::DeleteItemError;
use aws_sdk_dynamodb::operation::put_item::PutItemError;
use aws_sdk_dynamodb::operation::transact_write_items::TransactWriteItemsError;
use aws_sdk_dynamodb::operation::update_item::UpdateItemError;
use aws_sdk_dynamodb::types::{AttributeValue, KeysAndAttributes};
use serde::Serialize;
use serde::de::DeserializeOwned;
use uuid::Uuid;

use super::backoff::Backoff;
use super::item::{Item, parse, to_item};
use super::keys::Key;
use super::write::{RETURN_ITEM_ON_FAILURE, Write, WriteOperation};
use domain::page::Order;
use domain::{Error, Result};
use platform::Context;
use platform::aws::convert_error;

/// The maximum number of keys that DynamoDB accepts in one `BatchGetItem`.
const BATCH_GET: usize = 100;

/// A write whose condition failed. `item` is the stored item at that time; it is `None` if there was no item.
#[derive(Debug)]
pub struct RefusedWrite {
    /// The label of the write.
    pub label: &'static str,
    pub key: Option<Key>,
    pub item: Option<Item>,
}

impl RefusedWrite {
    fn new(write: &Write, item: Option<Item>) -> Self {
        Self { label: write.label, key: write.key(), item }
    }

    /// Deserializes the stored item.
    pub fn parse_item<T: DeserializeOwned>(self) -> Result<Option<T>> {
        self.item.map(parse).transpose()
    }
}

/// The outcome of a conditional write, or of a transaction of several.
#[derive(Debug)]
#[must_use = "a refused write changed nothing"]
pub enum WriteOutcome {
    Written,
    Refused(RefusedWrite),
}

impl WriteOutcome {
    pub fn is_written(&self) -> bool {
        matches!(self, Self::Written)
    }

    /// Turns a refusal into an error.
    pub fn or_error(self, error: impl FnOnce(RefusedWrite) -> Error) -> Result<()> {
        match self {
            Self::Written => Ok(()),
            Self::Refused(refused) => Err(error(refused)),
        }
    }
}

#[derive(Clone)]
pub struct Table {
    client: Client,
    name: String,
}

/// A query of one partition of the table or of an index.
#[derive(Clone)]
pub struct TableQuery {
    pub partition: String,
    pub index: Option<TableIndex>,
    pub range: Option<Range>,
    pub order: Order,
    pub filter: Option<Filter>,
    pub after: Option<Item>,
    pub limit: Option<u32>,
    pub count_only: bool,
}

/// An index, and the attribute that is its partition key.
#[derive(Clone, Copy)]
pub enum TableIndex {
    /// A local index. It has the table's partitions, and its reads are as consistent as the table's.
    Local(&'static str),
    /// A global index. It lags behind the table, so it is used for lists and queues and never for a decision.
    Global { name: &'static str, partition: &'static str },
}

/// Selects the items whose sort key lies between two values, both included.
#[derive(Clone)]
pub struct Range {
    pub attribute: &'static str,
    pub from: String,
    pub to: String,
}

impl Range {
    /// Selects the items whose sort key begins with a prefix.
    pub fn beginning(attribute: &'static str, prefix: &str) -> Self {
        Self::between(attribute, prefix, prefix)
    }

    /// Selects the items whose sort key begins with one of two prefixes, or lies between them.
    pub fn between(attribute: &'static str, first: &str, last: &str) -> Self {
        Self { attribute, from: first.to_owned(), to: format!("{last}\u{10ffff}") }
    }
}

#[derive(Clone, Default)]
pub struct Filter {
    pub expression: String,
    pub names: HashMap<String, String>,
    pub values: HashMap<String, AttributeValue>,
}

pub struct QueryResult {
    pub items: Vec<Item>,
    pub count: u64,
    /// The cursor of the next query, `None` when this query reached the end.
    pub next: Option<Item>,
}

impl TableQuery {
    pub fn partition(partition: impl Into<String>) -> Self {
        Self {
            partition: partition.into(),
            index: None,
            range: None,
            order: Order::Asc,
            filter: None,
            after: None,
            limit: None,
            count_only: false,
        }
    }
}

impl Table {
    /// The table whose name is in a setting.
    pub fn new(context: &Context, setting: &'static str) -> Result<Self> {
        let name = context.config.required(setting).map_err(Error::internal)?.to_owned();
        Ok(Self { client: context.aws.dynamodb(), name })
    }

    pub async fn get(&self, key: &Key) -> Result<Option<Item>> {
        let call = self.client.get_item().table_name(&self.name).set_key(Some(key.attributes()));
        let answer = call.consistent_read(true).send().await.map_err(convert_error)?;
        Ok(answer.item)
    }

    /// Reads the items that exist under these keys, in no particular order.
    pub async fn batch_get(&self, keys: &[Key]) -> Result<Vec<Item>> {
        let mut found = Vec::new();
        for keys in keys.chunks(BATCH_GET) {
            let keys: Vec<Item> = keys.iter().map(Key::attributes).collect();
            let mut wanted = KeysAndAttributes::builder().set_keys(Some(keys)).consistent_read(true).build().ok();
            let mut backoff = Backoff::short();
            loop {
                let Some(request) = wanted.take() else { break };
                let call = self.client.batch_get_item().request_items(&self.name, request);
                let answer = call.send().await.map_err(convert_error)?;
                found.extend(answer.responses.into_iter().flat_map(|mut tables| tables.remove(&self.name)).flatten());
                wanted = answer.unprocessed_keys.and_then(|mut tables| tables.remove(&self.name));
                if wanted.is_some() {
                    backoff.next("BatchGetItem leaves keys unprocessed").await?;
                }
            }
        }
        Ok(found)
    }

    /// Makes one call. It reads at most `limit` items before the filter; `next` tells where to continue.
    pub async fn query(&self, query: &TableQuery) -> Result<QueryResult> {
        let (index, partition) = match query.index {
            None => (None, "pk"),
            Some(TableIndex::Local(name)) => (Some(name), "pk"),
            Some(TableIndex::Global { name, partition }) => (Some(name), partition),
        };
        let mut condition = format!("{partition} = :partition");
        if let Some(range) = &query.range {
            condition.push_str(&format!(" AND {} BETWEEN :from AND :to", range.attribute));
        }
        let mut call = self
            .client
            .query()
            .table_name(&self.name)
            .key_condition_expression(condition)
            .expression_attribute_values(":partition", AttributeValue::S(query.partition.clone()))
            .consistent_read(!matches!(query.index, Some(TableIndex::Global { .. })))
            .scan_index_forward(query.order == Order::Asc)
            .set_index_name(index.map(str::to_owned))
            .set_exclusive_start_key(query.after.clone())
            .set_limit(query.limit.map(|limit| i32::try_from(limit).unwrap_or(i32::MAX)));
        if let Some(Range { from, to, .. }) = &query.range {
            call = call.expression_attribute_values(":from", AttributeValue::S(from.clone()));
            call = call.expression_attribute_values(":to", AttributeValue::S(to.clone()));
        }
        if query.count_only {
            call = call.select(aws_sdk_dynamodb::types::Select::Count);
        }
        if let Some(filter) = &query.filter {
            call = call.filter_expression(&filter.expression);
            for (name, attribute) in &filter.names {
                call = call.expression_attribute_names(name, attribute);
            }
            for (name, value) in &filter.values {
                call = call.expression_attribute_values(name, value.clone());
            }
        }
        let answer = call.send().await.map_err(convert_error)?;
        Ok(QueryResult {
            count: answer.count.unsigned_abs().into(),
            items: answer.items.unwrap_or_default(),
            next: answer.last_evaluated_key,
        })
    }

    /// Makes as many calls as needed to read everything that the query selects. It is meant for filtered lists, which
    /// must be read to the end, and for small partitions.
    pub async fn query_all(&self, mut query: TableQuery) -> Result<Vec<Item>> {
        let mut items = Vec::new();
        loop {
            let mut found = self.query(&query).await?;
            items.append(&mut found.items);
            match found.next {
                None => return Ok(items),
                next => query.after = next,
            }
        }
    }

    pub fn put(&self, item: &impl Serialize) -> Write {
        self.put_item(to_item(item))
    }

    pub fn put_item(&self, item: Item) -> Write {
        Write::new(&self.name, WriteOperation::Put(item))
    }

    pub fn put_new(&self, item: &impl Serialize) -> Write {
        self.put(item).require("attribute_not_exists(pk)")
    }

    pub fn update(&self, key: Key) -> Write {
        Write::new(&self.name, WriteOperation::Update { key, set: vec![], add: vec![], remove: vec![] })
    }

    pub fn delete(&self, key: Key) -> Write {
        Write::new(&self.name, WriteOperation::Delete(key))
    }

    /// Whether the write belongs to this table.
    pub(super) fn owns(&self, write: &Write) -> bool {
        write.table == self.name
    }

    /// A condition check: it changes nothing, and its transaction is refused unless the condition holds.
    pub fn check(&self, key: Key) -> Write {
        Write::new(&self.name, WriteOperation::Check(key))
    }

    /// Carries out one put or update, outside of a transaction.
    pub async fn write(&self, write: Write) -> Result<WriteOutcome> {
        let mut backoff = Backoff::short();
        loop {
            match self.write_once(&write).await? {
                WriteAttempt::Done => return Ok(WriteOutcome::Written),
                WriteAttempt::Refused(refused) => return Ok(WriteOutcome::Refused(refused)),
                WriteAttempt::Contended(cause) => backoff.next(cause).await?,
            }
        }
    }

    async fn write_once(&self, write: &Write) -> Result<WriteAttempt> {
        macro_rules! carry_out {
            ($call:expr, $error:ident) => {{
                let call = $call
                    .table_name(&write.table)
                    .set_condition_expression(write.condition.clone())
                    .set_expression_attribute_names(write.names())
                    .set_expression_attribute_values(write.values())
                    .return_values_on_condition_check_failure(RETURN_ITEM_ON_FAILURE);
                let Err(error) = call.send().await else { return Ok(WriteAttempt::Done) };
                match error.as_service_error() {
                    Some($error::ConditionalCheckFailedException(refused)) => {
                        Ok(WriteAttempt::Refused(RefusedWrite::new(write, refused.item.clone())))
                    }
                    Some($error::TransactionConflictException(_)) => {
                        Ok(WriteAttempt::Contended("a transaction is writing the item"))
                    }
                    _ => Err(convert_error(error)),
                }
            }};
        }
        match &write.operation {
            WriteOperation::Put(item) => carry_out!(self.client.put_item().set_item(Some(item.clone())), PutItemError),
            WriteOperation::Update { key, .. } => {
                let call = self.client.update_item().set_key(Some(key.attributes()));
                carry_out!(call.set_update_expression(write.update_expression()), UpdateItemError)
            }
            WriteOperation::Delete(_) | WriteOperation::Check(_) => {
                Err(Error::internal("this write must be part of a transaction"))
            }
        }
    }

    /// Deletes an item, if it exists. It is separate from `write`, so that the binaries of functions that never delete do
    /// not contain this SDK call.
    pub async fn remove(&self, key: &Key) -> Result<()> {
        let mut backoff = Backoff::short();
        loop {
            let call = self.client.delete_item().table_name(&self.name).set_key(Some(key.attributes()));
            let Err(error) = call.send().await else { return Ok(()) };
            match error.as_service_error() {
                Some(DeleteItemError::TransactionConflictException(_)) => {
                    backoff.next("a transaction is writing the item").await?;
                }
                _ => return Err(convert_error(error)),
            }
        }
    }

    /// Carries out all writes or none. The token is DynamoDB's idempotency token: a retry of the same transaction has
    /// no effect for ten minutes.
    pub async fn transact(&self, token: Uuid, writes: &[Write]) -> Result<WriteOutcome> {
        let mut backoff = Backoff::short();
        loop {
            match self.transact_once(token, writes).await? {
                WriteAttempt::Done => return Ok(WriteOutcome::Written),
                WriteAttempt::Refused(refused) => return Ok(WriteOutcome::Refused(refused)),
                WriteAttempt::Contended(cause) => backoff.next(cause).await?,
            }
        }
    }

    /// Tries a transaction once. The caller decides how long to wait for other writers.
    pub(super) async fn transact_once(&self, token: Uuid, writes: &[Write]) -> Result<WriteAttempt> {
        let items = writes.iter().map(Write::transacted).collect::<Result<Vec<_>, _>>().map_err(Error::internal)?;
        let call = self.client.transact_write_items().client_request_token(token.to_string());
        match call.set_transact_items(Some(items)).send().await {
            Ok(_) => Ok(WriteAttempt::Done),
            Err(error) => canceled(error, writes),
        }
    }
}

impl Table {
    /// Carries out all writes or none. A single write is carried out without a transaction, which is cheaper.
    pub async fn write_all(&self, token: Uuid, mut writes: Vec<Write>) -> Result<WriteOutcome> {
        match writes.len() {
            0 => Ok(WriteOutcome::Written),
            1 => self.write(writes.remove(0)).await,
            _ => self.transact(token, &writes).await,
        }
    }
}

/// The outcome of one attempt.
pub(super) enum WriteAttempt {
    Done,
    Refused(RefusedWrite),
    /// Another write was in progress, or the table throttled the call. A retry may succeed.
    Contended(&'static str),
}

fn canceled(error: SdkError<TransactWriteItemsError>, writes: &[Write]) -> Result<WriteAttempt> {
    use TransactWriteItemsError::{TransactionCanceledException, TransactionInProgressException};
    let reasons = match error.as_service_error() {
        Some(TransactionCanceledException(canceled)) => canceled.cancellation_reasons(),
        Some(TransactionInProgressException(_)) => {
            return Ok(WriteAttempt::Contended("the same transaction is in progress"));
        }
        _ => return Err(convert_error(error)),
    };
    let code = |index: usize| reasons[index].code().unwrap_or_default();
    if let Some(index) = (0..reasons.len()).find(|index| code(*index) == "ConditionalCheckFailed") {
        return Ok(WriteAttempt::Refused(RefusedWrite::new(&writes[index], reasons[index].item.clone())));
    }
    let passing = ["None", "TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"];
    if (0..reasons.len()).all(|index| passing.contains(&code(index))) {
        return Ok(WriteAttempt::Contended("transactions overlap or are throttled"));
    }
    Err(convert_error(error))
}
