//! The S3 of the simulation: a bucket that stores, returns, lists and deletes objects.

use aws_smithy_runtime_api::client::orchestrator::HttpResponse;
use aws_smithy_types::body::SdkBody;

use super::world::World;

const NOT_FOUND: &str = "<Error><Code>NoSuchKey</Code><Message>no such object</Message></Error>";

/// Carries out a request for an object. Its path is the name of the object.
pub fn execute(world: &World, method: &str, uri: &str, body: &[u8]) -> HttpResponse {
    let path = uri.split_once("://").map_or(uri, |(_, rest)| rest);
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    let objects = &mut world.state().objects;
    match method {
        "GET" if query.contains("list-type=2") => list(objects.keys(), query),
        "GET" => match objects.get(path) {
            Some(content) => respond(200, content.clone()),
            None => respond(404, NOT_FOUND),
        },
        "PUT" => {
            objects.insert(path.to_owned(), body.to_vec());
            respond(200, "")
        }
        "DELETE" => {
            objects.remove(path);
            respond(204, "")
        }
        other => panic!("the simulation does not support {other} of an object"),
    }
}

/// No protocol deletes objects by a prefix that has any.
fn list<'a>(mut names: impl Iterator<Item = &'a String>, query: &str) -> HttpResponse {
    let prefix = query.split('&').find_map(|part| part.strip_prefix("prefix=")).unwrap_or_default();
    let prefix = prefix.replace("%2F", "/");
    assert!(!names.any(|name| name.contains(&prefix)), "the simulation does not list objects");
    respond(200, "<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>")
}

fn respond(status: u16, body: impl Into<SdkBody>) -> HttpResponse {
    HttpResponse::new(status.try_into().expect("the status is a valid HTTP status"), body.into())
}
