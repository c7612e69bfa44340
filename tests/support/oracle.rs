//! An independent DynamoDB, against which the embedded database is compared: dynoxide, in memory, without a socket.

use std::sync::LazyLock;

use aws_credential_types::Credentials;
use aws_credential_types::provider::SharedCredentialsProvider;
use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpClient, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use aws_smithy_types::body::SdkBody;
use aws_types::SdkConfig;
use aws_types::region::Region;
use dynoxide::errors::DynoxideError;
use local::recorder::Recorder;
use local::template::SamTemplate;
use platform::Context;
use platform::aws::Aws;
use platform::config::{TABLE_COUNTERS, TABLE_ENTITIES, TABLE_JOURNAL};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// Each table with its setting and its resource in the template.
const TABLES: [(&str, &str, &str); 3] = [
    ("entities", TABLE_ENTITIES, "EntitiesTable"),
    ("counters", TABLE_COUNTERS, "CountersTable"),
    ("journal", TABLE_JOURNAL, "JournalTable"),
];

static TEMPLATE: LazyLock<SamTemplate> = LazyLock::new(SamTemplate::read);

/// The template's tables, by the names `entities`, `counters` and `journal`.
#[derive(Clone)]
pub struct Oracle(dynoxide::Database);

pub struct OracleAnswer {
    pub status: u16,
    pub body: Value,
}

impl std::fmt::Debug for Oracle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Oracle")
    }
}

impl Default for Oracle {
    fn default() -> Self {
        let database = dynoxide::Database::memory().unwrap();
        for (name, _, id) in TABLES {
            let mut request = json!({"TableName": name, "BillingMode": "PAY_PER_REQUEST"});
            for property in ["AttributeDefinitions", "KeySchema", "LocalSecondaryIndexes", "GlobalSecondaryIndexes"] {
                request[property] = TEMPLATE.tables[id][property].clone();
            }
            database.create_table(serde_json::from_value(request).unwrap()).unwrap();
        }
        Self(database)
    }
}

impl Oracle {
    /// Carries out one call in DynamoDB's JSON.
    pub fn call(&self, operation: &str, request: &Value) -> OracleAnswer {
        let database = &self.0;
        let answer = match operation {
            "GetItem" => read(request, |request| database.get_item(request)),
            "BatchGetItem" => read(request, |request| database.batch_get_item(request)),
            "Query" => read(request, |request| database.query(request)),
            "Scan" => read(request, |request| database.scan(request)),
            "PutItem" => read(request, |request| database.put_item(request)),
            "UpdateItem" => read(request, |request| database.update_item(request)),
            "DeleteItem" => read(request, |request| database.delete_item(request)),
            "TransactWriteItems" => read(request, |request| database.transact_write_items(request)),
            _ => panic!("{operation} is not supported"),
        };
        match answer {
            Ok(body) => OracleAnswer { status: 200, body },
            Err(error) => {
                OracleAnswer { status: error.status_code(), body: serde_json::from_str(&error.to_json()).unwrap() }
            }
        }
    }

    /// A context whose tables are these, and the recorder of its calls.
    pub fn context(&self) -> (Context, Recorder) {
        let recorder = Recorder::default();
        let config = SdkConfig::builder()
            .region(Region::from_static("us-east-1"))
            .credentials_provider(SharedCredentialsProvider::new(Credentials::from_keys("a", "a", None)));
        let aws =
            Aws::in_process(config, SharedHttpClient::new(self.clone())).with_interceptors([recorder.interceptor()]);
        let settings = TABLES.map(|(name, setting, _)| (setting.to_owned(), name.to_owned()));
        (Context::new(settings.into_iter().collect(), aws), recorder)
    }
}

fn read<R: DeserializeOwned, A: Serialize>(
    request: &Value,
    call: impl FnOnce(R) -> dynoxide::Result<A>,
) -> Result<Value, DynoxideError> {
    let request = R::deserialize(request).expect("the SDK sends DynamoDB's JSON");
    call(request).map(|answer| serde_json::to_value(answer).unwrap())
}

impl HttpConnector for Oracle {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let target = request.headers().get("x-amz-target").unwrap_or_default();
        let operation = target.rsplit('.').next().unwrap_or_default().to_owned();
        let body = serde_json::from_slice(request.body().bytes().unwrap()).unwrap();
        let OracleAnswer { status, body } = Self::call(self, &operation, &body);
        let body = SdkBody::from(body.to_string());
        HttpConnectorFuture::ready(Ok(HttpResponse::new(status.try_into().unwrap(), body)))
    }
}

impl HttpClient for Oracle {
    fn http_connector(&self, _: &HttpConnectorSettings, _: &RuntimeComponents) -> SharedHttpConnector {
        SharedHttpConnector::new(self.clone())
    }
}
