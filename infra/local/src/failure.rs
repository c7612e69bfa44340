//! The errors of the command. Each message is one line: the problem, then the fix.

use std::io;
use std::path::PathBuf;

use crate::data_dir::DATA_FORMAT;
use crate::started_command;

#[derive(Debug, thiserror::Error)]
pub enum Failure {
    #[error("port {port} {}", explain_port(cause))]
    Port { port: u16, cause: io::Error },
    #[error("the embedded services cannot start a thread ({0}); raise the limit that `ulimit -u` shows")]
    Thread(io::Error),
    #[error("the folder {} cannot be used ({cause}); choose another folder with --data-dir", folder.display())]
    Folder { folder: PathBuf, cause: io::Error },
    #[error("the folder {} is in use by another `local`; stop that process, or choose another folder with --data-dir", folder.display())]
    InUse { folder: PathBuf },
    #[error("{} is damaged ({cause}); restore it from a copy, or move {} away to start without data", file.display(), folder.display())]
    Damaged { folder: PathBuf, file: PathBuf, cause: String },
    #[error("{} has lost acknowledged writes ({cause}); restore {} from a copy, or start once with --accept-data-loss to continue without them", file.display(), folder.display())]
    LostWrites { folder: PathBuf, file: PathBuf, cause: String },
    #[error("{} is missing, and the rest of {} cannot be used without it; restore it from a copy, or move the folder away to start without data", file.display(), folder.display())]
    Missing { folder: PathBuf, file: PathBuf },
    #[error("{} belongs to another data folder ({cause}); restore the file of {}, or move the folder away to start without data", file.display(), folder.display())]
    Foreign { folder: PathBuf, file: PathBuf, cause: String },
    #[error("{} was written by {} (format {format}; this program knows {DATA_FORMAT}); update this program", file.display(), name_version(version.as_deref()))]
    Newer { file: PathBuf, format: u32, version: Option<String> },
    #[error("{} holds no platform's data yet; run `{}` first", folder.display(), started_command().trim_end_matches(" --"))]
    NotStarted { folder: PathBuf },
    #[error("infra/template.yaml: {resource}: {cause}")]
    Template { resource: String, cause: String },
    #[error("{0}")]
    Other(String),
    #[error("{}", explain(.0))]
    Platform(domain::Error),
}

impl From<domain::Error> for Failure {
    fn from(error: domain::Error) -> Self {
        Self::Platform(error)
    }
}

fn name_version(version: Option<&str>) -> String {
    version.map_or_else(|| "a newer version".to_owned(), |version| format!("version {version}"))
}

fn explain_port(cause: &io::Error) -> String {
    match cause.kind() {
        io::ErrorKind::AddrInUse => {
            "is taken; stop the program that listens there, or choose another port with --port".to_owned()
        }
        io::ErrorKind::PermissionDenied => {
            "needs rights that this user does not have; choose a port above 1023 with --port".to_owned()
        }
        _ => format!("cannot be used ({cause}); choose another port with --port"),
    }
}

/// The operator may read the cause of an internal error, which callers may not.
fn explain(error: &domain::Error) -> String {
    match error {
        domain::Error::Internal(cause) => cause.to_string(),
        domain::Error::Unavailable { cause, .. } => format!("the embedded services do not answer ({cause})"),
        error => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_without_rights_is_not_called_taken() {
        let refused = |port, kind: io::ErrorKind| Failure::Port { port, cause: kind.into() }.to_string();
        let taken = refused(9000, io::ErrorKind::AddrInUse);
        assert_eq!(
            taken,
            "port 9000 is taken; stop the program that listens there, or choose another port with --port"
        );
        let privileged = refused(80, io::ErrorKind::PermissionDenied);
        let expected = "port 80 needs rights that this user does not have; choose a port above 1023 with --port";
        assert_eq!(privileged, expected);
    }

    #[test]
    fn the_operator_reads_the_cause_of_an_internal_error() {
        let failure = Failure::from(domain::Error::internal("STREAM_SECONDS must be a number of seconds"));
        assert_eq!(failure.to_string(), "STREAM_SECONDS must be a number of seconds");
    }
}
