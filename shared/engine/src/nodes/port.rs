//! Ports that a configuration names.

use std::borrow::Cow;
use std::collections::HashSet;

use serde::Deserialize;
use utoipa::ToSchema;

use super::item_mode::SEVERAL;
use crate::schema::FieldProblem;
use domain::translated;

#[derive(Clone, Debug, Deserialize, ToSchema)]
#[schema(min_length = 1, max_length = 64)]
pub struct PortName(pub String);

pub fn names(ports: &[PortName]) -> Vec<Cow<'static, str>> {
    ports.iter().map(|PortName(name)| name.clone().into()).collect()
}

/// The problems of the ports in a field: each name is used once, and none is the name of another port.
pub fn problems(field: &str, ports: &[PortName]) -> Vec<FieldProblem> {
    let mut names = HashSet::new();
    let problems = ports.iter().enumerate().filter_map(|(index, PortName(name))| {
        let message = match name.as_str() {
            SEVERAL => translated!(
                "`{name}` has another meaning; choose another name",
                "`{name}` tiene otro significado; elija otro nombre"
            ),
            name if !names.insert(name) => {
                translated!("there is already a port `{name}`", "ya hay un puerto `{name}`")
            }
            _ => return None,
        };
        Some((format!("{field}[{index}]"), message))
    });
    problems.collect()
}
