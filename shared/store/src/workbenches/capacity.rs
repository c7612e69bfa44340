//! The capacity that workbenches have reserved: one counter for each organization, and one for the platform. A creation
//! reserves capacity on condition that enough is left, and a deletion returns it.

use attributes::Attributes;
use domain::workbench::refusals::{self, CapacityScope};
use domain::workbench::{ResourceDimension, Resources, Workbench};
use domain::{Error, Result};
use serde::Deserialize;

use crate::attribute::Attribute;
use crate::item::{Item, parse};
use crate::keys;
use crate::table::Table;
use crate::write::Write;

/// The limits of the resources of all workbenches together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CapacityLimits {
    /// Of the organization.
    pub org: Resources,
    pub max_workbenches: u32,
    /// Of the platform. None: there is no limit.
    pub platform: Option<Resources>,
}

const ORG: &str = "org capacity";
const PLATFORM: &str = "platform capacity";
/// The name of the number of workbenches in a refusal.
const COUNT: &str = "workbenches";

/// The writes that reserve the capacity of a new workbench.
pub fn reserve(counters: &Table, new: &Workbench, limits: &CapacityLimits) -> Result<Vec<Write>> {
    let org = (CapacityScope::Organization, Some(limits.org));
    for (scope, limit) in [org, (CapacityScope::Platform, limits.platform)] {
        if let Some(dimension) = limit.and_then(|limit| new.spec.resources.exceeding(&limit)) {
            return Err(refusals::no_capacity(scope, dimension.as_str(), &new.spec.resources.print(dimension)));
        }
    }
    if limits.max_workbenches == 0 {
        return Err(refusals::no_capacity(CapacityScope::Organization, COUNT, "1"));
    }
    let of_org = add(counters.update(keys::org_capacity(new.org)), new, 1).labeled(ORG);
    let of_org = require_left(of_org, new, &limits.org);
    let of_org = of_org.require(Reserved::WORKBENCHES.is_missing_or_less_than(limits.max_workbenches));
    let of_platform = add(counters.update(keys::platform_capacity()), new, 1).labeled(PLATFORM);
    let of_platform = match &limits.platform {
        Some(limit) => require_left(of_platform, new, limit),
        None => of_platform,
    };
    Ok(vec![of_org, of_platform])
}

/// The writes that return the capacity of a workbench.
pub fn return_capacity(counters: &Table, workbench: &Workbench) -> [Write; 2] {
    [keys::org_capacity(workbench.org), keys::platform_capacity()].map(|key| add(counters.update(key), workbench, -1))
}

fn add(write: Write, workbench: &Workbench, sign: i128) -> Write {
    let add = |write: Write, dimension: ResourceDimension| {
        write.add(reserved(dimension), sign * i128::from(workbench.spec.resources.get(dimension)))
    };
    ResourceDimension::ALL.into_iter().fold(write, add).add(Reserved::WORKBENCHES, sign)
}

/// The dimensions of which a workbench needs something. The others do not matter, even if more is reserved than the limit
/// since it was lowered.
fn needed_dimensions(new: &Workbench) -> impl Iterator<Item = ResourceDimension> {
    let resources = new.spec.resources;
    ResourceDimension::ALL.into_iter().filter(move |dimension| resources.get(*dimension) > 0)
}

/// Requires that the limit is not exceeded after the addition.
fn require_left(write: Write, new: &Workbench, limit: &Resources) -> Write {
    needed_dimensions(new).fold(write, |write, dimension| {
        // `reserve` has checked that the resources of one workbench are within the limit.
        let most = limit.get(dimension).saturating_sub(new.spec.resources.get(dimension));
        write.require(reserved(dimension).is_missing_or_at_most(most))
    })
}

/// Fails if the counters show that the organization or the platform has too little left.
pub async fn require_enough(counters: &Table, new: &Workbench, limits: &CapacityLimits) -> Result<()> {
    for (label, key) in [(ORG, keys::org_capacity(new.org)), (PLATFORM, keys::platform_capacity())] {
        let Some(reserved) = counters.get(&key).await? else { continue };
        if let Some(shortage) = shortage(label, new, limits, reserved)? {
            return Err(shortage);
        }
    }
    Ok(())
}

/// The error of a refused reservation. `reserved` is the counter that had too little left.
pub fn refusal(label: &str, new: &Workbench, limits: &CapacityLimits, reserved: Option<Item>) -> Result<Error> {
    let reserved = reserved.ok_or_else(|| Error::internal("a reservation was refused without a counter"))?;
    let shortage = shortage(label, new, limits, reserved)?;
    Ok(shortage.unwrap_or_else(|| Error::internal("a reservation was refused although enough was left")))
}

#[derive(Deserialize, Attributes)]
struct Reserved {
    workbenches: u32,
    #[serde(flatten)]
    resources: Resources,
}

/// The attribute that counts what is reserved of a dimension.
fn reserved(dimension: ResourceDimension) -> Attribute<u64> {
    Attribute::new(dimension.as_str())
}

/// What is too little for the new workbench, in the counter with this label.
fn shortage(label: &str, new: &Workbench, limits: &CapacityLimits, reserved: Item) -> Result<Option<Error>> {
    let (scope, limit, most) = match label {
        ORG => (CapacityScope::Organization, Some(limits.org), limits.max_workbenches),
        PLATFORM => (CapacityScope::Platform, limits.platform, u32::MAX),
        _ => return Err(Error::internal(format!("a new workbench was refused by: {label}"))),
    };
    let Reserved { workbenches, resources } = parse(reserved)?;
    let total = resources.plus(&new.spec.resources);
    let exceeded =
        limit.and_then(|limit| needed_dimensions(new).find(|dimension| total.get(*dimension) > limit.get(*dimension)));
    Ok(match exceeded {
        Some(dimension) => Some(refusals::no_capacity(scope, dimension.as_str(), &new.spec.resources.print(dimension))),
        None => (workbenches >= most).then(|| refusals::no_capacity(scope, COUNT, "1")),
    })
}
