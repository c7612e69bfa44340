//! Keys of `entities`: the webhooks and outbound credentials of workflows, and the credentials of the tools of agents. Keys of
//! `counters`: consents that were begun.

use domain::id::{AgentId, CredentialId, WebhookId, WorkflowId};
use domain::identity::Account;

use super::Key;

/// A webhook. An incoming call looks it up by its id alone.
pub fn webhook(id: WebhookId) -> Key {
    Key::new(format!("WEBHOOK#{id}"), "WEBHOOK")
}

/// The webhooks of a workflow.
pub fn webhooks(account: Account, workflow: WorkflowId) -> String {
    format!("WEBHOOKS#{}#{}#{workflow}", account.org, account.user)
}

pub fn webhook_count(account: Account, workflow: WorkflowId) -> Key {
    Key::new(format!("WEBHOOKCOUNT#{}#{}#{workflow}", account.org, account.user), "COUNT")
}

pub fn listed_webhook(account: Account, workflow: WorkflowId, id: WebhookId) -> Key {
    Key::new(webhooks(account, workflow), id)
}

/// The outbound credentials of a workflow.
pub fn credentials(account: Account, workflow: WorkflowId) -> String {
    format!("CREDENTIALS#{}#{}#{workflow}", account.org, account.user)
}

pub fn credential_count(account: Account, workflow: WorkflowId) -> Key {
    Key::new(format!("CREDENTIALCOUNT#{}#{}#{workflow}", account.org, account.user), "COUNT")
}

pub fn credential(account: Account, workflow: WorkflowId, id: CredentialId) -> Key {
    Key::new(credentials(account, workflow), id)
}

/// The tokens of a credential with consent. A call looks them up by the id of the credential that it has opened.
pub fn consent(id: CredentialId) -> Key {
    Key::new(format!("CONSENT#{id}"), "TOKENS")
}

/// The credentials of the tools of an agent.
pub fn tool_credentials(account: Account, agent: AgentId) -> String {
    format!("TOOLCREDENTIALS#{}#{}#{agent}", account.org, account.user)
}

pub fn tool_credential(account: Account, agent: AgentId, tool: &str) -> Key {
    Key::new(tool_credentials(account, agent), tool)
}

// counters

/// A consent that a browser has begun, by its state.
pub fn pending_consent(state: &str) -> Key {
    Key::new(format!("PENDINGCONSENT#{state}"), "PENDING")
}
