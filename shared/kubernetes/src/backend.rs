//! The steps of a worker in a cluster.

use std::sync::Arc;

use domain::id::OrgId;
use domain::text::sha256;
use domain::time::Time;
use domain::workbench::{Intent, Phase, Report, Workbench};
use futures::FutureExt;
use futures::future::BoxFuture;
use http::StatusCode;
use k8s_openapi::api::apps::v1::StatefulSet;
use k8s_openapi::api::core::v1::{Event, Pod, ResourceQuota};
use kube::api::{ListParams, ObjectMeta};
use labs::{Backend, Environments, Permit, backend_error};
use serde_json::Value;

use crate::cluster::{Cluster, Failure, Namespace, Refusal, Result, describe_remaining};
use crate::objects::{self, DIGEST, OrgLimits, WORKBENCH};
use crate::settings::Settings;
use crate::status::Observation;

/// The hexadecimal digits of a digest.
const DIGEST_DIGITS: usize = 32;

/// Reads what the plan of an organization allows. None: the namespace gets no quota.
pub type ReadLimits = Arc<dyn Fn(OrgId) -> BoxFuture<'static, domain::Result<Option<OrgLimits>>> + Send + Sync>;

/// The backend of a cluster.
pub struct Kubernetes {
    cluster: Cluster,
    settings: Settings,
    read_limits: ReadLimits,
    environments: Environments,
}

impl Backend for Kubernetes {
    fn step<'a>(&'a self, workbench: &'a Workbench, permit: &'a Permit) -> BoxFuture<'a, domain::Result<Report>> {
        async move {
            match self.make_step(workbench, permit).await {
                Ok(report) => Ok(report),
                // Such as a missing permission, a webhook, or a namespace that is being deleted.
                Err(Failure::Refused { status: StatusCode::FORBIDDEN, message }) => {
                    Ok(Report::new(Phase::Progressing).rejected("FORBIDDEN", message))
                }
                // The call was logged.
                Err(Failure::Refused { .. }) => Ok(backend_error()),
                Err(Failure::NoEffect(error)) => {
                    tracing::warn!(?error, workbench_id = %workbench.id, "a step of a workbench failed; it is tried again");
                    Ok(backend_error())
                }
                Err(Failure::Uncertain(error)) => Err(error),
            }
        }
        .boxed()
    }
}

impl Kubernetes {
    pub fn new(cluster: Cluster, settings: Settings, read_limits: ReadLimits, environments: Environments) -> Self {
        Self { cluster, settings, read_limits, environments }
    }

    async fn make_step(&self, workbench: &Workbench, permit: &Permit) -> Result<Report> {
        let client = self.cluster.client().await?;
        let namespace = Namespace { client, name: objects::namespace(workbench.org) };
        match workbench.target() {
            Intent::Run => self.run(&namespace, workbench, permit).await,
            Intent::Stop => self.stop(&namespace, workbench, permit).await,
            Intent::Delete => self.delete(&namespace, workbench, permit).await,
        }
    }

    async fn run(&self, namespace: &Namespace, workbench: &Workbench, permit: &Permit) -> Result<Report> {
        let objects = objects::workbench_objects(workbench, &self.settings);
        let digest = compute_digest(&objects);
        let found: Option<StatefulSet> = namespace.find(&objects::name(workbench.id)).await?;
        match found.filter(|set| is_applied(set, &digest)) {
            Some(set) => self.observe(namespace, workbench, set).await,
            None => self.apply(namespace, workbench, objects, &digest, permit).await,
        }
    }

