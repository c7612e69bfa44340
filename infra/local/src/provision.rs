//! Creates the template's queues, buckets and keys in the embedded services, unless they exist already.

use std::collections::BTreeMap;

use aws_sdk_sqs::types::QueueAttributeName;
use platform::aws::Aws;

use crate::data_dir::{DataDir, KMS};
use crate::failure::Failure;
use crate::services::queues::dead_letter_policy;
use crate::template::{QueueResource, SamTemplate};

/// Creates the resources, and returns the value of a reference to each: a queue's URL, a bucket's name, a key's alias.
pub async fn provision(aws: &Aws, template: &SamTemplate) -> Result<BTreeMap<String, String>, Failure> {
    let mut resources: BTreeMap<String, String> = template.tables.keys().map(|id| (id.clone(), id.clone())).collect();
    for (id, queue) in &template.queues {
        resources.insert(id.clone(), make_queue(aws, id, queue).await?);
    }
    for id in template.buckets.keys() {
        resources.insert(id.clone(), make_bucket(aws, id).await?);
    }
    for id in &template.keys {
        resources.insert(id.clone(), make_key(aws, id).await?);
    }
    Ok(resources)
}

/// Refuses a data folder in which a resource is missing or the key belongs to another folder. Run it before `provision`
/// creates missing resources: without the key that the database names, no secret can be decrypted.
pub async fn check_resources(
    aws: &Aws,
    data: &DataDir,
    template: &SamTemplate,
    stored_key_id: &str,
) -> Result<(), Failure> {
    for id in &template.keys {
        match find_key(aws, id).await {
            None => return Err(data.missing_file(KMS)),
            Some(found) if found != stored_key_id => {
                let cause = format!("it holds the key {found}, and the database was encrypted with {stored_key_id}");
                return Err(data.foreign_file(KMS, cause));
            }
            Some(_) => {}
        }
    }
    for id in template.buckets.keys() {
        let bucket = data.s3_folder().join(bucket_name(id));
        if !bucket.is_dir() {
            return Err(data.missing_file(&format!("s3/{}", bucket_name(id))));
        }
    }
    Ok(())
}

/// The id of a key of the template, if the key exists.
pub async fn find_key(aws: &Aws, id: &str) -> Option<String> {
    // A call that names a missing key would be a warning in the log of each new data folder.
    let listed = aws.kms().list_aliases().send().await.ok()?;
    let alias = listed.aliases?.into_iter().find(|alias| alias.alias_name() == Some(&key_alias(id)))?;
    let described = aws.kms().describe_key().key_id(alias.target_key_id?).send().await.ok()?;
    Some(described.key_metadata?.key_id)
}

fn key_alias(id: &str) -> String {
    format!("alias/{id}")
}

fn bucket_name(id: &str) -> String {
    id.to_lowercase()
}

async fn make_queue(aws: &Aws, id: &str, queue: &QueueResource) -> Result<String, Failure> {
    let visibility = queue.visibility_timeout_s.to_string();
    let mut call =
        aws.sqs().create_queue().queue_name(id).attributes(QueueAttributeName::VisibilityTimeout, visibility);
    if let Some((dead_letters, tries)) = &queue.dead_letters {
        let policy = dead_letter_policy(dead_letters, *tries);
        call = call.attributes(QueueAttributeName::RedrivePolicy, policy.to_string());
    }
    let created = call.send().await.map_err(|error| failed(id, error))?;
    created.queue_url.ok_or_else(|| failed(id, "the queue has no URL"))
}

async fn make_bucket(aws: &Aws, id: &str) -> Result<String, Failure> {
    let (s3, name) = (aws.s3(), bucket_name(id));
    if s3.head_bucket().bucket(&name).send().await.is_err() {
        s3.create_bucket().bucket(&name).send().await.map_err(|error| failed(id, error))?;
    }
    Ok(name)
}

async fn make_key(aws: &Aws, id: &str) -> Result<String, Failure> {
    let (kms, alias) = (aws.kms(), key_alias(id));
    if find_key(aws, id).await.is_none() {
        let created = kms.create_key().send().await.map_err(|error| failed(id, error))?;
        let key_id = created.key_metadata.map(|key| key.key_id).unwrap_or_default();
        kms.create_alias().alias_name(&alias).target_key_id(key_id).send().await.map_err(|error| failed(id, error))?;
    }
    Ok(alias)
}

fn failed(resource: &str, cause: impl std::fmt::Debug) -> Failure {
    Failure::Template { resource: resource.to_owned(), cause: format!("{cause:?}") }
}
