//! Whether a Jupyter server is in use: when its kernels and terminals were last active, and whether one of them is busy.
//! The requests of an open browser tab do not count, because `JupyterLab` polls all the time.

use domain::time::Time;
use serde::Deserialize;

use super::process::LabProcess;
use super::proxy;

#[derive(Deserialize)]
struct Kernel {
    last_activity: Time,
    #[serde(default)]
    execution_state: String,
}

#[derive(Deserialize)]
struct Terminal {
    last_activity: Time,
}

/// The last time at which a kernel or a terminal was active. None if there are none, or if the server does not answer.
pub async fn last_active(process: &LabProcess, now: Time) -> Option<Time> {
    let kernels = proxy::read(process, "/api/kernels").await.unwrap_or_default();
    let terminals = proxy::read(process, "/api/terminals").await.unwrap_or_default();
    latest(kernels, terminals, now)
}

fn latest(kernels: Vec<Kernel>, terminals: Vec<Terminal>, now: Time) -> Option<Time> {
    // The last activity of a busy kernel is its last output, which may be long ago.
    if kernels.iter().any(|kernel| kernel.execution_state == "busy") {
        return Some(now);
    }
    let of_kernels = kernels.into_iter().map(|kernel| kernel.last_activity);
    of_kernels.chain(terminals.into_iter().map(|terminal| terminal.last_activity)).max()
}

#[cfg(test)]
mod tests {
    use serde::de::DeserializeOwned;
    use serde_json::{Value, json};

    use super::*;

    fn read<T: DeserializeOwned>(value: Value) -> T {
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn a_busy_kernel_is_active_however_long_it_is_silent() {
        let at = |hour: u32| format!("2026-03-01T{hour:02}:30:00.123456Z");
        let kernel = |hour, state: &str| json!({"id": "1", "last_activity": at(hour), "execution_state": state});
        let terminal = |hour| json!({"name": "1", "last_activity": at(hour)});
        let now = Time::now();
        let find = |kernels: Value, terminals: Value| latest(read(kernels), read(terminals), now);
        assert_eq!(find(json!([]), json!([])), None);
        assert_eq!(find(json!([kernel(9, "idle"), kernel(7, "idle")]), json!([terminal(8)])), read(json!(at(9))));
        assert_eq!(find(json!([kernel(9, "idle")]), json!([terminal(10)])), read(json!(at(10))));
        assert_eq!(find(json!([kernel(9, "idle"), kernel(7, "busy")]), json!([])), Some(now));
    }
}
