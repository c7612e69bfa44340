//! Performs `database` nodes: opens the credential and the connection, and gives both to a client.

use std::sync::Arc;

use domain::Result;
use engine::drive::{Effect, EffectError, EffectResult};
use engine::nodes::OUT;
use engine::nodes::database::DatabaseNode;
use engine::run::StepOutcome;
use futures::future::BoxFuture;
use outbound::{Outbound, Stream};
use platform::Context;
use serde_json::Value;
use tokio::time::{Instant, timeout_at};

use crate::EffectOwner;
use crate::credentials::{CallCredentials, Login};
use crate::errors::{refused, temporary};
use crate::http::errors::failed_call;

/// The clients of databases. Only a function that carries out runs links them, and gives them to its performers.
pub trait DatabaseClients: Send + Sync {
    /// Performs the statements of a node, and returns its value.
    fn perform<'a>(&'a self, call: DatabaseCall<'a>) -> BoxFuture<'a, std::result::Result<Value, EffectError>>;
}

/// One attempt. A client opens no connection of its own, so that it reaches only the server that the guard has permitted.
pub struct DatabaseCall<'a> {
    pub node: &'a DatabaseNode<Value>,
    pub login: Login,
    pub stream: Stream,
    /// Encrypts the connection.
    pub outbound: &'a Outbound,
    /// When all steps before the commit must have ended. The rest of the time is for the commit.
    pub deadline: Instant,
}

/// The part of the timeout in which all steps before the commit must end.
const BEFORE_COMMIT: f64 = 0.75;

pub struct DatabaseEffects {
    outbound: Outbound,
    credentials: CallCredentials,
    clients: Arc<dyn DatabaseClients>,
}

impl DatabaseEffects {
    pub fn new(context: &Context, outbound: Outbound, clients: Arc<dyn DatabaseClients>) -> Result<Self> {
        Ok(Self { outbound, credentials: CallCredentials::new(context)?, clients })
    }

    /// Performs one attempt of a `database` node.
    pub async fn perform(&self, owner: &EffectOwner, effect: &Effect, node: &DatabaseNode<Value>) -> EffectResult {
        let deadline = Instant::now() + effect.timeout.mul_f64(BEFORE_COMMIT);
        let opened = self.credentials.open(owner, node.credential_id, None, &node.host).await?;
        let Some((_, credential)) = opened else {
            let message =
                "config.credentialId: is missing; set a credential with the user and the password at the database";
            return Err(refused("credential_missing", message));
        };
        let login = Login::new(credential, "a database")?;
        let port = node.port.unwrap_or(node.server.default_port());
        let stream = match timeout_at(deadline, self.outbound.open(&node.host, port)).await {
            Ok(stream) => stream.map_err(|error| failed_call(&error.into()))?,
            Err(_) => return Err(temporary("database_timeout", "the server did not answer in time", None)),
        };
        let call = DatabaseCall { node, login, stream, outbound: &self.outbound, deadline };
        Ok(StepOutcome::new(OUT, self.clients.perform(call).await?))
    }
}
