//! Why the platform did not start, in one line that says what to do.

use std::io;
use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub enum Failure {
    #[error("port {port} is taken ({cause}); stop what listens there, or choose another with --port")]
    Port { port: u16, cause: io::Error },
    #[error("the embedded services get no thread ({0}); see how many this user may have: ulimit -u")]
    Thread(io::Error),
    #[error("the folder {} cannot be used ({cause}); choose another with --data-dir", folder.display())]
    Folder { folder: PathBuf, cause: io::Error },
    #[error("the folder {} is in use by another `local`; stop that one, or choose another with --data-dir", folder.display())]
    InUse { folder: PathBuf },
    #[error("{} is damaged ({cause}); restore it from a copy, or move {} away to begin anew", file.display(), folder.display())]
    Damaged { folder: PathBuf, file: PathBuf, cause: String },
    #[error("{} is missing, and the rest of {} cannot be used without it; restore it from a copy, or move the folder away to begin anew", file.display(), folder.display())]
    Missing { folder: PathBuf, file: PathBuf },
    #[error("{} belongs to another data folder ({cause}); put back the one of {}, or move the folder away to begin anew", file.display(), folder.display())]
    Foreign { folder: PathBuf, file: PathBuf, cause: String },
    #[error("{} was made by another version of the platform (table {table} differs); move it away to begin anew", folder.display())]
    Outdated { folder: PathBuf, table: String },
    #[error("{} holds no platform yet; run `cargo run -p local` first", folder.display())]
    NotStarted { folder: PathBuf },
    #[error("infra/template.yaml: {resource}: {cause}")]
    Template { resource: String, cause: String },
    #[error("{0}")]
    Said(String),
    #[error("{0:?}")]
    Platform(domain::Error),
}

impl From<domain::Error> for Failure {
    fn from(error: domain::Error) -> Self {
        Self::Platform(error)
    }
}
