//! The usage that the cluster measures.

use domain::quantity::Quantity;
use domain::workbench::Usage;
use serde::Deserialize;

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
            cpu: sum(|usage| read_millicores(usage.cpu.as_deref()?)),
            memory: sum(|usage| u64::try_from(usage.memory.as_deref()?.parse::<Quantity>().ok()?.ceil()).ok()),
            ..Usage::default()
        }
    }
}

/// Reads a CPU quantity, which the cluster measures in billionths of a core.
fn read_millicores(text: &str) -> Option<u64> {
    let quantity: Quantity = text.parse().ok()?;
    u64::try_from(quantity.ceil_milli()).ok()
}
