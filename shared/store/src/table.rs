//! One DynamoDB table: consistent reads, conditional writes that report which condition failed, and retries with
//! backoff after transaction conflicts and throttled transactions. The SDK retries throttled single calls.

use std::sync::Arc;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::error::{BuildError, SdkError};
use aws_sdk_dynamodb::operation::delete_item::DeleteItemError;
use aws_sdk_dynamodb::operation::put_item::PutItemError;
use aws_sdk_dynamodb::operation::transact_write_items::TransactWriteItemsError;
use aws_sdk_dynamodb::operation::update_item::UpdateItemError;
use aws_sdk_dynamodb::types::{
    AttributeValue, ConditionCheck, Delete, KeysAndAttributes, Put, ReturnValuesOnConditionCheckFailure,
    TransactWriteItem, Update,
};
use serde::Serialize;
use tables::embedded::EmbeddedDatabase;
use tables::expressions::Expressions;
use uuid::Uuid;

use super::attribute::PK;
use super::backoff::Backoff;
use super::condition::{Comparison, Condition};
use super::item::{Item, to_item};
use super::keys::Key;
use super::query::{QueryResult, Range, TableIndex, TableQuery};
use super::write::{Write, WriteOperation};
use domain::page::Order;
use domain::{Error, Result};
use platform::Context;
use platform::aws::convert_error;
pub use tables::outcome::{RefusedWrite, WriteOutcome};

/// The maximum number of keys that DynamoDB accepts in one `BatchGetItem`.
const BATCH_GET: usize = 100;

/// A failed condition returns the stored item.
const RETURN_ITEM_ON_FAILURE: ReturnValuesOnConditionCheckFailure = ReturnValuesOnConditionCheckFailure::AllOld;

#[derive(Clone)]
pub struct Table {
    backend: Backend,
    name: Arc<str>,
}

/// What carries out the operations. It is no trait, because a binary would then contain the SDK's calls that it never makes.
/// Those calls are boxed: each is a future of 6 kB, and whatever awaits it would be as large, and is copied when it is made.
#[derive(Clone)]
enum Backend {
    DynamoDb(Client),
    Embedded(Arc<dyn EmbeddedDatabase>),
}

impl Table {
    /// The table whose name is in a setting.
    pub fn new(context: &Context, setting: &'static str) -> Result<Self> {
        let name = context.config.required(setting).map_err(Error::internal)?.into();
        let backend = match context.aws.database() {
            Some(database) => Backend::Embedded(database),
            None => Backend::DynamoDb(context.aws.dynamodb()),
        };
        Ok(Self { backend, name })
    }

    pub async fn get(&self, key: &Key) -> Result<Option<Item>> {
        let client = match &self.backend {
            Backend::DynamoDb(client) => client,
            Backend::Embedded(database) => return database.get(&self.name, key).await,
        };
        let call = client.get_item().table_name(&*self.name).set_key(Some(key.attributes()));
        let answer = Box::pin(call.consistent_read(true).send()).await.map_err(convert_error)?;
        Ok(answer.item)
    }

    /// Reads the items that exist under these keys, in no particular order.
    pub async fn batch_get(&self, keys: &[Key]) -> Result<Vec<Item>> {
        let mut found = Vec::new();
        for keys in keys.chunks(BATCH_GET) {
            found.extend(match &self.backend {
                Backend::DynamoDb(client) => batch_get(client, &self.name, keys).await?,
                Backend::Embedded(database) => database.batch_get(&self.name, keys).await?,
            });
        }
        Ok(found)
    }

    /// Makes one call. It reads at most `limit` items before the filter; `next` tells where to continue.
    pub async fn query(&self, query: &TableQuery) -> Result<QueryResult> {
        let client = match &self.backend {
            Backend::DynamoDb(client) => client,
            Backend::Embedded(database) => return database.query(&self.name, query).await,
        };
        let (index, partition) = match query.index.clone() {
            None => (None, PK.path()),
            Some(TableIndex::Local(sort)) => (Some(sort.attribute.into_owned()), PK.path()),
            Some(TableIndex::Global { name, partition }) => (Some(name.into_owned()), partition),
        };
        let mut expressions = Expressions::default();
        let partition = Condition::Compare(partition, Comparison::Equal, AttributeValue::S(query.partition.clone()));
        let range = query.range.clone().map(|Range { sort, from, to }| Condition::Between(sort, from, to));
        let selected = range.into_iter().fold(partition, Condition::and);
        let mut call = client
            .query()
            .table_name(&*self.name)
            .key_condition_expression(expressions.condition(&selected))
            .set_filter_expression(query.filter.as_ref().map(|filter| expressions.condition(filter)))
            .set_expression_attribute_names(expressions.names())
            .set_expression_attribute_values(expressions.values())
            .consistent_read(!matches!(query.index, Some(TableIndex::Global { .. })))
            .scan_index_forward(query.order == Order::Asc)
            .set_index_name(index)
            .set_exclusive_start_key(query.after.clone())
            .set_limit(query.limit.map(|limit| i32::try_from(limit).unwrap_or(i32::MAX)));
        if query.count_only {
            call = call.select(aws_sdk_dynamodb::types::Select::Count);
        }
        let answer = Box::pin(call.send()).await.map_err(convert_error)?;
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
        self.put(item).require_new()
    }

    pub fn update(&self, key: Key) -> Write {
        Write::new(&self.name, WriteOperation::Update { key, changes: Vec::new() })
    }

    pub fn delete(&self, key: Key) -> Write {
        Write::new(&self.name, WriteOperation::Delete(key))
    }

