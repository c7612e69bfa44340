//! Updates of agents: JSON Merge Patch (RFC 7396) on the fields that the owner may edit.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::{Agent, AgentConfig, AgentConfigPatch, AgentType, RequestedStatus};
use crate::catalog::is_model_name;
use crate::merge::MergePatch;
use crate::object;
use crate::reference::Reference;
use crate::time::Time;
use crate::{Error, Result, schema};

// A patch is merged into this document. A field that a patch sets to null falls back to its default.
/// The fields to update.
#[derive(Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = AgentPatchIn, title = "AgentPatch")]
pub struct EditableAgent {
    #[schema(min_length = 1, max_length = 200, required = false)]
    name: String,
    #[serde(default)]
    #[schema(max_length = 1000)]
    description: Option<String>,
    #[serde(default)]
    #[schema(value_type = Option<AgentType>)]
    r#type: AgentType,
    #[serde(default)]
    #[schema(value_type = Option<RequestedStatus>)]
    status: RequestedStatus,
    #[serde(default, deserialize_with = "object::one")]
    #[schema(value_type = Option<AgentConfigPatch>)]
    config: AgentConfig,
}

/// A merge patch for an agent.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(transparent)]
pub struct AgentPatch(MergePatch);

impl AgentPatch {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The references in the patch. The store reads them together with the agent in one call. The patch itself is
    /// validated later, when it is merged.
    pub fn references(&self) -> BTreeSet<Reference> {
        let config = &self.0.value()["config"];
        let texts = |list: &Value, field: Option<&str>| -> Vec<String> {
            let entries = list.as_array().map(Vec::as_slice).unwrap_or_default();
            let text = |entry: &Value| field.map_or(entry, |field| &entry[field]).as_str().map(str::to_owned);
            entries.iter().filter_map(text).take(64).collect()
        };
        let model = config["model"].as_str().filter(|name| is_model_name(name));
        let model = model.map(|name| Reference::Model(name.to_owned()));
        let mut agents = texts(&config["members"], None);
        agents.extend(texts(&config["tools"], Some("agentId")));
        let agents = agents.iter().filter_map(|id| id.parse().ok().map(Reference::Agent));
        let workflows = texts(&config["tools"], Some("workflowId"));
        let workflows = workflows.iter().filter_map(|id| id.parse().ok().map(Reference::Workflow));
        model.into_iter().chain(agents).chain(workflows).collect()
    }
}

impl Agent {
    /// Applies a patch to a new agent, which is still in its first revision. `known` are the references of the patch that
    /// exist for the agent.
    pub fn with_fields(self, fields: &AgentPatch, known: &BTreeSet<Reference>) -> Result<Self> {
        let agent = self.patched(fields, known, self.created_at)?;
        Ok(Self { revision: self.revision, ..agent })
    }

