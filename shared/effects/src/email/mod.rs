//! Performs `email` nodes: writes a message, and gives it to an SMTP server.

mod delivery;
mod message;

use domain::Result;
use domain::graph::hash;
use engine::drive::{Effect, EffectResult};
use engine::nodes::OUT;
use engine::nodes::email::{EmailNode, MailSecurity};
use engine::run::StepOutcome;
use outbound::Outbound;
use platform::Context;
use serde_json::{Value, json};

use crate::EffectOwner;
use crate::credentials::{CallCredentials, Login};
use crate::errors::{permanent, refused};
use delivery::{Delivered, Server};
use message::Email;

pub struct EmailEffects {
    outbound: Outbound,
    credentials: CallCredentials,
}

impl EmailEffects {
    pub fn new(context: &Context, outbound: Outbound) -> Result<Self> {
        Ok(Self { outbound, credentials: CallCredentials::new(context)? })
    }

    /// Performs one attempt of an `email` node.
    pub async fn perform(&self, owner: &EffectOwner, effect: &Effect, node: &EmailNode<Value, String>) -> EffectResult {
        let email = Email::write(node, &hash(&owner.request_id(effect))).map_err(permanent)?;
        let opened = self.credentials.open(owner, node.credential_id, None, &node.host).await?;
        let login = opened.map(|(_, credential)| Login::new(credential, "an SMTP server")).transpose()?;
        let security = node.security.unwrap_or_default();
        if login.is_some() && security == MailSecurity::None {
            return Err(refused(
                "email_not_encrypted",
                "a password is not sent without encryption; choose `starttls` or `tls`",
            ));
        }
        let server = Server { host: &node.host, port: node.port.unwrap_or(security.default_port()), security, login };
        let Delivered { accepted, rejected } = server.deliver(&self.outbound, &email, effect.timeout).await?;
        let rejected: Vec<Value> =
            rejected.into_iter().map(|(address, message)| json!({"address": address, "message": message})).collect();
        let value = json!({"messageId": email.id, "accepted": accepted, "rejected": rejected});
        Ok(StepOutcome::new(OUT, value))
    }
}

#[cfg(test)]
mod tests;