    async fn apply(
        &self,
        namespace: &Namespace,
        workbench: &Workbench,
        mut objects: Vec<Value>,
        digest: &str,
        permit: &Permit,
    ) -> Result<Report> {
        // Written with the last object, so that an interrupted step is repeated from its beginning.
        if let Some(last) = objects.last_mut() {
            last["metadata"]["annotations"][DIGEST] = digest.into();
        }
        let limits = (self.read_limits)(workbench.org).await?;
        let of_organization = objects::organization_objects(workbench.org, limits.as_ref(), &self.settings);
        if let Some(report) = apply_all(namespace, &of_organization, permit).await? {
            return Ok(report);
        }
        let quota = limits.map(|limits| objects::quota(workbench.org, &limits, &self.settings));
        if let Some(quota) = quota
            && let Some(report) = apply_quota(namespace, quota, permit).await?
        {
            return Ok(report);
        }
        let shared: Vec<_> = objects::shared_claim(workbench.org, &self.settings).into_iter().collect();
        if let Some(report) = apply_all(namespace, &shared, permit).await? {
            return Ok(report);
        }
        objects::fill_secret(&mut objects, &self.environments.load(workbench, permit).await?);
        let report = apply_all(namespace, &objects, permit).await?;
        Ok(report.unwrap_or_else(|| Report::new(Phase::Progressing)))
    }

    async fn observe(&self, namespace: &Namespace, workbench: &Workbench, set: StatefulSet) -> Result<Report> {
        let name = objects::name(workbench.id);
        let pod: Option<Pod> = namespace.find(&format!("{name}-0")).await?;
        let warnings = match pod {
            Some(_) => Vec::new(),
            None => list_warnings(namespace, &set, workbench.started_at).await?,
        };
        let mut report = Observation { set, pod, warnings, now: self.cluster.now() }.report();
        if report.phase == Phase::Running {
            report.usage = namespace.find_metrics(&format!("{name}-0")).await.map(|metrics| metrics.usage());
            report.dashboard = Some(format!("https://{}/", objects::host(workbench.id, &self.settings)));
        }
        Ok(report)
    }

    async fn stop(&self, namespace: &Namespace, workbench: &Workbench, permit: &Permit) -> Result<Report> {
        let found: Option<StatefulSet> = namespace.find(&objects::name(workbench.id)).await?;
        let is_scaled_up = |set: &StatefulSet| set.spec.replicas != Some(0);
        if found.as_ref().is_some_and(is_scaled_up)
            && let Some(set) = objects::workbench_objects(workbench, &self.settings).last()
        {
            permit.check()?;
            namespace.scale(set, 0).await?;
        }
        let is_stopped = list_pods(namespace, workbench).await?.is_empty();
        Ok(Report::new(if is_stopped { Phase::Stopped } else { Phase::Progressing }))
    }

    async fn delete(&self, namespace: &Namespace, workbench: &Workbench, permit: &Permit) -> Result<Report> {
        let id = workbench.id.to_string();
        let mut remaining = Vec::new();
        for object in objects::workbench_objects(workbench, &self.settings).iter().rev() {
            remaining.extend(namespace.delete(object, (WORKBENCH, &id), || permit.check()).await?);
        }
        let pods = list_pods(namespace, workbench).await?;
        remaining.extend(pods.iter().map(|pod| describe_remaining("Pod", &pod.metadata)));
        let phase = if remaining.is_empty() { Phase::Gone } else { Phase::Progressing };
        Ok(Report { remaining, ..Report::new(phase) })
    }
}

/// Applies objects. Returns the report of the step if it cannot continue.
async fn apply_all(namespace: &Namespace, objects: &[Value], permit: &Permit) -> Result<Option<Report>> {
    for object in objects {
        // The storage class of a volume claim cannot be changed, and the API server refuses an object that tries to.
        if object["kind"] == "PersistentVolumeClaim" && namespace.exists(object).await? {
            continue;
        }
        permit.check()?;
        let progressing = Report::new(Phase::Progressing);
        match namespace.apply(object).await? {
            None => {}
            Some(Refusal::Retry) => return Ok(Some(progressing)),
            // The platform has reserved the capacity. The cluster counts a deleted object for some time.
            Some(Refusal::Quota(message)) => return Ok(Some(progressing.rejected("QUOTA_EXCEEDED", message))),
            Some(Refusal::Invalid(message)) => {
                return Ok(Some(Report::new(Phase::Failed).rejected("INVALID", message)));
            }
        }
    }
    Ok(None)
}

