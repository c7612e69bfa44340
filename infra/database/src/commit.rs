//! The commit of a group of writes.

use std::collections::HashSet;
use std::time::Instant;

use rusqlite::Connection;
use tables::write::Write;
use tokio::sync::oneshot;

use crate::error::{Error, Result};
use crate::schema::Tables;
use crate::tokens::{Known, Token, Tokens};
use crate::writes::{Written, carry_out};

/// A write, or the writes of a transaction, and where the outcome goes.
pub struct Job {
    pub writes: Vec<Write>,
    pub kind: Kind,
    pub outcome: oneshot::Sender<Result<Written>>,
}

pub enum Kind {
    /// One write. It costs half of what a transaction costs.
    Single,
    /// With a token, a repetition within ten minutes changes nothing.
    Transaction(Option<Token>),
}

/// Commits the writes of all jobs, and answers each. If SQLite fails, it stores nothing, and each job gets the error.
pub fn commit(connection: &Connection, tables: &Tables, tokens: &mut Tokens, mut jobs: Vec<Job>) {
    match carry_out_all(connection, tables, tokens, &mut jobs) {
        Ok(outcomes) => {
            for (Job { kind, outcome, .. }, written) in jobs.into_iter().zip(outcomes) {
                if let (Kind::Transaction(Some(token)), Ok(Written { is_new: true, .. })) = (kind, &written) {
                    tokens.remember(token, Instant::now());
                }
                // A caller that was dropped needs no outcome.
                let _ = outcome.send(written);
            }
        }
        Err(error) => {
            if !connection.is_autocommit()
                && let Err(cause) = connection.execute_batch("ROLLBACK")
            {
                tracing::error!(%cause, "a transaction cannot be rolled back");
            }
            for job in jobs {
                let _ = job.outcome.send(Err(error.clone()));
            }
        }
    }
}

fn carry_out_all(
    connection: &Connection,
    tables: &Tables,
    tokens: &Tokens,
    jobs: &mut [Job],
) -> Result<Vec<Result<Written>>> {
    if !connection.is_autocommit() {
        // A commit that has panicked.
        connection.execute_batch("ROLLBACK")?;
    }
    connection.prepare_cached("BEGIN IMMEDIATE")?.execute([])?;
    // The tokens of the transactions that this commit stores.
    let mut new = HashSet::new();
    let mut outcomes = Vec::with_capacity(jobs.len());
    for Job { writes, kind, .. } in jobs {
        let kind = &*kind;
        let token = match kind {
            Kind::Transaction(Some(token)) => Some(token),
            _ => None,
        };
        let known = token.map_or(Known::New, |token| match new.contains(token) {
            true => Known::Committed,
            false => tokens.find(token),
        });
        let written = match known {
            Known::New => carry_out(connection, tables, std::mem::take(writes), matches!(kind, Kind::Transaction(_))),
            Known::Committed => Ok(Written::default()),
            Known::Reused => Err(Error::ReusedToken),
        };
        if let (Some(token), Ok(Written { is_new: true, .. })) = (token, &written) {
            new.insert(*token);
        }
        match written {
            // These are found before anything of the job is written.
            Err(error @ (Error::Invalid(_) | Error::ReusedToken)) => outcomes.push(Err(error)),
            written => outcomes.push(Ok(written?)),
        }
    }
    connection.prepare_cached("COMMIT")?.execute([])?;
    Ok(outcomes)
}
