//! Records every AWS call: the service, the operation and the consumed capacity. Tests check the budgets of routes
//! with it.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use aws_smithy_runtime_api::box_error::BoxError;
use aws_smithy_runtime_api::client::interceptors::context::{
    AfterDeserializationInterceptorContextRef, BeforeTransmitInterceptorContextMut,
};
use aws_smithy_runtime_api::client::interceptors::{Intercept, SharedInterceptor, dyn_dispatch_hint};
use aws_smithy_runtime_api::client::orchestrator::Metadata;
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use aws_smithy_types::body::SdkBody;
use aws_smithy_types::config_bag::{ConfigBag, Storable, StoreReplace};
use serde_json::Value;

/// The operations of DynamoDB that return their consumed capacity.
const OPERATIONS_WITH_CAPACITY: [&str; 9] = [
    "GetItem",
    "BatchGetItem",
    "Query",
    "PutItem",
    "UpdateItem",
    "DeleteItem",
    "TransactWriteItems",
    "TransactGetItems",
    "BatchWriteItem",
];

#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    pub service: String,
    pub operation: String,
    /// Read or write units; 0 for services without units.
    pub units: f64,
    /// What a write of DynamoDB consumed in each table.
    pub writes: Vec<TableWrites>,
}

impl Call {
    /// A call of a service without units.
    pub(crate) fn new(service: &str, operation: &str) -> Self {
        Self { service: service.to_owned(), operation: operation.to_owned(), units: 0.0, writes: Vec::new() }
    }
}

/// What one call wrote to a table.
#[derive(Clone, Debug, PartialEq)]
pub struct TableWrites {
    pub table: String,
    /// The partition key of each item.
    pub partitions: Vec<String>,
    pub units: f64,
    /// The units of each global index.
    pub index_units: BTreeMap<String, f64>,
}

#[derive(Clone, Debug, Default)]
pub struct Recorder {
    calls: Arc<Mutex<Vec<Call>>>,
}

/// The number of calls and the total units of each operation, in alphabetical order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CallCosts(pub BTreeMap<String, (u32, f64)>);

impl Recorder {
    pub fn interceptor(&self) -> SharedInterceptor {
        SharedInterceptor::new(self.clone())
    }

    pub(crate) fn record(&self, call: Call) {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner).push(call);
    }

    /// Returns the calls since the last `take`.
    pub fn take(&self) -> Vec<Call> {
        std::mem::take(&mut *self.calls.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub fn take_costs(&self) -> CallCosts {
        self.take().iter().collect()
    }
}

impl<'a> FromIterator<&'a Call> for CallCosts {
    fn from_iter<I: IntoIterator<Item = &'a Call>>(calls: I) -> Self {
        let mut costs = Self::default();
        for call in calls {
            let entry = costs.0.entry(format!("{}:{}", call.service.to_lowercase(), call.operation)).or_default();
            *entry = (entry.0 + 1, entry.1 + call.units);
        }
        costs
    }
}

impl CallCosts {
    pub fn calls(&self) -> u32 {
        self.0.values().map(|(calls, _)| calls).sum()
    }

    pub fn units(&self) -> f64 {
        self.0.values().map(|(_, units)| units).sum()
    }
}

/// `1 dynamodb:GetItem (0.5 units), 1 sqs:SendMessage`
impl fmt::Display for CallCosts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines = self.0.iter().map(|(name, (calls, units))| match *units {
            0.0 => format!("{calls} {name}"),
            units => format!("{calls} {name} ({units} units)"),
        });
        f.write_str(&lines.collect::<Vec<_>>().join(", "))
    }
}

#[dyn_dispatch_hint]
impl Intercept for Recorder {
    fn name(&self) -> &'static str {
        "Recorder"
    }

    fn modify_before_signing(
        &self,
        context: &mut BeforeTransmitInterceptorContextMut<'_>,
        _: &RuntimeComponents,
        config: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        let Some(call) = config.load::<Metadata>() else { return Ok(()) };
        if call.service() == "DynamoDB" && OPERATIONS_WITH_CAPACITY.contains(&call.name()) {
            let request = context.request_mut();
            let mut body: Value = serde_json::from_slice(request.body().bytes().unwrap_or(b"{}"))?;
            body["ReturnConsumedCapacity"] = "INDEXES".into();
            let written = WrittenPartitions::from_request(call.name(), &body);
            config.interceptor_state().store_put(written);
            let body = serde_json::to_vec(&body)?;
            request.headers_mut().insert("content-length", body.len().to_string());
            *request.body_mut() = SdkBody::from(body);
        }
        Ok(())
    }

    fn read_after_deserialization(
        &self,
        context: &AfterDeserializationInterceptorContextRef<'_>,
        _: &RuntimeComponents,
        config: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        let Some(call) = config.load::<Metadata>() else { return Ok(()) };
        let body: Value =
            context.response().body().bytes().and_then(|body| serde_json::from_slice(body).ok()).unwrap_or_default();
        let consumed = &body["ConsumedCapacity"];
        let call = Call {
            service: call.service().to_owned(),
            operation: call.name().to_owned(),
            units: units(consumed),
            writes: config.load::<WrittenPartitions>().map(|written| written.with_units(consumed)).unwrap_or_default(),
        };
        self.record(call);
        Ok(())
    }
}

/// The units of one table, or the sum over several tables.
fn units(consumed: &Value) -> f64 {
    match consumed {
        Value::Array(tables) => tables.iter().map(units).sum(),
        table => table["CapacityUnits"].as_f64().unwrap_or_default(),
    }
}

/// The partition keys that a request writes, by table.
#[derive(Debug, Default)]
struct WrittenPartitions(BTreeMap<String, Vec<String>>);

impl Storable for WrittenPartitions {
    type Storer = StoreReplace<Self>;
}

impl WrittenPartitions {
    /// A condition check of a transaction counts as a write.
    fn from_request(operation: &str, request: &Value) -> Self {
        let writes: Vec<&Value> = match operation {
            "PutItem" | "UpdateItem" | "DeleteItem" => vec![request],
            "TransactWriteItems" => {
                let actions = request["TransactItems"].as_array().into_iter().flatten();
                actions.filter_map(Value::as_object).flat_map(serde_json::Map::values).collect()
            }
            _ => Vec::new(),
        };
        let mut written = Self::default();
        for write in writes {
            let key = if write["Key"].is_null() { &write["Item"] } else { &write["Key"] };
            let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
            written.0.entry(text(&write["TableName"])).or_default().push(text(&key["pk"]["S"]));
        }
        written
    }

    fn with_units(&self, consumed: &Value) -> Vec<TableWrites> {
        let tables = match consumed {
            Value::Array(tables) => tables.as_slice(),
            table => std::slice::from_ref(table),
        };
        let of_table = |table: &Value| {
            let name = table["TableName"].as_str()?;
            let indexes = table["GlobalSecondaryIndexes"].as_object().into_iter().flatten();
            Some(TableWrites {
                table: name.to_owned(),
                partitions: self.0.get(name)?.clone(),
                units: units(&table["Table"]),
                index_units: indexes.map(|(index, consumed)| (index.clone(), units(consumed))).collect(),
            })
        };
        tables.iter().filter_map(of_table).collect()
    }
}