/// Applies the quota of an organization if it has changed. Returns the report of the step until the cluster has computed its
/// usage.
///
/// The controller of quotas counts objects from a cache. If it computes while an object is created, it may miss that object, and
/// then the cluster admits too much. So nothing is created before the first computation is complete, and an unchanged quota is
/// not written again: a write makes the controller repeat a computation that has not ended.
async fn apply_quota(namespace: &Namespace, mut quota: Value, permit: &Permit) -> Result<Option<Report>> {
    let digest = compute_digest(std::slice::from_ref(&quota));
    let found: Option<ResourceQuota> = namespace.find(objects::ORGANIZATION_OBJECTS).await?;
    match found {
        Some(found) if has_digest(&found.metadata, &digest) => {
            Ok((!is_computed(&found)).then(|| Report::new(Phase::Progressing)))
        }
        _ => {
            quota["metadata"]["annotations"][DIGEST] = digest.into();
            let report = apply_all(namespace, &[quota], permit).await?;
            Ok(Some(report.unwrap_or_else(|| Report::new(Phase::Progressing))))
        }
    }
}

/// Whether the cluster has computed the usage of the quota as it is now.
fn is_computed(quota: &ResourceQuota) -> bool {
    let wanted = quota.spec.as_ref().and_then(|spec| spec.hard.as_ref());
    let computed = quota.status.as_ref().filter(|status| status.used.is_some()).and_then(|status| status.hard.as_ref());
    wanted == computed
}

async fn list_pods(namespace: &Namespace, workbench: &Workbench) -> Result<Vec<Pod>> {
    let selected = ListParams::default().labels(&format!("{WORKBENCH}={}", workbench.id)).limit(1);
    namespace.list(&selected).await
}

/// The warnings of a stateful set since the workbench was started. The cluster keeps those of earlier runs for an hour, and
/// those of an earlier object with the same name have another uid.
async fn list_warnings(namespace: &Namespace, set: &StatefulSet, started_at: Time) -> Result<Vec<Event>> {
    let uid = set.metadata.uid.as_deref().unwrap_or_default();
    let selected = ListParams::default().fields(&format!("involvedObject.uid={uid},type=Warning")).limit(100);
    let mut warnings: Vec<Event> = namespace.list(&selected).await?;
    // The cluster rounds most times down to seconds.
    warnings.retain(|event| last_observed_s(event) >= Some(started_at.as_seconds()));
    warnings.sort_by_key(last_observed_s);
    Ok(warnings)
}

/// When an event was last observed, in Unix seconds. Which of the times an event has depends on its reporter.
fn last_observed_s(event: &Event) -> Option<i64> {
    let last = event.last_timestamp.as_ref().map(|at| at.0.as_second());
    let single = event.event_time.as_ref().map(|at| at.0.as_second());
    let series = event.series.as_ref().and_then(|series| series.last_observed_time.as_ref());
    [last, single, series.map(|at| at.0.as_second())].into_iter().flatten().max()
}

/// Whether the stateful set was applied with these objects and shall run.
fn is_applied(set: &StatefulSet, digest: &str) -> bool {
    set.spec.replicas == Some(1) && has_digest(&set.metadata, digest)
}

fn has_digest(metadata: &ObjectMeta, digest: &str) -> bool {
    metadata.annotations.as_ref().and_then(|annotations| annotations.get(DIGEST)).is_some_and(|found| found == digest)
}

fn compute_digest(objects: &[Value]) -> String {
    let mut digest = sha256(&Value::from(objects.to_vec()).to_string());
    digest.truncate(DIGEST_DIGITS);
    digest
}
