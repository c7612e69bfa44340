//! How the platform uses the cluster.

use std::collections::BTreeMap;

use domain::workbench::ResourceDimension;
use serde::de::Error;
use serde::{Deserialize, Deserializer};

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
    /// The annotations of each ingress; `{id}` is the id of the workbench. They must make the controller authenticate each
    /// user and check that the user is a member of the workbench.
    pub ingress_annotations: BTreeMap<String, String>,
    /// The default class of the cluster, if absent.
    #[serde(default)]
    pub storage_class: Option<String>,
    /// The folder that the workbenches of an organization share. None: there is none.
    #[serde(default)]
    pub shared_folder: Option<SharedFolder>,
    /// The scheduler that shares GPUs, if it is not the default one.
    #[serde(default)]
    pub scheduler: Option<String>,
    #[serde(default)]
    pub node_selector: BTreeMap<String, String>,
    /// The port on which the images listen.
    #[serde(default = "jupyter_port")]
    pub port: u16,
}

/// A volume claim of each organization, which its workbenches mount at the same time.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SharedFolder {
    /// A class whose volumes several nodes can write (`ReadWriteMany`).
    pub storage_class: String,
    /// The size of the claim of one organization.
    #[serde(deserialize_with = "read_bytes")]
    pub size: u64,
}

fn read_bytes<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    let text = String::deserialize(deserializer)?;
    let invalid = |problem| D::Error::custom(format!("shared_folder.size: {problem}, such as \"100Gi\""));
    ResourceDimension::Storage.read(&text).map_err(invalid)
}

/// How the platform connects to the cluster.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum Connection {
    /// A cluster of EKS, with the role of the function.
    Eks(Eks),
    /// Any cluster, with the kubeconfig that the operator has stored.
    Kubeconfig,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Eks {
    pub name: String,
    /// The endpoint of its API server. It begins with `https://`.
    pub url: String,
    /// The certificate authority, as EKS shows it: PEM in base64.
    pub certificate_authority: String,
}

impl Settings {
    /// Reads and checks the setting. Returns the problem if it is invalid.
    pub fn read(text: &str) -> Result<Self, String> {
        let settings: Self = serde_json::from_str(text).map_err(|error| error.to_string())?;
        // Without one, a lab would be open to everybody. No rule of access works without the id of the workbench.
        if !settings.ingress_annotations.values().any(|value| value.contains("{id}")) {
            return Err("ingress_annotations: no value contains {id}; add the rule that authenticates the users of a \
                        workbench and checks their membership"
                .to_owned());
        }
        match &settings.connection {
            Connection::Eks(Eks { url, .. }) if !url.starts_with("https://") => {
                Err(format!("connection.eks.url: must begin with https://, not {url:?}"))
            }
            _ => Ok(settings),
        }
    }

    pub fn is_eks(&self) -> bool {
        matches!(self.connection, Connection::Eks(_))
    }
}

fn jupyter_port() -> u16 {
    8888
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of the README.
    fn example() -> serde_json::Value {
        let readme = include_str!("../README.md");
        let (_, example) = readme.split_once("```json").unwrap();
        serde_json::from_str(example.split_once("```").unwrap().0).unwrap()
    }

    #[test]
    fn the_example_of_the_readme_is_valid() {
        let settings = Settings::read(&example().to_string()).unwrap();
        assert!(matches!(settings.connection, Connection::Eks(_)));
        assert_eq!((settings.port, settings.scheduler.as_deref()), (8888, Some("hami-scheduler")));
    }

    #[test]
    fn settings_without_a_rule_of_access_are_refused() {
        for annotations in [
            serde_json::json!({}),
            serde_json::json!({"nginx.ingress.kubernetes.io/auth-url": "https://access.example.com/"}),
            serde_json::json!({"{id}": "true"}),
        ] {
            let mut settings = example();
            settings["ingress_annotations"] = annotations;
            let problem = Settings::read(&settings.to_string()).unwrap_err();
            assert!(problem.contains("no value contains {id}"), "{problem}");
        }
        let mut settings = example();
        settings.as_object_mut().unwrap().remove("ingress_annotations");
        assert!(Settings::read(&settings.to_string()).unwrap_err().contains("ingress_annotations"));
    }

    #[test]
    fn a_shared_folder_needs_a_class_and_a_size() {
        let read = |shared_folder: serde_json::Value| {
            let mut settings = example();
            settings["shared_folder"] = shared_folder;
            Settings::read(&settings.to_string())
        };
        let settings = read(serde_json::json!({"storage_class": "efs", "size": "1Gi"})).unwrap();
        assert_eq!(settings.shared_folder.map(|folder| folder.size), Some(1 << 30));
        for (shared_folder, expected) in [
            (serde_json::json!({"size": "1Gi"}), "storage_class"),
            (serde_json::json!({"storage_class": "efs"}), "size"),
            (serde_json::json!({"storage_class": "efs", "size": "0"}), "shared_folder.size: must be greater than zero"),
            (serde_json::json!({"storage_class": "efs", "size": "much"}), "shared_folder.size: "),
        ] {
            let problem = read(shared_folder).unwrap_err();
            assert!(problem.contains(expected), "{problem}");
        }
    }

    #[test]
    fn a_cluster_without_encryption_is_refused() {
        let mut settings = example();
        settings["connection"]["eks"]["url"] = "http://cluster.example.com".into();
        let problem = Settings::read(&settings.to_string()).unwrap_err();
        assert!(problem.contains("must begin with https://"), "{problem}");
    }
}
