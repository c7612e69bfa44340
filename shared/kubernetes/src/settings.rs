//! How the platform uses the cluster.

use std::collections::BTreeMap;

use serde::Deserialize;

/// The setting `WORKBENCH_CLUSTER`, as JSON.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    pub connection: Connection,
    /// Each workbench has a host of this domain, such as `wb-<id>.labs.example.com`.
    pub domain: String,
    pub ingress_class: String,
    /// The namespace of the ingress controller: only it can reach the pods.
    pub ingress_namespace: String,
    /// The annotations of each ingress. They make the controller ask who may enter; `{id}` is the id of the workbench.
    #[serde(default)]
    pub ingress_annotations: BTreeMap<String, String>,
    /// The default class of the cluster, if absent.
    #[serde(default)]
    pub storage_class: Option<String>,
    /// The scheduler that shares GPUs, if it is not the default one.
    #[serde(default)]
    pub scheduler: Option<String>,
    #[serde(default)]
    pub node_selector: BTreeMap<String, String>,
    /// The port on which the images listen.
    #[serde(default = "jupyter_port")]
    pub port: u16,
}

/// How the platform connects to the cluster.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum Connection {
    /// A cluster of EKS, with the role of the function.
    Eks(Eks),
    /// The path of a kubeconfig file.
    Kubeconfig(String),
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Eks {
    pub name: String,
    /// The endpoint of its API server.
    pub url: String,
    /// The certificate authority, as EKS shows it: PEM in base64.
    pub certificate_authority: String,
}

fn jupyter_port() -> u16 {
    8888
}
