//! Files are read in processes of their own, as in a run.
#![expect(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod forged;
mod hostile;
mod reading;
mod support;
mod writing;
