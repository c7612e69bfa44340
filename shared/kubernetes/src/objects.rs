//! The objects of the cluster: those of an organization, and those of a workbench. All names come from ids, never from the
//! text of a user.

use std::collections::BTreeMap;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use domain::id::{OrgId, WorkbenchId};
use domain::workbench::{ResourceDimension, Resources, Workbench};
use labs::{PREPARE_PYTHON, SHARED_FOLDER, jupyter_path};
use serde_json::{Map, Value, json};

use crate::Settings;

/// The label with the id of the workbench.
pub const WORKBENCH: &str = "atelier/workbench";
const ORGANIZATION: &str = "atelier/organization";
pub const MANAGER: &str = "workbenches";
/// The name of the objects of an organization in its namespace.
pub const ORGANIZATION_OBJECTS: &str = "workbenches";
/// The annotation with the digest of the objects as they were applied.
pub const DIGEST: &str = "atelier/digest";
pub const CONTAINER: &str = "lab";
/// The container that prepares the Python environment before the one of the lab starts.
pub const PYTHON_CONTAINER: &str = "python";
const HOME: &str = "/home/lab";
/// Where the shared folder is mounted.
const SHARED: &str = "/home/lab/shared";
/// The volume claim of the shared folder.
const SHARED_CLAIM: &str = "shared-folder";

/// The namespace of an organization.
pub fn namespace(org: OrgId) -> String {
    format!("wb-{}", org.uuid().simple())
}

/// The name of all objects of a workbench.
pub fn name(id: WorkbenchId) -> String {
    format!("wb-{}", id.uuid().simple())
}

/// The host of a workbench.
pub fn host(id: WorkbenchId, settings: &Settings) -> String {
    format!("{}.{}", name(id), settings.domain)
}

/// The objects of an organization but its quota: its namespace, the limits of a pod, and who may talk to its workbenches.
pub fn organization_objects(org: OrgId, limits: Option<&OrgLimits>, settings: &Settings) -> Vec<Value> {
    let namespace = namespace(org);
    let labels = organization_labels(org);
    let metadata = |name: &str| json!({"name": name, "namespace": namespace, "labels": labels});
    let mut namespace_labels = labels.clone();
    namespace_labels["pod-security.kubernetes.io/enforce"] = "baseline".into();
    let mut objects = vec![
        json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace, "labels": namespace_labels}}),
        json!({
            "apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy", "metadata": metadata(ORGANIZATION_OBJECTS),
            "spec": {
                "podSelector": {}, "policyTypes": ["Ingress", "Egress"],
                "ingress": [{"from": [{"namespaceSelector": {"matchLabels":
                    {"kubernetes.io/metadata.name": settings.ingress_namespace}}}]}],
                "egress": [
                    {"to": [{"namespaceSelector": {}, "podSelector": {"matchLabels": {"k8s-app": "kube-dns"}}}],
                        "ports": [{"port": 53, "protocol": "UDP"}, {"port": 53, "protocol": "TCP"}]},
                    // The internet, without private networks and the metadata service of the cloud.
                    {"to": [{"ipBlock": {"cidr": "0.0.0.0/0",
                        "except": ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "169.254.0.0/16"]}}]},
                ],
            },
        }),
    ];
    if let Some(OrgLimits { ceiling, .. }) = limits {
        let container_max = json!({
            "cpu": ceiling.print(ResourceDimension::Cpu), "memory": ceiling.print(ResourceDimension::Memory),
        });
        objects.push(json!({"apiVersion": "v1", "kind": "LimitRange", "metadata": metadata(ORGANIZATION_OBJECTS),
            "spec": {"limits": [{"type": "Container", "max": container_max}]}}));
    }
    objects
}

/// The quota of an organization.
pub fn quota(org: OrgId, limits: &OrgLimits, settings: &Settings) -> Value {
    let OrgLimits { capacity, max_workbenches, .. } = limits;
    // Each workbench has one volume claim, and at most one share of a GPU.
    let max_gpus = if capacity.gpumem > 0 { *max_workbenches } else { 0 };
    // The shared folder comes on top: it uses nothing of what the plan allows for workbenches.
    let shared = settings.shared_folder.as_ref();
    let storage = capacity.storage.saturating_add(shared.map_or(0, |folder| folder.size));
    let max_claims = max_workbenches.saturating_add(shared.map_or(0, |_| 1));
    let hard = json!({
        "requests.cpu": capacity.print(ResourceDimension::Cpu),
        "requests.memory": capacity.print(ResourceDimension::Memory),
        "requests.storage": ResourceDimension::Storage.print(storage),
        "persistentvolumeclaims": max_claims.to_string(),
        "requests.nvidia.com/gpu": max_gpus.to_string(),
        "requests.nvidia.com/gpumem": capacity.gpumem.to_string(),
    });
    let metadata =
        json!({"name": ORGANIZATION_OBJECTS, "namespace": namespace(org), "labels": organization_labels(org)});
    json!({"apiVersion": "v1", "kind": "ResourceQuota", "metadata": metadata, "spec": {"hard": hard}})
}