    /// Whether the write belongs to this table.
    pub(super) fn owns(&self, write: &Write) -> bool {
        *write.table == *self.name
    }

    /// A condition check: it changes nothing, and its transaction is refused unless the condition holds.
    pub fn check(&self, key: Key) -> Write {
        Write::new(&self.name, WriteOperation::Check(key))
    }

    /// Carries out one put, update or deletion, outside of a transaction.
    pub async fn write(&self, write: Write) -> Result<WriteOutcome> {
        let client = match &self.backend {
            Backend::DynamoDb(client) => client,
            Backend::Embedded(database) => return database.write(write).await,
        };
        let mut backoff = Backoff::short();
        loop {
            match write_once(client, &write).await? {
                WriteAttempt::Done => return Ok(WriteOutcome::Written),
                WriteAttempt::Refused(refused) => return Ok(WriteOutcome::Refused(refused)),
                WriteAttempt::Contended(cause) => backoff.next(cause).await?,
            }
        }
    }

    /// Deletes an item, if it exists.
    pub async fn remove(&self, key: &Key) -> Result<()> {
        self.write(self.delete(key.clone())).await.map(drop)
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
        let client = match &self.backend {
            Backend::DynamoDb(client) => client,
            Backend::Embedded(database) => {
                return database.transact(token, writes.to_vec()).await.map(WriteAttempt::from);
            }
        };
        let items = writes.iter().map(transacted).collect::<Result<Vec<_>, _>>().map_err(Error::internal)?;
        let call = client.transact_write_items().client_request_token(token.to_string());
        match Box::pin(call.set_transact_items(Some(items)).send()).await {
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

/// Reads the items of one batch, with as many calls as DynamoDB needs for it.
async fn batch_get(client: &Client, table: &str, keys: &[Key]) -> Result<Vec<Item>> {
    let keys: Vec<Item> = keys.iter().map(Key::attributes).collect();
    let mut wanted = KeysAndAttributes::builder().set_keys(Some(keys)).consistent_read(true).build().ok();
    let (mut found, mut backoff) = (Vec::new(), Backoff::short());
    while let Some(request) = wanted.take() {
        let call = client.batch_get_item().request_items(table, request);
        let answer = Box::pin(call.send()).await.map_err(convert_error)?;
        found.extend(answer.responses.into_iter().flat_map(|mut tables| tables.remove(table)).flatten());
        wanted = answer.unprocessed_keys.and_then(|mut tables| tables.remove(table));
        if wanted.is_some() {
            backoff.next("BatchGetItem leaves keys unprocessed").await?;
        }
    }
    Ok(found)
}

async fn write_once(client: &Client, write: &Write) -> Result<WriteAttempt> {
    let mut expressions = Expressions::default();
    let condition = write.condition.as_ref().map(|condition| expressions.condition(condition));
    macro_rules! carry_out {
        ($call:expr, $error:ident) => {{
            let call = $call
                .table_name(&write.table)
                .set_condition_expression(condition)
                .set_expression_attribute_names(expressions.names())
                .set_expression_attribute_values(expressions.values())
                .return_values_on_condition_check_failure(RETURN_ITEM_ON_FAILURE);
            let Err(error) = Box::pin(call.send()).await else { return Ok(WriteAttempt::Done) };
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
        WriteOperation::Put(item) => carry_out!(client.put_item().set_item(Some(item.clone())), PutItemError),
        WriteOperation::Update { key, changes } => {
            let call = client.update_item().set_key(Some(key.attributes()));
            carry_out!(call.update_expression(expressions.update(changes)), UpdateItemError)
        }
        WriteOperation::Delete(key) => {
            carry_out!(client.delete_item().set_key(Some(key.attributes())), DeleteItemError)
        }
        WriteOperation::Check(_) => Err(Error::internal("a check must be part of a transaction")),
    }
}

/// The outcome of one attempt.
pub(super) enum WriteAttempt {
    Done,
    Refused(RefusedWrite),
    /// Another write was in progress, or the table throttled the call. A retry may succeed.
    Contended(&'static str),
}

impl From<WriteOutcome> for WriteAttempt {
    fn from(outcome: WriteOutcome) -> Self {
        match outcome {
            WriteOutcome::Written => Self::Done,
            WriteOutcome::Refused(refused) => Self::Refused(refused),
        }
    }
}

/// The write as one part of a transaction.
fn transacted(write: &Write) -> Result<TransactWriteItem, BuildError> {
    let mut expressions = Expressions::default();
    let condition = write.condition.as_ref().map(|condition| expressions.condition(condition));
    let item = TransactWriteItem::builder();
    macro_rules! build {
        ($builder:expr) => {
            $builder
                .table_name(&write.table)
                .set_condition_expression(condition)
                .set_expression_attribute_names(expressions.names())
                .set_expression_attribute_values(expressions.values())
                .return_values_on_condition_check_failure(RETURN_ITEM_ON_FAILURE)
                .build()?
        };
    }
    let item = match &write.operation {
        WriteOperation::Put(put) => item.put(build!(Put::builder().set_item(Some(put.clone())))),
        WriteOperation::Update { key, changes } => {
            let update = Update::builder().set_key(Some(key.attributes()));
            item.update(build!(update.update_expression(expressions.update(changes))))
        }
        WriteOperation::Delete(key) => item.delete(build!(Delete::builder().set_key(Some(key.attributes())))),
        WriteOperation::Check(key) => {
            item.condition_check(build!(ConditionCheck::builder().set_key(Some(key.attributes()))))
        }
    };
    Ok(item.build())
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
