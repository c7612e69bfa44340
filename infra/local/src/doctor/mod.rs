//! `local doctor`: says what is wrong with this machine, the data folder, the settings and the running platform, each with
//! its fix. It changes nothing, and works while the platform runs and while it does not.

mod folder;
mod machine;
mod platform;

use std::path::Path;

use crate::failure::Failure;
use crate::settings::{self, Settings, WrongSetting};

/// What the checks need to know.
pub struct Examined<'a> {
    pub folder: &'a Path,
    pub port: u16,
    pub settings: Settings<'a>,
}

/// The result of one check.
#[derive(Debug, PartialEq, Eq)]
pub enum Finding {
    Fine(String),
    /// Something that works, but not as it could.
    Note {
        state: String,
        fix: String,
    },
    Problem {
        state: String,
        fix: String,
    },
}

impl Finding {
    fn note(state: impl Into<String>, fix: impl Into<String>) -> Self {
        Self::Note { state: state.into(), fix: fix.into() }
    }

    fn problem(state: impl Into<String>, fix: impl Into<String>) -> Self {
        Self::Problem { state: state.into(), fix: fix.into() }
    }

    fn render(&self) -> String {
        match self {
            Self::Fine(state) => format!("ok       {state}\n"),
            Self::Note { state, fix } => format!("note     {state}\n         fix: {fix}\n"),
            Self::Problem { state, fix } => format!("problem  {state}\n         fix: {fix}\n"),
        }
    }
}

/// The report, and the number of problems in it.
pub async fn examine(examined: &Examined<'_>) -> (String, usize) {
    let is_running = folder::is_in_use(examined.folder);
    let mut findings = machine::check();
    findings.extend(check_settings(&examined.settings));
    findings.extend(folder::check(examined.folder, is_running));
    findings.extend(match is_running {
        true => platform::check(examined.folder).await,
        false => vec![machine::check_port(examined.port)],
    });
    let problems = findings.iter().filter(|finding| matches!(finding, Finding::Problem { .. })).count();
    (findings.iter().map(Finding::render).collect(), problems)
}

fn check_settings(settings: &Settings<'_>) -> Vec<Finding> {
    match settings::check(settings) {
        wrong if wrong.is_empty() => vec![Finding::Fine("the settings can be read".to_owned())],
        wrong => wrong.into_iter().map(|WrongSetting { problem, fix }| Finding::problem(problem, fix)).collect(),
    }
}

/// The error of the command when something is wrong.
pub fn failure(problems: usize) -> Failure {
    Failure::Other(match problems {
        1 => "1 problem was found; its fix is above".to_owned(),
        more => format!("{more} problems were found; their fixes are above"),
    })
}
