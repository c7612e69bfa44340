//! Enforces the template's IAM policies: a function may make only the AWS calls that its policies allow. A missing
//! permission fails a test before it fails a deployment. The used permissions are recorded, so that a test can list the others.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use aws_smithy_runtime_api::box_error::BoxError;
use aws_smithy_runtime_api::client::interceptors::context::{
    BeforeDeserializationInterceptorContextRef, BeforeTransmitInterceptorContextRef,
};
use aws_smithy_runtime_api::client::interceptors::{Intercept, SharedInterceptor, dyn_dispatch_hint};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, Metadata};
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use aws_smithy_types::config_bag::{ConfigBag, Storable, StoreReplace};
use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::template::{GrantedResource, PolicyGrant};

const MAX_RECORDED: usize = 100;

/// The calls of all functions that were denied.
#[derive(Clone, Debug, Default)]
pub struct DeniedCalls(Arc<Mutex<Vec<String>>>);

impl DeniedCalls {
    pub fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Records a denied call. The first ones are enough to find the missing permissions, so the rest is dropped.
    fn add(&self, refusal: String) {
        let mut refused = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if refused.len() < MAX_RECORDED {
            refused.push(refusal);
        }
    }
}

/// The permissions of all functions.
#[derive(Clone, Debug, Default)]
pub struct GivenPermissions(Arc<Mutex<Vec<Arc<[AllowedAccess]>>>>);

impl GivenPermissions {
    /// The permissions that allowed a call, each as [`PolicyGrant::permissions`] writes it after the name of the function.
    pub fn used(&self) -> BTreeSet<String> {
        let given = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let used =
            given.iter().flat_map(|given| given.iter()).filter(|allowed| allowed.is_used.load(Ordering::Relaxed));
        used.map(|allowed| allowed.name.clone()).collect()
    }

    fn add(&self, allowed: &Arc<[AllowedAccess]>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(allowed.clone());
    }
}

#[derive(Clone, Debug)]
pub struct Permissions {
    function: String,
    allowed: Arc<[AllowedAccess]>,
    denied: DeniedCalls,
}

#[derive(Debug)]
struct AllowedAccess {
    /// The function and its permission.
    name: String,
    is_used: AtomicBool,
    action: String,
    /// `*` at the end matches any text.
    resources: String,
    conditions: BTreeMap<String, Vec<String>>,
}

impl AllowedAccess {
    fn covers(&self, access: &Access) -> bool {
        let holds =
            |(key, values): (&String, &Vec<String>)| access.conditions.get(key).is_some_and(|is| values.contains(is));
        access.action == self.action && self.is_for(&access.resource) && self.conditions.iter().all(holds)
    }

    fn is_for(&self, resource: &str) -> bool {
        match self.resources.strip_suffix('*') {
            Some(beginning) => resource.starts_with(beginning),
            None => resource == self.resources,
        }
    }
}

/// An action of a call on one resource.
#[derive(Debug, PartialEq)]
struct Access {
    action: String,
    resource: String,
    /// The condition keys that the call has.
    conditions: BTreeMap<String, String>,
}

impl Access {
    fn new(service: &str, operation: &str, resource: String) -> Self {
        Self { action: format!("{service}:{operation}"), resource, conditions: BTreeMap::new() }
    }
}

/// The bucket of a call, for the check of its response.
#[derive(Debug)]
struct CallBucket(String);

impl Storable for CallBucket {
    type Storer = StoreReplace<Self>;
}

impl Permissions {
    /// `resources` maps each logical id to the name of the resource in calls.
    pub fn new(
        function: &str,
        grants: &[PolicyGrant],
        resources: &BTreeMap<String, String>,
        given: &GivenPermissions,
        denied: DeniedCalls,
    ) -> Self {
        let pattern = |resource: &GrantedResource| match resource {
            GrantedResource::Part { id, part } => Some(format!("{}{part}", resources.get(id)?)),
            GrantedResource::OfService(service) => Some(service.clone()),
        };
        let allowed = grants.iter().flat_map(|grant| {
            grant.permissions().filter_map(|(action, resource)| {
                Some(AllowedAccess {
                    name: format!("{function} may call {action} on {resource}{}", grant.conditions_text()),
                    is_used: AtomicBool::new(false),
                    action: action.to_owned(),
                    resources: pattern(resource)?,
                    conditions: grant.conditions.clone(),
                })
            })
        });
        let allowed = allowed.collect();
        given.add(&allowed);
        Self { function: function.to_owned(), allowed, denied }
    }

    pub fn interceptor(self) -> SharedInterceptor {
        SharedInterceptor::new(self)
    }

    /// Refuses an action on a resource, such as a table or a queue, that the policies do not allow.
    pub fn require(&self, service: &str, action: &str, resource: &str) -> domain::Result<()> {
        let is_allowed = |allowed: &AllowedAccess| {
            allowed.action.split_once(':') == Some((service, action))
                && allowed.is_for(resource)
                && allowed.conditions.is_empty()
        };
        if let Some(allowed) = self.allowed.iter().find(|allowed| is_allowed(allowed)) {
            allowed.is_used.store(true, Ordering::Relaxed);
            return Ok(());
        }
        self.check(vec![Access::new(service, action, resource.to_owned())]).map_err(domain::Error::internal)
    }

