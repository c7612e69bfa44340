//! The errors of the command. Each message is one line: the problem, then the fix.

use std::io;
use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub enum Failure {
    #[error("port {port} is taken ({cause}); stop the program that listens there, or choose another port with --port")]
    Port { port: u16, cause: io::Error },
    #[error("the embedded services cannot start a thread ({0}); raise the limit that `ulimit -u` shows")]
    Thread(io::Error),
    #[error("the folder {} cannot be used ({cause}); choose another folder with --data-dir", folder.display())]
    Folder { folder: PathBuf, cause: io::Error },
    #[error("the folder {} is in use by another `local`; stop that process, or choose another folder with --data-dir", folder.display())]
    InUse { folder: PathBuf },
    #[error("{} is damaged ({cause}); restore it from a copy, or move {} away to start without data", file.display(), folder.display())]
    Damaged { folder: PathBuf, file: PathBuf, cause: String },
    #[error("{} is missing, and the rest of {} cannot be used without it; restore it from a copy, or move the folder away to start without data", file.display(), folder.display())]
    Missing { folder: PathBuf, file: PathBuf },
    #[error("{} belongs to another data folder ({cause}); restore the file of {}, or move the folder away to start without data", file.display(), folder.display())]
    Foreign { folder: PathBuf, file: PathBuf, cause: String },
    #[error("{} was created by another version of the platform (table {table} differs); move it away to start without data", folder.display())]
    Outdated { folder: PathBuf, table: String },
    #[error("{} holds no platform's data yet; run `cargo run -p local` first", folder.display())]
    NotStarted { folder: PathBuf },
    #[error("infra/template.yaml: {resource}: {cause}")]
    Template { resource: String, cause: String },
    #[error("{0}")]
    Other(String),
    #[error("{0:?}")]
    Platform(domain::Error),
}

impl From<domain::Error> for Failure {
    fn from(error: domain::Error) -> Self {
        Self::Platform(error)
    }
}
