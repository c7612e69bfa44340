//! The legend of the tables: what each subject is.

use clap::ValueEnum;

use crate::subject::Name;

/// The line of one subject: its name, its version, and the help of its value on the command line.
pub fn describe(subject: impl ValueEnum, name: Name, version: &str) -> String {
    let help = subject.to_possible_value().and_then(|value| value.get_help().map(ToString::to_string));
    let version = if version.is_empty() { String::new() } else { format!(" {version}") };
    format!("- `{name}`{version}: {}.", help.unwrap_or_default())
}
