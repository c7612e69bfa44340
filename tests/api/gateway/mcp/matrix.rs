//! Every key sees and calls exactly the tools that the rules of its organization allow: 20 keys of two organizations, five servers
//! each, six tools. The test has its own, simpler code that decides what is allowed, and compares.

use domain::limits::PlanLimits;
use domain::money::Money;
use serde_json::{Value, json};
use tests::TestApp;
use tests::gateway::Customer;
use tests::tool_server::ToolServer;

use super::*;

const TOOLS: [&str; 6] = ["t0", "t1", "t2", "t3", "t4", "t5"];
const SERVER_NAMES: [&str; 5] = ["s0", "s1", "s2", "s3", "s4"];

/// Repeatable random numbers (`SplitMix64`).
struct Dice(u64);

impl Dice {
    fn roll(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % below
    }

    fn choose<'a, T>(&mut self, from: &'a [T]) -> Vec<&'a T> {
        from.iter().filter(|_| self.roll(3) == 0).collect()
    }
}

/// A random list of rules for the keys of an organization.
fn rules(dice: &mut Dice, plan: &str, keys: &[String]) -> Vec<Value> {
    let mut rules = Vec::new();
    for _ in 0..1 + dice.roll(4) {
        let mut tools: Vec<Value> = dice.choose(&TOOLS).into_iter().map(|tool| json!(tool)).collect();
        if dice.roll(8) == 0 {
            tools.push(json!("*"));
        }
        tools.push(json!("unknown"));
        let mut rule = json!({"tools": tools});
        if dice.roll(2) == 0 {
            rule["plans"] = if dice.roll(3) == 0 { json!(["other"]) } else { json!(["other", plan]) };
        }
        let chosen = dice.choose(keys);
        if dice.roll(3) > 0 && !chosen.is_empty() {
            rule["keys"] = json!(chosen);
        }
        rules.push(rule);
    }
    rules
}

/// Whether some rule allows a tool. `None` if no rule applies to the key at all.
fn is_allowed(rules: &[Value], plan: &str, key: &str, tool: &str) -> Option<bool> {
    let names = |field: &Value, name: &str| field.as_array().unwrap().iter().any(|one| one == name);
    let mut applies = None;
    for rule in rules {
        let is_for_plan = rule.get("plans").is_none() || names(&rule["plans"], plan);
        let is_for_key = rule.get("keys").is_none() || names(&rule["keys"], key);
        if is_for_plan && is_for_key {
            let has = names(&rule["tools"], tool) || names(&rule["tools"], "*");
            applies = Some(applies.unwrap_or(false) || has);
        }
    }
    applies
}

struct Tenant {
    keys: Vec<Customer>,
    plan: String,
    /// The rules of each server.
    rules: Vec<Vec<Value>>,
}

async fn tenant(app: &TestApp, dice: &mut Dice, name: &str, servers: &[ToolServer]) -> Tenant {
    let mut keys = Vec::new();
    for _ in 0..10 {
        keys.push(app.customer(name, Money::ZERO).await);
    }
    app.put_on_plan(&keys[0], PlanLimits::default()).await;
    let plan = format!("plan of {name}");
    let ids: Vec<String> = keys.iter().map(|key| key.key.to_string()).collect();
    let mut all = Vec::new();
    for (server, name) in servers.iter().zip(SERVER_NAMES) {
        let rules = rules(dice, &plan, &ids);
        register(app, &keys[0], name, json!({"url": server.url, "access": rules})).await;
        all.push(rules);
    }
    Tenant { keys, plan, rules: all }
}

