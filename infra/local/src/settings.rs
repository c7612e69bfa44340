//! Checks of the settings, by the rules with which the platform reads them. They are checked before anything starts, and by
//! `local doctor`.

use domain::address;
use domain::workbench::Resources;
use shared::config::{BASE_URL, OUTBOUND_ALLOWED_CIDRS, WORKBENCH_CAPACITY};
use shared::outbound::AddressGuard;

use crate::failure::Failure;

/// The settings of the command line and of the environment.
pub struct Settings<'a> {
    pub base_url: Option<&'a str>,
    pub outbound_allowed: &'a str,
    pub workbench_capacity: Option<&'a str>,
}

pub struct WrongSetting {
    pub problem: String,
    pub fix: String,
}

/// Refuses wrong settings with all their problems.
pub fn require_valid(settings: &Settings<'_>) -> Result<(), Failure> {
    let wrong = check(settings);
    let messages: Vec<_> = wrong.iter().map(|WrongSetting { problem, fix }| format!("{problem}; {fix}")).collect();
    if messages.is_empty() { Ok(()) } else { Err(Failure::Other(messages.join("\nlocal: "))) }
}

/// What is wrong with the settings.
pub fn check(settings: &Settings<'_>) -> Vec<WrongSetting> {
    let mut wrong = Vec::new();
    if let Some(url) = settings.base_url
        && let Some(problem) = address::problem(url).or_else(|| url.contains('?').then_some("must not have a query"))
    {
        wrong.push(WrongSetting {
            problem: format!("base URL: {problem} (it is {url:?})"),
            fix: format!("give an absolute URL such as https://atelier.example with --base-url or {BASE_URL}"),
        });
    }
    let networks = settings.outbound_allowed.split(',').map(str::trim).filter(|network| !network.is_empty());
    for network in networks.filter(|network| AddressGuard::allowing([network]).is_err()) {
        wrong.push(WrongSetting {
            problem: format!("{network:?} is not an address or a CIDR range"),
            fix: format!("correct --outbound-allowed-cidrs or {OUTBOUND_ALLOWED_CIDRS}, for example 10.0.0.0/8"),
        });
    }
    let capacity = settings.workbench_capacity.filter(|text| !text.is_empty());
    if let Some(Err(problem)) = capacity.map(Resources::read_list) {
        wrong.push(WrongSetting {
            problem: format!("the capacity of workbenches cannot be read: {problem}"),
            fix: format!(
                "correct --workbench-capacity or {WORKBENCH_CAPACITY}: cpu=8,memory=16Gi,gpumem=0,storage=100Gi"
            ),
        });
    }
    wrong
}
