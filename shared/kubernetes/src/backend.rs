//! The steps of a worker in a cluster.

use std::sync::Arc;

use domain::Result;
use domain::id::OrgId;
use domain::workbench::{Intent, Phase, Report, Workbench};
use futures::FutureExt;
use futures::future::BoxFuture;
use k8s_openapi::api::apps::v1::StatefulSet;
use k8s_openapi::api::core::v1::{Event, Pod};
use kube::api::ListParams;
use labs::{Backend, Permit};
use ring::digest::{SHA256, digest};
use serde_json::Value;

use crate::cluster::{Cluster, Namespace, Refusal};
use crate::objects::{self, DIGEST, OrgLimits, WORKBENCH};
use crate::settings::Settings;
use crate::status::{Observation, PodMetrics};

/// Reads what the plan of an organization allows. None: the namespace gets no quota.
pub type Limits = Arc<dyn Fn(OrgId) -> BoxFuture<'static, Result<Option<OrgLimits>>> + Send + Sync>;

/// The backend of a cluster.
pub struct Kubernetes {
    cluster: Cluster,
    settings: Settings,
    limits: Limits,
}

impl Backend for Kubernetes {
    fn step<'a>(&'a self, workbench: &'a Workbench, permit: &'a Permit) -> BoxFuture<'a, Result<Report>> {
        async move {
            let client = self.cluster.client().await?;
            let namespace = Namespace { client, name: objects::namespace(workbench.org) };
            match workbench.target() {
                Intent::Run => self.run(&namespace, workbench, permit).await,
                Intent::Stop => self.stop(&namespace, workbench, permit).await,
                Intent::Delete => self.delete(&namespace, workbench, permit).await,
            }
        }
        .boxed()
    }
}

impl Kubernetes {
    pub fn new(cluster: Cluster, settings: Settings, limits: Limits) -> Self {
        Self { cluster, settings, limits }
    }

    async fn run(&self, namespace: &Namespace, workbench: &Workbench, permit: &Permit) -> Result<Report> {
        let objects = objects::of_workbench(workbench, &self.settings);
        let digest = digest_of(&objects);
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
        let limits = (self.limits)(workbench.org).await?;
        let mut all = objects::of_organization(workbench.org, limits.as_ref(), &self.settings);
        all.extend(objects);
        for object in all {
            permit.check()?;
            match namespace.apply(&object).await? {
                None => {}
                Some(Refusal::Conflict) => break,
                // The quota also refuses an object that exists.
                Some(Refusal::Quota(_)) if namespace.exists(&object).await? => {}
                Some(Refusal::Quota(message)) => {
                    return Ok(Report::new(Phase::Failed).rejected("QUOTA_EXCEEDED", message));
                }
                Some(Refusal::Invalid(message)) => {
                    return Ok(Report::new(Phase::Failed).rejected("INVALID", message));
                }
            }
        }
        Ok(Report::new(Phase::Progressing))
    }

    async fn observe(&self, namespace: &Namespace, workbench: &Workbench, set: StatefulSet) -> Result<Report> {
        let name = objects::name(workbench.id);
        let pod: Option<Pod> = namespace.find(&format!("{name}-0")).await?;
        let warnings = match pod {
            Some(_) => Vec::new(),
            None => warnings(namespace, &set).await?,
        };
        let mut report = Observation { set, pod, warnings }.report();
        if report.phase == Phase::Running {
            let path = format!("/apis/metrics.k8s.io/v1beta1/namespaces/{}/pods/{name}-0", namespace.name);
            let metrics: Option<PodMetrics> = namespace.read(&path).await?;
            report.usage = metrics.map(|metrics| metrics.usage());
            report.dashboard = Some(format!("https://{}/", objects::host(workbench.id, &self.settings)));
        }
        Ok(report)
    }

    async fn stop(&self, namespace: &Namespace, workbench: &Workbench, permit: &Permit) -> Result<Report> {
        let found: Option<StatefulSet> = namespace.find(&objects::name(workbench.id)).await?;
        let is_wanted = |set: &StatefulSet| set.spec.replicas != Some(0);
        if found.as_ref().is_some_and(is_wanted)
            && let Some(set) = objects::of_workbench(workbench, &self.settings).last()
        {
            permit.check()?;
            namespace.scale(set, 0).await?;
        }
        let phase = if self.has_pods(namespace, workbench).await? { Phase::Progressing } else { Phase::Stopped };
        Ok(Report::new(phase))
    }

    async fn delete(&self, namespace: &Namespace, workbench: &Workbench, permit: &Permit) -> Result<Report> {
        let id = workbench.id.to_string();
        let mut is_left = false;
        for object in objects::of_workbench(workbench, &self.settings).iter().rev() {
            is_left |= namespace.delete(object, (WORKBENCH, &id), || permit.check()).await?;
        }
        is_left |= self.has_pods(namespace, workbench).await?;
        Ok(Report::new(if is_left { Phase::Progressing } else { Phase::Gone }))
    }

    async fn has_pods(&self, namespace: &Namespace, workbench: &Workbench) -> Result<bool> {
        let selected = ListParams::default().labels(&format!("{WORKBENCH}={}", workbench.id)).limit(1);
        Ok(!namespace.list::<Pod>(&selected).await?.is_empty())
    }
}

/// The warnings of a stateful set since it was created: an earlier one with the same name has the same events.
async fn warnings(namespace: &Namespace, set: &StatefulSet) -> Result<Vec<Event>> {
    let uid = set.metadata.uid.as_deref().unwrap_or_default();
    let selected = ListParams::default().fields(&format!("involvedObject.uid={uid},type=Warning")).limit(100);
    let mut warnings: Vec<Event> = namespace.list(&selected).await?;
    warnings.sort_by_key(|event| event.last_timestamp.as_ref().map(|at| at.0));
    Ok(warnings)
}

/// Whether the stateful set was applied with these objects and shall run.
fn is_applied(set: &StatefulSet, digest: &str) -> bool {
    let applied = set.metadata.annotations.as_ref().and_then(|annotations| annotations.get(DIGEST));
    let runs = set.spec.replicas == Some(1);
    runs && applied.is_some_and(|applied| applied == digest)
}

fn digest_of(objects: &[Value]) -> String {
    let text = Value::from(objects.to_vec()).to_string();
    digest(&SHA256, text.as_bytes()).as_ref()[..16].iter().map(|byte| format!("{byte:02x}")).collect()
}