#[tokio::test]
async fn each_key_sees_and_calls_exactly_its_tools() {
    let app = TestApp::start().await;
    let mut dice = Dice(42);
    let mut servers = Vec::new();
    for _ in SERVER_NAMES {
        servers.push(ToolServer::start(&TOOLS).await);
    }
    servers[1].stream_lists();
    let tenants = [tenant(&app, &mut dice, "alpha", &servers).await, tenant(&app, &mut dice, "beta", &servers).await];
    let (mut shown, mut hidden, mut doors) = (0, 0, 0);
    for tenant in &tenants {
        for key in &tenant.keys {
            let mut open = Vec::new();
            for ((server, name), rules) in servers.iter().zip(SERVER_NAMES).zip(&tenant.rules) {
                let id = key.key.to_string();
                let allowed = |tool: &str| is_allowed(rules, &tenant.plan, &id, tool);
                let list = post(&key.person, name, &message("tools/list", json!({}))).await;
                if allowed("unknown").is_none() {
                    assert_eq!(list.status, "404 Not Found", "{id} at {name}: {}", list.text);
                    assert_eq!(list.code(), "mcp_server_not_found");
                    assert!(server.take_requests().is_empty(), "nothing reaches the server");
                    continue;
                }
                doors += 1;
                open.push(name);
                let expected: Vec<&str> = TOOLS.into_iter().filter(|tool| allowed(tool) == Some(true)).collect();
                assert_eq!(listed(&list), expected, "{id} at {name}: {rules:?}");
                server.take_requests();
                for tool in TOOLS {
                    let answer = post(&key.person, name, &call(tool)).await;
                    let reached = server.take_requests().len();
                    if allowed(tool) == Some(true) {
                        assert_eq!(
                            answer.json["result"]["content"][0]["text"],
                            format!("{tool}: \"hello\""),
                            "{}",
                            answer.text
                        );
                        assert_eq!(reached, 1);
                        shown += 1;
                    } else {
                        assert_eq!(
                            (&answer.json["error"]["code"], &answer.json["id"]),
                            (&json!(-32602), &json!(1)),
                            "{id} at {name}: {tool}"
                        );
                        assert_eq!(reached, 0, "a refused call never reaches the server");
                        hidden += 1;
                    }
                }
            }
            let servers = key.person.get(MCP).await;
            assert_eq!(servers.column("name"), open, "{}", servers.text);
        }
    }
    assert!(doors > 40 && doors < 100 && shown > 50 && hidden > 50, "{doors} doors, {shown} shown, {hidden} hidden");
}

#[tokio::test]
async fn a_server_of_another_organization_does_not_exist() {
    let (app, customer, server) = start(&["t0"]).await;
    let stranger = app.customer("stranger", Money::from_usd(1)).await;
    for request in [
        post(&stranger.person, "crm", &call("t0")).await,
        stranger.person.get(&format!("{MCP}/crm")).await,
        stranger.person.delete(&format!("{MCP}/crm")).await,
        post(&customer.person, "erp", &call("t0")).await,
        post(&customer.person, "CRM", &call("t0")).await,
    ] {
        assert_eq!((request.status.as_str(), request.code()), ("404 Not Found", "mcp_server_not_found"));
    }
    assert_eq!(stranger.person.get(MCP).await.json["data"], json!([]));
    assert!(server.take_requests().is_empty());
    let anonymous = post(&app.anonymous(), "crm", &call("t0")).await;
    assert_eq!(anonymous.status, "401 Unauthorized");
    let token = post(&app.person("ada"), "crm", &call("t0")).await;
    assert_eq!(token.status, "401 Unauthorized", "the door takes API keys only");
}

#[tokio::test]
async fn changes_of_the_registry_act_at_once() {
    let (app, customer, _server) = start(&["t0"]).await;
    let listed = app.operator().get(&format!("{SERVERS}?org={}", customer.account.org)).await;
    let path = format!("{SERVERS}/{}", listed.json["data"][0]["id"].as_str().unwrap());
    let status = async || post(&customer.person, "crm", &call("t0")).await.status;
    assert_eq!(status().await, "200 OK");
    app.operator().patch(&path, json!({"enabled": false})).await;
    assert_eq!(status().await, "404 Not Found");
    app.operator().patch(&path, json!({"enabled": true, "access": [{"tools": ["other"]}]})).await;
    assert_eq!(post(&customer.person, "crm", &call("t0")).await.json["error"]["code"], -32602);
    app.operator().delete(&path).await;
    assert_eq!(status().await, "404 Not Found");
}