    fn check(&self, accesses: Vec<Access>) -> Result<(), BoxError> {
        let is_allowed = |access: &Access| {
            let allowed = self.allowed.iter().find(|allowed| allowed.covers(access));
            allowed.inspect(|allowed| allowed.is_used.store(true, Ordering::Relaxed)).is_some()
        };
        let Some(access) = accesses.into_iter().find(|access| !is_allowed(access)) else { return Ok(()) };
        let Self { function, denied, .. } = self;
        let Access { action, resource, conditions } = access;
        let with = if conditions.is_empty() { String::new() } else { format!(" with {conditions:?}") };
        let refusal = format!(
            "{function} may not call {action} on {resource}{with}; allow it in the Policies of the function in infra/template.yaml"
        );
        denied.add(refusal.clone());
        Err(refusal.into())
    }
}

#[dyn_dispatch_hint]
impl Intercept for Permissions {
    fn name(&self) -> &'static str {
        "Permissions"
    }

    fn read_before_signing(
        &self,
        context: &BeforeTransmitInterceptorContextRef<'_>,
        _: &RuntimeComponents,
        config: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        let Some(call) = config.load::<Metadata>() else { return Ok(()) };
        let accesses = accesses_of_call(call, context.request())?;
        if call.service() == "S3" {
            let bucket = accesses.first().and_then(|access| access.resource.split('/').next()).unwrap_or_default();
            let bucket = CallBucket(bucket.to_owned());
            config.interceptor_state().store_put(bucket);
        }
        self.check(accesses)
    }

    /// A 404 requires `s3:ListBucket`: S3 answers 403 for a missing object to a caller that may not list the bucket.
    fn read_before_deserialization(
        &self,
        context: &BeforeDeserializationInterceptorContextRef<'_>,
        _: &RuntimeComponents,
        config: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        let Some(CallBucket(bucket)) = config.load::<CallBucket>() else { return Ok(()) };
        if context.response().status().as_u16() != 404 {
            return Ok(());
        }
        self.check(vec![Access::new("s3", "ListBucket", bucket.clone())])
    }
}

/// The fields of a JSON body (DynamoDB, SQS, KMS) that name the resources of the call.
#[derive(Default, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
struct Body {
    table_name: String,
    index_name: Option<String>,
    transact_items: Vec<BTreeMap<String, TransactItem>>,
    request_items: BTreeMap<String, IgnoredAny>,
    queue_url: String,
    key_id: String,
    encryption_context: BTreeMap<String, String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct TransactItem {
    table_name: String,
}

fn accesses_of_call(call: &Metadata, request: &HttpRequest) -> Result<Vec<Access>, BoxError> {
    let body = || serde_json::from_slice::<Body>(request.body().bytes().unwrap_or_default());
    let operation = call.name();
    Ok(match call.service() {
        "DynamoDB" => dynamodb_accesses(operation, body()?)
            .map(|(action, table)| Access::new("dynamodb", &action, table))
            .collect(),
        "SQS" => vec![Access::new("sqs", operation.trim_end_matches("Batch"), body()?.queue_url)],
        "KMS" => {
            let Body { key_id, encryption_context, .. } = body()?;
            let conditions = encryption_context.into_iter();
            let conditions = conditions.map(|(name, value)| (format!("kms:EncryptionContext:{name}"), value));
            vec![Access { conditions: conditions.collect(), ..Access::new("kms", operation, key_id) }]
        }
        "S3" if operation == "ListObjectsV2" => vec![Access::new("s3", "ListBucket", object_path(request)?)],
        "S3" => vec![Access::new("s3", operation, object_path(request)?)],
        "Bedrock Runtime" if operation.ends_with("Stream") => {
            vec![Access::new("bedrock", "InvokeModelWithResponseStream", "bedrock".to_owned())]
        }
        "Bedrock Runtime" => vec![Access::new("bedrock", "InvokeModel", "bedrock".to_owned())],
        other => vec![Access::new(other, operation, String::new())],
    })
}

/// The actions of a DynamoDB call, with their tables. A transaction needs the permission of each of its items.
fn dynamodb_accesses(operation: &str, body: Body) -> impl Iterator<Item = (String, String)> {
    let items = body.transact_items.into_iter().flatten();
    let of_items = items.map(|(kind, item)| (format!("{kind}Item"), item.table_name));
    let of_batch = body.request_items.into_keys().map(|table| (operation.to_owned(), table));
    let table = match body.index_name {
        Some(index) => format!("{}/index/{index}", body.table_name),
        None => body.table_name,
    };
    let single = (!table.is_empty()).then(|| (operation.to_owned(), table));
    of_items.chain(of_batch).chain(single)
}

/// The bucket and the key of an S3 call. They are in the path, because the URLs are path-style here.
fn object_path(request: &HttpRequest) -> Result<String, BoxError> {
    let uri: http::Uri = request.uri().parse()?;
    Ok(uri.path().trim_matches('/').to_owned())
}
