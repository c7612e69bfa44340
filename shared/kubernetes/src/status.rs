//! What the cluster says about a workbench, as a report.

use domain::quantity::Quantity;
use domain::workbench::{Phase, Report, Usage};
use k8s_openapi::api::apps::v1::StatefulSet;
use k8s_openapi::api::core::v1::{ContainerState, ContainerStatus, Event, Pod};
use serde::Deserialize;

/// The objects from which the status follows.
#[derive(Default)]
pub struct Observation {
    pub set: StatefulSet,
    pub pod: Option<Pod>,
    /// The warnings of the stateful set, the newest last.
    pub warnings: Vec<Event>,
}

/// The reasons for which the kubelet cannot start a container, and which time alone does not end.
const IMAGE_REASONS: [&str; 4] = ["ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull"];
const CONFIG_REASONS: [&str; 2] = ["CreateContainerConfigError", "CreateContainerError"];

impl Observation {
    /// The status of a workbench that shall run.
    pub fn report(&self) -> Report {
        let container = self.pod.as_ref().and_then(container);
        let killed = container.and_then(killed);
        if self.is_ready() {
            // An older warning does not count any more. That a container was ended for its memory does.
            return with(Report::new(Phase::Running), killed);
        }
        let Some(pod) = &self.pod else { return self.without_pod() };
        if let Some(killed) = killed {
            return with(Report::new(Phase::Failed), Some(killed));
        }
        if let Some(waiting) = container.and_then(|container| container.state.as_ref()?.waiting.as_ref()) {
            let reason = waiting.reason.as_deref().unwrap_or_default();
            let message = waiting.message.clone().unwrap_or_else(|| reason.to_owned());
            let problem = match reason {
                reason if IMAGE_REASONS.contains(&reason) => Some("IMAGE_PULL"),
                reason if CONFIG_REASONS.contains(&reason) => Some("CONTAINER_CONFIG"),
                "CrashLoopBackOff" => Some("CRASH_LOOP"),
                _ => None,
            };
            if let Some(problem) = problem {
                return Report::new(Phase::Failed).rejected(problem, message);
            }
        }
        // A cluster may add a node, or another workbench may end.
        with(Report::new(Phase::Progressing), unschedulable(pod))
    }

    fn is_ready(&self) -> bool {
        let status = self.set.status.as_ref();
        let is_seen = status.and_then(|status| status.observed_generation) >= self.set.metadata.generation;
        is_seen && status.is_some_and(|status| status.ready_replicas == Some(1))
    }

    /// Quotas and limits refuse a pod only in the events of its stateful set.
    fn without_pod(&self) -> Report {
        let messages = self.warnings.iter().rev().filter(|event| event.reason.as_deref() == Some("FailedCreate"));
        let Some(message) = messages.filter_map(|event| event.message.as_deref()).next() else {
            return Report::new(Phase::Progressing);
        };
        if message.contains("exceeded quota") {
            // It frees up when another workbench ends. The controller tries again by itself.
            Report::new(Phase::Progressing).rejected("QUOTA_EXCEEDED", message)
        } else if message.contains(" usage per ") {
            Report::new(Phase::Failed).rejected("LIMIT_RANGE", message)
        } else if message.contains("the object has been modified") {
            Report::new(Phase::Progressing)
        } else {
            Report::new(Phase::Progressing).rejected("FAILED_CREATE", message)
        }
    }
}

fn with(report: Report, rejection: Option<(&'static str, String)>) -> Report {
    match rejection {
        Some((reason, message)) => report.rejected(reason, message),
        None => report,
    }
}

fn container(pod: &Pod) -> Option<&ContainerStatus> {
    pod.status.as_ref()?.container_statuses.as_ref()?.first()
}

/// Whether the container was ended because of its memory.
fn killed(container: &ContainerStatus) -> Option<(&'static str, String)> {
    let states = [container.state.as_ref(), container.last_state.as_ref()];
    let ended = states.into_iter().flatten().filter_map(|state: &ContainerState| state.terminated.as_ref());
    let killed = ended.into_iter().find(|ended| ended.reason.as_deref() == Some("OOMKilled"))?;
    let at = killed.finished_at.as_ref().map(|at| format!(" at {}", at.0)).unwrap_or_default();
    Some(("OOM_KILLED", format!("the workbench exceeded its memory and was ended{at}")))
}

fn unschedulable(pod: &Pod) -> Option<(&'static str, String)> {
    let conditions = pod.status.as_ref()?.conditions.as_ref()?;
    let refused = conditions.iter().find(|condition| {
        condition.type_ == "PodScheduled"
            && condition.status == "False"
            && condition.reason.as_deref() == Some("Unschedulable")
    })?;
    Some(("UNSCHEDULABLE", refused.message.clone().unwrap_or_default()))
}

/// The cluster measures the CPU in billionths.
fn milli(text: &str) -> Option<u64> {
    let quantity: Quantity = text.parse().ok()?;
    u64::try_from(quantity.ceil_milli()).ok()
}

/// The answer of `metrics.k8s.io` for a pod.
#[derive(Deserialize)]
pub struct PodMetrics {
    #[serde(default)]
    containers: Vec<ContainerMetrics>,
}

#[derive(Deserialize)]
struct ContainerMetrics {
    usage: MeasuredUsage,
}

#[derive(Deserialize)]
struct MeasuredUsage {
    cpu: Option<String>,
    memory: Option<String>,
}

impl PodMetrics {
    /// What all containers use together. The cluster measures neither storage nor the memory of GPUs here.
    pub fn usage(&self) -> Usage {
        let sum = |of: fn(&MeasuredUsage) -> Option<u64>| {
            self.containers.iter().map(|container| of(&container.usage)).collect::<Option<Vec<_>>>()
        };
        let sum = |of| sum(of).filter(|amounts| !amounts.is_empty()).map(|amounts| amounts.iter().sum());
        Usage {
            cpu: sum(|usage| milli(usage.cpu.as_deref()?)),
            memory: sum(|usage| u64::try_from(usage.memory.as_deref()?.parse::<Quantity>().ok()?.ceil()).ok()),
            ..Usage::default()
        }
    }
}