/// The volume claim of the folder that the workbenches of an organization share. No workbench owns it, so it is never deleted.
pub fn shared_claim(org: OrgId, settings: &Settings) -> Option<Value> {
    let folder = settings.shared_folder.as_ref()?;
    let metadata = json!({"name": SHARED_CLAIM, "namespace": namespace(org), "labels": organization_labels(org)});
    let size = ResourceDimension::Storage.print(folder.size);
    Some(json!({"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": metadata, "spec": {
        "accessModes": ["ReadWriteMany"], "storageClassName": folder.storage_class,
        "resources": {"requests": {"storage": size}},
    }}))
}

fn organization_labels(org: OrgId) -> Value {
    json!({"app.kubernetes.io/managed-by": MANAGER, ORGANIZATION: org.to_string()})
}

/// What the workbenches of an organization may use: all together, and each one.
#[derive(Clone, Copy, Debug)]
pub struct OrgLimits {
    pub capacity: Resources,
    pub ceiling: Resources,
    pub max_workbenches: u32,
}

/// The objects of a workbench, in the order of their creation. The storage is an object of its own, so that a stop or a
/// new pod never deletes it.
pub fn workbench_objects(workbench: &Workbench, settings: &Settings) -> Vec<Value> {
    let (namespace, name) = (namespace(workbench.org), name(workbench.id));
    let selector = json!({WORKBENCH: workbench.id.to_string()});
    let mut labels = json!({
        "app.kubernetes.io/name": "workbench", "app.kubernetes.io/instance": name,
        "app.kubernetes.io/managed-by": MANAGER, "atelier/owner": workbench.owner.to_string(),
    });
    labels[WORKBENCH] = workbench.id.to_string().into();
    labels[ORGANIZATION] = workbench.org.to_string().into();
    let metadata = json!({"name": name, "namespace": namespace, "labels": labels});
    let mut storage = json!({
        "accessModes": ["ReadWriteOnce"],
        "resources": {"requests": {"storage": workbench.spec.resources.print(ResourceDimension::Storage)}},
    });
    if let Some(class) = &settings.storage_class {
        storage["storageClassName"] = class.as_str().into();
    }
    let host = host(workbench.id, settings);
    let annotations: Map<String, Value> = settings
        .ingress_annotations
        .iter()
        .map(|(name, value)| (name.clone(), value.replace("{id}", &workbench.id.to_string()).into()))
        .collect();
    let mut ingress_metadata = metadata.clone();
    ingress_metadata["annotations"] = annotations.into();
    vec![
        json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": metadata, "automountServiceAccountToken": false}),
        json!({"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "type": "Opaque"}),
        json!({"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": metadata, "spec": storage}),
        json!({"apiVersion": "v1", "kind": "Service", "metadata": metadata,
            "spec": {"selector": selector, "ports": [{"name": "http", "port": 80, "targetPort": "http", "protocol": "TCP"}]}}),
        json!({"apiVersion": "networking.k8s.io/v1", "kind": "Ingress", "metadata": ingress_metadata, "spec": {
            "ingressClassName": settings.ingress_class,
            "tls": [{"hosts": [host]}],
            "rules": [{"host": host, "http": {"paths": [{"path": "/", "pathType": "Prefix",
                "backend": {"service": {"name": name, "port": {"name": "http"}}}}]}}],
        }}),
        json!({"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": metadata, "spec": {
            "replicas": 1, "serviceName": name, "selector": {"matchLabels": selector},
            // A new release of the platform or a changed setting must not restart a lab that runs. Its next start uses them.
            "updateStrategy": {"type": "OnDelete"},
            "template": {"metadata": {"labels": labels}, "spec": pod(workbench, &name, settings)},
        }}),
    ]
}

/// Puts the environment variables into the secret, which has none in the digest of the objects: a change of them applies from
/// the next start.
pub fn fill_secret(objects: &mut [Value], variables: &BTreeMap<String, String>) {
    let data: Map<String, Value> =
        variables.iter().map(|(name, value)| (name.clone(), STANDARD.encode(value).into())).collect();
    for secret in objects.iter_mut().filter(|object| object["kind"] == "Secret") {
        secret["data"] = data.clone().into();
    }
}

fn pod(workbench: &Workbench, name: &str, settings: &Settings) -> Value {
    let resources = resources(&workbench.spec.resources);
    let mut container = json!({
        "name": CONTAINER, "image": workbench.image.reference,
        // Server-side apply of older versions refuses a port without its protocol, a part of its key.
        "ports": [{"name": "http", "containerPort": settings.port, "protocol": "TCP"}],
        "resources": {"requests": resources, "limits": resources},
        "securityContext": {"allowPrivilegeEscalation": false, "capabilities": {"drop": ["ALL"]}},
        "volumeMounts": [{"name": "home", "mountPath": HOME}],
        "envFrom": [{"secretRef": {"name": name}}],
        // The ingress decides who may enter, and only it can reach the pod. The images of Jupyter Docker Stacks pass the
        // arguments to `jupyter lab`. They would generate a token if `JUPYTER_TOKEN` were empty.
        "env": [{"name": "HOME", "value": HOME}, {"name": "NOTEBOOK_ARGS", "value": "--IdentityProvider.token="}],
        "workingDir": HOME,
    });
    container["readinessProbe"] = json!({"tcpSocket": {"port": "http"}, "periodSeconds": 2});
    let mut pod = json!({
        "serviceAccountName": name, "automountServiceAccountToken": false, "enableServiceLinks": false,
        "terminationGracePeriodSeconds": 30,
        // Without `OnRootMismatch`, each start changes the owner of all files.
        "securityContext": {"runAsNonRoot": true, "fsGroup": 100, "fsGroupChangePolicy": "OnRootMismatch",
            "seccompProfile": {"type": "RuntimeDefault"}},
        "containers": [container],
        "volumes": [{"name": "home", "persistentVolumeClaim": {"claimName": name}}],
    });
    let add = |list: &mut Value, item: Value| list.as_array_mut().expect("it is a list above").push(item);
    if workbench.image.keeps_python_packages() {
        pod["initContainers"] = json!([python_container(workbench)]);
        let path = json!({"name": "JUPYTER_PATH", "value": jupyter_path(HOME)});
        add(&mut pod["containers"][0]["env"], path);
    }
    if settings.shared_folder.is_some() {
        let volume = json!({"name": "shared", "persistentVolumeClaim": {"claimName": SHARED_CLAIM}});
        add(&mut pod["volumes"], volume);
        let container = &mut pod["containers"][0];
        add(&mut container["volumeMounts"], json!({"name": "shared", "mountPath": SHARED}));
        add(&mut container["env"], json!({"name": SHARED_FOLDER, "value": SHARED}));
    }
    if let Some(scheduler) = &settings.scheduler {
        pod["schedulerName"] = scheduler.as_str().into();
    }
    if !settings.node_selector.is_empty() {
        pod["nodeSelector"] = json!(settings.node_selector);
    }
    pod
}

/// Has the image of the lab, and so its interpreter. It gets neither the variables of the users nor a GPU, which nothing here
/// needs.
fn python_container(workbench: &Workbench) -> Value {
    let resources = resources(&Resources { gpumem: 0, ..workbench.spec.resources });
    json!({
        "name": PYTHON_CONTAINER, "image": workbench.image.reference,
        "command": ["/bin/sh", "-c", PREPARE_PYTHON],
        "resources": {"requests": resources, "limits": resources},
        "securityContext": {"allowPrivilegeEscalation": false, "capabilities": {"drop": ["ALL"]}},
        "volumeMounts": [{"name": "home", "mountPath": HOME}],
        "env": [{"name": "HOME", "value": HOME}],
        "workingDir": HOME,
    })
}

/// The resources of the container. A share of a GPU is one GPU with this memory; without the memory, the pod would get the
/// whole card.
fn resources(of: &Resources) -> Value {
    let mut resources = json!({"cpu": of.print(ResourceDimension::Cpu), "memory": of.print(ResourceDimension::Memory)});
    if of.gpumem > 0 {
        resources["nvidia.com/gpu"] = "1".into();
        resources["nvidia.com/gpumem"] = of.gpumem.to_string().into();
    }
    resources
}