    /// Applies a patch. `known` are the references of the patch that exist in the account of the caller.
    pub fn patched(&self, patch: &AgentPatch, known: &BTreeSet<Reference>, now: Time) -> Result<Self> {
        let before = EditableAgent {
            name: self.name.clone(),
            description: self.description.clone(),
            r#type: self.r#type,
            status: self.intent,
            config: self.config.clone(),
        };
        let after: EditableAgent = patch.0.merge(&before, &["config"])?;
        schema::check(&after)?;
        self.scope.check_type(after.r#type)?;
        after.config.check(self.id, after.r#type)?;

        let named_before = self.config.references();
        let named = after.config.references();
        let unknown =
            named.iter().find(|(reference, _)| !named_before.contains_key(reference) && !known.contains(reference));
        if let Some((reference, field)) = unknown {
            return Err(Error::invalid_body(field, format!("no such {}", reference.kind())));
        }
        // Sending a reference again whose target exists once more resolves the problem.
        let still_gone = |reference: &Reference| named.contains_key(reference) && !known.contains(reference);
        Ok(Self {
            name: after.name,
            description: after.description,
            r#type: after.r#type,
            intent: after.status,
            credentials: self.kept_credentials(&after.config),
            broken_pins: self.kept_broken_pins(&after.config),
            config: after.config,
            gone: self.gone.iter().filter(|reference| still_gone(reference)).cloned().collect(),
            updated_at: now.max(self.updated_at),
            revision: self.revision + 1,
            ..self.clone()
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::agent::{AgentScope, AgentStatus};
    use crate::credential::CredentialType;
    use crate::id::{AgentId, CredentialId, OrgId, UserId};
    use crate::identity::Account;
    use crate::language::Language;

    fn agent() -> Agent {
        let account = Account { org: OrgId::new(), user: UserId::new() };
        Agent::new(AgentId::new(), account, AgentScope::Global)
    }

    fn patch(agent: &Agent, patch: Value) -> Result<Agent> {
        let patch: AgentPatch = serde_json::from_value(patch).unwrap();
        agent.patched(&patch, &patch.references(), Time::now())
    }

    #[test]
    fn patch_changes_only_its_fields_and_null_restores_the_default() {
        let before = agent();
        let named = patch(&before, json!({"name": "Scout", "config": {"temperature": 0.5}})).unwrap();
        assert_eq!((named.name.as_str(), named.config.temperature, named.revision), ("Scout", Some(0.5), 2));
        let restored = patch(&named, json!({"config": {"temperature": null}})).unwrap();
        assert_eq!(restored.config, AgentConfig::default());
        assert_eq!(restored.name, "Scout");
    }

    #[test]
    fn errors_name_the_path_of_the_field() {
        let cases = [
            (json!({"name": ""}), "name"),
            (json!({"name": null}), "name"),
            (json!({"requests": 9}), "requests"),
            (json!({"status": "needs_attention"}), "status"),
            (json!({"config": {"temperature": 2.1}}), "config.temperature"),
            (json!({"config": {"members": ["x"]}}), "config.members[0]"),
            (
                json!({"config": {"tools": [{"type": "http", "name": "a b", "method": "GET", "url": "https://e.org"}]}}),
                "config.tools[0].name",
            ),
            (
                json!({"config": {"tools": [{"type": "http", "name": "ab", "method": "GET", "url": "ftp://e.org"}]}}),
                "config.tools[0].url",
            ),
            (json!({"config": {"strategy": "router"}}), "config.strategy"),
        ];
        for (body, expected) in cases {
            match patch(&agent(), body.clone()) {
                Err(Error::InvalidBody { field, .. }) => assert_eq!(field, expected, "{body}"),
                other => panic!("{body} gave {other:?}"),
            }
        }
    }

    #[test]
    fn team_needs_attention_until_a_deleted_member_is_removed() {
        let member = AgentId::new();
        let mut team = patch(&agent(), json!({"type": "multiple", "config": {"members": [member]}})).unwrap();
        team.gone.insert(Reference::Agent(member));
        assert_eq!(team.status(), AgentStatus::NeedsAttention);
        let paused = patch(&team, json!({"status": "paused"})).unwrap();
        assert_eq!(paused.status(), AgentStatus::Paused);
        let fixed = patch(&paused, json!({"status": "published", "config": {"members": []}})).unwrap();
        assert_eq!(fixed.status(), AgentStatus::Published);
        assert!(fixed.problems(Language::English).is_empty());
    }

    #[test]
    fn tool_without_its_credential_requires_permissions() {
        let tool = json!({"type": "http", "name": "crm", "method": "GET", "url": "https://e.org", "auth": "bearer"});
        let agent = patch(&agent(), json!({"config": {"tools": [tool]}})).unwrap();
        assert_eq!(agent.status(), AgentStatus::PermissionsRequired);
        assert_eq!(agent.problems(Language::English)[0].code, "credential_missing");
    }

    #[test]
    fn a_credential_is_kept_while_its_tool_needs_it() {
        let tool = |name: &str, host: &str, auth: &str| json!({"type": "http", "name": name, "method": "GET", "url": format!("https://{host}/a"), "auth": auth});
        let tools = |tools: &[Value]| json!({"config": {"tools": tools}});
        let now = Time::now();
        let crm = || tool("crm", "e.org", "bearer");
        let agent = patch(&agent(), tools(&[crm(), tool("map", "e.org", "none")])).unwrap();
        let set =
            |tool: &str, r#type| agent.with_credential(tool, CredentialId::new(), r#type, now).map(|(after, _)| after);
        for (name, r#type, problem) in [
            (
                "crm",
                CredentialType::Basic,
                "type: the tool crm needs a credential of the type bearer; send one, or change the `auth` of the tool",
            ),
            ("map", CredentialType::Basic, "type: the tool map needs no credential; set its `auth` first"),
            ("erp", CredentialType::Basic, "no such tool"),
        ] {
            assert_eq!(set(name, r#type).unwrap_err().to_string(), problem);
        }
        assert_eq!(agent.without_credential("crm", now).unwrap_err().to_string(), "no such credential");

        let ready = set("crm", CredentialType::Bearer).unwrap();
        assert_eq!((ready.status(), ready.revision), (AgentStatus::Published, agent.revision + 1));
        let moved = tool("crm", "e.org", "bearer").to_string().replace("/a", "/b");
        for kept in [json!({"name": "Scout"}), tools(&[serde_json::from_str(&moved).unwrap()])] {
            assert_eq!(patch(&ready, kept).unwrap().credentials, ready.credentials);
        }
        let others = [tool("crm", "e.org", "none"), tool("crm", "e.org", "basic"), tool("crm", "evil.org", "bearer")];
        for after in others.into_iter().chain([tool("erp", "e.org", "bearer")]) {
            assert!(patch(&ready, tools(std::slice::from_ref(&after))).unwrap().credentials.is_empty(), "{after}");
        }
        assert_eq!(ready.without_credential("crm", now).unwrap().status(), AgentStatus::PermissionsRequired);
    }

    #[test]
    fn unknown_references_are_refused() {
        let patch: AgentPatch = serde_json::from_value(json!({"config": {"model": "gpt-x"}})).unwrap();
        let refused = agent().patched(&patch, &BTreeSet::new(), Time::now()).unwrap_err();
        assert_eq!(refused.to_string(), "config.model: no such model");
    }
}
