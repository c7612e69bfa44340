//! The keys of workbenches: the workbench, its name, its variables, its API key, its entries in lists and the cluster of all
//! in `entities`, the reserved capacity in `counters`, and its events in `journal`.

use super::{DueShards, Key, read_id};
use domain::Result;
use domain::id::{OrgId, UserId, WorkbenchId};

const WORKBENCHES: &str = "WORKBENCHES#";

/// The workbenches of an organization.
pub fn workbench(org: OrgId, id: WorkbenchId) -> Key {
    Key::new(format!("{WORKBENCHES}{org}"), id)
}

/// The organization of a workbench, from its key.
pub fn workbench_org(key: &Key) -> Result<OrgId> {
    read_id(WORKBENCHES, &key.pk)
}

/// The environment variables of a workbench.
pub fn workbench_variables(org: OrgId, id: WorkbenchId) -> Key {
    Key::new(format!("WORKBENCHVARIABLES#{org}"), id)
}

/// The item that names the last API key of a workbench.
pub fn workbench_key(org: OrgId, id: WorkbenchId) -> Key {
    Key::new(format!("WORKBENCHKEY#{org}"), id)
}

/// The item that reserves a name in an organization.
pub fn workbench_name(org: OrgId, name: &str) -> Key {
    Key::new(format!("WORKBENCHNAMES#{org}"), name)
}

/// The workbenches that a user owns or edits.
pub fn listed_workbenches(org: OrgId, user: UserId) -> String {
    format!("WORKBENCHLIST#{org}#{user}")
}

pub fn listed_workbench(org: OrgId, user: UserId, id: WorkbenchId) -> Key {
    Key::new(listed_workbenches(org, user), id)
}

/// The access to the Kubernetes cluster that the operator has stored.
pub fn workbench_cluster() -> Key {
    Key::new("WORKBENCHCLUSTER", "WORKBENCHCLUSTER")
}

pub const WORKBENCHES_DUE: DueShards = DueShards::new("WORKBENCHDUE#", 4);

/// The resources that the workbenches of an organization have reserved.
pub fn org_capacity(org: OrgId) -> Key {
    Key::new(format!("WORKBENCHCAPACITY#{org}"), CAPACITY)
}

/// The resources that all workbenches have reserved.
pub fn platform_capacity() -> Key {
    Key::new("WORKBENCHCAPACITY", CAPACITY)
}

const CAPACITY: &str = "CAPACITY";

pub fn workbench_events(id: WorkbenchId) -> String {
    format!("WORKBENCHEVENTS#{id}")
}

/// An event, by its number.
pub fn workbench_event(id: WorkbenchId, number: u64) -> Key {
    Key::new(workbench_events(id), format!("{number:012}"))
}
