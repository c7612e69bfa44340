//! The status that the cluster reports for a workbench.

use std::time::Duration;

use domain::time::Time;
use domain::workbench::{Phase, Report};
use k8s_openapi::api::apps::v1::StatefulSet;
use k8s_openapi::api::core::v1::{ContainerState, ContainerStatus, Event, Pod};

use crate::cluster::QUOTA_NOT_COMPUTED;
use crate::objects::{CONTAINER, PYTHON_CONTAINER};

/// The objects from which the status follows.
pub struct Observation {
    pub set: StatefulSet,
    pub pod: Option<Pod>,
    /// The warnings of the stateful set in this run of the workbench, the newest last.
    pub warnings: Vec<Event>,
    pub now: Time,
}

/// The reasons for which the kubelet cannot start a container, and that do not resolve without a change.
const IMAGE_REASONS: [&str; 4] = ["ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull"];
const CONFIG_REASONS: [&str; 2] = ["CreateContainerConfigError", "CreateContainerError"];
/// A program that ends this often will not start by itself. Before, it may have waited for something.
const MAX_RESTARTS: i32 = 3;
/// The message of the scheduler while the volume of a pod is not bound. Most volumes are bound within seconds.
const VOLUME_NOT_BOUND: &str = "unbound immediate PersistentVolumeClaims";
/// How long a pod may wait for its volume before the workbench shows it.
const VOLUME_PATIENCE: Duration = Duration::from_secs(60);

impl Observation {
    /// The status of a workbench that shall run.
    pub fn report(&self) -> Report {
        let Some(pod) = &self.pod else { return self.report_without_pod() };
        if pod.metadata.deletion_timestamp.is_some() {
            // It belongs to an earlier run, or its node is drained. The new pod follows.
            return Report::new(Phase::Progressing);
        }
        let container = find_container(pod);
        let oom_kill = container.and_then(find_oom_kill);
        if self.is_ready(pod) {
            // An older warning does not count any more. That a container was ended for its memory does.
            return add_rejection(Report::new(Phase::Running), oom_kill);
        }
        if oom_kill.is_some() {
            return add_rejection(Report::new(Phase::Failed), oom_kill);
        }
        if let Some((container, waiting)) =
            container.and_then(|container| Some((container, container.state.as_ref()?.waiting.as_ref()?)))
        {
            let reason = waiting.reason.as_deref().unwrap_or_default();
            let message = waiting.message.clone().unwrap_or_else(|| reason.to_owned());
            let problem = match reason {
                reason if IMAGE_REASONS.contains(&reason) => Some("IMAGE_PULL"),
                reason if CONFIG_REASONS.contains(&reason) => Some("CONTAINER_CONFIG"),
                "CrashLoopBackOff" => Some("CRASH_LOOP"),
                _ => None,
            };
            if let Some(problem) = problem {
                let may_recover = problem == "CRASH_LOOP" && container.restart_count < MAX_RESTARTS;
                let phase = if may_recover { Phase::Progressing } else { Phase::Failed };
                return Report::new(phase).rejected(problem, message);
            }
        }
        // A cluster may add a node, or another workbench may end.
        add_rejection(Report::new(Phase::Progressing), self.unschedulable(pod))
    }

    /// The pod and the stateful set must both be ready: the controller of the set notices later that the pod is not.
    fn is_ready(&self, pod: &Pod) -> bool {
        let conditions = pod.status.as_ref().and_then(|status| status.conditions.as_ref()).into_iter().flatten();
        let is_pod_ready =
            conditions.into_iter().any(|condition| condition.type_ == "Ready" && condition.status == "True");
        let status = self.set.status.as_ref();
        let is_seen = status.and_then(|status| status.observed_generation) >= self.set.metadata.generation;
        is_pod_ready && is_seen && status.is_some_and(|status| status.ready_replicas == Some(1))
    }

    /// Quotas and limits refuse a pod only in the events of its stateful set.
    fn report_without_pod(&self) -> Report {
        let messages = self.warnings.iter().rev().filter(|event| event.reason.as_deref() == Some("FailedCreate"));
        let Some(message) = messages.filter_map(|event| event.message.as_deref()).next() else {
            return Report::new(Phase::Progressing);
        };
        if message.contains("exceeded quota") {
            // The quota is released when another workbench ends. The controller tries again by itself.
            Report::new(Phase::Progressing).rejected("QUOTA_EXCEEDED", message)
        } else if message.contains(" usage per ") {
            Report::new(Phase::Failed).rejected("LIMIT_RANGE", message)
        } else if message.contains("the object has been modified") || message.contains(QUOTA_NOT_COMPUTED) {
            Report::new(Phase::Progressing)
        } else {
            Report::new(Phase::Progressing).rejected("FAILED_CREATE", message)
        }
    }

