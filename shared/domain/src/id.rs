//! Typed identifiers. Each kind of resource has its own type with one text format.

use std::fmt;
use std::str::FromStr;

use ring::digest::{SHA256, digest};
use uuid::{Builder, Uuid};

use crate::{Error, Result};

/// The text is not an id of this kind. For an id in a path, the response is 404.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("not an identifier of this kind")]
pub struct NotAnId;

/// An identifier. `KIND` names what it identifies in errors and logs.
pub trait Id: FromStr<Err = NotAnId> {
    const KIND: &'static str;
}

/// The ids in the path of a route, in their order: one, or a tuple.
pub trait PathIds: Sized {
    fn read(ids: &[&str]) -> Result<Self>;
    /// What the ids identify.
    fn kinds() -> Vec<&'static str>;
}

fn read_id<T: Id>(id: Option<&&str>) -> Result<T> {
    id.and_then(|id| id.parse().ok()).ok_or(Error::NotFound { kind: T::KIND })
}

impl<T: Id> PathIds for T {
    fn read(ids: &[&str]) -> Result<Self> {
        read_id(ids.first())
    }

    fn kinds() -> Vec<&'static str> {
        vec![T::KIND]
    }
}

impl<A: Id, B: Id> PathIds for (A, B) {
    fn read(ids: &[&str]) -> Result<Self> {
        Ok((read_id(ids.first())?, read_id(ids.get(1))?))
    }

    fn kinds() -> Vec<&'static str> {
        vec![A::KIND, B::KIND]
    }
}

impl<A: Id, B: Id, C: Id> PathIds for (A, B, C) {
    fn read(ids: &[&str]) -> Result<Self> {
        Ok((read_id(ids.first())?, read_id(ids.get(1))?, read_id(ids.get(2))?))
    }

    fn kinds() -> Vec<&'static str> {
        vec![A::KIND, B::KIND, C::KIND]
    }
}

/// The name of a tool, in the path of its agent.
pub struct ToolName(pub String);

impl ToolName {
    pub const KIND: &'static str = "tool";
}

impl<A: Id> PathIds for (A, ToolName) {
    fn read(ids: &[&str]) -> Result<Self> {
        let name = ids.get(1).ok_or(Error::NotFound { kind: ToolName::KIND })?;
        Ok((read_id(ids.first())?, ToolName((*name).to_owned())))
    }

    fn kinds() -> Vec<&'static str> {
        vec![A::KIND, ToolName::KIND]
    }
}

/// A release of a workflow, or its draft.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReleaseChoice {
    Draft,
    Release(ReleaseId),
}

impl ReleaseChoice {
    pub const DRAFT: &'static str = "draft";

    /// Reads `draft`, or the id of a release.
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            Self::DRAFT => Some(Self::Draft),
            id => id.parse().ok().map(Self::Release),
        }
    }
}

impl<A: Id> PathIds for (A, ReleaseChoice) {
    fn read(ids: &[&str]) -> Result<Self> {
        let choice = ids.get(1).and_then(|text| ReleaseChoice::parse(text));
        Ok((read_id(ids.first())?, choice.ok_or(Error::NotFound { kind: ReleaseId::KIND })?))
    }

    fn kinds() -> Vec<&'static str> {
        vec![A::KIND, ReleaseId::KIND]
    }
}

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident = $kind:literal, $parse:ident, $print:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(Uuid);

        impl $name {
            /// Creates an id (UUID version 7). Ids sort by their creation time.
            #[expect(clippy::new_without_default, reason = "two calls return different ids, and `default` would hide that")]
            pub fn new() -> Self {
                Self(Uuid::now_v7())
            }

            pub fn uuid(&self) -> Uuid {
                self.0
            }
        }

        impl From<Uuid> for $name {
            fn from(uuid: Uuid) -> Self {
                Self(uuid)
            }
        }

        impl Id for $name {
            const KIND: &'static str = $kind;
        }

        impl FromStr for $name {
            type Err = NotAnId;

            fn from_str(text: &str) -> Result<Self, NotAnId> {
                $parse($print, text).map(Self)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                print($print, self.0, f)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, f)
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
                text.parse().map_err(serde::de::Error::custom)
            }
        }
    )*};
}

