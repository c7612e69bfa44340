//! One attempt: signs in, performs the statements in a transaction, and commits it.
//!
//! Whether another attempt is safe depends on when an attempt fails. Without a commit, PostgreSQL changes nothing. MySQL may: some of
//! its statements commit, and some of its tables know no transactions. A read-only transaction changes nothing at all.

use std::time::Duration;

use effects::{DatabaseCall, temporary};
use engine::drive::{EffectError, RetryHint};
use engine::nodes::database::{DatabaseNode, DatabaseSecurity, DatabaseServer};
use engine::run::StepError;
use serde_json::{Value, json};
use tokio::time::{Instant, timeout_at};

use crate::errors::{Failure, Result};
use crate::mysql::MySql;
use crate::postgres::Postgres;
use crate::rows::{Outcome, Rows, integer};
use crate::start::Start;
use crate::wire::Wire;

/// With how many rows a node succeeds, if it does not say.
const MAX_ROWS: u32 = 1_000;

enum Session {
    Postgres(Box<Postgres>),
    MySql(Box<MySql>),
}

pub async fn perform(call: DatabaseCall<'_>) -> std::result::Result<Value, EffectError> {
    let DatabaseCall { node, login, stream, outbound, deadline } = call;
    let mut is_at_risk = false;
    let work = async {
        let start = Start {
            host: &node.host,
            database: &node.database,
            login: &login,
            must_encrypt: node.security.unwrap_or_default() == DatabaseSecurity::Tls,
            outbound,
            is_read_only: node.is_read_only(),
            time: deadline.saturating_duration_since(Instant::now()).max(Duration::from_millis(1)),
        };
        let wire = Wire::new(stream);
        let mut session = match node.server {
            DatabaseServer::Postgresql => Session::Postgres(Box::new(Postgres::start(wire, &start).await?)),
            DatabaseServer::Mysql => Session::MySql(Box::new(MySql::start(wire, &start).await?)),
        };
        is_at_risk = matches!(session, Session::MySql(_)) && !node.is_read_only();
        let value = session.perform(node).await?;
        Ok((session, value))
    };
    let worked = timeout_at(deadline, work).await;
    let late = |_| Failure::Ending(temporary("database_timeout", "the server did not answer in time", None));
    let worked = worked.map_err(late).and_then(|worked| worked);
    let (mut session, value) = worked.map_err(|failure| to_effect_error(failure, is_at_risk))?;
    let committed = match &mut session {
        Session::Postgres(session) => session.commit().await,
        Session::MySql(session) => session.commit().await,
    };
    committed.map_err(|failure| to_effect_error(failure, !node.is_read_only()))?;
    Ok(value)
}

impl Session {
    /// Performs the statements. The rows of all but the last are read and dropped.
    async fn perform(&mut self, node: &DatabaseNode<Value>) -> Result<Value> {
        let most = node.max_rows.unwrap_or(MAX_ROWS) as usize;
        let (mut last, mut affected, mut last_insert_id) = (Outcome::default(), 0, None);
        for (index, statement) in node.statements.iter().enumerate() {
            let parameters = match &statement.parameters {
                Some(Value::Array(parameters)) => &parameters[..],
                _ => &[],
            };
            let rows = Rows::new(most);
            let outcome = match self {
                Self::Postgres(session) => session.perform(&statement.sql, parameters, rows).await,
                Self::MySql(session) => session.perform(&statement.sql, parameters, rows).await,
            };
            last = outcome.map_err(|failure| name_statement(failure, index, node.statements.len()))?;
            affected = last.affected.saturating_add(affected);
            last_insert_id = last.last_insert_id.or(last_insert_id);
        }
        let last_insert_id = last_insert_id.map_or(Value::Null, |id| integer(id.into()));
        Ok(json!({
            "rowCount": last.rows.len(), "rows": last.rows, "affectedRows": affected, "lastInsertId": last_insert_id,
        }))
    }
}

/// Says which of several statements has failed.
fn name_statement(failure: Failure, index: usize, count: usize) -> Failure {
    let named = |mut error: EffectError| {
        let StepError { code, message, .. } = &error.error;
        error.error = StepError::new(code, format!("statements[{index}]: {message}"));
        error
    };
    match failure {
        Failure::Step(error) if count > 1 => Failure::Step(named(error)),
        other => other,
    }
}

/// `is_at_risk` says whether the statements may have taken effect, if the end of the connection is all that is known.
fn to_effect_error(failure: Failure, is_at_risk: bool) -> EffectError {
    let mut error = match failure {
        Failure::Step(error) => return error,
        Failure::Ending(error) => error,
        Failure::Broken(cause) => {
            tracing::warn!(%cause, "the connection to a database broke");
            temporary("connection_cut", "the connection to the server broke before it had answered", None)
        }
    };
    if is_at_risk {
        error.retry = RetryHint::Uncertain;
    }
    error
}