    fn unschedulable(&self, pod: &Pod) -> Option<(&'static str, String)> {
        let conditions = pod.status.as_ref()?.conditions.as_ref()?;
        let refused = conditions.iter().find(|condition| {
            condition.type_ == "PodScheduled"
                && condition.status == "False"
                && condition.reason.as_deref() == Some("Unschedulable")
        })?;
        let message = refused.message.clone().unwrap_or_default();
        if message.contains(VOLUME_NOT_BOUND) && self.is_new(pod) {
            return None;
        }
        Some(("UNSCHEDULABLE", message))
    }

    fn is_new(&self, pod: &Pod) -> bool {
        let created_at = pod.metadata.creation_timestamp.as_ref().map(|at| Time::from_millis(at.0.as_millisecond()));
        created_at.is_some_and(|created_at| created_at.plus(VOLUME_PATIENCE) > self.now)
    }
}

fn add_rejection(report: Report, rejection: Option<(&'static str, String)>) -> Report {
    match rejection {
        Some((reason, message)) => report.rejected(reason, message),
        None => report,
    }
}

/// The container of the lab, or the one that prepares its Python environment until that has ended. The cluster may add others
/// to a pod, such as the proxy of a service mesh.
fn find_container(pod: &Pod) -> Option<&ContainerStatus> {
    let status = pod.status.as_ref()?;
    let has_ended = |container: &&ContainerStatus| {
        let ended = container.state.as_ref().and_then(|state| state.terminated.as_ref());
        ended.is_some_and(|ended| ended.exit_code == 0)
    };
    let preparing = find(status.init_container_statuses.as_deref(), PYTHON_CONTAINER);
    let preparing = preparing.filter(|container| !has_ended(container));
    preparing.or_else(|| find(status.container_statuses.as_deref(), CONTAINER))
}

fn find<'a>(containers: Option<&'a [ContainerStatus]>, name: &str) -> Option<&'a ContainerStatus> {
    containers.unwrap_or_default().iter().find(|container| container.name == name)
}

/// Whether the container was ended because of its memory.
fn find_oom_kill(container: &ContainerStatus) -> Option<(&'static str, String)> {
    let states = [container.state.as_ref(), container.last_state.as_ref()];
    let ended = states.into_iter().flatten().filter_map(|state: &ContainerState| state.terminated.as_ref());
    let killed = ended.into_iter().find(|ended| ended.reason.as_deref() == Some("OOMKilled"))?;
    let at = killed.finished_at.as_ref().map(|at| format!(" at {}", at.0)).unwrap_or_default();
    Some(("OOM_KILLED", format!("the workbench exceeded its memory and was ended{at}")))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const UNBOUND: &str = "0/1 nodes are available: 1 pod has unbound immediate PersistentVolumeClaims.";

    /// The reasons for which a pod waits that the scheduler has not placed, this long after its creation.
    fn reasons(message: &str, age: Duration) -> Vec<String> {
        let pod = json!({
            "metadata": {"creationTimestamp": "2026-03-01T09:30:00Z"},
            "status": {"conditions": [
                {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": message},
            ]},
        });
        let created_at = Time::from_millis(1_772_357_400_000);
        let observation = Observation {
            set: StatefulSet::default(),
            pod: Some(serde_json::from_value(pod).unwrap()),
            warnings: Vec::new(),
            now: created_at.plus(age),
        };
        observation.report().rejections.into_iter().map(|(reason, _)| reason).collect()
    }

    #[test]
    fn a_pod_may_wait_a_minute_for_its_volume() {
        let early = Duration::from_secs(59);
        assert_eq!(reasons(UNBOUND, early), Vec::<String>::new());
        assert_eq!(reasons("0/1 nodes are available: 1 Insufficient cpu.", early), ["UNSCHEDULABLE"]);
        assert_eq!(reasons(UNBOUND, Duration::from_secs(60)), ["UNSCHEDULABLE"]);
    }
}
