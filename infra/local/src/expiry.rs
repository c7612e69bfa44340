//! Applies the lifecycle rules of the buckets, as S3 does: deletes expired objects. Deletion may be late, so no code
//! relies on it.

use std::time::{Duration, SystemTime};

use aws_sdk_s3::Client;
use tokio_util::sync::CancellationToken;

use crate::template::LifecycleRule;

const HOUR: Duration = Duration::from_secs(60 * 60);
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// The lifecycle rules of one bucket.
pub struct BucketLifecycle {
    pub client: Client,
    pub bucket: String,
    pub rules: Vec<LifecycleRule>,
}

impl BucketLifecycle {
    /// Applies the rules now and then every hour, until `stop`.
    pub async fn run(self, stop: CancellationToken) {
        let mut hours = tokio::time::interval(HOUR);
        loop {
            tokio::select! {
                () = stop.cancelled() => return,
                _ = hours.tick() => {}
            }
            self.expire(SystemTime::now()).await;
        }
    }

    /// Deletes the objects that have expired at `now`, and returns how many.
    pub async fn expire(&self, now: SystemTime) -> usize {
        let mut deleted = 0;
        for rule in &self.rules {
            deleted += self.apply_rule(rule, now).await;
        }
        deleted
    }

    async fn apply_rule(&self, LifecycleRule { prefix, days }: &LifecycleRule, now: SystemTime) -> usize {
        let Self { client, bucket, .. } = self;
        let (mut deleted, mut last) = (0, String::new());
        loop {
            let list = client.list_objects_v2().bucket(bucket).prefix(prefix).start_after(last);
            let Ok(page) = list.send().await else { return deleted };
            for object in page.contents() {
                let modified = object.last_modified().and_then(|at| SystemTime::try_from(*at).ok());
                let age = modified.and_then(|at| now.duration_since(at).ok()).unwrap_or_default();
                if age >= DAY * *days {
                    let call = client.delete_object().bucket(bucket).key(object.key().unwrap_or_default());
                    deleted += usize::from(call.send().await.is_ok());
                }
            }
            match page.contents().last().and_then(|object| object.key()) {
                Some(key) if page.is_truncated() == Some(true) => last = key.to_owned(),
                _ => return deleted,
            }
        }
    }
}