ids! {
    AgentId = "agent", plain, "";
    /// A direct call of an agent.
    InvocationId = "invocation", plain, "";
    /// A team of a workflow: the id of its agent.
    TeamId = "team", plain, "";
    WorkflowId = "workflow", plain, "";
    ReleaseId = "release", plain, "";
    DeploymentId = "deployment", plain, "";
    RunId = "run", plain, "";
    /// What a user of a workflow sees of a run. It is the id of the run.
    RecordId = "record", plain, "";
    WebhookId = "webhook", plain, "";
    /// One call of a webhook.
    WebhookEventId = "webhook event", plain, "";
    /// A conversation on a messaging channel.
    ThreadId = "thread", plain, "";
    /// A message of a thread.
    MessageId = "message", plain, "";
    /// A person who writes to a workflow. The id is a hash of the workflow and of the person's id at the provider.
    ParticipantId = "participant", plain, "";
    /// The session of an assistant at an MCP server of the platform.
    AssistantSessionId = "session", plain, "";
    /// An outbound credential of a workflow.
    CredentialId = "credential", plain, "";
    /// A durable work item (outbox); see `store::work`.
    WorkId = "work", plain, "";
    UserId = "user", prefixed, "usr_";
    OrgId = "organization", prefixed, "org_";
    ApiKeyId = "API key", prefixed, "key_";
    /// The token of a service account.
    ServiceTokenId = "service token", prefixed, "svt_";
    /// A lease of money and requests; see `gateway::leases`.
    LeaseId = "lease", prefixed, "lse_";
    /// A credit transaction.
    TransactionId = "transaction", prefixed, "txn_";
    /// A job that generates images.
    ImageJobId = "image job", prefixed, "job_";
    /// A response of a model that is kept. Its UUID is that of the transaction.
    ResponseId = "response", prefixed, "resp_";
    /// A file that a user has uploaded, or that a batch has written.
    FileId = "file", prefixed, "file-";
    BatchId = "batch", prefixed, "batch_";
    /// An evaluation by the guard.
    GuardEventId = "guard event", prefixed, "grd_";
    WorkbenchId = "workbench", prefixed, "wb_";
    /// An MCP server that the gateway passes calls of tools to.
    McpServerId = "MCP server", prefixed, "mcp_";
    /// An entry of the audit log.
    AuditId = "audit entry", prefixed, "aud_";
}

/// The UUID (version 8) of a text: the first bits of its SHA-256.
pub fn uuid_of_hash(text: &str) -> Uuid {
    let digest = digest(&SHA256, text.as_bytes());
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&digest.as_ref()[..16]);
    Builder::from_custom_bytes(bytes).into_uuid()
}

fn plain(_: &str, text: &str) -> Result<Uuid, NotAnId> {
    // Only the hyphenated form is accepted, so that each resource has one URL.
    if text.len() != 36 {
        return Err(NotAnId);
    }
    Uuid::try_parse(text).map_err(|_| NotAnId)
}

fn prefixed(prefix: &str, text: &str) -> Result<Uuid, NotAnId> {
    let hex = text.strip_prefix(prefix).filter(|hex| hex.len() == 32).ok_or(NotAnId)?;
    Uuid::try_parse(hex).map_err(|_| NotAnId)
}

fn print(prefix: &str, uuid: Uuid, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match prefix {
        "" => write!(f, "{uuid}"),
        _ => write!(f, "{prefix}{}", uuid.simple()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_print_and_parse_back() {
        let agent = AgentId::new();
        assert_eq!(agent.to_string().parse(), Ok(agent));
        let user = UserId::new();
        assert_eq!(user.to_string().len(), "usr_".len() + 32);
        assert_eq!(user.to_string().parse(), Ok(user));
    }

    #[test]
    fn an_id_of_another_kind_or_form_is_refused() {
        let org = OrgId::new().to_string();
        assert_eq!(org.parse::<UserId>(), Err(NotAnId));
        let agent = AgentId::new();
        assert_eq!(agent.uuid().simple().to_string().parse::<AgentId>(), Err(NotAnId));
        assert_eq!(agent.uuid().urn().to_string().parse::<AgentId>(), Err(NotAnId));
    }
}
