//! What became of the pinned tools of MCP servers. A server may change a tool after the owner of an agent has allowed it, so
//! the owner is asked again before the model sees it.

use serde::{Deserialize, Serialize};

use super::{Agent, AgentConfig, PinnedTool, Tool};
use crate::language::Language;
use crate::problem::StatusProblem;

/// A pinned tool that the server does not list as it was pinned.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct BrokenPin {
    /// The tool of the agent, which names the server.
    pub tool: String,
    pub pin: PinnedTool,
    pub change: PinChange,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PinChange {
    /// The server has changed the description or a schema.
    Changed,
    Gone,
}

impl Agent {
    /// The agent after the server of one of its tools was asked for its tools; `None` if nothing is new. `broken` are the pins
    /// of this tool that the server does not fulfil.
    pub fn with_broken_pins(&self, tool: &str, broken: &[BrokenPin]) -> Option<Self> {
        let others = self.broken_pins.iter().filter(|known| known.tool != tool).cloned();
        let mut after: Vec<BrokenPin> = others.chain(broken.iter().cloned()).collect();
        after.retain(|broken| is_pinned(&self.config, broken));
        after.sort();
        if after == self.broken_pins {
            return None;
        }
        Some(Self { broken_pins: after, revision: self.revision + 1, ..self.clone() })
    }

    /// The broken pins that are still in a configuration. The owner approves a change by pinning the new hash.
    pub(super) fn kept_broken_pins(&self, config: &AgentConfig) -> Vec<BrokenPin> {
        self.broken_pins.iter().filter(|broken| is_pinned(config, broken)).cloned().collect()
    }
}

fn is_pinned(config: &AgentConfig, broken: &BrokenPin) -> bool {
    match config.find_tool(&broken.tool) {
        Some(Tool::Mcp { tools, .. }) => tools.contains(&broken.pin),
        _ => false,
    }
}

impl BrokenPin {
    pub fn code(&self) -> &'static str {
        match self.change {
            PinChange::Changed => "mcp_tool_changed",
            PinChange::Gone => "mcp_tool_gone",
        }
    }

    pub fn problem(&self, language: Language) -> StatusProblem {
        let Self { tool, pin: PinnedTool { name, .. }, change } = self;
        let (english, spanish) = match change {
            PinChange::Changed => (
                format!(
                    "the server of {tool} has changed its tool {name}, so the agent does not use it: check the tool and \
                     allow it again, or remove it"
                ),
                format!(
                    "el servidor de {tool} ha cambiado su herramienta {name}, así que el agente no la usa: revísela y \
                     vuelva a permitirla, o quítela"
                ),
            ),
            PinChange::Gone => (
                format!("the server of {tool} has no tool {name} any more, so the agent does not use it: remove it"),
                format!(
                    "el servidor de {tool} ya no tiene la herramienta {name}, así que el agente no la usa: quítela"
                ),
            ),
        };
        StatusProblem { code: self.code(), message: language.choose(english, spanish) }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::{Value, json};

    use super::*;
    use crate::Result;
    use crate::agent::{AgentPatch, AgentScope, AgentStatus};
    use crate::id::{AgentId, OrgId, UserId};
    use crate::identity::Account;
    use crate::time::Time;

    fn hash(digit: char) -> String {
        digit.to_string().repeat(64)
    }

    fn crm(tools: &[(&str, char)]) -> Value {
        let pins: Vec<_> =
            tools.iter().map(|(name, digit)| json!({"name": name, "schemaHash": hash(*digit)})).collect();
        json!({"type": "mcp", "name": "crm", "url": "https://crm.example/mcp", "tools": pins})
    }

    fn patch(agent: &Agent, patch: Value) -> Result<Agent> {
        let patch: AgentPatch = serde_json::from_value(patch).unwrap();
        agent.patched(&patch, &BTreeSet::new(), Time::now())
    }

    fn agent(tools: &[Value]) -> Result<Agent> {
        let account = Account { org: OrgId::new(), user: UserId::new() };
        let empty = Agent::new(AgentId::new(), account, AgentScope::Global);
        patch(&empty, json!({"config": {"tools": tools}}))
    }

    fn broken(agent: &Agent, name: &str, change: PinChange) -> BrokenPin {
        let Tool::Mcp { tools, .. } = &agent.config.tools[0] else { panic!("{:?}", agent.config) };
        let pin = tools.iter().find(|pin| pin.name == name).unwrap().clone();
        BrokenPin { tool: "crm".to_owned(), pin, change }
    }

    #[test]
    fn a_changed_tool_asks_the_owner_again_and_keeps_the_agent_callable() {
        let before = agent(&[crm(&[("search", 'a'), ("delete", 'b')])]).unwrap();
        assert_eq!(before.status(), AgentStatus::Published);
        let pins = [broken(&before, "search", PinChange::Changed), broken(&before, "delete", PinChange::Gone)];
        let after = before.with_broken_pins("crm", &pins).unwrap();
        assert_eq!((after.status(), after.revision), (AgentStatus::NeedsAttention, before.revision + 1));
        after.check_callable().unwrap();
        let problems = after.problems(Language::English);
        let codes: Vec<_> = problems.iter().map(|problem| problem.code).collect();
        assert_eq!(codes, ["mcp_tool_gone", "mcp_tool_changed"]);
        assert!(problems[1].message.starts_with("the server of crm has changed its tool search"), "{problems:?}");
        assert_eq!(after.with_broken_pins("crm", &pins), None, "nothing is new");

        // Another change of the agent approves nothing; a new hash does.
        let renamed = patch(&after, json!({"name": "Scout"})).unwrap();
        assert_eq!(renamed.broken_pins.len(), 2);
        let approved = patch(&after, json!({"config": {"tools": [crm(&[("search", 'c')])]}})).unwrap();
        assert_eq!((approved.broken_pins.len(), approved.status()), (0, AgentStatus::Published));
        // The server has taken its changes back.
        let fulfilled = after.with_broken_pins("crm", &[]).unwrap();
        assert_eq!(fulfilled.status(), AgentStatus::Published);
    }

    #[test]
    fn a_pin_that_was_removed_meanwhile_is_not_broken() {
        let before = agent(&[crm(&[("search", 'a')])]).unwrap();
        let pin = broken(&before, "search", PinChange::Changed);
        let without = patch(&before, json!({"config": {"tools": [crm(&[])]}})).unwrap();
        assert_eq!(without.with_broken_pins("crm", &[pin]), None);
    }

    #[test]
    fn wrong_pins_are_refused() {
        let mut other = crm(&[]);
        for (tools, problem) in [
            (crm(&[("search", 'a'), ("search", 'b')]), "config.tools[0].tools[1].name"),
            (crm(&[("a b", 'a')]), "config.tools[0].tools[0].name"),
            (crm(&[("search", 'x')]), "config.tools[0].tools[0].schemaHash"),
            (json!({"type": "mcp", "name": "crm", "url": "ftp://crm.example"}), "config.tools[0].url"),
        ] {
            let refused = agent(&[tools]).unwrap_err().to_string();
            assert!(refused.starts_with(problem), "{refused}");
        }
        other["url"] = "https://other.example/mcp".into();
        let refused = agent(&[crm(&[]), other]).unwrap_err().to_string();
        assert_eq!(refused, "config.tools[1].name: another tool has this name");
    }
}
